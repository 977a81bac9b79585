import pickle
import subprocess
import sys

import numpy as np
import pytest

import leafglyph
from leafglyph import CharacterRecogniser

# Strokes between points of a square of 10 x 10: column, row.
STROKES = {
    "一": [((1, 5), (9, 5))],
    "二": [((2, 2), (8, 2)), ((1, 8), (9, 8))],
    "三": [((2, 1), (8, 1)), ((3, 5), (7, 5)), ((1, 9), (9, 9))],
    "十": [((1, 4), (9, 4)), ((5, 0), (5, 9))],
    "工": [((2, 1), (8, 1)), ((5, 1), (5, 9)), ((1, 9), (9, 9))],
    "王": [((2, 1), (8, 1)), ((2, 5), (8, 5)), ((5, 1), (5, 9)), ((1, 9), (9, 9))],
    "口": [((2, 2), (8, 2)), ((2, 2), (2, 8)), ((8, 2), (8, 8)), ((2, 8), (8, 8))],
    "山": [((5, 1), (5, 9)), ((1, 4), (1, 9)), ((9, 4), (9, 9)), ((1, 9), (9, 9))],
}
SETTINGS = ["features.blurs=[1.5]", "features.orders=[5]", "classifier.directions=7", "copies=3"]


def draw(character, random, side=40):
    """Dark on light, its points moved a little."""
    picture = np.full((side + 16, side + 16), 240, np.uint8)
    for start, end in STROKES[character]:
        start, end = (np.array(point) + random.uniform(-0.4, 0.4, 2) for point in (start, end))
        for share in np.linspace(0, 1, 60):
            x, y = ((start + share * (end - start)) * side / 10 + 8).astype(int)
            picture[max(0, y - 1):y + 2, max(0, x - 1):x + 2] = 30
    return picture


@pytest.fixture(scope="module")
def pictures():
    """Four writers' pictures of each character, the characters, the writers."""
    random = np.random.RandomState(4)
    return zip(*[(draw(character, random), character, f"writer {w}")
                 for w in range(4) for character in STROKES])


@pytest.fixture(scope="module")
def recogniser(pictures):
    X, y, styles = pictures
    return CharacterRecogniser(settings=SETTINGS).fit(list(X), y, styles=styles)


# regression: of 24 pictures of another writer all but two are named, and mostly called known
def test_arrays_are_learnt_and_named(recogniser):
    random = np.random.RandomState(9)
    y = [character for character in STROKES for _ in range(3)]
    X = [draw(character, random) for character in y]
    assert set(recogniser.classes_) == set(STROKES)
    assert recogniser.styles_ == [f"writer {w}" for w in range(4)]
    assert recogniser.score(X, y) >= 22 / 24
    predictions = recogniser.recognise(X, top=3)
    assert sum(prediction.known for prediction in predictions) >= 18
    assert all(len(prediction.ranking) == 3 and prediction.box is None for prediction in predictions)
    assert {prediction.word for prediction in predictions} <= {"sure", "likely", "doubtful", "unknown"}


# agreement: what predict, predict_proba and recognise say of the same pictures
def test_predictions_agree(recogniser):
    random = np.random.RandomState(10)
    X = [draw(character, random) for character in "三口山"]
    chances = recogniser.predict_proba(X)
    assert chances.shape == (3, len(STROKES))
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert list(recogniser.classes_[chances.argmax(axis=1)]) == list(recogniser.predict(X))
    for row, prediction in zip(chances, recogniser.recognise(X, top=len(STROKES))):
        all_of_them = sum(probability for _, probability in prediction.ranking)
        assert prediction.probability == prediction.ranking[0][1]
        assert prediction.probability / all_of_them == pytest.approx(row.max())
        assert prediction.character == (prediction.ranking[0][0] if prediction.known else None)


