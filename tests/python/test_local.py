"""Zernike moments about every pixel: plain sums in numpy, strips, names, refusals."""
import pickle

import numpy as np
import pytest

import leafglyph

RADIUS = 6.5


def image():
    return np.random.default_rng(7).normal(size=(31, 40))


# oracle: the definition in numpy, about a site in the middle and one at the corner
@pytest.mark.parametrize("border", ["zero", "mirror"])
def test_plain_sums(border):
    local = leafglyph.LocalMoments((31, 40), 6, RADIUS, border=border)
    maps = local.parts(image())
    assert maps.shape == (28, 31, 40) and maps.dtype == np.float64 and len(local.numbers) == 28
    padded = np.pad(image(), 7, mode="constant" if border == "zero" else "reflect")
    j, i = np.mgrid[-7:8, -7:8]
    inside = np.hypot(i, j) <= RADIUS
    rho, theta = np.hypot(i, j)[inside] / RADIUS, np.arctan2(-j, i)[inside]
    for row, column in ((15, 22), (0, 39)):
        seen = padded[row:row + 15, column:column + 15][inside]
        for k, (n, m, part) in enumerate(local.numbers):
            radial = leafglyph.radial_polynomials(n, m, rho)[-1]
            angle = np.cos(m * theta) if part == "real" else -np.sin(m * theta)
            expected = (n + 1) / (np.pi * RADIUS**2) * np.sum(seen * radial * angle)
            assert maps[k, row, column] == pytest.approx(expected, abs=1e-9)


# agreement: strips are the rows of the whole, and magnitudes are those of the parts
def test_strips_and_magnitudes():
    local = leafglyph.LocalMoments((31, 40), order=5, radius=9, step=3)
    assert local.shape == (11, 14)
    whole = local.magnitudes(image())
    assert whole.shape == (12, 11, 14) and whole.dtype == np.float32
    assert (local.magnitudes(image(), rows=(4, 9)) == whole[:, 4:9]).all()
    parts = local.parts(image())
    for k, (n, m) in enumerate(local.moments):
        squares = [parts[c] ** 2 for c, number in enumerate(local.numbers) if number[:2] == (n, m)]
        np.testing.assert_allclose(whole[k], np.sqrt(sum(squares)), rtol=1e-6, atol=1e-9)


# mechanics: lists and other dtypes are arrays, what does not fit is refused in one line
def test_inputs():
    local = leafglyph.LocalMoments((2, 3), 1, 1)
    assert (local.parts([[1, 2, 3], [4, 5, 6]]) ==
            local.parts(np.array([[1, 2, 3], [4, 5, 6]], np.uint8))).all()
    for wrong in (np.ones(6), np.ones((3, 2)), np.ones((1, 2, 3))):
        with pytest.raises(leafglyph.UsageError, match="of images of .2, 3. values"):
            local.parts(wrong)
    with pytest.raises(leafglyph.InputError, match="not finite"):
        local.magnitudes([[1, 2, 3], [4, np.nan, 6]])
    with pytest.raises(leafglyph.UsageError, match="rows 0 to 2"):
        local.parts(np.ones((2, 3)), rows=(1, 3))
    with pytest.raises(TypeError, match="must be an array of numbers"):
        local.parts("image")
    for wrong in ({"order": 17}, {"radius": 0.5}, {"step": 0}, {"border": "wrap"}):
        with pytest.raises(leafglyph.UsageError):
            leafglyph.LocalMoments((9, 9), **wrong)
    assert "order 1 about every pixel" in repr(local)


# agreement: a copy in another process computes the same
def test_pickling():
    local = leafglyph.LocalMoments((31, 40), 4, 3.5, 2, "mirror", "cpu")
    copy = pickle.loads(pickle.dumps(local))
    assert repr(copy) == repr(local) and (copy.parts(image()) == local.parts(image())).all()
