from os import PathLike
from typing import Iterable, Literal, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

Path = str | PathLike[str]
Photograph = Path | NDArray[np.uint8]
Family = str
Method = Literal["exact", "adaptive", "sub-regions", "gauss"]
Mask = Literal["centre", "whole"]
Convention = Literal["textbook", "mahotas", "centrosome", "nyxus"]
Precision = Literal["double", "float"]
Repetitions = Literal["all", "zero", "positive", "negative", "nonnegative", "nonpositive"]
Array = NDArray[np.bool_ | np.integer | np.floating]
Images = Array | list[Array]
Labels = NDArray[np.bool_ | np.integer]

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
        family: Family = "zernike",
        method: Method | None = None,
        points: int = 1,
        mask: Mask | None = None,
        angular_order: int | None = None,
        device: str = "auto",
        precision: Precision = "double",
    ) -> None: ...
    def moments(self, images: Images) -> NDArray[np.complex128] | NDArray[np.float64]: ...
    def magnitudes(self, images: Images) -> NDArray[np.float32]: ...
    def reconstruct(
        self,
        moments: ArrayLike,
        *,
        first_order: int = 0,
        last_order: int | None = None,
        repetitions: Repetitions = "all",
    ) -> NDArray[np.float64]: ...
    @property
    def order(self) -> int: ...
    @property
    def family(self) -> str: ...
    @property
    def size(self) -> tuple[int, ...]: ...
    @property
    def indices(self) -> NDArray[np.int32]: ...
    @property
    def mask(self) -> NDArray[np.bool_]: ...
    def describe(self) -> str: ...
    def __len__(self) -> int: ...

def moments(
    images: Images,
    order: int = 30,
    *,
    labels: Labels | None = None,
    family: Family = "zernike",
    method: Method | None = None,
    points: int = 1,
    mask: Mask | None = None,
    angular_order: int | None = None,
    convention: Convention = "textbook",
    centre: str | tuple[float, float] | None = None,
    radius: str | float | None = None,
    device: str = "auto",
    precision: Precision = "double",
) -> NDArray[np.complex128] | NDArray[np.float64]: ...
def magnitudes(
    images: Images,
    order: int = 30,
    *,
    labels: Labels | None = None,
    family: Family = "zernike",
    method: Method | None = None,
    points: int = 1,
    mask: Mask | None = None,
    angular_order: int | None = None,
    convention: Convention = "textbook",
    centre: str | tuple[float, float] | None = None,
    radius: str | float | None = None,
    device: str = "auto",
    precision: Precision = "double",
) -> NDArray[np.float32]: ...
def moment_indices(
    order: int, *, family: Family = "zernike", angular_order: int | None = None
) -> NDArray[np.int32]: ...
def radial_polynomials(
    order: int, m: int, rho: ArrayLike, *, family: Literal["zernike", "pseudo-zernike"] = "zernike"
) -> NDArray[np.float64]: ...

class LeafPrediction:
    @property
    def species(self) -> str | None: ...
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
    def __init__(self, config: Path, *, device: str = "auto") -> None: ...
    def features(
        self, photographs: Iterable[Photograph], *, source_aspect: float = 0.0
    ) -> NDArray[np.float32]: ...
    @property
    def columns(self) -> list[str]: ...

class LeafModel:
    def __init__(self, folder: Path, *, device: str = "auto") -> None: ...
    def features(
        self, photographs: Iterable[Photograph], *, source_aspect: float = 0.0
    ) -> NDArray[np.float32]: ...
    def classify(
        self, photographs: Iterable[Photograph], top: int = 3, *, source_aspect: float = 0.0
    ) -> list[LeafPrediction]: ...
    @property
    def class_names(self) -> list[str]: ...
    @property
    def unknown_species(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...

class GlyphMatch:
    @property
    def character(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def distance(self) -> float: ...

class GlyphIndex:
    def __init__(self, config: Path | None = None, *, cache: bool = True) -> None: ...
    def similar(self, character: str, top: int = 10) -> list[GlyphMatch]: ...
    def compare(self, a: str, b: str) -> GlyphMatch: ...
    @property
    def characters(self) -> str: ...

def set_threads(threads: int) -> None: ...
def threads() -> int: ...
def better_openblas_kernels() -> str: ...
