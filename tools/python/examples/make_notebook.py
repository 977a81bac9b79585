#!/usr/bin/env python3
"""Turns a script with cells ("# %%", "# %% [markdown]") into a notebook.

Usage: make_notebook.py SCRIPT OUT.ipynb [--run] [--markdown OUT.md]
--run executes the notebook first; an exception in a cell is an error. --markdown also writes it as
Markdown, with its pictures in the folder OUT_files beside it.
"""
import argparse
import re
import sys
from pathlib import Path

import nbformat


def cells_of(script):
    for part in re.split(r"^# %%", script, flags=re.MULTILINE)[1:]:
        kind, _, text = part.partition("\n")
        if kind.strip() == "[markdown]":
            yield nbformat.v4.new_markdown_cell(re.sub(r"^# ?", "", text.strip(), flags=re.MULTILINE))
        else:
            yield nbformat.v4.new_code_cell(text.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("script", type=Path)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    cells = list(cells_of(arguments.script.read_text()))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # the same in every run
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    if arguments.run:
        from nbconvert.preprocessors import ExecutePreprocessor
        ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(notebook)
    nbformat.write(notebook, arguments.notebook)
    if arguments.markdown:
        from nbconvert import MarkdownExporter
        folder = arguments.markdown.with_name(arguments.markdown.stem + "_files")
        text, resources = MarkdownExporter().from_notebook_node(
            notebook, {"output_files_dir": folder.name})
        arguments.markdown.write_text(text)
        folder.mkdir(exist_ok=True)
        for name, data in resources["outputs"].items():
            (arguments.markdown.parent / name).write_bytes(data)
    return 0


sys.exit(main())
