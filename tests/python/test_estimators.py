import os
import pickle
import re
import subprocess

import numpy as np
import pytest

import leafglyph

pytest.importorskip("sklearn")
pytest.importorskip("joblib")
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from leafglyph import estimators
from leafglyph.estimators import LeafClassifier, LeafTransformer, ZernikeTransformer


# mechanics: all of scikit-learn's own checks
def test_leaf_classifier_is_an_estimator():
    check_estimator(LeafClassifier())


class ZernikeOfRows(ZernikeTransformer):
    """For scikit-learn's checks, whose X are rows of 1 to 10 numbers: they become images of 4 x 4."""

    def _images(self, X, reset):
        X = self._validate_data(X, dtype=float, reset=reset)
        return np.pad(X, ((0, 0), (0, max(0, 16 - X.shape[1]))))[:, :16].reshape(-1, 4, 4)

    def fit(self, X, y=None):
        self._images(X, True)
        return super().fit(X, y)

    def transform(self, X):
        return super().transform(self._images(X, False))

    def _more_tags(self):
        return {**super()._more_tags(), "X_types": ["2darray"], "stateless": False}


# mechanics: scikit-learn's own checks, on images made of their rows
def test_zernike_transformer_is_an_estimator():
    check_estimator(ZernikeOfRows())


# agreement: the columns of the module's own functions
def test_transformers(trained, random):
    images = random.rand(5, 16, 16)
    zernike = ZernikeTransformer(order=6)
    rows = zernike.fit_transform(images)
    assert np.array_equal(rows, leafglyph.magnitudes(images, 6))
    assert zernike.get_feature_names_out()[3] == "Z_2_2"
    assert zernike.set_params(order=4).fit(images).transform(list(images)).shape == (5, 9)
    assert clone(zernike).get_params() == zernike.get_params()
    with pytest.raises(ValueError, match="order"):
        ZernikeTransformer(order=-1).fit(images)
    photographs = sorted((trained / "data").glob("*/000[0-3].png"))
    leaves = LeafTransformer().fit(photographs)
    expected = leafglyph.LeafFeatures("leaf").features(photographs)
    again = pickle.loads(pickle.dumps(leaves))
    assert np.array_equal(again.transform(photographs), expected)
    assert np.array_equal(leaves.transform(np.array(photographs, object)), expected)
    assert list(again.get_feature_names_out()) == leafglyph.LeafFeatures("leaf").columns


def transformed(transformer, X):
    return transformer.transform(X)


# agreement: other processes, which joblib starts by spawn; they map the images, which are read-only
def test_joblib(random):
    images = random.rand(6, 16, 16)
    transformer = ZernikeTransformer(order=6).fit(images)
    parts = Parallel(n_jobs=2, max_nbytes=1000)(delayed(transformed)(transformer, part)
                                                for part in (images[:3], images[3:]))
    assert np.array_equal(np.concatenate(parts), transformer.transform(images))


# agreement: leaves are identified, and called unknown, as by the command's model
def test_leaf_classifier_decides_as_a_model(trained):
    photographs = sorted((trained / "data").glob("*/*.png"))
    labels = np.array([photograph.parent.name for photograph in photographs])
    model = leafglyph.LeafModel(trained / "model")
    classifier = make_pipeline(LeafTransformer(), LeafClassifier()).fit(photographs, labels)
    y, x = np.mgrid[-1:1:300j, -1:1:400j]
    disk = np.where((x / 0.7) ** 2 + (y / 0.7) ** 2 < 1, 60, 250).astype(np.uint8)
    queries = [*photographs[::4], disk]
    predictions = model.classify(queries)
    rows = classifier[0].transform(queries)
    assert list(classifier.predict(queries)) == [p.ranking[0][0] for p in predictions]
    assert list(classifier[1].unknown(rows)) == [not p.known for p in predictions]
    scores = classifier[1].outlier_score(rows)
    assert scores == pytest.approx([p.outlier_score for p in predictions], abs=1e-6)  # floats
    again = pickle.loads(pickle.dumps(classifier))
    assert np.array_equal(again.predict_proba(queries), classifier.predict_proba(queries))
    assert classifier.predict_proba(queries).sum(axis=1) == pytest.approx(1)


