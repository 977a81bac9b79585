"""Attacks on every command and every path of the page: see tools/check/attack."""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import attack_page
import flows

# Commands that write nothing, so that nothing of theirs can be lost: each is run, and must indeed
# leave its folder empty.
WRITES_NOTHING = {
    "doctor": "doctor", "completion": "completion bash", "help": "help leaf",
    "config show": "config show leaf", "leaf info": "leaf info {in}/model",
    "glyph similar": "glyph similar 口 --config {in}/glyph.yaml --top 2",
    "glyph distance": "glyph distance 口 日 --config {in}/glyph.yaml",
    "glyph info": "glyph info {in}/characters", "features info": "features info {in}/store", "index info": "index info {in}/index",
}
SERVED = {"serve"}  # attack_page
FOREIGN = {"notes.txt": b"mine", "walks/2025/photo.png": b"also mine"}
ENDS_SOON = 5  # s from a signal to the end; a block of a loop that is not interrupted takes some time
HANDLED = 1.0  # s from the start, after which the handlers of signals are there on a busy machine
LINE_BYTES = 700 << 20  # of an endless line, with a budget of LINE_BUDGET
LINE_BUDGET, LINE_PEAK = "300M", 450 << 20  # the budget bounds buffers, not program and libraries


class Attack:
    """What is attacked, with which seed, until when, and what was found."""

    def __init__(self, command, work, minutes, seed):
        self.command, self.work = command, work
        self.deadline = time.monotonic() + 60 * minutes
        self.random = random.Random(seed)
        self.counts = collections.Counter()  # attack: tries
        self.skipped = collections.Counter()
        self.findings = []
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"),
                                XDG_DATA_HOME=str(work / "data"), TMPDIR=str(work / "temp"),
                                CUDA_VISIBLE_DEVICES="")
        (work / "temp").mkdir(parents=True)
        self.source = work / "in"
        self.out = work / "out"

    def found(self, kind, flow, what):
        self.findings.append(f"{kind}: {flow}: {what}")
        print(f"FOUND {self.findings[-1]}", flush=True)

    def has_time(self, kind):
        if time.monotonic() < self.deadline:
            return True
        self.skipped[f"{kind}: no time left"] += 1
        return False

    def prepare(self, flow, out=None):
        out = out or self.out
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        flow.copy_into(self.source, out)

    def start(self, flow, out=None, arguments=None, stdin=subprocess.DEVNULL):
        if arguments is None:
            arguments = flow.arguments(self.source, out or self.out)
        return subprocess.Popen([self.command, *arguments, "--quiet"], env=self.environment,
                                stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self, process, seconds=flows.SECONDS):
        """(code or "hang", lines of stderr)."""
        try:
            error = process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "hang", []
        return process.returncode, error.decode("utf-8", "replace").splitlines()

    def run(self, flow, out=None):
        return self.finish(self.start(flow, out))

    def judge(self, kind, flow, code, lines, may_be=flows.CODES):
        """Notes a code that is not documented, a failure without a word, and foreign lines."""
        if code == "hang":
            self.found(kind, flow.name, "no end")
        elif code not in may_be:
            self.found(kind, flow.name, f"ends with {code}: {lines[:1]}")
        elif code not in (0, 5, 130, -signal.SIGTERM) and not any(line.startswith("leafglyph: ") for line in lines):
            self.found(kind, flow.name, f"ends with {code} without a word")
        elif flows.bad_lines(lines):
            self.found(kind, flow.name, f"foreign line {flows.bad_lines(lines)[0][:80]!r}")

    def look(self, kind, flow, known, killed=False):
        """Notes litter and half-written files in the output."""
        for name, content in flows.files_of(self.out).items():
            if ".partial" in name:
                if not killed:
                    self.found(kind, flow.name, f"litter {name}")
            elif name in known and content != known[name] and not flows.is_whole(self.out / name):
                self.found(kind, flow.name, f"half-written {name}")

    def works_again(self, kind, flow, expected):
        code, lines = self.run(flow)
        after = flows.files_of(self.out)
        if code not in (0, flow.again):
            self.found(kind, flow.name, f"the next run ends with {code}: {lines[:1]}")
        elif set(after) != set(expected):
            self.found(kind, flow.name, "the next run leaves "
                       + " ".join(sorted(set(after) ^ set(expected))))
        elif "files" not in flow.varies and after != expected:
            self.found(kind, flow.name, "the next run writes something else")


