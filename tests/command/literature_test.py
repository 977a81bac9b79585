#!/usr/bin/env python3
"""The information in tools/literature/tables about the publications: the list in its README is its
output and names every table and figure; recorded figures equal the current output of the cheap
commands, and the printed ones unless stated otherwise.

Pictures of the papers are taken from LEAFGLYPH_IMAGES, where Cameraman must be and others may be, or
from LEAFGLYPH_PICTURES, where all must be. A file of a picture's name must be that picture.
Usage: literature_test.py ROOT BUILD_FOLDER
"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
FONT = Path("/usr/share/fonts/X11/misc/gb24st.pcf.gz")

# The last table and figure of each publication; per chapter where the numbering restarts in each.
TABLES = {"jia": 13, "xuan": 11, "wang": 6,
          "xia": {4: 1, 5: 4, 6: 1}, "thesis": {3: 2, 4: 1, 5: 10, 6: 8}}
FIGURES = {"jia": 14, "xuan": 13, "wang": 19,
           "xia": {3: 5, 4: 5, 5: 3, 6: 16}, "thesis": {2: 2, 3: 7, 4: 3, 5: 13, 6: 1}}


def load():
    os.environ["LEAFGLYPH_BUILD"] = str(BUILD)
    loader = importlib.machinery.SourceFileLoader("literature", str(ROOT / "tools/literature/tables"))
    spec = importlib.util.spec_from_loader("literature", loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def numbers(last):
    """The numbers up to `last`, as printed."""
    if isinstance(last, int):
        return {str(n) for n in range(1, last + 1)}
    return {f"{chapter}.{n}" for chapter, top in last.items() for n in range(1, top + 1)}


def named(places):
    """The tables and figures named in places such as "Figure 3, Tables 1 and 2"."""
    found = {"Table": set(), "Figure": set(), "Snippet": set()}
    for place in places:
        kind = ""
        words = re.findall(r"Tables?|Figures?|Snippets?|to|[\d.]+", place.partition(",")[0]
                           if place.startswith("Snippet") else place)
        for i, word in enumerate(words):
            if word[0].isdigit():
                found[kind].add(word)
            elif word == "to":
                head, _, first = words[i - 1].rpartition(".")
                last = words[i + 1].rpartition(".")[2]
                found[kind] |= {f"{head}.{n}" if head else str(n)
                                for n in range(int(first), int(last) + 1)}
            else:
                kind = word.removesuffix("s")
    return found


def agree(one, other):
    """Equal texts, or numbers equal to a unit of the last recorded digit."""
    if one == other:
        return True
    try:
        digits = len(other.partition(".")[2])
        return abs(float(one) - float(other)) < 1.1 * 10.0 ** -digits
    except ValueError:
        return False


def same_as_printed(entry, literature):
    """Yields the cells of a reproduced table whose figures differ from the printed ones."""
    printed = literature.table(entry.printed.splitlines())[0]
    ours = literature.recorded(entry)
    misprints = {tuple(cell.split("/")) for cell in entry.misprints.split()}
    if "closest" in entry.read:  # equal distances may be in any order
        lines = [sorted((cells[r, "distance"], cells[r, "pair"]) for r, c in cells if c == "pair")
                 for cells in (printed, ours)]
        if lines[0] != lines[1]:
            yield f"{entry.key}: {lines[1]} instead of {lines[0]}"
        return
    for cell, text in printed.items():
        if (ours.get(cell) != text) != (cell in misprints):
            yield f"{entry.key}: {cell} is {ours.get(cell)}, printed {text}"


def pictures():
    """The folder of the pictures of the papers, or None, and the recipes whose pictures must be there."""
    for variable, needed in (("LEAFGLYPH_PICTURES", None), ("LEAFGLYPH_IMAGES", {"cameraman"})):
        if os.environ.get(variable):
            return Path(os.environ[variable]), needed
    return None, set()


def check_pictures(literature, entries):
    """What is wrong with the pictures at hand; prints what is skipped for want of one."""
    folder, needed = pictures()
    if folder is None:
        print("the tables of pictures are skipped; LEAFGLYPH_PICTURES may name their folder")
        return []
    wrong = []
    for name, recipe in literature.recipes().items():
        try:
            if literature.picture_file(recipe, folder) is None and (needed is None or name in needed):
                wrong.append(f"{folder} lacks {recipe.file.split()[0]}, the picture '{name}' of the papers")
        except literature.Bad as error:
            wrong.append(str(error))
    if not wrong:
        for entry in (entry for entry in entries if entry.pictures):
            for sentence in literature.missing_pictures(entry, folder):
                print(f"skipped: {sentence}")
    return wrong


def matching(entry, literature, folder):
    """The recorded cells of an entry whose pictures, if it has any, are at hand."""
    cells = literature.recorded(entry)
    if not entry.pictures:
        return cells
    there = {prefix for prefix, recipe in literature.pictures_of(entry)
             if folder and literature.picture_file(recipe, folder)}
    return {(row, column): text for (row, column), text in cells.items()
            if row[:row.find(":") + 1] in there}


def refused_originals():
    """flavia_originals refuses everything but a folder of the large photographs, before it works."""
    script, errors = ROOT / "tools/literature/flavia_originals", []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "1001.jpg").write_bytes(b"\xff\xd8\xff\xc0\x00\x11\x08\x01\x00\x01\x00\x03")
        for arguments, code, words in (([], 2, "give the folder"), (["--large"], 2, "unknown option"),
                                       ([folder + "/none"], 3, "there is no folder"),
                                       ([folder], 3, "256 x 256 pixels")):
            done = subprocess.run([script, *arguments], text=True, capture_output=True, check=False,
                                  env={**os.environ, "LEAFGLYPH_BUILD": str(BUILD)})
            if done.returncode != code or words not in done.stderr or done.stderr.count("\n") != 1:
                errors.append(f"flavia_originals {arguments}: {done.returncode}, {done.stderr}")
    return errors


def main():
    literature = load()
    errors, compared = refused_originals(), 0
    entries = literature.all_entries()
    text = literature.README.read_text(encoding="utf-8")
    if literature.with_table(text, entries) != text:
        errors.append("the list in tools/literature/README.md is not what tables --write puts there")
    for name, file in entries.items():
        found = named(entry.place for entry in file)
        for kind, last in (("Table", TABLES[name]), ("Figure", FIGURES[name])):
            missing = numbers(last) - found[kind]
            if missing:
                errors.append(f"{name} lacks {kind} {', '.join(sorted(missing))}")
    everything = [entry for file in entries.values() for entry in file]
    folder, _ = pictures()
    wrong_pictures = check_pictures(literature, everything)
    errors += wrong_pictures
    for entry in everything:
        kind = entry.read.split()[:1]
        if entry.state == "works" and entry.printed:
            errors += same_as_printed(entry, literature)
        cheap = kind in (["tables"], ["volumes"], ["surfaces"], ["glyphs"])
        expected = {} if wrong_pictures and entry.pictures else matching(entry, literature, folder)
        if not cheap or not expected or entry.input:
            continue
        if kind == ["glyphs"] and not FONT.exists():
            continue
        now = literature.compute(entry, folder)
        for cell, text in expected.items():
            compared += 1
            if not agree(now.get(cell, ""), text):
                errors.append(f"{entry.key}: {cell} is {now.get(cell)}, recorded {text}")
    print("\n".join(errors) or f"{compared} recorded figures came out again")
    return 1 if errors or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
