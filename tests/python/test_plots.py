import numpy as np
import pytest

import leafglyph

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot

from leafglyph.plots import plot_moments, plot_reconstruction


# mechanics
def test_plots(random):
    image = random.rand(32, 32)
    plan = leafglyph.MomentPlan(32, 10)
    moments = plan.moments(image)
    _, axes = pyplot.subplots(1, 2)
    drawn = plot_reconstruction(axes[0], plan, moments, last_order=6, image=image, vmin=0)
    assert np.array_equal(drawn.get_array(), plan.reconstruct(moments, last_order=6))
    assert axes[0].get_title().startswith("order 6, error 0.")
    magnitudes = plot_moments(axes[1], plan, moments).get_array()
    assert magnitudes.shape == (11, 11)
    # NumPy rounds the magnitudes of an array and of a number differently on some processors.
    assert magnitudes[4, 2] == pytest.approx(abs(moments[plan.indices.tolist().index([4, 2])]), rel=1e-15)
    assert np.isnan(np.ma.filled(magnitudes, np.nan)[4, 1])
    masked = plot_moments(axes[1], plan, np.ma.masked_less(abs(moments), 0.1)).get_array()
    assert np.array_equal(np.ma.filled(masked, 0) > 0, np.ma.filled(magnitudes, 0) >= 0.1)
    cube = leafglyph.MomentPlan((4, 4, 4), 2, family="legendre")
    with pytest.raises(leafglyph.UsageError, match="volumes"):
        plot_moments(axes[1], cube, cube.moments(np.ones((4, 4, 4))))
