import gc
import inspect
import resource
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import leafglyph
from conftest import SANITIZED

IMAGE = np.ones((8, 8))


# mechanics: each raises an exception that says what is wrong
@pytest.mark.parametrize("images,error,words", [
    ([[1.0, 2.0]], leafglyph.UsageError, "images of 2 x 1"),
    ([[1.0, 2.0], [3.0]], TypeError, "array of numbers, not list of rows of different lengths|object"),
    ("leaf.png", TypeError, "not str; read a file first"),
    (Path("leaf.png"), TypeError, "read a file first"),
    (np.ones((8, 8, 3)), leafglyph.UsageError, r"colours\? Take one, such as images\[..., 0\]"),
    (np.ones((8, 8, 4), np.uint8), leafglyph.UsageError, "colours"),
    (None, TypeError, "NoneType"),
    (IMAGE.astype(complex), TypeError, "complex128; take the moments of .real and .imag"),
    (IMAGE.astype(object), TypeError, "object"),
    (IMAGE.astype("m8[s]"), TypeError, "timedelta64"),
    (np.zeros((8, 8), [("a", "f8")]), TypeError, "'a'"),
    (np.array(["a"]), TypeError, "U1"),
    (np.array(1.0), leafglyph.UsageError, "rows and columns"),
    (np.ones(8), leafglyph.UsageError, "rows and columns"),
    (np.ones((2, 0, 8)), leafglyph.UsageError, "shape"),
    (np.ones((8, 9)), leafglyph.UsageError, "8"),
    (np.ones((9, 9)), leafglyph.UsageError, "8 x 8"),
    (np.full((8, 8), np.nan), leafglyph.InputError, "not a finite number"),
    (np.full((3, 8, 8), np.inf, np.float32), leafglyph.InputError, "not a finite number"),
    (np.full((8, 16), np.nan)[:, ::2], leafglyph.InputError, "not a finite number"),
])
def test_images_that_are_none(images, error, words):
    plan = leafglyph.MomentPlan(8, 4)
    for call in (plan.moments, plan.magnitudes):
        with pytest.raises(error, match=words):
            call(images)


# mechanics
@pytest.mark.parametrize("arguments,error,words", [
    ({"size": 1}, leafglyph.UsageError, "1"),
    ({"size": -8}, leafglyph.UsageError, "-8"),
    ({"size": (8, 9)}, leafglyph.UsageError, "9"),
    ({"size": (8,)}, leafglyph.UsageError, "size"),
    ({"size": (0, 8, 8), "family": "legendre"}, leafglyph.UsageError, "0 slices"),
    ({"size": "8"}, TypeError, ""),
    ({"size": 8, "order": -1}, leafglyph.UsageError, "-1"),
    ({"size": 8, "order": 10**6}, leafglyph.UsageError, "1000000"),
    ({"size": 8, "order": 10**12}, TypeError, ""),
    ({"size": 8, "order": 2.5}, TypeError, "whole number, such as 4; 2.5 is a float"),
    ({"size": 8, "order": 4.0}, TypeError, "4.0 is a float"),
    ({"size": 8, "order": "4"}, TypeError, ""),
    ({"size": 8, "family": "hu"}, leafglyph.UsageError, "hu"),
    ({"size": 8, "method": "best"}, leafglyph.UsageError, "best"),
    ({"size": 8, "method": "gauss", "points": 0}, leafglyph.UsageError, "0"),
    ({"size": 8, "mask": "none"}, leafglyph.UsageError, "none"),
    ({"size": 8, "angular_order": 3}, leafglyph.UsageError, "angular"),
    ({"size": 8, "device": "tpu"}, leafglyph.UsageError, "tpu"),
    ({"size": 8, "device": "cuda:99"}, leafglyph.Error, ""),
    ({"size": 8, "precision": "half"}, leafglyph.UsageError, "half"),
    ({"size": 8, "family": "zernike-3d"}, leafglyph.UsageError, "volumes"),
    ({"size": (8, 8, 8), "family": "zernike-3d", "points": 2}, leafglyph.UsageError, "centres"),
    ({"size": (8, 8, 8), "family": "zernike-3d", "method": "exact"}, leafglyph.UsageError, "exact"),
    ({"size": (8, 8, 8), "family": "zernike-3d", "mask": "whole"}, leafglyph.UsageError, "mask"),
    ({"size": (8, 8, 8), "family": "zernike-3d", "order": 201}, leafglyph.UsageError, "201"),
    ({"size": 8, "colour": 1}, TypeError, ""),
])
def test_plans_that_are_none(arguments, error, words):
    with pytest.raises(error, match=words):
        leafglyph.MomentPlan(**arguments)


