import csv
import os
import threading
from pathlib import Path

import numpy as np
import pytest

import leafglyph


def direct_moments(image, order):
    """The definition as a sum over pixel centres in the disk: a dict by (n, m)."""
    from math import factorial, pi

    size = image.shape[0]
    rows, columns = np.mgrid[:size, :size]
    x = (2 * columns + 1 - size) / size
    y = (size - 1 - 2 * rows) / size
    rho, theta = np.hypot(x, y), np.arctan2(y, x)
    inside = rho <= 1
    moments = {}
    for n in range(order + 1):
        for m in range(n % 2, n + 1, 2):
            radial = sum(
                (-1) ** s * factorial(n - s)
                / (factorial(s) * factorial((n + m) // 2 - s) * factorial((n - m) // 2 - s))
                * rho ** (n - 2 * s)
                for s in range((n - m) // 2 + 1))
            kernel = radial * np.exp(-1j * m * theta)
            moments[n, m] = (n + 1) / pi * (2 / size) ** 2 * (image * kernel)[inside].sum()
    return moments


# oracle: the definition, in numpy
def test_moments_are_those_of_the_definition(random):
    image = random.rand(17, 17)
    expected = direct_moments(image, 10)
    got = leafglyph.moments(image, 10, method="sub-regions")
    indices = leafglyph.moment_indices(10)
    assert got.shape == (len(indices),) and got.dtype == np.complex128
    for (n, m), moment in zip(indices, got):
        assert abs(moment - expected[n, m]) < 1e-12  # values below 1, sums of 300 of them


# agreement: the same values in every dtype, with any batch axes, and for a single image
def test_dtypes_and_batch_axes_make_no_difference(random):
    bytes_ = random.randint(0, 256, (2, 3, 16, 16)).astype(np.uint8)
    plan = leafglyph.MomentPlan(16, 12)
    expected = plan.moments(bytes_.astype(np.float64))
    assert expected.shape == (2, 3, len(plan))
    scale = abs(expected).max()
    for dtype in (np.uint8, np.uint16, np.float32):
        assert abs(plan.moments(bytes_.astype(dtype)) - expected).max() < 1e-13 * scale, dtype
    assert abs(plan.moments(bytes_[1, 2]) - expected[1, 2]).max() < 1e-13 * scale
    words = random.randint(0, 65536, (5, 16, 16)).astype(np.uint16)
    assert abs(plan.moments(words) - plan.moments(words.astype(float))).max() < 1e-13 * 65536 * 10
    mask = words > 30000
    assert abs(plan.moments(mask) - plan.moments(mask.astype(float))).max() < 1e-13 * 10
    magnitudes = plan.magnitudes(bytes_)
    assert magnitudes.dtype == np.float32
    assert np.allclose(magnitudes, abs(expected), rtol=1e-6, atol=1e-6 * scale)  # a float's digits


# mechanics: an empty batch is not an error
def test_empty_batches_have_no_moments():
    plan = leafglyph.MomentPlan(8, 4)
    for dtype in (np.uint8, np.uint16, np.float64):
        empty = np.zeros((0, 8, 8), dtype)
        assert plan.moments(empty).shape == (0, len(plan))
        assert plan.magnitudes(empty).shape == (0, len(plan))
        assert leafglyph.moments(empty, 4, convention="nyxus").shape == (0, len(plan))
    assert plan.reconstruct(np.zeros((0, len(plan)))).shape == (0, 8, 8)


# invariant: images made of orders up to the plan's are reconstructed
@pytest.mark.parametrize("family,method", [("zernike", "exact"), ("pseudo-zernike", "adaptive"),
                                           ("bessel-fourier", "adaptive"),
                                           ("jacobi-fourier:4:3", "gauss"),
                                           ("exponent-fourier", "gauss"), ("legendre", "exact"),
                                           ("jacobi:0.3:0.7", "exact")])
def test_reconstruction_comes_close(family, method):
    y, x = np.mgrid[-1:1:64j, -1:1:64j]
    square = x**2 + y**2
    image = 8 * np.e * square * np.exp(-8 * square)  # Bessel-Fourier functions are 0 at the centre
    points = 4 if method == "gauss" else 1
    plan = leafglyph.MomentPlan(64, 24, family=family, method=method, points=points)
    moments = plan.moments(image)
    real = family in ("legendre", "jacobi:0.3:0.7")
    assert moments.dtype == (np.float64 if real else np.complex128)
    again = plan.reconstruct(moments)
    assert again.shape == (64, 64)
    # 1e-2: an image of values up to 1, which orders up to 24 represent
    assert np.sqrt(np.mean((again - image)[plan.mask] ** 2)) < 1e-2
    parts = (plan.reconstruct(moments, last_order=10)
             + plan.reconstruct(moments, first_order=11))
    assert np.allclose(parts, again, atol=1e-12)


# mechanics: volumes
def test_volumes_have_three_axes(random):
    volume = random.rand(2, 5, 6, 7)
    plan = leafglyph.MomentPlan((5, 6, 7), 4, family="legendre")
    assert plan.size == (5, 6, 7)
    assert plan.moments(volume).shape == (2, 35) and plan.indices.shape == (35, 3)
    assert plan.reconstruct(plan.moments(volume)).shape == (2, 5, 6, 7)
    with pytest.raises(leafglyph.UsageError, match="mask"):
        plan.mask


# invariant: 3-D Zernike moments of a volume and of its 24 turns have the same norms; Omega_00^0 is the
# mean of the ball, and voxels outside do not count
def test_norms_of_volumes(random):
    volume = random.rand(11, 11, 11)
    plan = leafglyph.MomentPlan((11, 11, 11), 8, family="zernike-3d")
    ball = plan.mask
    assert ball.shape == (11, 11, 11) and ball.dtype == bool and not ball[0, 0, 0]
    assert plan.indices.shape == (len(plan), 3) and plan.indices[2].tolist() == [1, 1, 1]
    assert plan.norm_indices[:4].tolist() == [[0, 0], [1, 1], [2, 0], [2, 2]]
    norms = plan.norms(volume)
    moments = plan.moments(volume)
    assert norms.shape == (25,) and norms.dtype == np.float64 and moments.dtype == np.complex128
    assert abs(moments[0] - volume[ball].sum() * 6 / (np.pi * 11**3)) < 1e-14
    for c, (n, l) in enumerate(plan.norm_indices):
        of = (plan.indices[:, 0] == n) & (plan.indices[:, 1] == l)
        twice = np.where(plan.indices[of, 2] > 0, 2, 1)
        assert abs(norms[c] - np.sqrt((twice * abs(moments[of]) ** 2).sum())) < 1e-14
    turns = [np.rot90(np.rot90(side, turn, (1, 2)), other, axes) for turn in range(4)
             for side, axes, other in
             [(volume, (0, 1), 0), (volume, (0, 1), 1), (volume, (0, 1), 2), (volume, (0, 1), 3),
              (volume, (0, 2), 1), (volume, (0, 2), 3)]]
    batch = plan.norms(np.stack(turns))
    assert batch.shape == (24, 25) and np.allclose(batch, norms, rtol=0, atol=1e-13)
    outside = np.where(ball, volume, np.nan)
    assert np.array_equal(plan.norms(outside), norms)
    back = plan.reconstruct(moments)
    assert back.shape == (11, 11, 11) and not back[~ball].any()


# oracle: closed forms
def test_radial_polynomials():
    rho = np.linspace(0, 1, 12).reshape(3, 4)
    values = leafglyph.radial_polynomials(5, 1, rho)
    assert values.shape == (3, 3, 4)
    assert np.allclose(values[0], rho, atol=1e-15)
    assert np.allclose(values[1], 3 * rho**3 - 2 * rho, atol=1e-14)
    assert np.allclose(values[2], 10 * rho**5 - 12 * rho**3 + 3 * rho, atol=1e-14)
    pseudo = leafglyph.radial_polynomials(1, 0, [0.5], family="pseudo-zernike")
    assert np.allclose(pseudo[:, 0], [1, 3 * 0.5 - 2])


def read_pgm(path):
    words = Path(path).read_text().split()
    width, height, white = map(int, words[1:4])
    dtype = np.uint8 if white < 256 else np.uint16
    return np.array(words[4:], dtype=int).astype(dtype).reshape(height, width)


# oracle: what Mahotas, centrosome and Nyxus print (tests/features/conventions/make_golden.py)
def test_conventions_of_other_programs():
    folder = Path(os.environ["LEAFGLYPH_CONVENTIONS"])
    computed, compared = {}, 0
    for row in csv.DictReader((folder / "golden.csv").open()):
        centre = tuple(map(float, row["centre"].split(","))) if row["centre"] else None
        radius = float(row["radius"]) if row["radius"] else None
        key = row["image"], row["program"], centre, radius
        if key not in computed:
            computed[key] = leafglyph.moments(
                read_pgm(folder / f"{row['image']}.pgm"), int(row["order"]),
                convention=row["program"], centre=centre, radius=radius)
        position = leafglyph.moment_indices(9).tolist().index([int(row["n"]), int(row["m"])])
        assert abs(abs(computed[key][position]) - float(row["magnitude"])) < 1e-12, row
        compared += 1
    assert compared == 750


# mechanics: one plan in several threads, while Python continues
def test_threads_share_a_plan(random):
    images = random.rand(4, 40, 128, 128)
    plan = leafglyph.MomentPlan(128, 30, device="cpu")
    expected = [plan.moments(part) for part in images]
    results = [None] * 4

    def work(i):
        for _ in range(5):
            results[i] = plan.moments(images[i])

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for got, wanted in zip(results, expected):
        assert np.array_equal(got, wanted)


# mechanics: the number of threads is the same for every Python thread
def test_set_threads():
    before = leafglyph.threads()
    try:
        leafglyph.set_threads(1)
        seen = []
        worker = threading.Thread(target=lambda: seen.append(leafglyph.threads()))
        worker.start()
        worker.join()
        assert seen == [1] and leafglyph.threads() == 1
        for wrong in (-1, 10**6):
            with pytest.raises(leafglyph.UsageError, match="threads"):
                leafglyph.set_threads(wrong)
    finally:
        leafglyph.set_threads(before)
