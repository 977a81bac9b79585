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


class LeafTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The features of leaf photographs by a configuration, as leafglyph.LeafFeatures computes them.

    X: photographs, a list or array of paths or a list of uint8 arrays (rows, columns).
    """

    def __init__(self, config: str = "leaf", *, source_aspect: float = 0.0,
                 device: str = "auto") -> None:
        self.config = config
        self.source_aspect = source_aspect
        self.device = device

    def fit(self, X: Any, y: Any = None) -> LeafTransformer:
        """Learns nothing from the photographs; reads the configuration."""
        self.features_ = leafglyph.LeafFeatures(self.config, device=self.device)
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
    scaled by itself, and the nearest neighbours vote.
    """

    def __init__(self, config: str = "leaf") -> None:
        self.config = config

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
        self._rows = _RowClassifier(self.config, self.X_, self.y_)
        return self

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
            self._rows = _RowClassifier(self.config, self.X_, self.y_)
