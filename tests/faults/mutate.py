"""Runs the command on damaged inputs: see tools/check/mutate."""
import argparse
import collections
import os
import pathlib
import random
import shutil
import sys

import flows


def damaged(content, generator):
    """The content with a few bytes changed, left out or repeated, or truncated."""
    content = bytearray(content)
    # Often a single one: several rarely get past the first check.
    for _ in range(generator.choice([1, 1, 1, 2, 3, 6])):
        if not content:
            break
        place = generator.randrange(len(content))
        kind = generator.randrange(6)
        if kind == 0:
            content[place] = generator.randrange(256)
        elif kind == 1:
            content[place] ^= 1 << generator.randrange(8)
        elif kind == 2:
            del content[place:place + generator.randint(1, 40)]
        elif kind == 3:
            content[place:place] = content[place // 2:place // 2 + generator.randint(1, 40)]
        elif kind == 4:
            content[place:place] = generator.choice(
                [b"-1", b"1e999", b"nan", b"99999999999999999999", b"\x00", b"\xff\xff\xff\xff",
                 b"\x1b[31m", b"../../..", b"\n", b"*", b"&a [*a]", b"=1+1"])
        else:
            del content[place:]
    return bytes(content)


def problems_of(code, lines, out):
    found = []
    if code == "hang":
        return [f"no end after {flows.SECONDS} s"]
    if code < 0:
        found.append(f"signal {-code}")
    elif code not in flows.CODES:
        found.append(f"exit code {code}")
    if code > 0 and not any(line.startswith("leafglyph: ") for line in lines):
        found.append("fails without a word")
    found += [f"foreign line {line[:80]!r}" for line in flows.bad_lines(lines)[:1]]
    for file in sorted(out.rglob("*")):
        if ".partial" in file.name:
            found.append(f"litter {file.name}")
        elif file.is_file() and not flows.is_whole(file):
            found.append(f"half-written {file.name}")
    return found


def main():
    parser = argparse.ArgumentParser(prog="tools/check/mutate")
    parser.add_argument("command")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("flow", nargs="?", default="all")
    parser.add_argument("inputs", nargs="?", type=int, default=50)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    options = parser.parse_args()
    chosen = [flow for flow in flows.FLOWS
              if flow.inputs and options.flow in ("all", flow.name)]
    if not chosen:
        sys.exit(f"error: there is no flow '{options.flow}' with inputs; there are: "
                 + " ".join(flow.name for flow in flows.FLOWS if flow.inputs))
    shutil.rmtree(options.work, ignore_errors=True)
    environment = dict(os.environ, XDG_CACHE_HOME=str(options.work / "cache"))
    source = options.work / "inputs"
    flows.make_inputs(options.command, source, environment, seed=1)
    total, failed = 0, 0
    print(f"{'flow':<12} {'inputs':>7} {'refused':>8} {'findings':>9}", flush=True)
    for flow in chosen:
        codes = collections.Counter()
        findings = 0
        flows.must_work(flow, options.command, source, options.work / "out", environment)
        for number in range(options.inputs):
            generator = random.Random(f"{options.seed} {flow.name} {number}")
            file = source / generator.choice(flow.inputs)
            whole = file.read_bytes()
            file.write_bytes(damaged(whole, generator))
            out = options.work / "out"
            shutil.rmtree(out, ignore_errors=True)
            shutil.rmtree(options.work / "cache", ignore_errors=True)
            out.mkdir()
            code, _, lines = flows.run(options.command, flow.arguments(source, out), environment)
            found = problems_of(code, lines, out)
            if found:
                findings += 1
                kept = options.work / "findings" / f"{flow.name}-{number}-{file.name}"
                kept.parent.mkdir(exist_ok=True)
                kept.write_bytes(file.read_bytes())
                print(f"  {kept.name}: {'; '.join(found)}", flush=True)
            file.write_bytes(whole)
            codes[code] += 1
        total += options.inputs
        failed += findings
        print(f"{flow.name:<12} {options.inputs:>7} {options.inputs - codes[0]:>8} {findings:>9}",
              flush=True)
    print(f"{'all':<12} {total:>7} {'':>8} {failed:>9}")
    sys.exit(1 if failed else 0)


main()
