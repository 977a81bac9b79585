#!/usr/bin/env python3
"""Images per second of the Python module for each array type.

Magnitudes of 128 images of 256 x 256, order 30, from pixel centres. Medians of nine runs that
alternate between the types.
Usage: PYTHONPATH=build/release/tools/python python3 tools/bench/bench_python.py
"""
import statistics
import sys
import time

import numpy as np

import leafglyph

IMAGES = 128
SIZE = 256
ORDER = 30
RUNS = 9


def seconds_of(plan, images):
    start = time.perf_counter()
    plan.magnitudes(images)
    return time.perf_counter() - start


def main():
    if len(sys.argv) > 1:
        print(__doc__.strip())
        return 0 if sys.argv[1] in ("-h", "--help") else 2
    random = np.random.default_rng(1)
    bytes_ = random.integers(0, 256, (IMAGES, SIZE, SIZE), dtype=np.uint8)
    arrays = {name: bytes_.astype(name) for name in ("uint8", "uint16", "float32", "float64")}
    print(f"{'':12}{'float':>10}{'double':>10}")
    plans = [leafglyph.MomentPlan(SIZE, order=ORDER, method="sub-regions", precision=precision)
             for precision in ("float", "double")]
    times = {(name, i): [] for name in arrays for i in range(len(plans))}
    for run in range(RUNS + 1):
        for (name, i), seconds in times.items():
            once = seconds_of(plans[i], arrays[name])
            if run > 0:  # the first run is the warm-up
                seconds.append(once)
    for name in arrays:
        rates = [IMAGES / statistics.median(times[name, i]) for i in range(len(plans))]
        print(f"{name:12}" + "".join(f"{rate:10,.0f}" for rate in rates))
    return 0


sys.exit(main())
