import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import leafglyph
from conftest import LEAF


# agreement: the leaves that the command identifies, by file and by array
def test_a_model_names_leaves(trained):
    model = leafglyph.LeafModel(trained / "model")
    assert len(model.class_names) == 3
    assert "leaves of other species are called unknown" in model.unknown_species
    photographs = sorted((trained / "data").glob("*/0002.png"))
    assert len(photographs) == 3
    predictions = model.classify([*photographs, trained / "none.png"], top=2)
    for photograph, prediction in zip(photographs, predictions):
        assert prediction.species == photograph.parent.name and prediction.known and prediction.error is None
        assert prediction.ranking[0][0] == prediction.species and 0 <= prediction.ranking[0][1] <= 1
        assert prediction.probability == pytest.approx(prediction.ranking[0][1])
        assert prediction.word in ("sure", "likely", "doubtful") and prediction.box is None
        nearest, next_one = prediction.neighbours[:2]
        # Not sure of so few leaves, the model asks again with the usual size: the leaf itself is then near, not at 0.
        assert "0002.png" in nearest[0] and nearest[1] < 0.5 * next_one[1]
    assert predictions[3].species is None and "none.png" in predictions[3].error
    assert predictions[3].probability is None and predictions[3].word is None
    assert model.classify([]) == []
    features = model.features(map(str, photographs))
    assert features.shape == (3, len(model.columns)) and features.dtype == np.float32
    assert "inverted_Z_4_2" in model.columns
    same = leafglyph.LeafFeatures(Path(os.environ["LEAFGLYPH_CONFIGS"]) / "leaf.yaml")
    assert same.columns == model.columns
    assert np.array_equal(same.features(photographs), features)


# mechanics: a photograph may be an array
def test_photographs_may_be_arrays(trained):
    y, x = np.mgrid[-1:1:300j, -1:1:400j]
    photograph = np.where((x / 0.3) ** 2 + (y / 0.7) ** 2 < 1, 60, 250).astype(np.uint8)
    model = leafglyph.LeafModel(trained / "model")
    assert model.classify([photograph])[0].error is None
    empty = np.full((300, 400), 250, np.uint8)
    assert "photograph 1" in model.classify([photograph, empty])[1].error
    with pytest.raises(leafglyph.InputError, match="photograph 1"):
        model.features([photograph, empty])
    with pytest.raises(leafglyph.UsageError, match="uint8"):
        model.features([photograph.astype(float)])
    for wrong in ("leaf.png", [3], 5):
        with pytest.raises(TypeError):
            model.features(wrong)
    with pytest.raises(leafglyph.UsageError, match="top"):
        model.classify([photograph], top=0)


# mechanics: invalid models and configurations
def test_models_that_are_none(trained, tmp_path):
    with pytest.raises(leafglyph.InputError, match="nowhere"):
        leafglyph.LeafModel(tmp_path / "nowhere")
    shutil.copytree(trained / "model", tmp_path / "model")
    (tmp_path / "model" / "features.npy").write_bytes(b"damaged")
    with pytest.raises(leafglyph.FormatError, match="features.npy"):
        leafglyph.LeafModel(tmp_path / "model")
    with pytest.raises(leafglyph.InputError):
        leafglyph.LeafFeatures(tmp_path / "none.yaml")
    (tmp_path / "wrong.yaml").write_text("featurs: 3\n")
    with pytest.raises(leafglyph.UsageError, match="featurs"):
        leafglyph.LeafFeatures(tmp_path / "wrong.yaml")


# agreement: the README's look-alikes, as printed by the command
def test_glyphs_look_alike():
    index = leafglyph.GlyphIndex()
    assert len(index.characters) == 6763
    matches = index.similar("己", top=3)
    assert [match.character for match in matches] == ["已", "巳", "巴"]
    assert matches[0].score > 0.99 and matches[0].distance < matches[1].distance
    pair = index.compare("己", "已")
    assert pair.character == "已"
    assert pair.score == pytest.approx(matches[0].score, rel=1e-6)  # sums of floats
    assert pair.distance == pytest.approx(matches[0].distance, rel=1e-6)
    for wrong in ("", "己已", "A"):
        with pytest.raises(leafglyph.UsageError):
            index.similar(wrong)
    with pytest.raises(leafglyph.UsageError, match="top"):
        index.similar("己", top=0)


# agreement: dark files of 11 bits in 16, which look like 12, give the rows of bright ones if that is said; in
# training, the setting data.bits says it
def test_bits(trained, tmp_path):
    image = pytest.importorskip("PIL.Image")
    names = sorted((trained / "data").glob("*/*.png"))
    for name in names:
        grey = np.asarray(image.open(name).convert("L"))
        for kind, factor in (("bright", 257), ("dark", 8)):
            folder = tmp_path / kind / name.parent.name
            folder.mkdir(parents=True, exist_ok=True)
            image.fromarray(grey.astype(np.uint16) * factor).save(folder / name.name)
    model = leafglyph.LeafModel(trained / "model")
    bright, dark = (sorted((tmp_path / kind).glob("*/*.png")) for kind in ("bright", "dark"))
    of_bright = model.features(bright[:3])
    grey = model.columns.index("mean-grey")
    # 255 * 8 of 2047 is a white of 254.1, a factor that the columns of grey values have, too.
    assert np.abs(model.features(dark[:3], bits=11) - of_bright)[:, grey].max() < 1
    assert np.abs(model.features(dark[:3]) - of_bright)[:, grey].min() > 20
    assert [one.species for one in model.classify(dark, bits=11)] == [one.species for one in model.classify(bright)]
    for bits in (-1, 33):
        with pytest.raises(leafglyph.UsageError, match="use 0 to 32"):
            model.classify(dark[:1], bits=bits)
    for kind, bits in (("dark", 11), ("bright", 16)):
        leafglyph.train(tmp_path / f"{kind}.model", tmp_path / kind, config=LEAF, settings=[f"data.bits={bits}"])
    rows = [np.load(tmp_path / f"{kind}.model" / "features.npy") for kind in ("dark", "bright")]
    assert rows[0].shape == rows[1].shape and np.abs(rows[0] - rows[1])[:, grey].max() < 1
