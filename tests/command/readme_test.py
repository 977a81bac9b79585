#!/usr/bin/env python3
"""End to end: runs every command in a text of the project and compares its output.

A ```console block contains commands ("$ ..."; a trailing backslash continues the line) and, below
each, its output on stdout. "..." stands for any text, at the end of a line or for whole lines. A
command without output below it only has to succeed. Links must lead to a file of the project, and
to an existing heading if they name one. No text is longer than 200 lines.
Usage: readme_test.py ROOT README COMMAND_FOLDER (README: its path in the folder ROOT)
"""
import os
import re
import subprocess
import sys

MOST_LINES = 200
# Commands that continuous integration runs itself, around these tests, or that need a network.
ELSEWHERE = ("tools/quickstart", "tools/test", "tools/setup/fetch_flavia", "tools/setup/fetch_axe",
             "tools/check/sanitize", "tools/check/lint", "cmake ", "tools/check/gpu",
             "tools/release/bundle")


def examples(readme, text):
    """Yields (line number, command, expected output lines)."""
    for block in re.finditer(r"^```console\n(.*?)^```$", text, re.M | re.S):
        line = text.count("\n", 0, block.start(1)) + 1
        current = None
        for row in block.group(1).splitlines():
            if current is not None and current[1].endswith("\\"):
                current[1] = current[1][:-1] + row.strip()
            elif row.startswith("$ "):
                if current is not None:
                    yield current
                current = [line, row[2:], []]
            elif current is None:
                sys.exit(f"{readme}:{line}: output without a command")
            else:
                current[2].append(row)
            line += 1
        if current is not None:
            yield current


def pattern(expected):
    """A regular expression for the whole output."""
    parts = []
    for row in expected:
        if row == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(p) for p in row.split("...")) + r"\n")
    return "".join(parts)


def anchors(path):
    """The anchors that links may name: the headings, as spelled in links."""
    with open(path, encoding="utf-8") as file:
        headings = re.findall(r"^#+ (.*)$", file.read(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(root, readme, text):
    """Yields a message for each link that leads nowhere."""
    outside_code = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", outside_code):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(root, os.path.dirname(readme), name))
        if name == "":
            path = os.path.join(root, readme)
        if not os.path.exists(path):
            yield f"{readme}: the link to {target} leads to no file"
        elif anchor and anchor not in anchors(path):
            yield f"{readme}: the link to {target} leads to no heading"


def main():
    root, readme, commands = sys.argv[1:]
    os.environ["PATH"] = commands + os.pathsep + os.environ["PATH"]
    os.environ["PYTHONPATH"] = os.path.join(commands, "python")
    with open(os.path.join(root, readme), encoding="utf-8") as file:
        text = file.read()
    shown = ran = failed = 0
    for message in broken_links(root, readme, text):
        failed += 1
        print(message, file=sys.stderr)
    for line, command, expected in examples(readme, text):
        shown += 1
        if command.startswith(ELSEWHERE):
            continue
        ran += 1
        done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True,
                              timeout=300, check=False)
        if done.returncode != 0:
            problem = f"exit code {done.returncode}\n{done.stderr}"
        elif expected and not re.fullmatch(pattern(expected), done.stdout):
            problem = "it printed\n" + done.stdout
        else:
            continue
        failed += 1
        print(f"{readme}:{line}: $ {command}\n{problem}", file=sys.stderr)
    lines = text.count("\n")
    if lines > MOST_LINES:
        failed += 1
        print(f"{readme} has {lines} lines; divide it: at most {MOST_LINES}", file=sys.stderr)
    print(f"{readme}: {ran} of {shown} commands run, {failed} failures")
    sys.exit(1 if failed else 0)


main()
