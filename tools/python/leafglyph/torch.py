"""Moments as a module of torch, with their gradient. Import it only where torch is there."""
from typing import Any

import numpy as np
import torch
from torch import Tensor

from leafglyph._leafglyph import MomentPlan

_DEFAULTS: dict[str, dict[str, Any]] = {
    "pseudo-zernike": {"method": "gauss", "points": 5},
    "bessel-fourier": {"method": "gauss", "points": 5},
}


class Moments(torch.nn.Module):
    """The moments of images of one size, for networks: linear in the pixels, with derivatives of any order.

    size, order, family and all else: those of MomentPlan. Pseudo-Zernike and Bessel-Fourier moments are
    those of 5 x 5 Gauss points, since adaptive ones have no gradient.

    forward: images (..., rows, columns), float32 or float64, on any device; returns (..., moments), complex
    (complex64 for float32), or real on the square. Tensors of a GPU are copied to the host and back: plans
    compute on their own device. `abs()` of the result gives magnitudes, which turning the image leaves.
    Raises TypeError for other dtypes, and what MomentPlan.moments raises.
    """

    def __init__(self, size: int | tuple[int, int], order: int = 30, **plan: Any) -> None:
        super().__init__()
        if "method" not in plan and "points" not in plan:
            plan = {**_DEFAULTS.get(plan.get("family", "zernike"), {}), **plan}
        self.plan = MomentPlan(size, order, **plan)

    def forward(self, images: Tensor) -> Tensor:
        if images.dtype not in (torch.float32, torch.float64):
            raise TypeError(f"images of {images.dtype}; use float32 or float64")
        result: Tensor = _Forward.apply(images, self.plan)
        return result

    def extra_repr(self) -> str:
        return repr(self.plan)


def _array(tensor: Tensor) -> np.ndarray[Any, Any]:
    """The values of a tensor of any device, without its history."""
    values: np.ndarray[Any, Any] = tensor.detach().resolve_conj().cpu().numpy()
    return values


class _Forward(torch.autograd.Function):
    """Moments of (images, plan); backwards the adjoint, which is a function with a derivative of its own."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any, **_: Any) -> Any:
        images, plan = arguments
        ctx.plan, ctx.dtype = plan, images.dtype
        moments = torch.from_numpy(np.ascontiguousarray(plan.moments(_array(images))))
        if images.dtype == torch.float32:
            moments = moments.to(torch.complex64 if moments.is_complex() else torch.float32)
        return moments.to(images.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _Adjoint.apply(gradients[0], ctx.plan, ctx.dtype), None


class _Adjoint(torch.autograd.Function):
    """Derivatives by the pixels of (derivatives by the moments, plan, dtype); backwards the moments."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any, **_: Any) -> Any:
        gradient, plan, dtype = arguments
        ctx.plan = plan
        pixels = torch.from_numpy(plan.vjp(_array(gradient)))
        return pixels.to(dtype).to(gradient.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return _Forward.apply(gradients[0], ctx.plan), None, None
