#!/usr/bin/env python3
"""Runs the tests of the Python module in a file of this folder, or in all; ends with 77 and the reason
if it cannot.

Usage: run_pytest.py MODULE_FOLDER [FILE] [pytest options]   (MODULE_FOLDER "": it was not built)
"""
import os
import sys
from pathlib import Path


def main():
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "leafglyph" / "__init__.py").exists():
        print("skipped: the Python module was not built (pybind11-dev, python3-dev)")
        return 77
    try:
        import numpy  # noqa: F401
        import pytest
    except ImportError as error:
        print(f"skipped: {error} (python3-numpy, python3-pytest)")
        return 77
    folder = str(Path(sys.argv[1]).resolve())
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder  # for interpreters that tests start
    tests, options = Path(__file__).parent, sys.argv[2:]
    if options and not options[0].startswith("-"):
        tests /= options.pop(0)
    return pytest.main(["-q", "-p", "no:cacheprovider", str(tests), *options])


if __name__ == "__main__":  # Dask starts processes that import this file
    sys.exit(main())