def commands(command, path=()):
    """Every command that --help lists, such as "leaf train"."""
    text = subprocess.run([command, *path, "--help"], capture_output=True, text=True,
                          check=True).stdout
    _, _, listed = text.partition("\nSubcommands:\n")
    names = re.findall(r"^  (\S+)", listed.partition("\n\n")[0], re.MULTILINE)
    for name in names:
        yield from commands(command, (*path, name))
    if not names:
        yield " ".join(path)


def check_recipes(attack):
    """Every command is attacked, or writes nothing indeed."""
    listed = list(commands(attack.command))
    of = {flow.command_name(listed) for flow in flows.FLOWS}
    for name in listed:
        attack.counts["commands"] += 1
        if name in of or name in SERVED:
            continue
        if name not in WRITES_NOTHING:
            attack.found("recipe", name, "has no recipe in tests/faults/flows.py")
            continue
        flow = flows.Flow(name, WRITES_NOTHING[name])
        attack.prepare(flow)
        before = flows.files_of(attack.source)
        process = subprocess.Popen([attack.command, *flow.arguments(attack.source, attack.out)],
                                   cwd=attack.out, env=attack.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        code, lines = attack.finish(process)
        attack.judge("recipe", flow, code, lines, {0})
        if flows.files_of(attack.out) or flows.files_of(attack.source) != before:
            attack.found("recipe", name, "writes something, and has no recipe")
    for name in (of | set(WRITES_NOTHING)) - set(listed):
        attack.found("recipe", name, "is not a command")


def kill(attack, flow, seconds, expected, number):
    """kill -9 at a random time, every second one over an older output."""
    attack.prepare(flow)
    if number % 2 == 1:
        for name, content in expected.items():
            (attack.out / name).parent.mkdir(parents=True, exist_ok=True)
            (attack.out / name).write_bytes(content)
        flow.copy_into(attack.source, attack.out)
    process = attack.start(flow)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(attack.random.uniform(0, 1.1 * seconds))
    process.kill()
    process.communicate()
    attack.look("kill", flow, expected, killed=True)
    flow.copy_into(attack.source, attack.out)
    attack.works_again("kill", flow, expected)


def terminate(attack, flow, seconds, expected, _):
    """SIGTERM at a random time: an end within seconds, nothing half-written, no litter."""
    attack.prepare(flow)
    process = attack.start(flow)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(attack.random.uniform(0, 1.1 * seconds))
    process.terminate()
    code, lines = attack.finish(process, ENDS_SOON)
    # -15: before the handlers are there.
    attack.judge("signal", flow, code, lines, flows.CODES | {-signal.SIGTERM})
    attack.look("signal", flow, expected)


def fill_disk(attack, flow, _, expected, number):
    """A file system that is too small; a file of somebody else on it stays."""
    if os.geteuid() != 0:
        attack.skipped["full disk: needs root"] += 1
        return
    needed = sum(len(content) for content in expected.values()) // 1024 + 4 * len(expected)
    kilobytes = [12, 40, max(16, needed // 2), max(20, needed)][number % 4]
    shutil.rmtree(attack.out, ignore_errors=True)
    attack.out.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs",
                              str(attack.out)], capture_output=True, check=False)
    if mounted.returncode != 0:
        attack.skipped["full disk: no tmpfs can be mounted"] += 1
        return
    try:
        (attack.out / "notes.txt").write_bytes(b"mine")
        try:
            flow.copy_into(attack.source, attack.out)
        except OSError:  # the input of a command that changes it does not fit
            return
        code, lines = attack.run(flow)
        attack.judge("full disk", flow, code, lines)
        if code == 0:
            return
        attack.look("full disk", flow, {} if flow.adds else expected)
        if (attack.out / "notes.txt").read_bytes() != b"mine":
            attack.found("full disk", flow.name, "a file of somebody else has changed")
    finally:
        subprocess.run(["umount", str(attack.out)], check=False)


def put_foreign(folder):
    for name, content in FOREIGN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def foreign(attack, flow, _, expected, number):
    """Files of somebody else beside the output, and inside its folders, stay as they are."""
    folders = {name.split("/")[0] for name in expected if "/" in name}
    attack.prepare(flow)
    places = [attack.out, *(attack.out / name for name in sorted(folders))]
    if number % 2 == 1:  # over an older output
        attack.run(flow)
        flow.copy_into(attack.source, attack.out)
    for place in places:
        put_foreign(place)
    code, lines = attack.run(flow)
    attack.judge("foreign", flow, code, lines)
    for place in places:
        for name, content in FOREIGN.items():
            if not (place / name).exists() or (place / name).read_bytes() != content:
                attack.found("foreign", flow.name, f"{(place / name).relative_to(attack.out)} "
                             "is lost or has changed")


def write_twice(attack, flow, _, expected, _number):
    """Two processes write one output."""
    attack.prepare(flow)
    both = [attack.start(flow), attack.start(flow)]
    for process in both:
        attack.judge("two writers", flow, *attack.finish(process))
    attack.look("two writers", flow, expected)
    flow.copy_into(attack.source, attack.out)
    attack.works_again("two writers", flow, expected)


def damage(attack, flow, _, _expected, number):
    """An input that is cut or flipped while nobody looks."""
    if not flow.inputs:
        return
    name = flow.inputs[number % len(flow.inputs)]
    file = attack.source / name
    whole = file.read_bytes()
    place = attack.random.randrange(len(whole))
    changed = bytearray(whole)
    changed[place] ^= 1 << attack.random.randrange(8)
    try:
        for content in (whole[:place], b"", bytes(changed)):
            file.write_bytes(content)
            attack.prepare(flow)
            attack.judge("damaged input", flow, *attack.run(flow))
    finally:
        file.write_bytes(whole)


def wait_at_fifo(attack, flow, seconds, expected, number):
    """An output that is a FIFO which nobody reads: a signal is heard."""
    places = [i for i, part in enumerate(flow.command.split())
              if part.startswith("{out}/") and part[len("{out}/"):] in expected]
    if not places:
        return
    attack.prepare(flow)
    arguments = flow.arguments(attack.source, attack.out)
    fifo = pathlib.Path(arguments[places[number % len(places)]])
    os.mkfifo(fifo)
    process = attack.start(flow, arguments=arguments)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(HANDLED, 2 * seconds))
    process.terminate()
    attack.judge("fifo", flow, *attack.finish(process, ENDS_SOON))


