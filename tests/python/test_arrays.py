import importlib
import importlib.util

import numpy as np
import pytest

import leafglyph

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g"]
OWN = [np.dtype(name) for name in ("?", "u1", "u2", "f4", "f8")]
SEED = 20261126


def random_array(random):
    """An array of any dtype, byte order, shape, order and stride, and the text that names it."""
    dtype = np.dtype(random.choice(DTYPES)).newbyteorder(random.choice(["<", ">"]))
    batch = tuple(random.randint(0, 4, random.randint(0, 3)))
    size = int(random.randint(2, 20))
    # A larger array, of which every second or third row, or rows and columns from the end, are used.
    steps = random.choice([1, 2, 3, -1, -2], 2 + len(batch))
    shape = [length * abs(step) + 2 for length, step in zip((*batch, size, size), steps)]
    whole = random.randint(0, 100, shape).astype(dtype)
    if random.rand() < 0.5:
        whole = np.asfortranarray(whole)
    array = whole[tuple(slice(None, None, step) for step in steps)]
    array = array[tuple(slice(0, length) for length in (*batch, size, size))]
    if random.rand() < 0.3:
        array = np.swapaxes(array, -1, -2)
    if random.rand() < 0.1:
        array = np.broadcast_to(array[..., :1, :], array.shape)
    if random.rand() < 0.1:  # a field of records, whose values are not aligned
        records = np.zeros(array.shape, [("label", "u1"), ("value", array.dtype)])
        records["value"] = array
        array = records["value"]
    return array, f"seed {SEED}, {array.dtype.str}, shape {array.shape}, strides {array.strides}"


