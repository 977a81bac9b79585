import importlib.util
import json
import os
import shutil
import struct
import zlib

import numpy as np
import pytest

import leafglyph
from conftest import LEAF, run_command


# agreement: a model trained from Python is the one that the command trains
def test_train_and_evaluate_as_the_command(trained, evaluation, tmp_path):
    model = leafglyph.train(tmp_path / "model", trained / "data", config=LEAF)
    # On processors that OpenBLAS does not know, the command chooses its kernels, and those of Python round
    # otherwise: the factorisation is in float, of a matrix with a condition number of some thousands.
    for name, tolerance in (("features.npy", 0), ("projection.npy", 1e-5), ("rows.npy", 1e-5)):
        of_python, of_command = (np.load(folder / "model" / name) for folder in (tmp_path, trained))
        assert of_python.shape == of_command.shape
        assert np.abs(of_python - of_command).max() <= tolerance, name
    assert len(model.class_names) == 3
    run_command("leaf", "evaluate", "--config", LEAF, "--data", trained / "data", "--json",
                tmp_path / "evaluation.json")
    report = json.loads((tmp_path / "evaluation.json").read_text())
    assert evaluation.top1.mean == pytest.approx(report["top1"]["mean"], abs=1e-9)
    assert evaluation.confusion.shape == (3, 3) and evaluation.confusion.sum() == 24
    assert evaluation.recall == pytest.approx(
        evaluation.confusion.diagonal() / evaluation.confusion.sum(axis=1))
    low, high = evaluation.interval
    assert low <= evaluation.top1.mean <= high
    assert evaluation.class_names == model.class_names and evaluation.splits > 1
    assert "fold" in evaluation.protocol and "24 leaves" in evaluation.data


# mechanics: photographs that cannot be used are warnings, invalid settings and data are errors
def test_training_that_goes_wrong(trained, tmp_path):
    data = tmp_path / "data"
    for species in sorted((trained / "data").iterdir())[:2]:
        (data / species.name).mkdir(parents=True)
        for photograph in sorted(species.glob("*.png"))[:3]:
            (data / species.name / photograph.name).symlink_to(photograph)
    (data / species.name / "text.png").write_text("text")
    with pytest.warns(UserWarning, match="text.png"):
        leafglyph.train(tmp_path / "model", data, config=LEAF)
    for settings, words in ((["features.ordre=20"], "ordre"), (["features.order"], "features.order")):
        with pytest.raises(leafglyph.UsageError, match=words):
            leafglyph.train(tmp_path / "model", data, config=LEAF, settings=settings)
    with pytest.raises(leafglyph.InputError, match="nowhere"):
        leafglyph.train(tmp_path / "model", tmp_path / "nowhere", config=LEAF)
    with pytest.raises(leafglyph.Error, match="nowhere"):
        leafglyph.evaluate(config=tmp_path / "nowhere.yaml")


# mechanics: several leaves of a photograph, each with its place
def test_every_leaf_of_a_photograph(trained, tmp_path):
    y, x = np.mgrid[:600, :900]
    sheet = np.full((600, 900), 250, np.uint8)
    for centre in (250, 650):
        sheet[((x - centre) / 90) ** 2 + ((y - 300) / 200) ** 2 < 1] = 60
    path = write_png(tmp_path / "sheet.png", sheet)
    model = leafglyph.LeafModel(trained / "model")
    [leaves] = model.classify_every_leaf([path])
    assert len(leaves) == 2 and all(leaf.error is None for leaf in leaves)
    left, top, width, height = leaves[0].box
    assert abs(left + width / 2 - 250) < 20 and abs(top + height / 2 - 300) < 20
    with pytest.raises(leafglyph.UsageError, match="top"):
        model.classify_every_leaf([path], top=0)