# mechanics
def test_calls_that_do_not_fit():
    plan = leafglyph.MomentPlan(8, 4)
    for moments, error in ((np.zeros(len(plan) + 1), ValueError), (np.zeros(()), ValueError),
                           (np.full(len(plan), np.nan), leafglyph.InputError), ("moments", Exception)):
        with pytest.raises(error):
            plan.reconstruct(moments)
    for ask in (lambda: plan.norms(IMAGE), lambda: plan.norm_indices):
        with pytest.raises(leafglyph.UsageError, match="zernike-3d"):
            ask()
    ball = leafglyph.MomentPlan((4, 4, 4), 2, family="zernike-3d")
    for volumes in (np.zeros((4, 4, 5)), np.zeros((4, 4)), np.zeros((4, 4, 4), complex), None):
        with pytest.raises((leafglyph.UsageError, TypeError)):
            ball.norms(volumes)
    with pytest.raises(leafglyph.InputError, match="slice 1, row 2, column 2"):
        broken = np.zeros((4, 4, 4))
        broken[1, 2, 2] = np.inf
        ball.norms(broken)
    moments = plan.moments(IMAGE)
    for wrong in ({"last_order": 5}, {"first_order": -1}, {"first_order": 3, "last_order": 2},
                  {"repetitions": "some"}):
        with pytest.raises(leafglyph.UsageError):
            plan.reconstruct(moments, **wrong)
    for wrong in ((3, 4, [0.5]), (3, -1, [0.5]), (-1, 0, [0.5]), (3, 1, [1.5]), (3, 1, [np.nan])):
        with pytest.raises(leafglyph.UsageError):
            leafglyph.radial_polynomials(*wrong)
    for wrong in ({"convention": "opencv"}, {"convention": "mahotas"}, {"radius": -1.0},
                  {"radius": float("nan")}, {"centre": (float("inf"), 0.0)}, {"centre": "left"},
                  {"convention": "nyxus", "method": "exact"}, {"radius": 3.0, "device": "cuda"},
                  {"radius": 3.0, "family": "legendre"}):
        with pytest.raises(leafglyph.UsageError):
            leafglyph.moments(IMAGE, 4, **wrong)
    with pytest.raises(leafglyph.InputError, match="image 1"):
        leafglyph.moments(np.stack([IMAGE, 0 * IMAGE]), 4, convention="mahotas", radius=3)


# mechanics: what an `except ValueError` of a user catches
def test_exceptions_are_a_family():
    for kind in (leafglyph.UsageError, leafglyph.InputError, leafglyph.FormatError):
        assert issubclass(kind, leafglyph.Error) and kind.__module__ == "leafglyph"
    assert issubclass(leafglyph.UsageError, ValueError)
    assert issubclass(leafglyph.Error, RuntimeError)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


# mechanics: neither reference counts nor memory grow, whether calls succeed or not
def test_ten_thousand_calls_leave_nothing_behind():
    images = np.ones((4, 16, 16), np.uint16)
    plan = leafglyph.MomentPlan(16, 10)
    bad = np.ones((4, 16, 16), complex)
    strided = np.ones((4, 32, 16), np.int32)[:, ::2]

    def calls(count):
        for _ in range(count):
            moments = plan.moments(images)
            plan.magnitudes(images)
            plan.reconstruct(moments)
            leafglyph.moments([strided[0], images[0]], 4)
            plan.moments(strided)
            for wrong in (bad, images[:, ::2], None):
                try:
                    plan.moments(wrong)
                except (TypeError, ValueError):
                    pass

    threads = leafglyph.threads()
    leafglyph.set_threads(1)  # the ends of parallel sections dominate on a busy machine
    calls(500)
    gc.collect()
    references = [sys.getrefcount(thing) for thing in (images, bad, strided, plan, images.dtype)]
    before = resident()
    calls(500 if SANITIZED else 10_000)
    gc.collect()
    # 4 MiB: what the allocator keeps; one leaked result per call would be 100 MiB
    assert SANITIZED or resident() - before < 4 << 20
    assert [sys.getrefcount(thing) for thing in (images, bad, strided, plan, images.dtype)] == references
    leafglyph.set_threads(threads)


