"""Characters in pictures."""
from __future__ import annotations

import collections.abc
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leafglyph._leafglyph import CharacterPrediction, UsageError, _CharacterModel, _train_characters

_Iterable = collections.abc.Iterable
_Sequence = collections.abc.Sequence
_Path = str | os.PathLike[str]
_Picture = _Path | NDArray[np.uint8]


class CharacterRecogniser:
    """Names the printed characters in pictures of one each, and on pages, as `leafglyph glyph recognise`.

    model: a folder that save() or `leafglyph glyph train` has written; None: the one that comes with
        LeafGlyph, made once from Debian's fonts in about a minute, or what fit() learns.
    characters: only these are answers, a str of them; "" for all that the model has. "all" chooses the
        larger one that comes with LeafGlyph, of 20,992 hanzi.
    fonts, config, settings: of fit(), as the options of `leafglyph glyph train`.

    It is an estimator as scikit-learn has them, and needs no scikit-learn. Raises InputError for a folder
    that is missing, FormatError for one that is damaged or has another version.
    """

    _estimator_type = "classifier"
    _NAMES = ("model", "characters", "fonts", "config", "settings")

    def __init__(self, model: _Path | None = None, *, characters: str = "",
                 fonts: _Sequence[_Path] = (), config: _Path = "glyph",
                 settings: _Sequence[str] = ()) -> None:
        self.model = model
        self.characters = characters
        self.fonts = fonts
        self.config = config
        self.settings = settings
        self._recogniser: _CharacterModel | None = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, for scikit-learn's tools."""
        return {name: getattr(self, name) for name in self._NAMES}

    def set_params(self, **params: Any) -> CharacterRecogniser:
        """Sets arguments; what was learnt or loaded is forgotten."""
        for name, value in params.items():
            if name not in self._NAMES:
                raise UsageError(f"'{name}' is not an argument of CharacterRecogniser")
            setattr(self, name, value)
        self._recogniser = None
        return self

    def fit(self, X: _Iterable[_Picture] | _Path, y: _Iterable[str] | None = None, *,
            styles: _Iterable[str] | None = None) -> CharacterRecogniser:
        """Learns pictures of single characters, and the fonts.

        X: a list of paths and uint8 arrays (rows, columns), with a character or its code, such as U+6C38,
            for each in y; or a folder FOLDER/CHARACTER/*.png or FOLDER/STYLE/CHARACTER/*.png, without y.
        styles: what pictures have in common beside the character, such as a writer or a print; None: all
            are of one style. How sure predictions are is measured on styles that were left out.
        A picture that cannot be used is left out, with a Python warning.
        """
        if isinstance(X, (str, os.PathLike)) == (y is not None):
            raise UsageError("fit() takes a folder, or pictures and their characters")
        self._recogniser = self._restricted(_train_characters(
            Path(X) if isinstance(X, (str, os.PathLike)) else list(X),
            [] if y is None else [str(character) for character in y],
            [] if styles is None else [str(style) for style in styles], list(self.fonts), self.config,
            list(self.settings)))
        return self

    def recognise(self, X: _Iterable[_Picture], top: int = 5) -> list[CharacterPrediction]:
        """One CharacterPrediction per picture, in order; of one that cannot be read it has the error."""
        return self._model().recognise(X, top)

    def read_page(self, page: _Picture, *, direction: str | None = None,
                  top: int = 5) -> list[list[CharacterPrediction]]:
        """The lines of a page of print, each a list of its characters and marks with their boxes.

        direction: "horizontal", or "vertical" from right to left; None: found.
        """
        return self._model().read_page(page, direction, top)

    def predict(self, X: _Iterable[_Picture]) -> NDArray[np.str_]:
        """The most likely character of each picture, also of those that are unknown."""
        return np.array([ranking[0][0] for ranking in self._rankings(X, 1)], np.str_)

    def predict_proba(self, X: _Iterable[_Picture]) -> NDArray[np.float64]:
        """float64 (pictures, classes_): the probability of each character, given that it is one.

        Those that are one picture, as 口 and ロ, share it: it is the first one's, and 0 of the others.
        """
        classes = self.classes_
        place = {character: i for i, character in enumerate(classes)}
        rankings = self._rankings(X, len(classes))
        chances = np.zeros((len(rankings), len(classes)))
        for row, ranking in zip(chances, rankings):
            for character, probability in ranking:
                row[place[character]] = probability
        shares: NDArray[np.float64] = chances / chances.sum(axis=1, keepdims=True)
        return shares

    def score(self, X: _Iterable[_Picture], y: _Iterable[str]) -> float:
        """The share of pictures whose character is predicted."""
        return float(np.mean(self.predict(X) == np.array(list(y), np.str_)))

    @property
    def classes_(self) -> NDArray[np.str_]:
        """The characters of the model."""
        return np.array(list(self._model().characters), np.str_)

    @property
    def styles_(self) -> list[str]:
        """The styles that it learnt."""
        return self._model().styles

    def save(self, folder: _Path) -> None:
        """Writes the model, in the place of an older one, for `model` and the command's --model."""
        self._model().save(Path(folder))

    def _rankings(self, X: _Iterable[_Picture], top: int) -> list[list[tuple[str, float]]]:
        predictions = self.recognise(X, top)
        for prediction in predictions:
            if prediction.error is not None:
                raise UsageError(prediction.error)
        return [prediction.ranking for prediction in predictions]

    def _restricted(self, recogniser: _CharacterModel) -> _CharacterModel:
        recogniser.restrict_to("" if self.characters == "all" else self.characters)
        return recogniser

    def _model(self) -> _CharacterModel:
        if self._recogniser is None:
            folder = None if self.model is None else Path(self.model)
            self._recogniser = self._restricted(_CharacterModel(folder, "all" if self.characters == "all" else ""))
        return self._recogniser

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._recogniser is not None:
            with tempfile.TemporaryDirectory() as folder:
                self.save(Path(folder) / "model")
                state["_recogniser"] = {file.name: file.read_bytes()
                                        for file in (Path(folder) / "model").iterdir()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        files = state["_recogniser"]
        if files is not None:
            with tempfile.TemporaryDirectory() as folder:
                for name, content in files.items():
                    (Path(folder) / name).write_bytes(content)
                self._recogniser = self._restricted(_CharacterModel(Path(folder), ""))

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.get_params().items()
                 if value not in (None, "", (), "glyph")]
        return f"CharacterRecogniser({', '.join(given)})"
