"""Transformers and a classifier for scikit-learn."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

import leafglyph
from leafglyph._leafglyph import _RowClassifier

# X and y are whatever scikit-learn passes on; each class says what it takes.


def _refuse_masked(name: str, array: Any) -> None:
    if isinstance(array, np.ma.MaskedArray):  # scikit-learn would use the values under the mask
        raise TypeError(f"{name} of type MaskedArray; .filled(VALUE) chooses its masked values")


class ZernikeTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Magnitudes of the Zernike moments of images, which do not change when an image is rotated.

    X: images, an array (images, rows, columns) or a list of images of different sizes. Arguments are
    those of leafglyph.magnitudes.
    """

    def __init__(self, order: int = 12, *, family: str = "zernike", method: str | None = None,
                 convention: str = "textbook", centre: str | tuple[float, float] | None = None,
                 radius: str | float | None = None, device: str = "auto",
                 precision: str = "double") -> None:
        self.order = order
        self.family = family
        self.method = method
        self.convention = convention
        self.centre = centre
        self.radius = radius
        self.device = device
        self.precision = precision

    def fit(self, X: Any, y: Any = None) -> ZernikeTransformer:
        """Learns nothing from the images; checks the arguments."""
        self.indices_ = leafglyph.moment_indices(self.order, family=self.family)
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Returns float32 (images, moments)."""
        check_is_fitted(self)
        return leafglyph.magnitudes(X, **self.get_params())

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns, such as "Z_4_2"."""
        check_is_fitted(self)
        return np.array([f"Z_{n}_{m}" for n, m in self.indices_], object)

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["3darray"], "stateless": True, "preserves_dtype": []}


# The key of a configuration (`leafglyph config describe`) behind each parameter.
_FEATURES = {
    "family": "features.family", "order": "features.order", "channels": "features.channels",
    "measures": "features.measures", "colour": "features.colour", "network": "features.network",
    "layer": "features.layer", "network_size": "features.size",
    "network_values": "features.network_values",
}
_PREPARATION = {
    "geometry": "preparation.geometry", "size": "preparation.size", "area": "preparation.area",
    "background": "preparation.background", "parts": "preparation.parts",
    "oversampling": "preparation.oversampling", "finder": "preparation.finder",
    "petiole": "preparation.petiole", "precision": "features.precision",
}
_CLASSIFIER = {
    "values": "pipeline.values", "log_floor": "pipeline.log_floor", "scaling": "pipeline.scaling",
    "projection": "pipeline.projection", "shrinkage": "pipeline.shrinkage",
    "prior_leaves": "pipeline.prior_leaves", "prior_species": "pipeline.prior_species",
    "augmentation": "pipeline.augmentation", "measure_weight": "pipeline.measure_weight",
    "curvature_weight": "pipeline.curvature_weight", "network_weight": "pipeline.network_weight",
    "k": "classifier.k", "metric": "classifier.metric",
    "answered_share": "classifier.answered_share",
}


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_text(item) for item in value) + "]"
    return str(value)


def _settings(estimator: BaseEstimator, keys: dict[str, str]) -> list[str]:
    """KEY=VALUE of the parameters that are not None."""
    return [f"{key}={_text(getattr(estimator, name))}" for name, key in keys.items()
            if getattr(estimator, name) is not None]


class LeafTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The features of leaf photographs by a configuration, as leafglyph.LeafFeatures computes them.

    X: photographs, a list or array of paths or a list of uint8 arrays (rows, columns). All parameters
    from family on are keys of the configuration (`leafglyph config describe`) and take the place of its
    values; None leaves them.
    """

    def __init__(self, config: str = "leaf", *, source_aspect: float = 0.0, device: str = "auto",
                 family: str | None = None, order: int | None = None,
                 channels: list[str] | None = None, measures: bool | None = None,
                 colour: str | None = None, network: str | None = None, layer: str | None = None,
                 network_size: int | None = None, network_values: int | None = None,
                 geometry: str | None = None, size: int | None = None,
                 area: float | None = None, background: str | None = None, parts: str | None = None,
                 oversampling: float | None = None, finder: str | None = None,
                 petiole: str | None = None, precision: str | None = None) -> None:
        self.config = config
        self.source_aspect = source_aspect
        self.device = device
        self.family = family
        self.order = order
        self.channels = channels
        self.measures = measures
        self.colour = colour
        self.network = network
        self.layer = layer
        self.network_size = network_size
        self.network_values = network_values
        self.geometry = geometry
        self.size = size
        self.area = area
        self.background = background
        self.parts = parts
        self.oversampling = oversampling
        self.finder = finder
        self.petiole = petiole
        self.precision = precision

    def fit(self, X: Any, y: Any = None) -> LeafTransformer:
        """Learns nothing from the photographs; reads the configuration."""
        self.features_ = leafglyph.LeafFeatures(
            self.config, settings=_settings(self, {**_FEATURES, **_PREPARATION}), device=self.device)
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Returns float32 (photographs, columns)."""
        check_is_fitted(self)
        return self.features_.features(X, source_aspect=self.source_aspect)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns, such as "inverted_Z_4_2"."""
        check_is_fitted(self)
        return np.array(self.features_.columns, object)

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["string"], "stateless": True, "preserves_dtype": []}


class LeafClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The classifier of leaves on rows of features, with the settings of a configuration.

    X: rows of LeafTransformer(config), or other rows. Those of LeafTransformer are classified as the
    command does, with what it knows beforehand of how leaves vary. Of other rows, each column is
    scaled by itself, and the nearest neighbours vote. The parameters are keys of the configuration
    (`leafglyph config describe`) and take the place of its values; None leaves them. family to
    network_values say which rows LeafTransformer makes, and are those of it.
    """

    def __init__(self, config: str = "leaf", *, family: str | None = None, order: int | None = None,
                 channels: list[str] | None = None, measures: bool | None = None,
                 colour: str | None = None, network: str | None = None, layer: str | None = None,
                 network_size: int | None = None, network_values: int | None = None,
                 values: str | None = None,
                 log_floor: float | None = None, scaling: str | None = None,
                 projection: str | None = None, shrinkage: float | None = None,
                 prior_leaves: float | None = None, prior_species: float | None = None,
                 augmentation: float | None = None, measure_weight: float | None = None,
                 curvature_weight: float | None = None, network_weight: float | None = None,
                 k: int | None = None,
                 metric: str | None = None, answered_share: float | None = None) -> None:
        self.config = config
        self.family = family
        self.order = order
        self.channels = channels
        self.measures = measures
        self.colour = colour
        self.network = network
        self.layer = layer
        self.network_size = network_size
        self.network_values = network_values
        self.values = values
        self.log_floor = log_floor
        self.scaling = scaling
        self.projection = projection
        self.shrinkage = shrinkage
        self.prior_leaves = prior_leaves
        self.prior_species = prior_species
        self.augmentation = augmentation
        self.measure_weight = measure_weight
        self.curvature_weight = curvature_weight
        self.network_weight = network_weight
        self.k = k
        self.metric = metric
        self.answered_share = answered_share

    def fit(self, X: Any, y: Any) -> LeafClassifier:
        """Fits to rows and their classes."""
        _refuse_masked("X", X)
        _refuse_masked("y", y)
        X, y = self._validate_data(X, y, dtype=np.float32)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise leafglyph.UsageError(f"{len(self.classes_)} class; a classifier needs two or more")
        self.X_ = X
        self.y_ = labels.astype(np.int32)
        self._fit_rows()
        return self

    def _fit_rows(self) -> None:
        self._rows = _RowClassifier(self.config, self.X_, self.y_,
                                    _settings(self, {**_FEATURES, **_CLASSIFIER}))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely class of each row, also of those that unknown() refuses."""
        scores = self._scores(X)[0]
        classes: NDArray[Any] = self.classes_[np.argmax(scores, axis=1)]
        return classes

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, given that the row is of one of them."""
        scores, _, _, are_probabilities = self._scores(X)
        if not are_probabilities:
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = scores / scores.sum(axis=1, keepdims=True)
        return shares

    def unknown(self, X: Any) -> NDArray[np.bool_]:
        """Whether each row is of none of the classes, by the decision of the command."""
        return self._scores(X)[1]

    def outlier_score(self, X: Any) -> NDArray[np.float64]:
        """The outlier score of each row, on which unknown() decides."""
        return self._scores(X)[2]

    def _scores(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64],
                                       bool]:
        check_is_fitted(self)
        _refuse_masked("X", X)
        return self._rows.predict(self._validate_data(X, dtype=np.float32, reset=False))

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_rows", None)  # is fitted again
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "X_"):
            self._fit_rows()
