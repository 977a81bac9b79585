#!/usr/bin/env python3
"""Writes the images of this folder, and golden.csv with their Zernike moments as computed by
Mahotas, centrosome and Nyxus. The programs are built outside the project:

  mahotas     v1.4.18, `python3 setup.py build_ext --inplace`
  centrosome  1.3.3 (e6ecee9), the same
  nyxus       0.11.0-234-g714891c4, in its src/nyx: g++ -w -std=c++17 -O1 -ffunction-sections -I.
              THIS_FOLDER/nyxus_zernike.cpp features/zernike.cpp features/specfunc.cpp
              feature_method.cpp -Wl,--gc-sections -o nyxus_zernike

with Debian's python3-numpy and python3-scipy.

Usage: PYTHONPATH=MAHOTAS:CENTROSOME make_golden.py NYXUS_ZERNIKE

A line of golden.csv is image,program,order,centre,radius,n,m,re,im,magnitude. centre and radius are
the requested ones, as convention_from_text reads them, and empty for the program's own; re and im
are empty if the program computes only magnitudes.
"""
import subprocess
import sys
from pathlib import Path

import mahotas.features
import numpy as np
from centrosome import zernike as centrosome
from mahotas.features import _zernike

HERE = Path(__file__).resolve().parent
ORDER = 9  # the highest supported by CellProfiler and Nyxus


def images():
    rows, columns = np.mgrid[:33, :40]
    blob = 200.0 * np.exp(-(((columns - 17.3) / 9.0) ** 2 + ((rows - 14.1) / 6.5) ** 2))
    blob += 40.0 * np.sin(columns / 2.1) * np.cos(rows / 3.3)
    blob[((columns - 18) / 14.0) ** 2 + ((rows - 15) / 10.0) ** 2 > 1.0] = 0.0
    yield "blob", np.clip(np.rint(blob), 0, 255).astype(np.uint8)
    yield "noise", np.random.RandomState(20261121).randint(1, 256, (17, 17)).astype(np.uint8)
    deep = np.random.RandomState(7).randint(0, 65536, (21, 14)).astype(np.uint16)
    deep[:, :3] = 0
    yield "deep", deep
    rows, columns = np.mgrid[:25, :25]
    yield "disk", np.where((rows - 12) ** 2 + (columns - 12) ** 2 <= 100, 255, 0).astype(np.uint8)
    letter = np.zeros((30, 22), np.uint8)
    letter[4:26, 3:7] = 255
    letter[4:8, 3:18] = 255
    letter[13:17, 3:14] = 128
    yield "letter", letter


def write_pgm(path, image):
    white = np.iinfo(image.dtype).max
    lines = [" ".join(str(v) for v in row) for row in image]
    path.write_text(f"P2\n{image.shape[1]} {image.shape[0]}\n{white}\n" + "\n".join(lines) + "\n")


def indices(order):
    return [(n, m) for n in range(order + 1) for m in range(n % 2, n + 1, 2)]


def mahotas_rows(image, centre, radius):
    """Mahotas's magnitudes, and its complex moments, recorded from the results of znl."""
    moments = []
    znl = _zernike.znl

    def recorded(*arguments):
        moments.append(znl(*arguments))
        return moments[-1]

    _zernike.znl = recorded
    magnitudes = mahotas.features.zernike_moments(image, radius, ORDER, cm=centre)
    _zernike.znl = znl
    return zip(indices(ORDER), moments, magnitudes)


def centrosome_rows(image):
    labels = (image != 0).astype(int)
    wanted = np.array(indices(ORDER))
    magnitudes = centrosome.zernike(wanted, labels, [1])[0]
    centre, radius = centrosome.minimum_enclosing_circle(labels, [1])
    rows, columns = np.nonzero(labels)
    polynomials = centrosome.construct_zernike_polynomials(
        (columns - centre[0, 1]) / radius[0], (rows - centre[0, 0]) / radius[0], wanted)
    moments = polynomials.sum(axis=0) / (np.pi * radius[0] ** 2)
    return zip(indices(ORDER), moments, magnitudes)


def nyxus_rows(program, path):
    printed = subprocess.run([program, str(ORDER)], stdin=path.open(), stdout=subprocess.PIPE,
                             check=True, text=True).stdout
    return ((index, None, float(line)) for index, line in zip(indices(ORDER), printed.split()))


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    lines = ["image,program,order,centre,radius,n,m,re,im,magnitude"]

    def add(name, program, centre, radius, rows):
        for (n, m), moment, magnitude in rows:
            parts = ["", ""] if moment is None else [repr(float(moment.real)), repr(float(moment.imag))]
            lines.append(",".join([name, program, str(ORDER), f'"{centre}"' if centre else "", radius,
                                   str(n), str(m), *parts, repr(float(magnitude))]))

    for name, image in images():
        path = HERE / f"{name}.pgm"
        write_pgm(path, image)
        for radius in (8, 12.5):
            add(name, "mahotas", "", str(radius), mahotas_rows(image, None, radius))
        add(name, "mahotas", "9,11", "10", mahotas_rows(image, (11, 9), 10))
        add(name, "centrosome", "", "", centrosome_rows(image))
        add(name, "nyxus", "", "", nyxus_rows(sys.argv[1], path))
    (HERE / "golden.csv").write_text("\n".join(lines) + "\n")
    return 0


sys.exit(main())
