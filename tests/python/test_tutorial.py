import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "tools" / "python" / "examples"


# agreement: the tutorial becomes a notebook, whose cells run and print the numbers of mahotas
def test_tutorial(tmp_path):
    for module in ("nbformat", "nbconvert", "ipykernel", "matplotlib", "sklearn"):
        pytest.importorskip(module)
    subprocess.run([sys.executable, EXAMPLES / "make_notebook.py", EXAMPLES / "tutorial.py",
                    tmp_path / "tutorial.ipynb", "--run", "--markdown", tmp_path / "tutorial.md"],
                   check=True, timeout=600)
    text = (tmp_path / "tutorial.md").read_text()
    assert "72 photographs of 6 species" in text and "63001 moments" in text
    rows = [line.split() for line in text[text.rindex(" n  m  mahotas"):].splitlines()[1:11]]
    assert len(rows) == 10
    for _, _, recorded, ours in rows:
        assert abs(float(recorded) - float(ours)) < 1e-12  # double precision, values up to 1
    assert len(list((tmp_path / "tutorial_files").glob("*.png"))) == 3


# agreement: the notebook beside the tutorial is that of its script, before it is run
def test_notebook_of_the_tutorial(tmp_path):
    pytest.importorskip("nbformat")
    made = tmp_path / "tutorial.ipynb"
    subprocess.run([sys.executable, EXAMPLES / "make_notebook.py", EXAMPLES / "tutorial.py", made], check=True)
    cells = [json.loads(path.read_text())["cells"] for path in (made, EXAMPLES.parent / "tutorial.ipynb")]
    assert cells[0] == cells[1], "make it again: tools/python/examples/make_notebook.py"