# agreement: the pipelines of the documentation, in two processes and here on rows made once
@pytest.mark.parametrize("classifier,folds", [(LinearDiscriminantAnalysis(), 4), (LeafClassifier(), 2)])
def test_cross_validation_in_processes(trained, classifier, folds):
    photographs = sorted((trained / "data").glob("*/*.png"))
    labels = [photograph.parent.name for photograph in photographs]
    scores = cross_val_score(make_pipeline(LeafTransformer(), classifier), photographs, labels,
                             cv=folds, n_jobs=2)
    rows = LeafTransformer().fit_transform(photographs)
    assert np.array_equal(scores, cross_val_score(classifier, rows, labels, cv=folds))
    assert scores.mean() > 0.8


# agreement: parameters are the keys of configurations, all of the features' and the classifier's
def test_parameters_are_the_declared_keys():
    command = os.environ["LEAFGLYPH_COMMAND"]
    described = subprocess.run([command, "config", "describe"], text=True, stdout=subprocess.PIPE, check=True)
    keys = set(re.findall(r"^((?:features|preparation|pipeline|classifier)\.\w+):", described.stdout, re.M))
    keys.remove("features.network_sha256")  # says which file it must be, and is nothing to tune
    keys -= {"features.join", "features.join_columns", "pipeline.join_weight"}  # pictures in arrays have no names
    assert {*estimators._FEATURES.values(), *estimators._PREPARATION.values(),
            *estimators._CLASSIFIER.values()} == keys
    own = {"config", "source_aspect", "device"}
    assert set(LeafTransformer().get_params()) - own == {*estimators._FEATURES, *estimators._PREPARATION}
    assert set(LeafClassifier().get_params()) - own == {*estimators._FEATURES, *estimators._CLASSIFIER}


# agreement: a grid over the order and two settings of the classifier chooses what is best of all
def test_a_grid_search_tunes_transformer_and_classifier(trained):
    photographs = sorted((trained / "data").glob("*/*.png"))
    labels = [photograph.parent.name for photograph in photographs]
    pipeline = make_pipeline(LeafTransformer(channels=["mask", "radial"], measures=False),
                             LeafClassifier(channels=["mask", "radial"], measures=False))
    grid = [{"leaftransformer__order": [order], "leafclassifier__order": [order],
             "leafclassifier__shrinkage": [0.3, 0.9], "leafclassifier__k": [5, 10]} for order in (2, 8)]
    search = GridSearchCV(pipeline, grid, cv=2).fit(photographs, labels)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert search.best_estimator_[0].transform(photographs[:1]).shape[1] in (2 * 4, 2 * 25)
    assert pickle.loads(pickle.dumps(search.best_estimator_)).score(photographs, labels) > 0.5
    again = clone(search.best_estimator_).set_params(leafclassifier__shrinkage=2.0)
    with pytest.raises(ValueError, match="shrinkage"):
        again.fit(photographs, labels)


# mechanics: values under a mask are never used
def test_masked_rows_are_refused(random):
    rows, labels = random.rand(6, 3), np.array([0, 1] * 3)
    classifier = LeafClassifier().fit(rows, labels)
    for call in (lambda: classifier.predict(np.ma.array(rows)),
                 lambda: LeafClassifier().fit(np.ma.array(rows), labels),
                 lambda: LeafClassifier().fit(rows, np.ma.array(labels)),
                 lambda: ZernikeTransformer(4).fit_transform(np.ma.array(random.rand(2, 8, 8))),
                 lambda: LeafTransformer().fit_transform(np.ma.array(np.ones((1, 8, 8), np.uint8)))):
        with pytest.raises(TypeError, match="MaskedArray"):
            call()
