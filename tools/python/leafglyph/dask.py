"""Stores and models of collections by Dask, on any cluster. Import it only where Dask is there.

Every worker must reach images, stores and models by the same paths. The tasks of a worker that is lost
are run again by others, and keep the blocks that it has written. A task computes with `threads` threads;
1 suits workers with as many tasks at once as processors.
"""
from __future__ import annotations

import collections.abc
import os
from typing import Any

from dask.delayed import Delayed, delayed

import leafglyph

_Path = str | os.PathLike[str]


def _task(function: collections.abc.Callable[..., Any], *arguments: Any) -> Delayed:
    task: Delayed = delayed(function, pure=False)(*arguments)
    return task


def _parts(shards: int) -> list[tuple[int, int]]:
    if shards < 1:
        raise leafglyph.UsageError(f"{shards} shards; use 1 or more")
    return [(i, shards) for i in range(shards)]


def _extract(threads: int, images: Any, store: _Path, arguments: dict[str, Any]) -> None:
    leafglyph.set_threads(threads)
    leafglyph.extract(images, store, **arguments)


def _open(store: _Path, parts: list[None]) -> leafglyph.FeatureStore:
    return leafglyph.open_store(store)


def extract(images: _Path | collections.abc.Sequence[_Path], store: _Path, *, shards: int, threads: int = 1,
            **arguments: Any) -> Delayed:
    """leafglyph.extract() in `shards` tasks, each of which fills its blocks of the store.

    arguments: those of leafglyph.extract(), but `shard`.
    Its compute() returns the FeatureStore, equal to the last bit to that of one process.
    """
    parts = [_task(_extract, threads, images, store, {**arguments, "shard": part}) for part in _parts(shards)]
    return _task(_open, store, parts)


def _sum(threads: int, stores: list[_Path], file: str, arguments: dict[str, Any]) -> str:
    leafglyph.set_threads(threads)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    leafglyph.leaf_sums(stores, file, **arguments)
    return file


def _train(threads: int, model: _Path, stores: list[_Path], sums: list[str],
           arguments: dict[str, Any]) -> leafglyph.LeafModel:
    leafglyph.set_threads(threads)
    return leafglyph.train(model, features=stores, sums=sums, **arguments)


def train(model: _Path, stores: collections.abc.Sequence[Any], sums: _Path, *, shards: int, threads: int = 1,
          config: _Path = "leaf", settings: collections.abc.Sequence[str] = ()) -> Delayed:
    """leafglyph.train() on the rows of stores, which `shards` tasks sum before one fits the model.

    model: the folder to write. stores: folders of stores, or what extract() and merge() return. sums: a
        folder for the files of the tasks, which stay there. config, settings: as for leafglyph.train().
    Its compute() returns the LeafModel, equal to the last bit to that of one process.
    """
    arguments: dict[str, Any] = {"config": config, "settings": settings}
    folders = [_task(_path, store) for store in stores]
    files = [_task(_sum, threads, folders, os.path.join(os.fspath(sums), f"{i}-of-{n}.sums"),
                   {**arguments, "shard": (i, n)}) for i, n in _parts(shards)]
    return _task(_train, threads, model, folders, files, arguments)


def _path(store: leafglyph.FeatureStore | _Path) -> _Path:
    return store.path if isinstance(store, leafglyph.FeatureStore) else store


def _merge(stores: list[_Path], store: _Path) -> leafglyph.FeatureStore:
    leafglyph.merge_stores(stores, store)
    return leafglyph.open_store(store)


def merge(stores: collections.abc.Sequence[Any], store: _Path) -> Delayed:
    """leafglyph.merge_stores() of stores, or of what extract() returns, as a task.

    Its compute() returns the merged FeatureStore.
    """
    return _task(_merge, [_task(_path, one) for one in stores], store)