# agreement: 1,000 arrays of any dtype, byte order, shape, order and stride, and their contiguous
# copies as float64
def test_any_array_gives_the_numbers_of_the_contiguous_one():
    random = np.random.RandomState(SEED)
    plans = {}
    copied = 0
    for _ in range(1000):
        array, name = random_array(random)
        key = (array.shape[-1], random.choice(["adaptive", "sub-regions"]))
        plan = plans.get(key) or leafglyph.MomentPlan(key[0], 6, method=key[1])
        plans[key] = plan
        expected = plan.moments(np.ascontiguousarray(array, dtype=np.float64))
        got = plan.moments(array)
        assert got.shape == expected.shape, name
        own = array.dtype.newbyteorder("=") in OWN
        copied += not (own and array.flags.c_contiguous)
        if not own or array.dtype.newbyteorder("=") == np.float64:
            assert np.array_equal(got, expected), name
        else:
            # The kernels of these dtypes add in another order: sums of 400 values up to 100.
            assert np.allclose(got, expected, rtol=0, atol=1e-11), name
            same = plan.moments(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")))
            assert np.array_equal(got, same), name
    assert copied > 500


# agreement: large arrays are converted in several bands, volumes slice by slice
def test_bands_and_volumes(random):
    images = random.randint(-5, 5, (70, 128, 256))[:, :, ::2]  # 9 MiB as float64
    plan = leafglyph.MomentPlan(128, 8)
    assert np.array_equal(plan.moments(images), plan.moments(images.astype(float)))
    assert np.array_equal(plan.magnitudes(images), plan.magnitudes(images.astype(float)))
    one = np.asfortranarray(random.randint(0, 9, (1100, 1100)))  # larger than a band
    whole = leafglyph.MomentPlan(1100, 4)
    assert np.array_equal(whole.moments(one), whole.moments(np.ascontiguousarray(one, float)))
    volumes = random.randint(0, 9, (2, 5, 6, 7)).transpose(0, 1, 3, 2)
    cube = leafglyph.MomentPlan((5, 7, 6), 4, family="legendre")
    assert np.array_equal(cube.moments(volumes), cube.moments(volumes.astype(float)))


# agreement: a list of images of different sizes and dtypes, in its order
def test_lists_of_images(random):
    images = [random.randint(0, 255, (size, size)).astype(dtype)
              for size, dtype in ((9, "u1"), (16, "f4"), (9, "i8"), (12, "u2"), (16, "f4"), (9, "u1"))]
    rows = leafglyph.moments(images, 6)
    assert rows.shape == (6, len(leafglyph.moment_indices(6)))
    for image, row in zip(images, rows):
        # 1e-11: sums of 256 values up to 255, in float64
        assert np.allclose(leafglyph.moments(image.astype(float), 6), row, rtol=0, atol=1e-11)
    assert leafglyph.moments([], 6).shape == (0, rows.shape[1])
    plan = leafglyph.MomentPlan(16, 6)
    assert np.array_equal(plan.moments([images[1], images[4]]), rows[[1, 4]])
    assert np.array_equal(leafglyph.magnitudes(images[1:2], 6)[0], plan.magnitudes(images[1]))
    square = leafglyph.moments([np.ones((4, 5)), np.ones((6, 5))], 3, family="legendre")
    assert square.dtype == np.float64 and square.shape == (2, 10)


# agreement: a region is the image that one would cut out
def test_regions_of_label_images(random):
    image = random.randint(1, 200, (40, 60)).astype(np.uint8)
    labels = np.zeros((40, 60), int)
    labels[3:17, 5:30] = 7
    labels[10:20, 20:40] = 2
    labels[30:, 50:] = 40
    rows = leafglyph.moments(image, 6, labels=labels)
    for row, (label, box) in zip(rows, [(2, np.s_[10:20, 20:40]), (7, np.s_[3:17, 5:30]),
                                        (40, np.s_[30:, 50:])]):
        region = np.where(labels[box] == label, image[box], 0)
        assert np.array_equal(
            leafglyph.moments(region, 6, centre="enclosing", radius="enclosing"), row)
    mask = labels == 2
    shape = leafglyph.magnitudes(mask, 6, labels=mask, convention="centrosome")
    assert shape.shape == (1, rows.shape[1])
    # The circle of the shape is the same wherever it lies in the image.
    assert np.allclose(shape[0], leafglyph.magnitudes(mask, 6, convention="centrosome"), rtol=0,
                       atol=1e-6)  # floats up to 1
    assert leafglyph.moments(image, 6, labels=np.zeros_like(labels)).shape == (0, rows.shape[1])


# mechanics: values under a mask are never used, also where the mask is empty
def test_masked_arrays_are_refused():
    plan = leafglyph.MomentPlan(8, 4)
    plain = np.arange(64.0).reshape(8, 8)
    labels = np.ones((8, 8), int)
    calls = [
        (lambda array: plan.moments(array), plain),
        (lambda array: plan.magnitudes(array), np.stack([plain, plain])),
        (lambda array: plan.moments([plain, array]), plain),
        (lambda array: leafglyph.moments(array, 4), plain),
        (lambda array: leafglyph.magnitudes(array, 4, convention="centrosome"), plain),
        (lambda array: leafglyph.moments(array, 4, labels=labels), plain),
        (lambda array: leafglyph.moments(plain, 4, labels=array), labels),
        (lambda array: plan.reconstruct(array), plan.moments(plain)),
        (lambda array: leafglyph.radial_polynomials(4, 0, array), np.linspace(0, 1, 5)),
        (lambda array: leafglyph.LeafFeatures("leaf").features([array]), plain.astype(np.uint8)),
    ]
    for call, array in calls[:-1]:
        call(array)
    for call, array in calls:
        for mask in (False, array == array.flat[-1]):
            with pytest.raises(TypeError, match=r"MaskedArray; \.filled\(VALUE\)"):
                call(np.ma.array(array, mask=mask))


# agreement: what numpy makes an array of is taken as that array; a tuple is a list
def test_other_kinds_of_images_are_their_arrays(random):
    image = (random.random((8, 8)) * 255).astype(np.uint8)
    plan = leafglyph.MomentPlan(8, 4)
    expected = plan.moments(image)
    for other in (image.tolist(), tuple(map(tuple, image.tolist())), memoryview(image)):
        assert np.array_equal(plan.moments(other), expected)
        assert np.array_equal(leafglyph.moments(other, 4), expected)
    assert np.array_equal(leafglyph.moments((image, image.T), 4), leafglyph.moments([image, image.T], 4))
    assert np.array_equal(plan.moments([image.tolist()]), [expected])
    for name, make in (("pandas", lambda module: module.DataFrame(image)),
                       ("PIL.Image", lambda module: module.fromarray(image))):
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            continue  # neither is needed
        thing = make(importlib.import_module(name))
        assert np.array_equal(plan.moments(thing), expected), name
        assert np.array_equal(plan.moments([thing, thing]), [expected, expected]), name


# mechanics: errors name the image of the list, the region, and the image of a batch in bands
def test_errors_name_the_image():
    bad = np.full((8, 8), np.inf)
    good = np.ones((9, 9))
    with pytest.raises(leafglyph.InputError, match="image 2 of the list: .*not a finite"):
        leafglyph.moments([good, good, bad, good], 4)
    with pytest.raises(TypeError, match="image 1 of the list must be an array of numbers, not str"):
        leafglyph.moments([good, "leaf.png"], 4)
    with pytest.raises(leafglyph.UsageError, match="single images"):
        leafglyph.moments([np.ones((2, 8, 8))], 4)
    plan = leafglyph.MomentPlan(8, 4)
    with pytest.raises(leafglyph.UsageError, match="image 1 of the list has 9 x 9 pixels"):
        plan.moments([bad, good])
    with pytest.raises(leafglyph.UsageError, match="0 images"):
        plan.moments([])
    many = np.zeros((40_000, 8, 16), np.float64)[:, :, ::2]  # 20 MB: several bands
    many[39_000, 4, 4] = np.nan
    with pytest.raises(leafglyph.InputError, match="image 39000 of the batch: the value in row 4"):
        plan.moments(many)
    image, labels = np.ones((8, 8)), np.zeros((8, 8), int)
    labels[2, 2], labels[4:, 4:] = 5, 3
    for compute in (leafglyph.moments, leafglyph.magnitudes):  # one region never costs the others
        with pytest.warns(UserWarning, match="label 5: "):
            rows = compute(image, 4, labels=labels)
        assert np.isnan(rows[1]).all() and np.isfinite(rows[0]).all()
        assert np.array_equal(rows[0], compute(image, 4, labels=np.where(labels == 3, 3, 0))[0])
    for wrong, error, words in (((8, 9), leafglyph.UsageError, "same shape"),
                                ((1, 8, 8), leafglyph.UsageError, "same shape")):
        with pytest.raises(error, match=words):
            leafglyph.moments(image, 4, labels=np.ones(wrong, int))
    for wrong in (np.ones((8, 8)), [[1]]):
        with pytest.raises(TypeError, match="labels"):
            leafglyph.moments(image, 4, labels=wrong)