LONG = """
import sys
import threading
import numpy as np
import leafglyph
images = np.ones((200_000, 32, 32), np.uint8)
plan = leafglyph.MomentPlan(32, 20, device="cpu")
plan.moments(images[:1])
print("begun", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
plan.moments(images[:10])
print("goes on", flush=True)
"""


# mechanics: Ctrl-C ends a computation with KeyboardInterrupt, and does not affect the next one
@pytest.mark.parametrize("call", [
    "plan.moments(images)",
    "leafglyph.moments(images, 20, convention='mahotas', radius=9, centre='image')",
])
def test_ctrl_c_ends_a_computation(call):
    process = subprocess.Popen([sys.executable, "-c", LONG.format(call=call)],
                               stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert out == "interrupted\ngoes on\n"
    assert process.returncode == 0


# The arguments of each method.
ARGUMENTS = {"moments": [IMAGE], "magnitudes": [IMAGE], "norms": [IMAGE],
             "reconstruct": [np.ones(9, complex)], "vjp": [np.ones(9, complex)],
             "similar": ["己"], "compare": ["己", "已"], "features": [[]], "classify": [[]],
             "classify_every_leaf": [[]], "predict": [np.ones((1, 2))],
             "recognise": [[], 1], "restrict_to": ["己"], "save": ["x"], "fit": [np.ones((1, 8, 8))],
             "parts": [IMAGE], "left": [np.ones((1, 8, 8)), np.ones((1, 3))], "read_page": [IMAGE, None, 1]}


# mechanics: all methods refuse an object made by __new__ alone, of every class and of derived
# classes
def test_objects_whose_init_was_not_called():
    classes = [c for c in vars(leafglyph._leafglyph).values() if inspect.isclass(c)
               and not issubclass(c, BaseException)]
    assert {c.__name__ for c in classes} == {
        "CharacterPrediction", "Figure", "GlyphIndex", "GlyphMatch", "LeafEvaluation",
        "LeafFeatures", "LeafModel", "LeafPrediction", "LocalMoments", "MomentPlan", "_CharacterModel", "_RowClassifier",
        "_ZernikeFit"}
    tried = 0
    for cls in [c for one in classes for c in (one, type("Derived", (one,), {}))]:
        thing = cls.__new__(cls)
        for name in dir(cls):
            if name.startswith("_pybind11_"):  # its own, which asks for no object of the class
                continue
            if name.startswith("__") and (name not in ("__repr__", "__len__") or
                                          getattr(cls, name) is getattr(object, name, None)):
                continue
            with pytest.raises(TypeError, match="__init__ was not called"):
                value = getattr(thing, name)
                value(*ARGUMENTS.get(name, []))
            tried += 1
    assert tried >= 2 * 25


# mechanics: while an array is read, another thread cannot shrink it or the array of which it is a
# view
@pytest.mark.parametrize("call", ["moments", "magnitudes", "reconstruct"])
@pytest.mark.parametrize("view", [False, True])
def test_arrays_that_are_read_keep_their_size(call, view):
    threads = leafglyph.threads()
    leafglyph.set_threads(1)
    plan = leafglyph.MomentPlan(64, 40, device="cpu")
    owner = np.ones((4000, 64, 64)) if call != "reconstruct" else np.ones(
        (2000, len(plan)), complex)
    given = owner
    if view:
        given = owner[:] if call == "reconstruct" else owner[:, ::-1]  # copied by bands
    size = owner.size
    computing = threading.Thread(target=lambda: getattr(plan, call)(given))
    computing.start()
    refused = 0
    while computing.is_alive():
        if weakref.getweakrefcount(owner) == 0:
            continue
        with pytest.raises(ValueError, match="cannot resize"):
            owner.resize(10, refcheck=False)
        refused += 1
        time.sleep(0.001)
    computing.join()
    leafglyph.set_threads(threads)
    assert refused > 0
    assert owner.size == size
    assert weakref.getweakrefcount(owner) == 0
