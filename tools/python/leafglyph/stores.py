"""Feature stores, as `leafglyph features extract` writes them."""
from __future__ import annotations

import collections.abc
import os
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from leafglyph._leafglyph import _check_store, _read_store, _read_values

Block = NDArray[np.floating[Any]]


class _ReadBlocks:
    """Blocks of values, each read and compared with its checksum when it is asked for."""

    def __init__(self, path: Path, sums: list[str]) -> None:
        self._path = path
        self._sums = sums
        self._last: tuple[int, Block | None] = (-1, None)  # rows are often asked for in order

    def __len__(self) -> int:
        return len(self._sums)

    def __iter__(self) -> collections.abc.Iterator[Block]:
        return (self[b] for b in range(len(self)))

    @overload
    def __getitem__(self, block: int) -> Block: ...
    @overload
    def __getitem__(self, block: slice) -> list[Block]: ...
    def __getitem__(self, block: int | slice) -> Block | list[Block]:
        if isinstance(block, slice):
            return [self[b] for b in range(len(self))[block]]
        number = range(len(self))[block]
        last, values = self._last
        if values is None or last != number:
            values = _read_values(self._path, number, self._sums[number])
            values.flags.writeable = False
            self._last = (number, values)
        return values


class FeatureStore:
    """The rows of a complete feature store; their values are read when they are asked for.

    columns: their names. classes: the labels that occur. paths, labels, states ("ok", "cut",
    "overlapping", "not a leaf", "empty" or "failed"), warnings: of each row. The last three have NaN,
    and the reason as their warning. images and parts say which row it is: the number of the image in
    the list, and of the part in the image, from 1 (0: the whole image). boxes (left, top, width,
    height) and areas are in pixels of the file, 0 if they are unknown. fields: further columns of
    the list, by name.
    store[i], store[i:j] and store[array] are rows as float32, as in numpy; numpy.asarray(store) is
    all of them. blocks: the values, block after block. What was changed or cut
    short raises FormatError, unless open_store() was asked to map the values.
    """

    def __init__(self, path: str | os.PathLike[str], map: bool = False) -> None:
        self.path = Path(path)
        self._map = map
        contents = _read_store(self.path)
        self.columns = contents["columns"]
        self.classes = contents["classes"]
        self.paths = contents["paths"]
        self.labels = contents["labels"]
        self.states = contents["states"]
        self.warnings = contents["warnings"]
        self.images = contents["images"]
        self.parts = contents["parts"]
        self.boxes = contents["boxes"]
        self.areas = contents["areas"]
        self.fields = contents["fields"]
        self.blocks: list[Block] | _ReadBlocks = (
            [np.load(self.path / name, mmap_mode="r") for name in contents["files"]] if map
            else _ReadBlocks(self.path.absolute(), contents["sums"]))
        self._starts = np.cumsum([0] + contents["rows"])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __getitem__(self, rows: int | slice | NDArray[Any]) -> NDArray[np.float32]:
        numbers = np.arange(len(self))[rows]
        wanted = np.atleast_1d(numbers)
        found: NDArray[np.float32] = np.empty((len(wanted), len(self.columns)), np.float32)
        of_row = np.searchsorted(self._starts, wanted, side="right") - 1
        for b in np.unique(of_row):
            here = of_row == b
            found[here] = self.blocks[b][wanted[here] - self._starts[b]]
        return found.reshape(*np.shape(numbers), len(self.columns))

    def __reduce__(self) -> tuple[Any, ...]:
        return FeatureStore, (self.path.absolute(), self._map)  # its values stay in the files

    def __array__(self, dtype: Any = None) -> NDArray[Any]:
        return self[:] if dtype is None else self[:].astype(dtype)

    def __repr__(self) -> str:
        return f"<leafglyph.FeatureStore: {self.path}, {len(self)} rows of {len(self.columns)} columns>"

    def check(self) -> None:
        """Reads every value; raises FormatError if one is not as it was written."""
        _check_store(self.path)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: what is known of each row (path, part, label, state, box, area,
        warnings, the fields of the list), then the columns."""
        import pandas

        left, top, width, height = self.boxes.T
        about = pandas.DataFrame({"path": self.paths, "part": self.parts, "label": self.labels,
                                  "state": self.states, "left": left, "top": top, "width": width,
                                  "height": height, "area": self.areas,
                                  "warnings": self.warnings, **self.fields})
        return pandas.concat([about, pandas.DataFrame(self[:], columns=self.columns)], axis=1)


def open_store(path: str | os.PathLike[str], map: bool = False) -> FeatureStore:
    """Opens a complete feature store.

    Values are read block by block and compared with their checksums. map=True maps the files
    instead, for single rows here and there of a large store: values are then not compared (check()
    does that), and the system ends Python with SIGBUS if a file is cut short and what was cut off is
    read.

    Raises InputError if it does not exist or blocks are missing, FormatError if it is damaged.
    """
    return FeatureStore(path, map)