def write_png(path, grey):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in grey)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
        ">IIBBBBB", grey.shape[1], grey.shape[0], 8, 0, 0, 0, 0)) + chunk(
            b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


# mechanics: values that were flipped, or cut off before or after the store was opened, are never
# handed out; nor are those of a store that took the place of the opened one
def test_damaged_stores(trained, tmp_path):
    run_command("features", "extract", trained / "data", "--config", LEAF, "--block", 10, "--out",
                tmp_path / "store")
    file = tmp_path / "store" / "00000001.npy"
    whole = file.read_bytes()
    uses = [np.asarray, lambda s: s[15], lambda s: s[[1, 15]], lambda s: s[:], lambda s: s[5:12],
            lambda s: s.blocks[1], lambda s: list(s.blocks), lambda s: s.check(),
            lambda s: np.mean(s, axis=0), lambda s: s.__array__(np.float64)]
    if importlib.util.find_spec("pandas"):
        uses.append(lambda s: s.to_pandas())
    if importlib.util.find_spec("sklearn"):
        from sklearn.preprocessing import StandardScaler
        uses.append(lambda s: StandardScaler().fit(s))

    def expect_refused(store):
        assert store[3].shape == store[23].shape  # of other blocks
        for use in uses:
            with pytest.raises(leafglyph.FormatError, match="00000001.npy"):
                use(store)

    flipped = bytearray(whole)
    flipped[403] ^= 0x41
    file.write_bytes(flipped)
    expect_refused(leafglyph.open_store(tmp_path / "store"))
    for left in (0, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole)
        store = leafglyph.open_store(tmp_path / "store")
        assert store[15].any() and store[1].any()
        os.truncate(file, left)
        expect_refused(store)
    file.write_bytes(whole)
    store = leafglyph.open_store(tmp_path / "store")
    shutil.rmtree(tmp_path / "store")
    run_command("features", "extract", *sorted((trained / "data").glob("*/000[1-4].png")), "--config",
                LEAF, "--block", 10, "--out", tmp_path / "store")
    with pytest.raises(leafglyph.InputError, match="has changed since it was opened"):
        store[0]


# mechanics: a model that is cut while it is open, before or after it was used, is damaged or does what
# it did; it never ends Python
def test_damaged_model(trained, tmp_path):
    photograph = next((trained / "data").glob("*/0002.png"))
    for name in sorted(file.name for file in (trained / "model").iterdir()):
        for used_before in (False, True):
            shutil.rmtree(tmp_path / "model", ignore_errors=True)
            shutil.copytree(trained / "model", tmp_path / "model")
            model = leafglyph.LeafModel(tmp_path / "model")
            if used_before:
                assert not model.classify([photograph])[0].error
            os.truncate(tmp_path / "model" / name, 0)
            if name in ("leaves.npy", "names.txt"):
                with pytest.raises(leafglyph.FormatError, match=name):
                    model.classify([photograph])
            else:
                assert not model.classify([photograph])[0].error
            with pytest.raises(leafglyph.FormatError):
                leafglyph.LeafModel(tmp_path / "model")


# agreement: a store has the rows that the module computes from the same photographs
def test_stores(trained, tmp_path):
    run_command("features", "extract", trained / "data", "--config", LEAF, "--block", 10, "--out",
                tmp_path / "store")
    store = leafglyph.open_store(tmp_path / "store")
    features = leafglyph.LeafFeatures(LEAF)
    assert len(store) == 24 and len(store.blocks) == 3 and store.columns == features.columns
    assert len(store.classes) == 3 and set(store.states) == {"ok"}
    assert store.images.tolist() == list(range(24)) and not store.parts.any()
    assert store.boxes.shape == (24, 4) and (store.areas < store.boxes[:, 2] * store.boxes[:, 3]).all()
    assert (store.areas > 0).all() and not store.fields
    rows = features.features(store.paths)
    assert np.array_equal(np.asarray(store), rows)
    assert np.array_equal(store[13], rows[13]) and np.array_equal(store[-1], rows[-1])
    assert np.array_equal(store[[23, 0, 11]], rows[[23, 0, 11]])
    assert np.array_equal(store[5:25:3], rows[5:25:3])
    assert np.array_equal(np.concatenate(list(store.blocks)), rows)
    assert np.array_equal(np.concatenate(store.blocks[1:]), rows[10:])
    assert not any(isinstance(block, np.memmap) for block in store.blocks)
    mapped = leafglyph.open_store(tmp_path / "store", map=True)
    assert all(isinstance(block, np.memmap) for block in mapped.blocks)
    assert np.array_equal(mapped[:], rows) and np.array_equal(mapped[[23, 0, 11]], rows[[23, 0, 11]])
    with pytest.raises(IndexError):
        store[24]
    store.check()
    pandas = pytest.importorskip("pandas")
    frame = store.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.shape == (24, 10 + len(store.columns))
    assert list(frame["label"]) == store.labels
    damaged = tmp_path / "store" / "00000001.npy"
    damaged.write_bytes(damaged.read_bytes()[:-4] + b"\1\2\3\4")
    with pytest.raises(leafglyph.FormatError, match="00000001.npy"):
        store.check()
    assert mapped[19, ].shape == rows[19].shape  # not compared
    damaged.unlink()
    with pytest.raises(leafglyph.InputError, match="missing"):
        leafglyph.open_store(tmp_path / "store")
    with pytest.raises(leafglyph.InputError, match="nowhere"):
        leafglyph.open_store(tmp_path / "nowhere")
