import copy
import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import leafglyph
from conftest import LEAF, run_command

SPAWN = """
import sys
from multiprocessing import get_context
import numpy as np
import leafglyph

def moments(plan, image):
    return plan.moments(image)

def species(model, path):
    return model.classify([path])[0].species

if __name__ == "__main__":
    model, path = sys.argv[1:]
    plan = leafglyph.MomentPlan(16, 8, family="jacobi:0.3:0.7", precision="float")
    image = np.arange(256.0).reshape(16, 16)
    with get_context("spawn").Pool(2) as pool:
        assert np.array_equal(pool.apply(moments, (plan, image)), plan.moments(image))
        model = leafglyph.LeafModel(model)
        assert pool.apply(species, (model, path)) == species(model, path)
    with get_context("fork").Pool(1) as pool:
        try:
            pool.apply(moments, (plan, image))
        except leafglyph.Error as error:
            assert "forked" in str(error), error
        else:
            raise SystemExit("a forked process computed")
    print("done")
"""


# mechanics: plans and models survive pickling, and work in processes that are started by spawn
def test_processes(trained, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SPAWN)
    photograph = next((trained / "data").glob("*/0002.png"))
    result = subprocess.run([sys.executable, script, trained / "model", photograph], text=True,
                            stdout=subprocess.PIPE, timeout=300)
    assert result.stdout == "done\n" and result.returncode == 0


ENDING = """
import atexit, sys, threading, time
import numpy as np
import leafglyph

model, store, photograph = sys.argv[1:]
image = np.zeros((64, 128, 128), np.uint8)
plan = leafglyph.MomentPlan(64, 30)
model = leafglyph.LeafModel(model)
small = np.random.RandomState(1).rand(16, 64, 64)

def forever(work):
    begun.release()
    while True:
        work()

works = [lambda: leafglyph.magnitudes(image, order=40), lambda: plan.moments(small),
         lambda: model.classify([photograph]), lambda: np.asarray(leafglyph.open_store(store))]
begun = threading.Semaphore(0)
for work in works + works[:1]:
    threading.Thread(target=forever, args=[work], daemon=True).start()
for _ in range(len(works) + 1):
    begun.acquire()
time.sleep(0.2)
atexit.register(print, "ended", flush=True)
"""


# mechanics: a program that ends while threads compute ends as others do: without a signal or a word
def test_ending_while_threads_compute(trained, tmp_path):
    run_command("features", "extract", trained / "data", "--config", LEAF, "--block", 4, "--out",
                tmp_path / "store")
    photograph = next((trained / "data").glob("*/0002.png"))
    script = tmp_path / "script.py"
    script.write_text(ENDING)
    for _ in range(10):
        result = subprocess.run([sys.executable, script, trained / "model", tmp_path / "store",
                                 photograph], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=300)
        assert (result.returncode, result.stdout, result.stderr) == (0, "ended\n", "")


LAST = """
import atexit, threading

def last():
    print(leafglyph.magnitudes(image, order=2).shape, flush=True)
    ending.set()
    refused.wait()

def compute():
    ending.wait()
    try:
        leafglyph.magnitudes(image, order=2)
    except BaseException as error:
        print(type(error).__name__, flush=True)
    refused.set()

atexit.register(last)  # called after what leafglyph registers
import numpy as np
import leafglyph

image = np.ones((16, 16))
ending, refused = threading.Event(), threading.Event()
threading.Thread(target=compute, daemon=True).start()
"""


# mechanics: after that only the main thread, which Python does not end, may compute
def test_computing_at_the_end():
    result = subprocess.run([sys.executable, "-c", LAST], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=60)
    assert (result.returncode, result.stdout, result.stderr) == (0, "(4,)\nSystemExit\n", "")


# agreement: what a pickled object computes
@pytest.mark.parametrize("arguments", [
    {"size": 16, "order": 6}, {"size": 16, "method": "gauss", "points": 3, "mask": "whole"},
    {"size": (12, 9), "order": 5, "family": "gegenbauer:0.7"},
    {"size": 16, "order": 6, "family": "bessel-fourier", "angular_order": 3},
    {"size": (4, 5, 6), "order": 3, "family": "legendre"},
    {"size": (4, 5, 6), "order": 3, "family": "zernike-3d"}])
