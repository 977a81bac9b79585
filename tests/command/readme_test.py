#!/usr/bin/env python3
"""End to end: runs every command that the README shows and compares what it prints.

A ```console block holds commands ("$ ..."; a trailing backslash continues) and, below each, what
it prints on stdout. "..." stands for any text, at the end of a line or for whole lines. A command
without output below it only has to succeed.
Usage: readme_test.py README COMMAND_FOLDER
"""
import os
import re
import subprocess
import sys

# Run by continuous integration itself, around these tests, or not without a network.
ELSEWHERE = ("tools/quickstart", "tools/test", "tools/fetch_flavia", "tools/sanitize", "cmake ",
             "tools/gpu_check", "tools/bundle")


def examples(text):
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
                sys.exit(f"README line {line}: output without a command")
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


def main():
    readme, commands = sys.argv[1:]
    root = os.path.dirname(os.path.abspath(readme))
    os.environ["PATH"] = commands + os.pathsep + os.environ["PATH"]
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    ran = failed = 0
    for line, command, expected in examples(text):
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
        print(f"README line {line}: $ {command}\n{problem}", file=sys.stderr)
    print(f"{ran} commands of the README run, {failed} failed")
    if ran == 0:
        sys.exit("the README shows no command to run")
    sys.exit(1 if failed else 0)


main()
