"""Faults in the C library, full disks, signals and races: see tools/check/faults."""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import flows

# Memory: allocations of 4 KiB and more; smaller ones rarely fail if there is any memory at all.
FAULTS = ["malloc:{}:4096", "mmap:{}", "pthread_create:{}", "open:{}", "read:{}", "write:{}",
          "short-write:{}", "fsync:{}", "rename:{}", "close:{}", "kill-write:{}", "kill-rename:{}"]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
NEVER = 0


class Trial:
    """One flow: its inputs, and its outputs before and after."""

    def __init__(self, flow, options):
        self.flow, self.options = flow, options
        self.work = options.work / flow.name
        self.out = self.work / "out"
        self.cache = self.work / "cache"
        # The driver of a GPU ends the process when its memory allocation fails.
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.cache),
                                CUDA_VISIBLE_DEVICES="")
        self.sources = [options.work / "inputs-1", options.work / "inputs-2"]
        self.old = self.work / "old"
        self.states, self.answers = [], []  # each source's outputs, and what the command prints
        for source in self.sources:
            answer = flows.must_work(flow, options.command, source, self.out, self.environment)
            self.states.append(flows.files_of(self.out))
            self.answers.append(answer)
            if source == self.sources[0]:
                shutil.copytree(self.out, self.old)
        if flow.adds or flow.changes:
            shutil.rmtree(self.old)
            self.old.mkdir()
            flow.copy_into(self.sources[0], self.old)

    def set_back(self):
        """Restores the old outputs and removes the cache."""
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.old, self.out)

    def start(self, source=1):
        arguments = self.flow.arguments(self.sources[source], self.out)
        return [self.options.command, *arguments, "--quiet"], self.environment

    def run(self, source=1, **more):
        return flows.run(self.options.command, self.flow.arguments(self.sources[source], self.out),
                         dict(self.environment, **more))

    def faulty(self, fault, count_file):
        return self.run(LD_PRELOAD=str(self.options.library), LEAFGLYPH_FAULT=fault,
                        LEAFGLYPH_FAULT_COUNT=str(count_file))

    def calls(self, fault):
        """The number of calls in a run without a fault."""
        count_file = self.work / "count"
        count_file.unlink(missing_ok=True)
        self.set_back()
        self.faulty(fault.format(NEVER), count_file)
        return int(count_file.read_text()) if count_file.exists() else 0

    def problems(self, code, lines, killed=False, source=1):
        """What is wrong with the outputs of a run, and with the next run."""
        found = []
        if code == "hang":
            found.append(f"no end after {flows.SECONDS} s")
        elif code < 0 and not killed:
            found.append(f"signal {-code}")
        elif code > 0 and code not in flows.CODES:
            found.append(f"exit code {code}")
        elif code > 0 and not any(line.startswith("leafglyph: ") for line in lines) and \
                not (code == 5 and self.flow.adds):  # failed rows are in the store
            # If a thread cannot be created, OpenMP's library ends the process, with its own
            # message.
            if not any("libgomp: Thread creation failed" in line for line in lines):
                found.append("fails without a word")
            lines = []
        found += [f"foreign line {line[:80]!r}" for line in flows.bad_lines(lines)[:1]]
        old, new = self.states
        if self.flow.adds:
            old = {}
        for name, content in flows.files_of(self.out).items():
            if ".partial" in name or name not in old and name not in new:
                if not killed:
                    found.append(f"litter {name}")
            elif content not in (old.get(name), new.get(name)) and \
                    not flows.is_whole(self.out / name):
                found.append(f"half-written {name}")
        if code != 0:
            found += [f"lost {name}" for name in old if not (self.out / name).exists()]
        if self.flow.whole:
            command = self.flow.whole.format(out=self.out).split()
            if flows.run(self.options.command, command, self.environment)[0] != 0:
                found.append("output cannot be read")
        code, said, lines = self.run(source)
        if code not in (0, self.flow.again):
            found.append(f"the next run fails: {code}: {lines[:1]}")
        elif set(flows.files_of(self.out)) - set(new) - set(old):
            found.append("litter after the next run: "
                         + " ".join(sorted(set(flows.files_of(self.out)) - set(new) - set(old))))
        elif "said" not in self.flow.varies and said != self.answers[source]:
            found.append("the next run says something else")
        elif "files" not in self.flow.varies and flows.files_of(self.out) != self.states[source]:
            found.append("the next run writes something else")
        if self.cache.exists():
            found += [f"litter {file.name} in the cache" for file in self.cache.rglob("*.partial*")]
        return found


def library_faults(trial, points):
    """Yields (what, problems) for `points` calls of each fault, spread over all of its calls."""
    for fault in FAULTS:
        calls = trial.calls(fault)
        step = max(1.0, calls / points)
        for number in sorted({1 + int(i * step) for i in range(min(points, calls))}):
            trial.set_back()
            code, _, lines = trial.faulty(fault.format(number), trial.work / "count")
            what = fault.format(number)
            yield what, trial.problems(code, lines, killed=what.startswith("kill"))


