from os import PathLike
from typing import Any, Callable, Iterable, Literal, Sequence, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

_Path = str | PathLike[str]
_Photograph = _Path | NDArray[np.uint8]
_Family = str
_Method = Literal["exact", "adaptive", "sub-regions", "gauss"]
_Mask = Literal["centre", "whole"]
_Convention = Literal["textbook", "mahotas", "centrosome", "nyxus"]
_Precision = Literal["double", "float"]
_Repetitions = Literal["all", "zero", "positive", "negative", "nonnegative", "nonpositive"]
_Array = NDArray[np.bool_ | np.integer[Any] | np.floating[Any]]
_Images = ArrayLike | Sequence[ArrayLike]
_Labels = NDArray[np.bool_ | np.integer[Any]]

class Error(RuntimeError): ...
class UsageError(Error, ValueError): ...
class InputError(Error): ...
class FormatError(Error): ...

class MomentPlan:
    def __init__(
        self,
        size: int | Sequence[int],
        order: int = 30,
        *,
        family: _Family = "zernike",
        method: _Method | None = None,
        points: int = 1,
        mask: _Mask | None = None,
        angular_order: int | None = None,
        device: str = "auto",
        precision: _Precision = "double",
        images: int = 64,
    ) -> None: ...
    def moments(self, images: _Images) -> NDArray[np.complex128] | NDArray[np.float64]: ...
    def magnitudes(self, images: _Images) -> NDArray[np.float32]: ...
    def norms(self, volumes: _Images) -> NDArray[np.float64]: ...
    def reconstruct(
        self,
        moments: ArrayLike,
        *,
        first_order: int = 0,
        last_order: int | None = None,
        repetitions: _Repetitions = "all",
    ) -> NDArray[np.float64]: ...
    def vjp(self, gradients: ArrayLike) -> NDArray[np.float64]: ...
    @property
    def order(self) -> int: ...
    @property
    def family(self) -> str: ...
    @property
    def size(self) -> tuple[int, ...]: ...
    @property
    def indices(self) -> NDArray[np.int32]: ...
    @property
    def norm_indices(self) -> NDArray[np.int32]: ...
    @property
    def mask(self) -> NDArray[np.bool_]: ...
    def describe(self) -> str: ...
    def __len__(self) -> int: ...

def moments(
    images: _Images,
    order: int = 30,
    *,
    labels: _Labels | None = None,
    family: _Family = "zernike",
    method: _Method | None = None,
    points: int = 1,
    mask: _Mask | None = None,
    angular_order: int | None = None,
    convention: _Convention = "textbook",
    centre: str | tuple[float, float] | None = None,
    radius: str | float | None = None,
    device: str = "auto",
    precision: _Precision = "double",
) -> NDArray[np.complex128] | NDArray[np.float64]: ...
def magnitudes(
    images: _Images,
    order: int = 30,
    *,
    labels: _Labels | None = None,
    family: _Family = "zernike",
    method: _Method | None = None,
    points: int = 1,
    mask: _Mask | None = None,
    angular_order: int | None = None,
    convention: _Convention = "textbook",
    centre: str | tuple[float, float] | None = None,
    radius: str | float | None = None,
    device: str = "auto",
    precision: _Precision = "double",
) -> NDArray[np.float32]: ...
def moment_indices(
    order: int, *, family: _Family = "zernike", angular_order: int | None = None
) -> NDArray[np.int32]: ...
def radial_polynomials(
    order: int, m: int, rho: ArrayLike, *, family: Literal["zernike", "pseudo-zernike"] = "zernike"
) -> NDArray[np.float64]: ...

class LeafPrediction:
    @property
    def species(self) -> str | None: ...
    @property
    def scientific_name(self) -> str | None: ...
    @property
    def probability(self) -> float | None: ...
    @property
    def word(self) -> str | None: ...
    @property
    def box(self) -> tuple[int, int, int, int] | None: ...
    @property
    def known(self) -> bool: ...
    @property
    def ranking(self) -> list[tuple[str, float]]: ...
    @property
    def neighbours(self) -> list[tuple[str, float]]: ...
    @property
    def outlier_score(self) -> float: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def error(self) -> str | None: ...

