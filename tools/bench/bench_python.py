#!/usr/bin/env python3
"""Images per second of the Python module beside those of the engine, for each kind of array.

Magnitudes of 128 images of 256 x 256, order 30, from pixel centres: the same images, batch and
precision on both sides, in calls that alternate; the fastest of the runs counts. "copied" is what a
call copies, in bytes.
Usage: PYTHONPATH=build/release/tools/python python3 tools/bench/bench_python.py BENCH_ARRAYS
BENCH_ARRAYS: the program build/release/tools/bench_arrays
"""
import subprocess
import sys
import tempfile
import time

import numpy as np

import leafglyph

IMAGES = 128
SIZE = 256
ORDER = 30
RUNS = 15
PAUSE = 0.01  # seconds, for the threads of the other side to go to sleep
OWN = ("uint8", "uint16", "float32", "float64")


def every_second_row(images):
    twice = np.zeros((IMAGES, 2 * SIZE, SIZE), images.dtype)
    twice[:, ::2] = images
    return twice[:, ::2]


def cases(images):
    """Name, engine's type or None, and the array."""
    for name in OWN:
        yield f"{name}, contiguous", name, images.astype(name)
    for name in OWN:
        yield f"{name}, every second row", None, every_second_row(images.astype(name))
    for name in ("uint8", "float64"):
        fortran = np.asfortranarray(images.astype(name).transpose(1, 2, 0)).transpose(2, 0, 1)
        yield f"{name}, Fortran order", None, fortran
    for name in ("int32", "int64", "float16", ">f4"):
        yield f"{name}, contiguous", None, images.astype(name)


def copied(array):
    if array.dtype.name in OWN and array.dtype.isnative:
        return 0 if array.flags.c_contiguous else array.size * array.itemsize
    return array.size * (4 if array.dtype == np.dtype(">f4") else 8)


def seconds_of(plan, images):
    time.sleep(PAUSE)
    start = time.perf_counter()
    plan.magnitudes(images)
    return time.perf_counter() - start


def engine_seconds(engine, name, precision):
    time.sleep(PAUSE)
    engine.stdin.write(f"{name} {precision}\n")
    engine.stdin.flush()
    return float(engine.stdout.readline())


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    images = np.random.default_rng(1).integers(0, 256, (IMAGES, SIZE, SIZE), dtype=np.uint8)
    all_cases = list(cases(images))
    plans = {precision: leafglyph.MomentPlan(SIZE, ORDER, method="sub-regions", precision=precision)
             for precision in ("float", "double")}
    best = {}
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        np.save(file, images)
        file.flush()
        engine = subprocess.Popen([sys.argv[1], file.name, str(ORDER)], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(RUNS):
            for precision, plan in plans.items():
                for name, type_, array in all_cases:
                    key = name, precision
                    best[key] = min(best.get(key, 1e9), seconds_of(plan, array))
                    if type_:
                        key = "engine", type_, precision
                        best[key] = min(best.get(key, 1e9), engine_seconds(engine, type_, precision))
        engine.communicate()
    print(f"{'images per second':28}{'float':>9}{'double':>9}{'copied':>12}")
    for name, type_, array in all_cases:
        if type_:
            rates = [IMAGES / best["engine", type_, precision] for precision in plans]
            print(f"engine, {type_:20}" + "".join(f"{rate:9,.0f}" for rate in rates))
        rates = [IMAGES / best[name, precision] for precision in plans]
        print(f"{name:28}" + "".join(f"{rate:9,.0f}" for rate in rates) + f"{copied(array):12,}")
    return 0


sys.exit(main())
