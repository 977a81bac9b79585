"""Zernike coefficients of wavefronts and other maps, by least squares."""
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leafglyph._leafglyph import (
    UsageError,
    _good_condition,
    _zernike_name,
    _zernike_number,
    _zernike_terms,
    _zernike_terms_to,
    _ZernikeFit,
)

_Reals = NDArray[np.float64]


@dataclass(frozen=True)
class ZernikeCoefficients:
    """What ZernikeFit.fit returns. Of one map the arrays lack their first axis, the maps.

    coefficients, standard_errors: (maps, terms). The errors come from what is left of each map.
    terms: (terms, 2), n and m; m < 0 are sines. numbers: (terms,). names: of aberrations, or "".
    rms, peak_to_valley, residual_rms, residual_peak_to_valley: (maps,), the map about its mean, and
    what is left.
    """

    coefficients: _Reals
    standard_errors: _Reals
    terms: NDArray[np.int64]
    numbers: NDArray[np.int64]
    names: list[str]
    rms: _Reals
    peak_to_valley: _Reals
    residual_rms: _Reals
    residual_peak_to_valley: _Reals


class ZernikeFit:
    """A fit of real Zernike polynomials to maps of (rows, columns), on exactly the pixels that count.

    like: a map, or a stack of maps; pixels that are finite in all count, within the circle.
    order: all terms of degree n <= order; or terms: the first so many by `indices`.
    indices: "noll", "osa" or "fringe". scale: "rms" (mean square 1 on the disk) or "amplitude" (the
    radial part is 1 at the rim).
    hole: radius, in radii of the circle, in which nothing counts; annular: the polynomials of the ring
    (Mahajan 1981). mask: (rows, columns), not 0 where pixels count, beyond the circle as well; weights:
    (rows, columns), 0 or more. centre: column and row of the circle's centre, pixel centres at whole
    numbers; radius in pixels; default: the inscribed circle. y_down: y rises with the row.
    Warns where the condition is above 100. Raises InputError for fewer pixels than terms.

    condition: the ratio of the largest to the smallest singular value of the weighted matrix.
    """

    def __init__(
        self,
        like: ArrayLike,
        order: int = 8,
        *,
        terms: int | None = None,
        indices: str = "noll",
        scale: str = "rms",
        hole: float = 0.0,
        annular: bool = False,
        mask: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        centre: tuple[float, float] | None = None,
        radius: float | None = None,
        y_down: bool = False,
    ) -> None:
        if annular and hole == 0:
            raise UsageError("annular needs hole, the radius of the hole in radii")
        counts: _Reals = np.where(np.isfinite(_stack(like)).all(axis=0), 0.0, np.nan)
        self._arguments: dict[str, Any] = dict(
            like=counts, order=order, terms=terms, indices=indices, scale=scale, hole=hole,
            annular=annular, mask=mask, weights=weights, centre=centre, radius=radius, y_down=y_down)
        if mask is not None:
            counts = np.where(_beside(mask, counts, "mask") != 0, counts, np.nan)
        of_pixels = None if weights is None else _beside(weights, counts, "weights")
        if terms is None:
            pairs = _zernike_terms_to(order)
        else:
            pairs = sorted(_zernike_terms(indices, int(terms)))
        self._fit = _ZernikeFit(counts, of_pixels, pairs, hole if annular else 0.0, scale, centre, radius, hole,
                                mask is not None)
        self._numbers = np.array([_zernike_number(indices, n, m) for n, m in pairs])
        self._order = np.argsort(self._numbers)
        self.terms = np.array(pairs)[self._order]
        self.numbers = self._numbers[self._order]
        self._signs = np.where(self.terms[:, 1] < 0, -1.0, 1.0) if y_down else np.ones(len(pairs))
        self._noise = self._fit.total_weight() / max(1, self._fit.pixels() - len(pairs))
        self.condition = self._fit.condition()
        if self.condition > _good_condition:
            warnings.warn(f"the pixels hardly distinguish the terms: the condition is {self.condition:.3g}; "
                          f"order {self._fit.safe_order()} is safe", stacklevel=2)

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = dict(self._arguments)
        return _again, (arguments.pop("like"), arguments)

    def __repr__(self) -> str:
        return (f"<leafglyph.ZernikeFit: {len(self.numbers)} terms, {self._fit.pixels()} pixels, "
                f"condition {self.condition:.3g}>")

    def fit(self, maps: ArrayLike) -> ZernikeCoefficients:
        """The coefficients of a map (rows, columns) or of maps (maps, rows, columns)."""
        stack = _stack(maps)
        coefficients, figures = self._fit.fit(stack)
        coefficients = coefficients[:, self._order] * self._signs
        errors = np.sqrt(self._noise * self._fit.variances()[self._order]) * figures[:, 2:3]
        one = np.ndim(maps) == 2
        rest = [figures[:, i] for i in range(4)]
        if one:
            coefficients, errors, rest = coefficients[0], errors[0], [column[0] for column in rest]
        return ZernikeCoefficients(coefficients, errors, self.terms, self.numbers,
                                   [_zernike_name(int(n), int(m)) for n, m in self.terms], *rest)

    def residual(self, maps: ArrayLike, remove: ArrayLike | None = None) -> _Reals:
        """Maps without the fitted terms, or without those of the numbers `remove` alone; NaN where
        pixels do not count. The same shape as `maps`."""
        stack = _stack(maps)
        coefficients = self._fit.fit(stack)[0]
        if remove is not None:
            unknown = set(np.atleast_1d(remove).tolist()) - set(self.numbers.tolist())
            if unknown:
                raise UsageError(f"{sorted(unknown)} are not among the numbers of the terms")
            coefficients = np.where(np.isin(self._numbers, remove), coefficients, 0.0)
        return self._fit.left(stack, coefficients).reshape(np.shape(maps))


def _stack(maps: ArrayLike) -> _Reals:
    array: _Reals = np.asarray(maps, dtype=np.float64)
    if array.ndim not in (2, 3) or array.size == 0:
        raise UsageError(f"maps have the shape (rows, columns) or (maps, rows, columns), not {array.shape}")
    return array.reshape((-1,) + array.shape[-2:])


def _beside(values: ArrayLike, counts: _Reals, what: str) -> _Reals:
    array: _Reals = np.asarray(values, dtype=np.float64)
    if array.shape != counts.shape:
        raise UsageError(f"{what} has the shape {array.shape}, the maps {counts.shape}")
    return array


def _again(like: _Reals, arguments: dict[str, Any]) -> ZernikeFit:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ZernikeFit(like, **arguments)