def test_pickled_plans(arguments, random):
    plan = leafglyph.MomentPlan(**arguments)
    again = pickle.loads(pickle.dumps(plan))
    assert repr(again) == repr(plan)
    image = random.rand(*plan.size)
    assert np.array_equal(again.moments(image), plan.moments(image))


def shown(value):
    """The public attributes of a value, in types that numpy compares."""
    if type(value).__module__ == "leafglyph":
        return {name: shown(getattr(value, name)) for name in dir(value) if not name.startswith("_")}
    return value


# agreement: results are the same after pickling and copying, in every field
def test_pickled_results(trained, evaluation):
    model = leafglyph.LeafModel(trained / "model")
    photographs = sorted((trained / "data").glob("*/0002.png"))
    predictions = model.classify([*photographs, trained / "none.png"])
    match = leafglyph.GlyphIndex().compare("己", "已")
    for result in (*predictions, evaluation, evaluation.top1, match):
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert type(again) is type(result) and repr(again) == repr(result)
            np.testing.assert_equal(shown(again), shown(result))


# agreement: objects that compute do the same after pickling, also in another folder
def test_pickled_objects(trained, tmp_path, monkeypatch):
    monkeypatch.chdir(trained)
    photographs = sorted((trained / "data").glob("*/0002.png"))
    model, features = leafglyph.LeafModel("model"), leafglyph.LeafFeatures(LEAF)
    (trained / "glyphs.yaml").write_text("lookalikes:\n  measure: windows\n")
    index = leafglyph.GlyphIndex("glyphs.yaml")
    run_command("features", "extract", "data", "--config", LEAF, "--block", 10, "--out",
                tmp_path / "store")
    monkeypatch.chdir(tmp_path)
    store = leafglyph.open_store("store")
    pickled = pickle.dumps((model, features, index, store))
    assert len(pickled) < 20_000  # settings and paths; the store alone has 24 rows of 4 kB
    monkeypatch.chdir("/")
    model_, features_, index_, store_ = pickle.loads(pickled)
    assert shown(model_.classify(photographs)[0]) == shown(model.classify(photographs)[0])
    assert np.array_equal(features_.features(photographs), features.features(photographs))
    assert shown(index_.similar("己")[3]) == shown(index.similar("己")[3])
    assert np.array_equal(store_[:], store[:])
    assert not any(isinstance(block, np.memmap) for block in store_.blocks)
    mapped = pickle.loads(pickle.dumps(leafglyph.open_store(tmp_path / "store", map=True)))
    assert all(isinstance(block, np.memmap) for block in mapped.blocks)


# mechanics: a file that is gone, and the classes that are not pickled, which LeafClassifier,
# CharacterRecogniser and ZernikeFit make again
def test_what_cannot_be_pickled_says_so(trained, tmp_path):
    (tmp_path / "model").symlink_to(trained / "model")
    pickled = pickle.dumps(leafglyph.LeafModel(tmp_path / "model"))
    (tmp_path / "model").unlink()
    with pytest.raises(leafglyph.InputError, match=str(tmp_path / "model")):
        pickle.loads(pickled)
    classes = [thing for thing in vars(leafglyph._leafglyph).values() if inspect.isclass(thing)
               and not issubclass(thing, BaseException)]
    assert {thing.__name__ for thing in classes if "__setstate__" not in vars(thing)} == {
        "_CharacterModel", "_RowClassifier", "_ZernikeFit"}
    rows = leafglyph._leafglyph._RowClassifier("leaf", np.eye(4, dtype=np.float32),
                                               np.array([0, 0, 1, 1], np.int32), [])
    with pytest.raises(TypeError, match="cannot pickle 'leafglyph._RowClassifier' object"):
        pickle.dumps(rows)


# mechanics: a module built with a pybind11 that knows numpy 1 alone says so under numpy 2
def test_numpy_2():
    script = "import numpy; numpy.__version__ = '2.1.0'; import leafglyph"
    result = subprocess.run([sys.executable, "-c", script], text=True, stderr=subprocess.PIPE)
    if sys.version_info < (3, 12):  # Debian 12, whose pybind11 is 2.10
        assert "ImportError: this build of leafglyph needs numpy 1, and numpy is 2.1.0" in result.stderr
    else:
        assert result.returncode == 0, result.stderr