# agreement: models go to folders and to other processes, and come back
def test_models_come_back(recogniser, tmp_path):
    random = np.random.RandomState(11)
    X = [draw(character, random) for character in STROKES]
    expected = recogniser.predict_proba(X)
    recogniser.save(tmp_path / "model")
    saved = CharacterRecogniser(tmp_path / "model")
    # Means have 11 bits in a file, and probabilities follow from differences of some tens.
    assert saved.predict_proba(X) == pytest.approx(expected, abs=1e-2)
    expected = saved.predict_proba(X)
    saved.save(tmp_path / "again")
    assert np.array_equal(CharacterRecogniser(tmp_path / "again").predict_proba(X), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(saved)).predict_proba(X), expected)
    some = CharacterRecogniser(tmp_path / "model", characters="口山")
    assert set(some.predict(X)) <= set("口山")
    (tmp_path / "model" / "means.npy").write_bytes(b"damaged")
    with pytest.raises(leafglyph.FormatError, match="means.npy"):
        CharacterRecogniser(tmp_path / "model").predict(X)
    with pytest.raises(leafglyph.InputError, match="nowhere"):
        CharacterRecogniser(tmp_path / "nowhere").predict(X)


# mechanics: a page comes as lines of characters with boxes, of which marks have no word
def test_pages_are_read(recogniser):
    random = np.random.RandomState(12)
    page = np.full((260, 420), 240, np.uint8)
    for row, line in enumerate(("王口山王口", "口工王山")):
        for column, character in enumerate(line):
            page[30 + 90 * row:86 + 90 * row, 30 + 60 * column:86 + 60 * column] = draw(character, random)
    page[75:82, 332:340] = 30
    lines = recogniser.read_page(page, direction="horizontal", top=2)
    assert ["".join(c.character or "-" for c in line) for line in lines] == ["王口山王口-", "口工王山"]
    mark = lines[0][-1]
    assert mark.word is None and not mark.known and mark.box == (332, 75, 8, 7)
    left, top, width, height = lines[1][1].box
    assert 88 <= left <= 110 and 115 <= top <= 140 and width <= 56 and height <= 56
    with pytest.raises(leafglyph.UsageError, match="sideways"):
        recogniser.read_page(page, direction="sideways")


# mechanics: what cannot be learnt or read
def test_refusals(recogniser, tmp_path):
    random = np.random.RandomState(13)
    picture = draw("口", random)
    blank = np.full((40, 40), 250, np.uint8)
    wrong = recogniser.recognise([blank, picture, tmp_path / "none.png"])
    assert "picture 0" in wrong[0].error and wrong[1].error is None and "none.png" in wrong[2].error
    assert wrong[0].character is None and wrong[0].word is None
    with pytest.raises(leafglyph.UsageError, match="picture 0"):
        recogniser.predict([blank])
    with pytest.raises(leafglyph.UsageError, match="top"):
        recogniser.recognise([picture], top=0)
    with pytest.raises(TypeError, match="list"):
        recogniser.recognise("picture.png")
    empty = CharacterRecogniser(settings=SETTINGS)
    for X, y in (([picture], None), (tmp_path, ["口"]), ([picture], ["口", "山"]), ([picture], ["口山"])):
        with pytest.raises(leafglyph.UsageError):
            empty.fit(X, y)
    with pytest.raises(leafglyph.InputError):
        empty.fit(tmp_path)
    with pytest.raises(leafglyph.UsageError, match="charactres"):
        empty.set_params(charactres="")


# mechanics: scikit-learn's tools take it; a clone has not learnt
def test_is_an_estimator(recogniser):
    sklearn = pytest.importorskip("sklearn.base")
    assert sklearn.is_classifier(recogniser)
    again = sklearn.clone(recogniser)
    assert again.get_params() == recogniser.get_params()
    assert repr(again).startswith("CharacterRecogniser(settings=")
    random = np.random.RandomState(14)
    from sklearn.model_selection import cross_val_score
    y = [character for _ in range(8) for character in "十口山"]
    X = [draw(character, random) for character in y]
    few = again.set_params(settings=[*SETTINGS[:2], "classifier.directions=2", "copies=9"])
    assert cross_val_score(few, X, y, cv=2).mean() > 0.9


# mechanics: importing it does not import scikit-learn
def test_needs_no_scikit_learn():
    code = "import leafglyph, sys; leafglyph.CharacterRecogniser(); assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
