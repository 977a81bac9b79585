import numpy as np
import pytest


@pytest.fixture
def random():
    """The same numbers in every run."""
    return np.random.RandomState(20261121)
