"""Collections: features of many images, in stores, from files and from addresses of fsspec."""
from __future__ import annotations

import collections.abc
import os
from typing import Any

from leafglyph._leafglyph import UsageError, _extract
from leafglyph.stores import FeatureStore

_Path = str | os.PathLike[str]


def _is_address(image: str) -> bool:
    return "://" in image


def _found(address: str, options: dict[str, Any]) -> list[str]:
    """The addresses that a pattern stands for; what was given if it is none."""
    if not _is_address(address) or "*" not in address:
        return [address]
    import fsspec

    system, _, paths = fsspec.get_fs_token_paths(address, storage_options=options)
    first, chain, rest = address.partition("::")
    if not chain:
        return [system.unstrip_protocol(path) for path in sorted(paths)]
    protocol = first.partition("://")[0]
    return [f"{protocol}://{path}::{rest}" for path in sorted(paths)]


def _folder(address: str) -> str:
    """The folder of an image in an archive, "oak" of zip://oak/1.jpg::leaves.zip; of others their own."""
    return address.partition("::")[0].rpartition("/")[0].rpartition("/")[2]


def _reader(options: dict[str, Any]) -> collections.abc.Callable[[str, int], bytes]:
    import fsspec

    def read(address: str, most: int) -> bytes:
        with fsspec.open(address, "rb", **options) as file:
            bytes_read: bytes = file.read(most)
            return bytes_read

    return read


def extract(
    images: _Path | collections.abc.Sequence[_Path],
    store: _Path,
    *,
    labels: collections.abc.Sequence[str] | None = None,
    config: _Path | None = None,
    settings: collections.abc.Sequence[str] = (),
    source_aspect: float = 0.0,
    family: str | None = None,
    order: int | None = None,
    resize: int = 0,
    every_leaf: bool = False,
    masks: _Path | None = None,
    values: str = "float32",
    shard: tuple[int, int] = (0, 1),
    block: int = 1024,
    device: str = "auto",
    storage_options: dict[str, Any] | None = None,
) -> FeatureStore | None:
    """Computes features of images into a store, which several processes can fill together.

    images: image files, folders, and addresses that fsspec reads ("https://host/leaf.jpg",
        "s3://bucket/oak/*.jpg", "zip://oak/*.jpg::leaves.zip", where * stands for any name). store: its folder; blocks that are there stay.
    labels: one for each image, which must then all be files or addresses; None: the names of their folders.
    config, settings, source_aspect: the features of leaves, as for train(); None: of the configuration leaf.
        family, order, resize: instead, the magnitudes of the moments of whole images, whose longer side is
        scaled to `resize` pixels (0: not).
    every_leaf: a row for each leaf of a photograph. masks: a folder with a picture of labels for each image:
        a row for each region. values: "float32" or "float16".
    shard: (i, n), only the blocks i, i + n, i + 2 n, ... of `block` images. device: as for MomentPlan.
    storage_options: of fsspec.
    Returns the store, or None while blocks of other shards are missing. Images that cannot be used are
    rows of state "failed"; Python warns of the first ten. Raises UsageError for arguments that do not go
    together or with the store, InputError when there is no image or one has changed since.
    """
    given = [images] if isinstance(images, (str, os.PathLike)) else list(images)
    options = storage_options or {}
    names = [name for path in given for name in _found(os.fspath(path), options)]
    if labels is None and any("::" in name for name in names):
        labels = [_folder(name) for name in names]
    if labels is not None and len(labels) != len(names):
        raise UsageError(f"{len(labels)} labels for {len(names)} images")
    if config is not None and (family is not None or order is not None or resize != 0):
        raise UsageError("give config for leaves, or family and order for whole images")
    of_leaves = family is None and order is None
    read = _reader(options) if any(map(_is_address, names)) else None
    complete = _extract(names, None if labels is None else list(labels), store,
                        (config or "leaf") if of_leaves else None, settings, source_aspect,
                        family or "zernike", 30 if order is None else order, resize, every_leaf, masks,
                        values, shard, block, device, read)
    return FeatureStore(store) if complete else None
