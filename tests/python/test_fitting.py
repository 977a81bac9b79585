"""Fits of Zernike polynomials: known coefficients, numpy's least squares, shapes and refusals."""
import pickle

import numpy as np
import pytest

import leafglyph

SIDE = 64


def grid():
    x = (2 * np.arange(SIDE) + 1 - SIDE) / SIDE
    x, y = np.meshgrid(x, -x)
    return x, y, np.hypot(x, y)


def wavefront():
    x, y, rho = grid()
    z = 0.3 * np.sqrt(3) * (2 * rho**2 - 1) - 0.1 * np.sqrt(8) * (3 * rho**2 - 2) * y
    return np.where(rho <= 1, z, np.nan)


# oracle: known coefficients, of one map and of a stack, in every numbering
def test_known_coefficients():
    found = leafglyph.ZernikeFit(wavefront(), 4).fit(wavefront())
    assert found.coefficients.shape == (15,) and found.terms.shape == (15, 2)
    expected = np.zeros(15)
    expected[[3, 6]] = 0.3, -0.1
    np.testing.assert_allclose(found.coefficients, expected, atol=1e-13)
    assert found.numbers.tolist() == list(range(1, 16)) and found.names[3] == "defocus"
    assert found.residual_rms < 1e-13 < found.rms
    stack = np.stack([wavefront(), 2 * wavefront() + 1])
    fit = leafglyph.ZernikeFit(stack, terms=9, indices="fringe", scale="amplitude", y_down=True)
    both = fit.fit(stack)
    assert both.coefficients.shape == (2, 9) and both.rms.shape == (2,)
    np.testing.assert_allclose(both.coefficients[1, [0, 3, 7]], [1, 0.6 * 3**0.5, 0.2 * 8**0.5], atol=1e-13)
    again = pickle.loads(pickle.dumps(fit)).fit(stack)
    np.testing.assert_array_equal(again.coefficients, both.coefficients)


# oracle: weighted noise on a mask against numpy.linalg.lstsq, its residuals and standard errors
def test_least_squares():
    rng = np.random.default_rng(1)
    x, y, _ = grid()
    mask, weights = rng.random((SIDE, SIDE)) < 0.7, 1 + rng.random((SIDE, SIDE))
    noise = rng.normal(size=(SIDE, SIDE))
    fit = leafglyph.ZernikeFit(noise, 1, mask=mask, weights=weights)
    found = fit.fit(noise)
    root = np.sqrt(weights[mask])
    matrix = np.stack([np.ones(mask.sum()), 2 * x[mask], 2 * y[mask]], axis=1) * root[:, None]
    expected, squares, _, _ = np.linalg.lstsq(matrix, noise[mask] * root, rcond=None)
    np.testing.assert_allclose(found.coefficients, expected, atol=1e-13)
    errors = np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix)) * squares / (mask.sum() - 3))
    np.testing.assert_allclose(found.standard_errors, errors, rtol=1e-12)
    left = fit.residual(noise)
    assert np.isnan(left[~mask]).all()
    np.testing.assert_allclose(left[mask], noise[mask] - (matrix / root[:, None]) @ expected, atol=1e-13)
    level = fit.residual(noise, remove=[2, 3])
    np.testing.assert_allclose(level[mask] - left[mask], expected[0], atol=1e-13)


# mechanics: what is refused or warned of
def test_refusals():
    with pytest.raises(leafglyph.UsageError, match="rows, columns"):
        leafglyph.ZernikeFit(np.zeros(5))
    with pytest.raises(leafglyph.UsageError, match="mask has the shape"):
        leafglyph.ZernikeFit(wavefront(), mask=np.ones((3, 3)))
    with pytest.raises(leafglyph.UsageError, match="hole"):
        leafglyph.ZernikeFit(wavefront(), annular=True)
    with pytest.raises(leafglyph.InputError, match="fewer than the 15 terms"):
        leafglyph.ZernikeFit(np.zeros((2, 2)), 4)
    with pytest.raises(TypeError, match="4.5 is a float"):
        leafglyph.ZernikeFit(wavefront(), 4.5)
    with pytest.raises(leafglyph.UsageError, match="indices 'wyant' is unknown"):
        leafglyph.ZernikeFit(wavefront(), terms=3, indices="wyant")
    fit = leafglyph.ZernikeFit(np.zeros((SIDE, SIDE)), 2)
    with pytest.raises(leafglyph.InputError, match="map 1 has no finite value"):
        fit.fit(np.full((SIDE, SIDE), np.nan))
    with pytest.raises(leafglyph.UsageError, match="numbers of the terms"):
        fit.residual(np.zeros((SIDE, SIDE)), remove=[99])
    strip = np.where(np.abs(grid()[0]) < 0.1, 1.0, np.nan)
    with pytest.warns(UserWarning, match="hardly distinguish"):
        leafglyph.ZernikeFit(strip, 4)
