"""Pictures of moments, on axes of matplotlib."""
from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from numpy.typing import NDArray

import leafglyph


def plot_reconstruction(axes: Axes, plan: leafglyph.MomentPlan, moments: NDArray[Any], *,
                        last_order: int | None = None, image: NDArray[Any] | None = None,
                        **imshow: Any) -> AxesImage:
    """Draws the image that moments of up to last_order give back.

    axes: where. plan: the plan of the moments. moments: of one image. image: the original; the title
    then has the root mean square error over the pixels that count. Other arguments are imshow's.
    """
    again = plan.reconstruct(moments, last_order=last_order)
    order = plan.order if last_order is None else last_order
    title = f"order {order}"
    if image is not None:
        error = np.sqrt(np.mean((again - image)[plan.mask] ** 2))
        title += f", error {error:.3f}"
    drawn = axes.imshow(again, **{"cmap": "gray", **imshow})
    axes.set_title(title)
    axes.axis("off")
    return drawn


def plot_moments(axes: Axes, plan: leafglyph.MomentPlan, moments: NDArray[Any],
                 **imshow: Any) -> AxesImage:
    """Draws the magnitudes of the moments of one image: order n downwards, repetition m to the right.

    Places without a moment and masked ones stay empty. Other arguments are imshow's.
    """
    indices = plan.indices
    if indices.shape[1] != 2:
        raise leafglyph.UsageError("moments of volumes have three indices; they cannot be drawn")
    magnitudes = np.full(indices.max(axis=0) + 1, np.nan)
    shown = np.ma.filled(np.abs(moments), np.nan)  # type: ignore[no-untyped-call]
    magnitudes[tuple(indices.T)] = shown
    drawn = axes.imshow(magnitudes, **{"cmap": "viridis", "interpolation": "nearest", **imshow})
    axes.set_xlabel("repetition m")
    axes.set_ylabel("order n")
    return drawn
