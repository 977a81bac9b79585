"""How Sphinx builds the site; tools/release/site runs it."""
import importlib.util
import os

project = "LeafGlyph"
version = release = os.environ["LEAFGLYPH_VERSION"]
copyright = "the LeafGlyph developers"  # pylint: disable=redefined-builtin
html_show_copyright = False
root_doc = "index"
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
# The texts are those of the project, whose first heading need not be the highest level in a part.
suppress_warnings = ["myst.header"]
breathe_projects = {"leafglyph": os.environ["LEAFGLYPH_DOXYGEN"]}
breathe_default_project = "leafglyph"
breathe_default_members = ("members",)
autodoc_member_order = "bysource"
autodoc_mock_imports = [name for name in ("sklearn", "matplotlib") if importlib.util.find_spec(name) is None]
html_theme = "furo"
html_title = f"LeafGlyph {release}"
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_show_search_summary = False  # a browser does not let a page from the disk read others
html_static_path = ["look.css"]
html_css_files = ["look.css"]
pygments_style = "default"
highlight_language = "none"


def as_written(app, what, name, obj, options, lines):
    """Docstrings are plain text, as help() shows them, and not Sphinx's markup."""
    if any(lines):
        lines[:] = ["::", "", *("   " + line for line in lines), ""]


def setup(app):
    app.connect("autodoc-process-docstring", as_written)