class LeafFeatures:
    def __init__(
        self, config: _Path, *, settings: Sequence[str] | None = None, device: str = "auto"
    ) -> None: ...
    def features(
        self, photographs: Iterable[_Photograph], *, source_aspect: float = 0.0, bits: int = 0
    ) -> NDArray[np.float32]: ...
    @property
    def columns(self) -> list[str]: ...

class LeafModel:
    def __init__(self, folder: _Path, *, device: str = "auto") -> None: ...
    def features(
        self, photographs: Iterable[_Photograph], *, source_aspect: float = 0.0, bits: int = 0
    ) -> NDArray[np.float32]: ...
    def classify(
        self,
        photographs: Iterable[_Photograph],
        top: int = 3,
        *,
        source_aspect: float = 0.0,
        bits: int = 0,
    ) -> list[LeafPrediction]: ...
    def classify_every_leaf(
        self,
        photographs: Sequence[_Path],
        top: int = 3,
        *,
        source_aspect: float = 0.0,
        bits: int = 0,
    ) -> list[list[LeafPrediction]]: ...
    @property
    def class_names(self) -> list[str]: ...
    @property
    def unknown_species(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...

class Figure:
    @property
    def mean(self) -> float: ...
    @property
    def deviation(self) -> float: ...

class LeafEvaluation:
    @property
    def top1(self) -> Figure: ...
    @property
    def top3(self) -> Figure: ...
    @property
    def top5(self) -> Figure: ...
    @property
    def macro(self) -> Figure: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def class_names(self) -> list[str]: ...
    @property
    def confusion(self) -> NDArray[np.int64]: ...
    @property
    def recall(self) -> NDArray[np.float64]: ...
    @property
    def precision(self) -> NDArray[np.float64]: ...
    @property
    def calibration_error(self) -> float | None: ...
    @property
    def protocol(self) -> str: ...
    @property
    def data(self) -> str: ...
    @property
    def splits(self) -> int: ...

def train(
    model: _Path,
    data: _Path | None = None,
    *,
    config: _Path = "leaf",
    settings: Sequence[str] = (),
    source_aspect: float = 0.0,
    features: Sequence[_Path] = (),
    sums: Sequence[_Path] = (),
    device: str = "auto",
) -> LeafModel: ...
def generate_leaves(
    folder: _Path, species: int = 32, leaves: int = 50, seed: int = 1
) -> None: ...
def evaluate(
    data: _Path | None = None,
    *,
    config: _Path = "leaf",
    settings: Sequence[str] = (),
    source_aspect: float = 0.0,
    features: Sequence[_Path] = (),
    device: str = "auto",
) -> LeafEvaluation: ...
def merge_stores(stores: Sequence[_Path], store: _Path) -> None: ...
def leaf_sums(
    stores: Sequence[_Path],
    file: _Path,
    *,
    config: _Path = "leaf",
    settings: Sequence[str] = (),
    shard: tuple[int, int] = (0, 1),
    device: str = "cpu",
) -> int: ...

class CharacterPrediction:
    @property
    def character(self) -> str | None: ...
    @property
    def known(self) -> bool: ...
    @property
    def probability(self) -> float | None: ...
    @property
    def word(self) -> str | None: ...
    @property
    def ranking(self) -> list[tuple[str, float]]: ...
    @property
    def same(self) -> str: ...
    @property
    def outlier_score(self) -> float | None: ...
    @property
    def box(self) -> tuple[int, int, int, int] | None: ...
    @property
    def error(self) -> str | None: ...

class GlyphMatch:
    @property
    def character(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def distance(self) -> float: ...

class GlyphIndex:
    def __init__(self, config: _Path | None = None, *, cache: bool = True) -> None: ...
    def similar(self, character: str, top: int = 10) -> list[GlyphMatch]: ...
    def compare(self, a: str, b: str) -> GlyphMatch: ...
    @property
    def characters(self) -> str: ...

def set_threads(threads: int) -> None: ...
def threads() -> int: ...
def better_openblas_kernels() -> str: ...

# For the package's own files.

class _StoreContents(TypedDict):
    files: list[str]
    sums: list[str]
    rows: list[int]
    columns: list[str]
    classes: list[str]
    paths: list[str]
    labels: list[str]
    states: list[str]
    warnings: list[str]
    images: NDArray[np.int64]
    parts: NDArray[np.int64]
    boxes: NDArray[np.int64]
    areas: NDArray[np.int64]
    fields: dict[str, list[str]]

class _RowClassifier:
    def __init__(
        self,
        config: _Path,
        rows: NDArray[np.float32],
        labels: NDArray[np.int32],
        settings: Sequence[str],
    ) -> None: ...
    def predict(
        self, rows: NDArray[np.float32]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], bool]: ...

class _CharacterModel:
    def __init__(self, folder: _Path | None, characters: str) -> None: ...
    def restrict_to(self, characters: str) -> None: ...
    def recognise(
        self, pictures: Iterable[_Photograph], top: int
    ) -> list[CharacterPrediction]: ...
    def read_page(
        self, page: _Photograph, direction: str | None, top: int
    ) -> list[list[CharacterPrediction]]: ...
    def save(self, folder: _Path) -> None: ...
    @property
    def characters(self) -> str: ...
    @property
    def styles(self) -> list[str]: ...

def _train_characters(
    pictures: _Path | Iterable[_Photograph],
    characters: list[str],
    styles: list[str],
    fonts: list[_Path],
    config: _Path,
    settings: list[str],
) -> _CharacterModel: ...

class LocalMoments:
    def __init__(
        self,
        shape: tuple[int, int],
        order: int = 8,
        radius: float = 16.0,
        step: int = 1,
        border: str = "zero",
        device: str = "auto",
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def numbers(self) -> list[tuple[int, int, str]]: ...
    @property
    def moments(self) -> list[tuple[int, int]]: ...
    def parts(self, image: ArrayLike, rows: tuple[int, int] | None = None) -> NDArray[np.float64]: ...
    def magnitudes(self, image: ArrayLike, rows: tuple[int, int] | None = None) -> NDArray[np.float32]: ...

class _ZernikeFit:
    def __init__(
        self,
        counts: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        terms: list[tuple[int, int]],
        polynomial_hole: float,
        scale: str,
        centre: tuple[float, float] | None,
        radius: float | None,
        hole: float,
        everywhere: bool,
    ) -> None: ...
    def condition(self) -> float: ...
    def safe_order(self) -> int: ...
    def total_weight(self) -> float: ...
    def pixels(self) -> int: ...
    def variances(self) -> NDArray[np.float64]: ...
    def fit(self, maps: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def left(
        self, maps: NDArray[np.float64], coefficients: NDArray[np.float64]
    ) -> NDArray[np.float64]: ...

_good_condition: float

def _zernike_terms_to(order: int) -> list[tuple[int, int]]: ...
def _zernike_terms(indices: str, count: int) -> list[tuple[int, int]]: ...
def _zernike_number(indices: str, n: int, m: int) -> int: ...
def _zernike_name(n: int, m: int) -> str: ...
def _read_store(folder: _Path) -> _StoreContents: ...
def _read_values(folder: _Path, block: int, sum: str) -> NDArray[np.float32]: ...
def _check_store(folder: _Path) -> None: ...
def _extract(
    images: list[str],
    labels: list[str] | None,
    store: _Path,
    config: _Path | None,
    settings: Sequence[str],
    source_aspect: float,
    family: str,
    order: int,
    resize: int,
    every_leaf: bool,
    masks: _Path | None,
    values: str,
    shard: tuple[int, int],
    block: int,
    device: str,
    read: Callable[[str, int], bytes] | None,
) -> bool: ...
