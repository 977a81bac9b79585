"""Puts the pages of the site together: the texts of the project, where links to .github lead to
project/, the help of every command, and a page per folder of C++ headers.
Usage: pages.py SOURCE_FOLDER LEAFGLYPH OUT; reads OUT/headers, writes OUT/pages
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The navigation: captions, and the pages below each, in the order of reading.
NAVIGATION = {
    "Guides": ["datasets/leaf/README", "tools/guide/leaf_commands", "tools/guide/page", "tools/guide/glyph_commands",
               "tools/guide/moments_commands", "tools/guide/collections",
               "tools/guide/index_commands", "tools/cluster/README",
               "tools/python/README", "tools/python/tutorial", "tests/examples/README",
               "tools/guide/installing"],
    "Reference": ["tools/README", "commands/index", "cpp/index", "python_api", "datasets/README",
                  "features/conventions", "features/moment_files", "CHANGELOG"],
    "Explanation": ["features/README", "features/algorithms", "features/reconstruction",
                    "classify/README", "classify/leaves", "classify/certainty", "classify/preparation", "classify/plda",
                    "classify/recognition", "classify/characters", "classify/families", "classify/sheets"],
    "Evidence": ["classify/results_on_flavia", "classify/results_on_characters", "tools/guide/small_stores",
                 "features/accuracy", "gpu/README", "gpu/several_gpus", "tools/literature/README", "tools/literature/published",
                 "tools/literature/methods_and_kernels",
                 "tools/literature/pictures_and_misprints"],
    "Working on LeafGlyph": ["project/CONTRIBUTING", "project/SECURITY", "tests/README"],
}
SHORT = {"datasets/leaf/README": "How to photograph leaves", "tools/README": "Options, configuration, scripts",
         "tools/cluster/README": "On a cluster", "tools/python/README": "Python",
         "tests/examples/README": "C++ examples", "datasets/README": "Data sets and formats",
         "features/README": "Moments", "classify/README": "Recognition", "gpu/README": "GPUs",
         "tools/literature/README": "The literature", "tests/README": "How tests are written"}


def toctree(pages, caption=None, depth=1):
    lines = ["", "```{toctree}", ":hidden:" if caption else "", f":maxdepth: {depth}",
             f":caption: {caption}" if caption else ""]
    lines += [f"{SHORT[page]} </{page}>" if page in SHORT else f"/{page}" for page in pages]
    return "\n".join(line for line in lines if line) + "\n```\n"


def project_texts(root, pages):
    """Copies the texts and what they show or link to."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE, check=False,
                            stderr=subprocess.DEVNULL).stdout.decode().split("\0")
    if listed == [""]:  # a source archive
        left_out = ("build", "output", "data")
        listed = [str(file.relative_to(root)) for file in root.rglob("*")
                  if file.is_file() and file.relative_to(root).parts[0] not in left_out]
    for name in filter(None, listed):
        target = pages / re.sub(r"^\.github/", "project/", name)
        if name == "README.md":
            target = pages / "index.md"
        if not name.endswith((".md", ".png", ".cff", ".yaml")) and name not in (
                "LICENSE", "features/base/limits.h"):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith(".md"):
            shutil.copyfile(root / name, target)
            continue
        text = (root / name).read_text("utf-8").replace("](.github/", "](project/")
        text = re.sub(r"\]\(((?:\.\./)+)\.github/", r"](\1project/", text)
        text = re.sub(r"\]\(((?:\.\./)*)README\.md(?=[)#])",
                      lambda link: link[0].replace("README.md", "index.md")
                      if (root / name).parent.joinpath(link[1]).resolve() == root else link[0], text)
        target.write_text(text, "utf-8")
    with open(pages / "index.md", "a", encoding="utf-8") as index:
        for caption, names in NAVIGATION.items():
            index.write(toctree(names, caption))


def command_pages(leafglyph, pages):
    """A page per command with its --help."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([leafglyph, "help", "--man-pages", folder], check=True)
        names = sorted(file.stem for file in Path(folder).glob("*.1"))
    pages.mkdir()
    commands = [name.split("-") for name in names]
    for name, command in zip(names, commands):
        shown = subprocess.run([leafglyph, "help", *command[1:]], check=True, text=True,
                               stdout=subprocess.PIPE, env={**os.environ, "COLUMNS": "100"}).stdout
        # The help may name folders of the machine that printed it.
        shown = shown.replace(str(Path.home()), "~")
        (pages / f"{name}.md").write_text(f"# {' '.join(command)}\n\n```text\n{shown.rstrip()}\n```\n", "utf-8")
    (pages / "index.md").write_text("# Every command\n\nWhat `--help` prints.\n"
                                    + toctree(f"commands/{name}" for name in names), "utf-8")


def header_pages(headers, pages):
    """A page per folder of the installed headers."""
    pages.mkdir()
    folders = {}
    for file in sorted(headers.rglob("*.h")):
        folders.setdefault(file.parent.relative_to(headers), []).append(file)
    names = []
    for folder, files in folders.items():
        if folder == Path("."):
            continue
        name = "_".join(folder.parts)
        names.append(name)
        parts = [f"# {folder}\n"]
        for file in files:
            path = f"leafglyph/{file.relative_to(headers)}"
            about = re.match(r"(?:// ?.*\n)+", file.read_text("utf-8"))
            words = re.sub(r"^// ?", "", about[0], flags=re.M).strip() if about else ""
            parts.append(f"## {path}\n\n```none\n{words}\n```\n" if words else f"## {path}\n")
            parts.append(f"```{{doxygenfile}} {path}\n```\n")
        (pages / f"{name}.md").write_text("\n".join(parts), "utf-8")
    (pages / "index.md").write_text(
        "# C++\n\nThe installed headers, by folder. [Building and linking](/tools/guide/installing.md) says how a program "
        "uses them,\nand [the examples](/tests/examples/README.md) are programs to start from. Begin with "
        "`leafglyph/gpu/plans.h` for\nmoments, `leafglyph/classify/leaf/leaf_classify.h` for leaves and "
        "`leafglyph/classify/glyph/lookalikes.h` for\ncharacters.\n"
        + toctree(f"cpp/{name}" for name in sorted(names)), "utf-8")


def python_page(pages):
    parts = ["# The Python module\n\n[How to use it](/tools/python/README.md), with examples.\n"]
    for module in ("leafglyph", "leafglyph.estimators", "leafglyph.plots"):
        parts.append(f"## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n"
                     "   :imported-members:\n   :undoc-members:\n```\n" if module == "leafglyph" else
                     f"## {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n```\n")
    (pages / "python_api.md").write_text("\n".join(parts), "utf-8")


def main():
    root, leafglyph, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    pages = out / "pages"
    pages.mkdir()
    project_texts(root, pages)
    command_pages(leafglyph, pages / "commands")
    header_pages(out / "headers/include/leafglyph", pages / "cpp")
    python_page(pages)


main()