def full_disks(trial, points):
    """The output is on a file system that has room for only part of it."""
    needed = sum((len(content) + 4095) // 4096 * 4096 + 4096
                 for content in trial.states[1].values())
    for i in range(points):
        room = 4096 + needed * i // points // 4096 * 4096
        shutil.rmtree(trial.out, ignore_errors=True)
        trial.out.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", trial.out],
                                 stderr=subprocess.DEVNULL).returncode == 0
        if not mounted:
            return
        try:
            try:
                trial.flow.copy_into(trial.sources[1], trial.out)
            except OSError:  # there is no room for what it changes
                continue
            code, _, lines = trial.run()
            found = [] if code in (0, 1, trial.flow.again) else [f"exit code {code}"]
            found += [f"foreign line {line[:80]!r}" for line in flows.bad_lines(lines)[:1]]
            for file in trial.out.rglob("*"):
                if ".partial" in file.name:
                    found.append(f"litter {file.name}")
                elif file.is_file() and not flows.is_whole(file):
                    found.append(f"half-written {file.name}")
        finally:
            subprocess.run(["umount", trial.out], check=True)
        yield f"{room} bytes of disk", found


def signals(trial, points):
    """Signals at random moments of a run."""
    trial.set_back()
    began = time.monotonic()
    trial.run()
    length = time.monotonic() - began
    for i in range(points):
        generator = random.Random(f"{trial.flow.name} {i}")
        number = SIGNALS[i % len(SIGNALS)]
        trial.set_back()
        arguments, environment = trial.start()
        process = subprocess.Popen(arguments, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(generator.random() * length)
        process.send_signal(number)
        lines = process.communicate(timeout=flows.SECONDS)[1].decode(errors="replace").splitlines()
        # Before main no handler is installed; nothing has been written by then.
        untouched = flows.files_of(trial.out) == flows.files_of(trial.old)
        killed = process.returncode < 0 and (number == signal.SIGKILL or untouched)
        yield f"{number.name} at {i}", trial.problems(process.returncode, lines, killed)


def races(trial, points):
    """Two processes write one output, model, store and cache at once, from one source or two."""
    for i in range(max(2, points // 4)):
        trial.set_back()
        sources = [i % 2, 1]
        both = []
        for source in sources:
            arguments, environment = trial.start(source)
            both.append(subprocess.Popen(arguments, env=environment, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        ends = [(source, p.communicate(timeout=flows.SECONDS)[1].decode(errors="replace"),
                 p.returncode) for source, p in zip(sources, both)]
        found = [f"ends with {code}: {said!r}" for _, said, code in ends
                 if code not in (0, 1, 2) or flows.bad_lines(said.splitlines())]
        done = [source for source, _, code in ends if code == 0]
        if not done:
            found.append("both fail")
        if trial.flow.in_one_step and flows.files_of(trial.out) not in trial.states:
            found.append("the output is neither's")
        # An output that commands add to has the source of the one that created it.
        found += trial.problems(0, [], source=done[0] if done and trial.flow.adds else 1)
        yield f"race {i}", found


def main():
    parser = argparse.ArgumentParser(prog="tools/check/faults")
    parser.add_argument("command")
    parser.add_argument("library", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("flow", nargs="?", default="all")
    parser.add_argument("points", nargs="?", type=int, default=20)
    options = parser.parse_args()
    chosen = [flow for flow in flows.FLOWS if options.flow in ("all", flow.name)]
    if not chosen:
        sys.exit(f"error: there is no flow '{options.flow}'; there are: "
                 + " ".join(flow.name for flow in flows.FLOWS))
    shutil.rmtree(options.work, ignore_errors=True)
    environment = dict(os.environ, XDG_CACHE_HOME=str(options.work / "cache"))
    for seed in (1, 2):
        flows.make_inputs(options.command, options.work / f"inputs-{seed}", environment, seed)
    total, failed = 0, 0
    kinds = {"library": library_faults, "disk": full_disks, "signal": signals, "race": races}
    print(f"{'flow':<12}" + "".join(f"{kind:>9}" for kind in kinds) + f"{'findings':>10}",
          flush=True)
    for flow in chosen:
        trial = Trial(flow, options)
        tried = collections.Counter()
        findings = 0
        for kind, make in kinds.items():
            for what, found in make(trial, options.points):
                tried[kind] += 1
                if found:
                    findings += 1
                    print(f"  {flow.name}, {what}: {'; '.join(found)}", flush=True)
        total += sum(tried.values())
        failed += findings
        print(f"{flow.name:<12}" + "".join(f"{tried[kind]:>9}" for kind in kinds)
              + f"{findings:>10}", flush=True)
    print(f"{total} faults, {failed} findings")
    sys.exit(1 if failed else 0)


main()
