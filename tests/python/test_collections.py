import hashlib
import importlib.util
import os
import signal
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import leafglyph
from conftest import LEAF, run_command

HAS_FSSPEC = importlib.util.find_spec("fsspec") is not None
HAS_DASK = all(importlib.util.find_spec(name) for name in ("dask", "distributed"))


def files_of(store):
    """The SHA-256 of each file of a store."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(store).iterdir()}


def rows_of(store):
    """The SHA-256 of the rows and values. store.json of a merged store has other facts of its inputs."""
    return {name: digest for name, digest in files_of(store).items() if name.endswith((".npy", ".csv"))}


def photographs(trained):
    return sorted(str(path) for path in (trained / "data").glob("*/*.png"))


# agreement: of a folder, a store has the files that the command writes, in any number of shards
def test_a_folder_as_the_command(trained, tmp_path):
    run_command("features", "extract", trained / "data", "--config", LEAF, "--out", tmp_path / "command",
                "--block", 5, "--device", "cpu")
    store = leafglyph.extract(trained / "data", tmp_path / "python", config=LEAF, block=5, device="cpu")
    assert len(store) == 24 and len(store.classes) == 3
    assert files_of(store.path) == files_of(tmp_path / "command")
    for i in (1, 0):
        store = leafglyph.extract(trained / "data", tmp_path / "shards", config=LEAF, block=5, shard=(i, 2),
                                  device="cpu")
        assert (store is None) == (i == 1)
    assert files_of(tmp_path / "shards") == files_of(tmp_path / "command")


# oracle: labels are those given, otherwise the folders of a list; moments are those of the images
def test_a_list_with_and_without_labels(trained, tmp_path):
    images = photographs(trained)[:10]
    store = leafglyph.extract(images, tmp_path / "folders", order=6, resize=32)
    assert store.labels == [Path(image).parent.name for image in images]
    labels = [f"tree {i % 2}" for i in range(10)]
    store = leafglyph.extract(images, tmp_path / "given", labels=labels, family="legendre", order=4)
    assert store.labels == labels and store.classes == ["tree 0", "tree 1"]
    assert sorted(store.columns) == [f"L_{p}_{q}" for p in range(5) for q in range(5 - p)]


# mechanics: an image that cannot be used is a row, and a warning
def test_a_file_that_is_not_an_image(trained, tmp_path):
    (tmp_path / "text.png").write_text("text")
    with pytest.warns(UserWarning, match="text.png"):
        store = leafglyph.extract([photographs(trained)[0], tmp_path / "text.png"], tmp_path / "store", order=6)
    assert store.states == ["ok", "failed"] and np.isnan(store[1]).all()


# mechanics: arguments that do not go together
@pytest.mark.parametrize("arguments,error,words", [
    ({"labels": ["oak"]}, leafglyph.UsageError, "1 labels for 2 images"),
    ({"config": "leaf", "order": 4}, leafglyph.UsageError, "config for leaves, or family and order"),
    ({"every_leaf": True, "masks": "m"}, leafglyph.UsageError, "masks or every_leaf"),
    ({"shard": (2, 2)}, leafglyph.UsageError, "'2/2' is not a shard"),
    ({"shard": (0, 0)}, leafglyph.UsageError, "'0/0' is not a shard"),
    ({"values": "float8"}, leafglyph.UsageError, "float8"),
    ({"family": "hu"}, leafglyph.UsageError, "hu"),
    ({"order": -1}, leafglyph.UsageError, "-1"),
    ({"block": 0}, leafglyph.UsageError, "0 inputs a block"),
])
def test_extractions_that_are_refused(trained, tmp_path, arguments, error, words):
    with pytest.raises(error, match=words):
        leafglyph.extract(photographs(trained)[:2], tmp_path / "store", **arguments)
    assert not (tmp_path / "store").exists()


# mechanics
def test_no_image(tmp_path):
    for images in ([], tmp_path):
        with pytest.raises(leafglyph.InputError, match="no image"):
            leafglyph.extract(images, tmp_path / "store", order=4)
    with pytest.raises(leafglyph.InputError, match="no image"):
        leafglyph.extract([], tmp_path / "store", labels=[], order=4)


# agreement: sums of parts make the model of all rows; stores of parts of a list merge to that of the list
def test_sums_and_merged_stores(trained, tmp_path):
    images = photographs(trained)
    labels = [Path(image).parent.name for image in images]
    whole = leafglyph.extract(images, tmp_path / "whole", labels=labels, config=LEAF, block=8)
    parts = [leafglyph.extract(images[i:i + 8], tmp_path / f"part{i}", labels=labels[i:i + 8], config=LEAF, block=8)
             for i in (0, 8, 16)]
    leafglyph.merge_stores([part.path for part in parts], tmp_path / "merged")
    assert rows_of(tmp_path / "merged") == rows_of(whole.path)
    rows = [leafglyph.leaf_sums([whole.path], tmp_path / f"{i}.sums", config=LEAF, shard=(i, 3)) for i in range(3)]
    assert rows == [8, 8, 8]
    sums = [tmp_path / f"{i}.sums" for i in range(3)]
    by_sums = leafglyph.train(tmp_path / "by_sums", config=LEAF, sums=sums)
    by_rows = leafglyph.train(tmp_path / "by_rows", config=LEAF, features=[whole.path])
    assert by_sums.class_names == by_rows.class_names == whole.classes
    for name in ("rows.npy", "projection.npy"):
        assert (tmp_path / "by_sums" / name).read_bytes() == (tmp_path / "by_rows" / name).read_bytes()
    evaluation = leafglyph.evaluate(config=LEAF, features=[whole.path], settings=["protocol.kind=auto", "protocol.repeats=1"])
    assert evaluation.confusion.sum() == 24
    with pytest.raises(leafglyph.UsageError, match="a store records its own"):
        leafglyph.train(tmp_path / "model", trained / "data", config=LEAF, features=[whole.path])
    with pytest.raises(leafglyph.UsageError):
        leafglyph.train(tmp_path / "model", config=LEAF, sums=sums[:2])


needs_fsspec = pytest.mark.skipif(not HAS_FSSPEC, reason="fsspec is not installed (python3-fsspec)")


# agreement: images at addresses give the numbers of the files; an address that fails is a row
@needs_fsspec
def test_addresses_in_memory(trained, tmp_path):
    import fsspec

    memory = fsspec.filesystem("memory")
    for path in photographs(trained):
        memory.pipe("/leaves/" + "/".join(Path(path).parts[-2:]), Path(path).read_bytes())
    of_files = leafglyph.extract(trained / "data", tmp_path / "files", config=LEAF)
    store = leafglyph.extract("memory://leaves/*/*.png", tmp_path / "memory", config=LEAF)
    assert store.paths[0].startswith("memory://") and store.labels == of_files.labels
    assert np.array_equal(store[:], of_files[:])
    again = leafglyph.extract("memory://leaves/*/*.png", tmp_path / "memory", config=LEAF)
    assert files_of(again.path) == files_of(store.path)
    mixed = [photographs(trained)[0], "memory://leaves/nowhere.png"]
    with pytest.warns(UserWarning, match="memory://leaves/nowhere.png"):
        store = leafglyph.extract(mixed, tmp_path / "mixed", config=LEAF)
    assert store.states == ["ok", "failed"]
    memory.rm("/leaves", recursive=True)


# agreement: images of an archive; the archive itself is refused with how to read it
@needs_fsspec
def test_addresses_in_an_archive(trained, tmp_path):
    with zipfile.ZipFile(tmp_path / "leaves.zip", "w") as archive:
        for path in photographs(trained):
            archive.write(path, "/".join(Path(path).parts[-2:]))
    store = leafglyph.extract(f"zip://*/*.png::{tmp_path}/leaves.zip", tmp_path / "zip", config=LEAF)
    of_files = leafglyph.extract(trained / "data", tmp_path / "files", config=LEAF)
    assert np.array_equal(store[:], of_files[:]) and store.labels == of_files.labels
    with pytest.raises(leafglyph.InputError, match="through fsspec, such as zip://"):
        leafglyph.extract(tmp_path / "leaves.zip", tmp_path / "store", config=LEAF)


# agreement: images of a server
@needs_fsspec
def test_addresses_of_a_server(trained, tmp_path):
    pytest.importorskip("aiohttp")
    import functools
    import http.server

    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(trained / "data"))
    handler.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            root = f"http://127.0.0.1:{server.server_port}/"
            names = ["/".join(Path(path).parts[-2:]) for path in photographs(trained)]
            store = leafglyph.extract([root + name for name in names], tmp_path / "server", config=LEAF)
        finally:
            server.shutdown()
            thread.join()
    of_files = leafglyph.extract(trained / "data", tmp_path / "files", config=LEAF)
    assert np.array_equal(store[:], of_files[:]) and store.labels == of_files.labels


# agreement: tasks of Dask, one of whose workers is killed on the way, give the store and the model of one process
@pytest.mark.skipif(not HAS_DASK, reason="Dask is not installed (python3-dask, python3-distributed)")
def test_dask_with_a_killed_worker(trained, tmp_path):
    import distributed

    import leafglyph.dask

    images = photographs(trained) * 8
    one = leafglyph.extract(images, tmp_path / "one", config=LEAF, block=4)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  local_directory=tmp_path / "dask") as cluster, \
            distributed.Client(cluster) as client:
        workers = client.run(os.getpid)
        task = leafglyph.dask.extract(images, tmp_path / "store", shards=12, config=LEAF, block=4)
        future = client.compute(task)
        deadline = time.monotonic() + 120
        while len(list((tmp_path / "store").glob("*.sum"))) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        there = len(list((tmp_path / "store").glob("*.sum")))
        os.kill(next(iter(workers.values())), signal.SIGKILL)
        assert 4 <= there < 48, "the worker was to be killed before the last block"
        store = future.result(timeout=240)
        assert set(client.run(os.getpid).values()) != set(workers.values())
        assert files_of(store.path) == files_of(one.path)
        model = leafglyph.dask.train(tmp_path / "model", [leafglyph.dask.merge([store], tmp_path / "merged")],
                                     tmp_path / "sums", shards=3, config=LEAF).compute()
    assert rows_of(tmp_path / "merged") == rows_of(one.path)
    leafglyph.train(tmp_path / "of_one", config=LEAF, features=[one.path])
    assert len(model.class_names) == 3
    for name in ("rows.npy", "projection.npy"):
        assert (tmp_path / "model" / name).read_bytes() == (tmp_path / "of_one" / name).read_bytes()


# mechanics
@pytest.mark.skipif(not HAS_DASK, reason="Dask is not installed (python3-dask, python3-distributed)")
def test_dask_without_shards(tmp_path):
    import leafglyph.dask

    with pytest.raises(leafglyph.UsageError, match="0 shards"):
        leafglyph.dask.extract("leaves", tmp_path / "store", shards=0)
