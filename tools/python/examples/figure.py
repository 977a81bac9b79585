#!/usr/bin/env python3
"""Draws an image, what its Zernike moments to growing orders give back, and radial polynomials.

Usage: figure.py OUT.png
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import leafglyph

ORDERS = (5, 10, 20, 40, 80)


def leaf(size):
    """A grey leaf with veins, as float64."""
    y, x = np.mgrid[1:-1:size * 1j, -1:1:size * 1j]
    width = 0.42 * np.sqrt(np.clip(1 - (y / 0.85) ** 2, 0, None)) * (1 - 0.35 * y)
    veins = np.exp(-((x / 0.02) ** 2)) + 0.6 * np.exp(-(np.sin(14 * (y - 0.8 * abs(x))) / 0.25) ** 2)
    return np.where(abs(x) < width, 0.75 - 0.5 * veins, 0.0)


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    image = leaf(256)
    plan = leafglyph.MomentPlan(256, order=max(ORDERS))
    moments = plan.moments(image)
    figure, axes = plt.subplots(2, 3, figsize=(9, 6))
    for axis, order in zip(axes.flat, ORDERS):
        again = plan.reconstruct(moments, last_order=order)
        error = np.sqrt(np.mean((again - image)[plan.mask] ** 2))
        axis.imshow(again, cmap="gray", vmin=0, vmax=0.8)
        axis.set_title(f"order {order}, error {error:.3f}")
        axis.axis("off")
        print(f"order {order:2}: {len(leafglyph.moment_indices(order)):4} moments, error {error:.3f}")
    rho = np.linspace(0, 1, 400)
    for polynomial in leafglyph.radial_polynomials(8, 0, rho):
        axes.flat[-1].plot(rho, polynomial)
    axes.flat[-1].set_title("R_n0, n = 0, 2, ..., 8")
    figure.tight_layout()
    figure.savefig(sys.argv[1])
    return 0


sys.exit(main())
