#!/usr/bin/env python3
"""agreement: models, feature stores and indexes that one Debian wrote are read on another one.

Usage: carried_test.py LEAFGLYPH FOLDER
       carried_test.py LEAFGLYPH FOLDER --write NAME

FOLDER (carried/) holds leaf.yaml and a folder for each release, with a model, a store and an index
of the same drawn leaves, and the answers that they gave there. The test carries each folder to
another place and compares the answers, and those of a model that is trained on the carried store
(trained.csv; such a model has limits of its words, which the carried ones are older than). --write
makes FOLDER/NAME anew on this machine.
"""
import csv
import io
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Other versions of OpenBLAS and OpenCV add the same numbers in another order: the last digits of
# floats differ, and those of what is printed with six digits.
RELATIVE, ABSOLUTE = 1e-4, 1e-4
QUERIES = ["--species", "6", "--leaves", "2", "--seed", "2"]  # three of the species are unknown


class Command:
    def __init__(self, program, folder):
        self.program, self.folder = Path(program).resolve(), folder

    def __call__(self, *arguments):
        done = subprocess.run([self.program, *arguments], cwd=self.folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"leafglyph {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr}")
        return done.stdout


def trained_answers(run, queries, config):
    """What a model says that is trained on the store."""
    run("leaf", "train", "--config", config, "--features", "leaves.store", "--model", "trained.model", "--quiet")
    return run("leaf", "classify", "--model", "trained.model", "--csv", "-", *queries)


def answers(run, queries, config):
    """What model, store and index say, as CSV, by a name."""
    return {"classes.csv": run("leaf", "classify", "--model", "leaf.model", "--csv", "-", *queries),
            "trained.csv": trained_answers(run, queries, config),
            "neighbours.csv": run("index", "search", "indexes/leaves.index", "--top", "3", "--csv", "-", *queries),
            "rows.csv": run("features", "export", "leaves.store", "--csv", "-")}


def compare(name, expected, found):
    """Ends the test unless two tables have the same text and almost the same numbers."""
    tables = [list(csv.reader(io.StringIO(text))) for text in (expected, found)]
    if len(tables[0]) < 10 or len(tables[0]) != len(tables[1]):
        sys.exit(f"{name}: {len(tables[0])} and {len(tables[1])} lines")
    for wanted, line in zip(*tables, strict=True):
        for a, b in zip(wanted, line, strict=True):
            try:
                same = math.isclose(float(a), float(b), rel_tol=RELATIVE, abs_tol=ABSOLUTE)
            except ValueError:
                same = a == b
            if not same:
                sys.exit(f"{name}: {a} became {b}\n{wanted}\n{line}")


def draw_queries(run):
    run("leaf", "generate", "--out", "queries", *QUERIES, "--quiet")
    return sorted(str(path.relative_to(run.folder)) for path in run.folder.glob("queries/*/*.png"))


def write(program, folder, name):
    with tempfile.TemporaryDirectory() as work:
        run = Command(program, Path(work))
        config = (folder / "leaf.yaml").resolve()
        run("leaf", "generate", "--out", "leaves", "--species", "3", "--leaves", "5", "--seed", "1", "--quiet")
        run("leaf", "train", "--config", config, "--data", "leaves", "--model", "leaf.model", "--quiet")
        run("features", "extract", "leaves", "--config", config, "--block", "10", "--out", "leaves.store", "--quiet")
        run("index", "build", "leaves.store", "--type", "ivf", "--lists", "2", "--out",
            "indexes/leaves.index", "--quiet")
        made = answers(run, draw_queries(run), config)
        shutil.rmtree(folder / name, ignore_errors=True)
        for part in ("leaf.model", "leaves.store", "indexes"):
            shutil.copytree(Path(work, part), folder / name / part)
        for file, text in made.items():
            (folder / name / file).write_text(text, encoding="utf-8")


def test(program, folder):
    releases = sorted(path for path in folder.iterdir() if path.is_dir())
    if len(releases) < 2:
        sys.exit(f"there are not two releases in {folder}")
    for release in releases:
        with tempfile.TemporaryDirectory() as work:
            shutil.copytree(release, work, dirs_exist_ok=True)
            run = Command(program, Path(work))
            for part, what in (("leaf.model", "leaf"), ("leaves.store", "features"), ("indexes/leaves.index", "index")):
                run(what, "info", part)
            queries = draw_queries(run)
            for file, text in answers(run, queries, folder / "leaf.yaml").items():
                compare(f"{release.name}, {file}", (release / file).read_text(encoding="utf-8"), text)
    first, *others = releases
    for other in others:
        for file in ("rows.csv", "trained.csv"):
            compare(f"{first.name} and {other.name}, {file}",
                    *((release / file).read_text(encoding="utf-8") for release in (first, other)))


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2:
        test(arguments[0], Path(arguments[1]).resolve())
    elif len(arguments) == 4 and arguments[2] == "--write":
        write(arguments[0], Path(arguments[1]).resolve(), arguments[3])
    else:
        sys.exit(__doc__)


main()