def wait_at_stdin(attack, flow, *_):
    """Standard input that stays silent: a signal is heard."""
    attack.prepare(flow)
    process = attack.start(flow, stdin=subprocess.PIPE)
    time.sleep(HANDLED)
    process.terminate()
    try:
        process.wait(ENDS_SOON)
    except subprocess.TimeoutExpired:
        attack.found("silent stdin", flow.name, f"no end {ENDS_SOON} s after SIGTERM")
        process.kill()
    attack.finish(process)


def feed_endless_line(attack, flow, *_):
    """One line without end takes no more than the budget."""
    attack.prepare(flow)
    arguments = flow.arguments(attack.source, attack.out) + ["--memory", LINE_BUDGET]
    process = attack.start(flow, arguments=arguments, stdin=subprocess.PIPE)
    piece, peak = b"a" * (1 << 20), 0
    with contextlib.suppress(BrokenPipeError):
        for _ in range(LINE_BYTES // len(piece)):
            process.stdin.write(piece)
            with contextlib.suppress(OSError):
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
                peak = max([peak] + [int(kb) << 10 for kb in re.findall(r"VmHWM:\s*(\d+)", status)])
            if peak > LINE_PEAK:
                break
    if peak > LINE_PEAK:
        attack.found("endless line", flow.name, f"{peak >> 20} MiB with --memory {LINE_BUDGET}")
        process.kill()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.stdin = None
    attack.finish(process)


def join_parts(attack):
    """Sums of the same stores in another order: counted once each, or refused. The stores have as
    many leaves of each species, so that counts alone do not show it."""
    stores = [attack.work / "even.store", attack.work / "odd.store"]
    config = ["--config", attack.source / "plda.yaml"]

    def must(*arguments, may_fail=False):
        attack.counts["parts"] += 1
        code, _, error = flows.run(attack.command, [str(part) for part in arguments],
                                   attack.environment)
        if code not in flows.CODES or code != 0 and not may_fail:
            attack.found("parts", " ".join(str(part) for part in arguments[:2]), f"{code}: {error}")
        return code

    shutil.rmtree(attack.out, ignore_errors=True)
    attack.out.mkdir()
    for place, image in enumerate(sorted((attack.source / "leaves").glob("*/*.png"))):
        half = attack.work / ["even", "odd"][place % 2] / image.parent.name
        half.mkdir(parents=True, exist_ok=True)
        (half / image.name).write_bytes(image.read_bytes())
    for store in stores:
        must("features", "extract", store.with_suffix(""), *config, "--out", store)
    orders = {"straight": stores, "turned": stores[::-1]}
    for name, order in orders.items():
        for shard in ("0/2", "1/2", "0/1"):
            must("leaf", "sums", *order, *config, "--shard", shard, "--out",
                 attack.out / f"{name}-{shard.replace('/', '-')}")

    def means(model, *sums):
        code = must("leaf", "train", *config, "--features", *stores, "--sums",
                    *(attack.out / part for part in sums), "--model", attack.out / model,
                    may_fail=True)
        return code, (attack.out / model / "means.npy").read_bytes() if code == 0 else b""

    code, right = means("one", "straight-0-1")
    if code != 0:
        attack.found("parts", "leaf train --sums", f"whole sums do not train: {code}")
    for first, second in [("straight-0-2", "straight-1-2"), ("straight-0-2", "turned-1-2"),
                          ("turned-0-2", "straight-1-2"), ("straight-0-2", "straight-0-2"),
                          ("straight-0-1", "turned-0-1"), ("straight-0-2", "turned-0-2")]:
        code, joined = means("joined", first, second)
        shutil.rmtree(attack.out / "joined", ignore_errors=True)
        if code == 0 and joined != right:
            attack.found("parts", "leaf train --sums", f"{first} and {second} count leaves twice or never")


ATTACKS = {"kill": (kill, 4), "signal": (terminate, 2), "full disk": (fill_disk, 4),
           "foreign": (foreign, 2), "two writers": (write_twice, 1),
           "damaged input": (damage, 2), "fifo": (wait_at_fifo, 2),
           "silent stdin": (wait_at_stdin, 1), "endless line": (feed_endless_line, 1)}


WAITS = {"silent stdin", "endless line"}


def attack_flows(attack, chosen):
    """Every flow in turn by every attack, so that a short time still covers all."""
    states = {}
    for flow in chosen:
        began = time.monotonic()
        attack.prepare(flow)
        code, lines = attack.run(flow)
        if code != 0:
            attack.found("recipe", flow.name, f"fails on whole inputs: {code}: {lines}")
            continue
        states[flow.name] = time.monotonic() - began, flows.files_of(attack.out)
    for flow in flows.WAITING:
        states[flow.name] = HANDLED, {}
    for kind, (make, times) in ATTACKS.items():
        for number in range(times):
            for flow in (flows.WAITING if kind in WAITS else chosen):
                if flow.name in states and attack.has_time(kind):
                    attack.counts[kind] += 1
                    make(attack, flow, *states[flow.name], number)


def main():
    parser = argparse.ArgumentParser(prog="tools/check/attack")
    parser.add_argument("command", type=os.path.abspath)
    parser.add_argument("work", type=lambda path: pathlib.Path(path).absolute())
    parser.add_argument("what", nargs="?", default="all", help="a flow, page, parts or recipes")
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    options = parser.parse_args()
    names = [flow.name for flow in flows.FLOWS]
    if options.what not in ("all", "page", "parts", "recipes", *names):
        sys.exit(f"error: there is no '{options.what}'; there are: all page parts recipes "
                 + " ".join(names))
    shutil.rmtree(options.work, ignore_errors=True)
    attack = Attack(options.command, options.work, options.minutes, options.seed)
    flows.make_inputs(options.command, attack.source, attack.environment, seed=1)
    print(f"seed {options.seed}, {options.minutes:g} minutes", flush=True)
    if options.what in ("all", "recipes"):
        check_recipes(attack)
    if options.what in ("all", "parts"):
        join_parts(attack)
    if options.what in ("all", "page"):
        attack_page.attack(attack)
    if options.what in ("all", *names):
        attack_flows(attack, [flow for flow in flows.FLOWS
                              if options.what in ("all", flow.name)])
    for kind, count in sorted(attack.counts.items()):
        print(f"{kind:<24} {count:>6}")
    for why, count in sorted(attack.skipped.items()):
        print(f"skipped, {why}: {count}")
    print(f"{len(attack.findings)} findings")
    shutil.rmtree(options.work, ignore_errors=True)
    return 1 if attack.findings else 0


if __name__ == "__main__":
    sys.exit(main())
