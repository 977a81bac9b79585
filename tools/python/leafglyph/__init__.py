"""Orthogonal image moments, recognition of leaves and printed characters, look-alike characters.

Images are numpy arrays of bool, integers or floats, rows from the top. Axes before the last two
(volumes: three) are a batch. Values are used as they are. See help() of MomentPlan, moments,
LocalMoments, ZernikeFit, LeafModel, train, evaluate, extract, open_store, CharacterRecogniser and GlyphIndex.
leafglyph.estimators has transformers and a classifier for scikit-learn, leafglyph.torch a module with a
gradient for torch, leafglyph.dask fills stores and trains on a cluster, leafglyph.plots draws with
matplotlib; all are imported when asked for.
"""
from leafglyph._leafglyph import (
    CharacterPrediction,
    Error,
    Figure,
    FormatError,
    GlyphIndex,
    GlyphMatch,
    InputError,
    LeafEvaluation,
    LeafFeatures,
    LeafModel,
    LeafPrediction,
    LocalMoments,
    MomentPlan,
    UsageError,
    __version__,
    better_openblas_kernels,
    evaluate,
    generate_leaves,
    leaf_sums,
    magnitudes,
    merge_stores,
    moment_indices,
    moments,
    radial_polynomials,
    set_threads,
    threads,
    train,
)
from leafglyph.characters import CharacterRecogniser
from leafglyph.collections import extract
from leafglyph.fitting import ZernikeCoefficients, ZernikeFit
from leafglyph.stores import FeatureStore, open_store

__all__ = [
    "CharacterPrediction",
    "CharacterRecogniser",
    "Error",
    "FeatureStore",
    "Figure",
    "FormatError",
    "GlyphIndex",
    "GlyphMatch",
    "InputError",
    "LeafEvaluation",
    "LeafFeatures",
    "LeafModel",
    "LeafPrediction",
    "LocalMoments",
    "MomentPlan",
    "UsageError",
    "ZernikeCoefficients",
    "ZernikeFit",
    "__version__",
    "better_openblas_kernels",
    "evaluate",
    "extract",
    "generate_leaves",
    "leaf_sums",
    "magnitudes",
    "merge_stores",
    "moment_indices",
    "moments",
    "open_store",
    "radial_polynomials",
    "set_threads",
    "threads",
    "train",
]
