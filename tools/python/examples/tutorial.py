#!/usr/bin/env python3
# %% [markdown]
# # LeafGlyph in a notebook
#
# From photographs of leaves to a confusion matrix, from an image to its moments of order 500, and the
# numbers of another program beside ours. `make_notebook.py` turns this script into a notebook.

# %%
import csv
import os
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import leafglyph
from leafglyph.estimators import LeafTransformer
from leafglyph.plots import plot_moments, plot_reconstruction

# %% [markdown]
# ## Leaves: from photographs to a confusion matrix
#
# Photographs are in one folder per species. Set `LEAFGLYPH_PHOTOGRAPHS` to the folder with yours;
# otherwise leaves are drawn, which are easier to distinguish than real ones.

# %%
folder = Path(tempfile.mkdtemp())
photographs = Path(os.environ.get("LEAFGLYPH_PHOTOGRAPHS", folder / "photographs"))
if not photographs.exists():
    leafglyph.generate_leaves(photographs, species=6, leaves=12, seed=1)
paths = sorted(path for path in photographs.glob("*/*") if path.is_file())
labels = [path.parent.name for path in paths]
print(len(paths), "photographs of", len(set(labels)), "species")

# %% [markdown]
# `evaluate` measures the accuracy by cross-validation, as `leafglyph leaf evaluate` does.

# %%
evaluation = leafglyph.evaluate(photographs)
print(evaluation)
print("95 %% interval of top-1: %.4f to %.4f" % evaluation.interval)

# %%
figure, axes = plt.subplots(figsize=(5, 5))
axes.imshow(evaluation.confusion, cmap="Greens")
axes.set_xticks(range(len(evaluation.class_names)), evaluation.class_names, rotation=90)
axes.set_yticks(range(len(evaluation.class_names)), evaluation.class_names)
axes.set_xlabel("predicted")
axes.set_ylabel("species")
for (row, column), count in np.ndenumerate(evaluation.confusion):
    if count:
        axes.text(column, row, count, ha="center", va="center", color="white")
figure.tight_layout()

# %% [markdown]
# The same features with a classifier of scikit-learn, cross-validated there.

# %%
pipeline = make_pipeline(LeafTransformer(), LinearDiscriminantAnalysis())
scores = cross_val_score(pipeline, paths, labels, cv=5)
print(f"LinearDiscriminantAnalysis {scores.mean():.4f}, leaf evaluate {evaluation.top1.mean:.4f}")

# %% [markdown]
# A model identifies new photographs. It says how sure it is, and when it does not know a species.

# %%
model = leafglyph.train(folder / "leaf.model", photographs)
for prediction in model.classify(paths[::20]):
    print(f"{prediction.species or 'unknown'}: {prediction.word}, {prediction.probability:.4f}")

# %% [markdown]
# ## Moments: from an image to order 500
#
# A plan has the tables for images of one size. Moments of low order give back the coarse shape, those
# of high order every vein.

# %%
y, x = np.mgrid[1:-1:512j, -1:1:512j]
width = 0.42 * np.sqrt(np.clip(1 - (y / 0.85) ** 2, 0, None)) * (1 - 0.35 * y)
veins = np.exp(-((x / 0.02) ** 2)) + 0.6 * np.exp(-(np.sin(14 * (y - 0.8 * abs(x))) / 0.25) ** 2)
leaf = np.where(abs(x) < width, 0.75 - 0.5 * veins, 0.0)

plan = leafglyph.MomentPlan(512, order=500)
moments = plan.moments(leaf)
print(moments.size, "moments")
figure, axes = plt.subplots(1, 4, figsize=(12, 3.3))
for axis, order in zip(axes, (20, 80, 200, 500)):
    plot_reconstruction(axis, plan, moments, last_order=order, image=leaf, vmin=0, vmax=0.8)
figure.tight_layout()

# %%
small = leafglyph.MomentPlan(512, order=30)
figure, axes = plt.subplots(figsize=(4, 4))
plot_moments(axes, small, small.moments(leaf))
figure.tight_layout()

# %% [markdown]
# Numpy's default integers, slices and one channel of a colour image are images as well, and so are the
# regions of a label image: a row for each.

# %%
colours = np.stack([255 * leaf, 200 * leaf, 90 * leaf], axis=-1).astype(int)
half_size = colours[::2, ::2, 1]
print(half_size.dtype, half_size.strides, leafglyph.moments(half_size, 8).shape)
regions = (leaf > 0.5).astype(int) + (leaf > 0.7)
print(leafglyph.magnitudes(leaf, 8, labels=regions).shape)

# %% [markdown]
# ## The numbers of mahotas
#
# `golden.csv` has what mahotas printed for a few small images. With its convention, LeafGlyph gives
# the same numbers.

# %%
here = Path(globals().get("__file__", "tools/python/examples/tutorial.py")).resolve().parent
golden = Path(os.environ.get("LEAFGLYPH_CONVENTIONS",
                             here.parents[2] / "tests" / "features" / "conventions"))
words = (golden / "blob.pgm").read_text().split()
blob = np.array(words[4:], int).reshape(int(words[2]), int(words[1]))
recorded = [row for row in csv.DictReader((golden / "golden.csv").open())
            if row["image"] == "blob" and row["program"] == "mahotas" and not row["centre"]]
ours = abs(leafglyph.moments(blob, 9, convention="mahotas", radius=float(recorded[0]["radius"])))
print(" n  m  mahotas             LeafGlyph")
for row, value in list(zip(recorded, ours))[:10]:
    print(f"{row['n']:>2} {row['m']:>2}  {float(row['magnitude']):.15f}  {value:.15f}")
