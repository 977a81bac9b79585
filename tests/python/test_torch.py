"""leafglyph.torch: moments with a gradient. Skipped where torch is not installed."""
import numpy as np
import pytest

import leafglyph

torch = pytest.importorskip("torch")
from leafglyph.torch import Moments  # noqa: E402  (needs torch)

FAMILIES = [
    ("zernike", {}), ("zernike", {"points": 2}), ("pseudo-zernike", {}), ("bessel-fourier", {}),
    ("fourier-mellin", {}), ("exponent-fourier", {}), ("pcet", {}), ("pct", {"points": 2}),
    ("pst:1.5", {}), ("legendre", {}), ("gegenbauer:1", {}), ("jacobi:0.3:0.7", {}), ("tchebichef", {}),
    ("krawtchouk:0.3:0.6", {}),
]


@pytest.mark.parametrize("family, arguments", FAMILIES)
def test_every_family_passes_gradcheck(family, arguments):
    # oracle: torch's differences of the moments, and of their gradient
    torch.manual_seed(3)
    module = Moments(8, 4, family=family, **arguments)
    images = torch.rand(2, 8, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(module, (images,))
    assert torch.autograd.gradcheck(lambda x: module(x).abs() ** 2, (images,))
    assert torch.autograd.gradgradcheck(module, (images,))


def test_values_are_those_of_the_plan_and_dtypes_follow():
    # agreement: the plan's own moments; float32 in, complex64 out
    images = np.random.default_rng(5).random((3, 16, 16))
    plan = leafglyph.MomentPlan(16, 8)
    module = Moments(16, 8)
    assert np.array_equal(module(torch.from_numpy(images)).numpy(), plan.moments(images))
    single = torch.from_numpy(images.astype(np.float32)).requires_grad_()
    moments = module(single)
    assert moments.dtype == torch.complex64
    moments.abs().sum().backward()
    assert single.grad.dtype == torch.float32 and bool(single.grad.isfinite().all())
    legendre = Moments((6, 9), 3, family="legendre")
    assert legendre(torch.rand(6, 9)).dtype == torch.float32
    with pytest.raises(TypeError, match="float32 or float64"):
        module(torch.zeros(16, 16, dtype=torch.int64))


def test_an_image_is_found_by_its_moments():
    # invariant: steps down the gradient bring the moments of an image to those of another
    torch.manual_seed(4)
    module = Moments(12, 10)
    wanted = module(torch.rand(12, 12, dtype=torch.float64))
    image = torch.zeros(12, 12, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([image], max_iter=400, tolerance_grad=1e-12, tolerance_change=0)

    def loss():
        optimiser.zero_grad()
        value = ((module(image) - wanted).abs() ** 2).sum()
        value.backward()
        return value

    before = float(loss())
    optimiser.step(loss)
    assert float(loss()) < 1e-6 * before


def test_vjp_is_the_adjoint_in_numpy():
    # invariant: <moments(f), g> is <f, vjp(g)>
    random = np.random.default_rng(6)
    plan = leafglyph.MomentPlan(20, 9)
    images = random.random((4, 20, 20))
    gradients = random.normal(size=(4, len(plan))) + 1j * random.normal(size=(4, len(plan)))
    left = (plan.moments(images) * gradients.conj()).real.sum()
    right = (images * plan.vjp(gradients)).sum()
    assert abs(left - right) < 1e-11 * abs(left)
    with pytest.raises(leafglyph.UsageError, match="last axis"):
        plan.vjp(gradients[:, 1:])
    with pytest.raises(leafglyph.UsageError, match="Gauss points or sub-regions"):
        leafglyph.MomentPlan(20, 9, family="pseudo-zernike").vjp(np.zeros(55))
