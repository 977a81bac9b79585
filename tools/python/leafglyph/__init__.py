"""Orthogonal image moments, leaf recognition and look-alike Chinese characters.

Images are numpy arrays of bool, integers or floats, rows from the top. Axes before the last two
(volumes: three) are a batch. Values are used as they are. See help() of
MomentPlan, moments, LeafModel and GlyphIndex.
"""
from leafglyph._leafglyph import *  # noqa: F403  (the names are those of __all__)
from leafglyph._leafglyph import __all__, __version__  # noqa: F401
