#!/usr/bin/env python3
"""Images per second of the Python module beside those of the engine, for each kind of array.

Magnitudes of images of 256 x 256, order 30, from pixel centres: the same images, batch and precision
on both sides, in calls that alternate, each on one thread. Seconds are processor time, which other
programs on the machine change less than the clock's; the median of the runs counts. "of" is the rate
as a share: of the engine's for contiguous arrays, of the contiguous array's of that type for others.
"copied" is what a call copies, in bytes.
Usage: PYTHONPATH=build/release/tools/python python3 tools/bench/bench_python.py BENCH_ARRAYS [RUNS]
BENCH_ARRAYS: the program build/release/tools/bench_arrays. RUNS: 31 unless given
"""
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import leafglyph

IMAGES = 64
SIZE = 256
ORDER = 30
RUNS = 31
PRECISIONS = ("float", "double")
OWN = ("uint8", "uint16", "float32", "float64")


def every_second_row(images):
    twice = np.zeros((IMAGES, 2 * SIZE, SIZE), images.dtype)
    twice[:, ::2] = images
    return twice[:, ::2]


def part_of_wider_rows(images):
    wider = np.zeros((IMAGES, SIZE, SIZE + 16), images.dtype)
    wider[:, :, 8:8 + SIZE] = images
    return wider[:, :, 8:8 + SIZE]


def cases(images):
    """Name, type, and the array."""
    for name in OWN:
        yield "contiguous", name, images.astype(name)
    for name in OWN:
        yield "part of wider rows", name, part_of_wider_rows(images.astype(name))
    for name in OWN:
        yield "every second row", name, every_second_row(images.astype(name))
    for name in ("uint8", "float64"):
        yield "Fortran order", name, np.asfortranarray(
            images.astype(name).transpose(1, 2, 0)).transpose(2, 0, 1)
    for name in ("int32", "int64", "float16", ">f4"):
        yield "contiguous", name, images.astype(name)


def copied(array):
    if array.dtype.name in OWN and array.dtype.isnative:
        return 0 if array.strides[-1] == array.itemsize else array.size * array.itemsize
    return array.size * (4 if array.dtype == np.dtype(">f4") else 8)


def seconds_of(plan, images):
    start = time.process_time()
    plan.magnitudes(images)
    return time.process_time() - start


def engine_seconds(engine, name, precision):
    engine.stdin.write(f"{name} {precision}\n")
    engine.stdin.flush()
    return float(engine.stdout.readline())


def measured(program, images, all_cases, runs):
    """The seconds of each run by (case, type, precision)."""
    plans = {precision: leafglyph.MomentPlan(SIZE, ORDER, method="sub-regions", precision=precision,
                                             device="cpu") for precision in PRECISIONS}
    seconds = {}
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, images)
        file.flush()
        with subprocess.Popen([program, file.name, str(ORDER)], text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as engine:
            for _ in range(runs + 1):
                for precision, plan in plans.items():
                    for case, name, array in all_cases:
                        if case == "contiguous" and name in OWN:
                            seconds.setdefault(("engine", name, precision), []).append(
                                engine_seconds(engine, name, precision))
                        seconds.setdefault((case, name, precision), []).append(
                            seconds_of(plan, array))
            engine.stdin.close()
    return {key: values[1:] for key, values in seconds.items()}  # the first run makes the tables


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if "-h" in sys.argv or "--help" in sys.argv else 2
    leafglyph.set_threads(1)
    images = np.random.default_rng(1).integers(0, 256, (IMAGES, SIZE, SIZE), dtype=np.uint8)
    all_cases = list(cases(images))
    seconds = measured(sys.argv[1], images, all_cases,
                       int(sys.argv[2]) if len(sys.argv) == 3 else RUNS)
    rates = {key: IMAGES / statistics.median(values) for key, values in seconds.items()}
    print(f"{'images per second':28}{'float':>9}{'of':>6}{'double':>9}{'of':>6}{'copied':>12}")
    lines = [("engine", name, 0) for name in OWN]
    for case, name, bytes_copied in lines + [(case, name, copied(array))
                                             for case, name, array in all_cases]:
        line = f"{name + ', ' + case:28}"
        for precision in PRECISIONS:
            rate = rates[case, name, precision]
            beside = rates.get(("engine" if case == "contiguous" else "contiguous", name, precision))
            share = "" if case == "engine" or beside is None else f"{rate / beside:.2f}"
            line += f"{rate:9,.0f}{share:>6}"
        print(f"{line}{bytes_copied:12,}")
    return 0


sys.exit(main())
