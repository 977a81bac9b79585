import os
import subprocess
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def random():
    """The same numbers in every run."""
    return np.random.RandomState(20261121)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with generated leaves, and their model, trained by the command."""
    folder = tmp_path_factory.mktemp("leaves")
    command = os.environ["LEAFGLYPH_COMMAND"]
    subprocess.run([command, "leaf", "generate", "--out", folder / "data", "--species", "3",
                    "--leaves", "8", "--seed", "3", "--quiet"], check=True, stdout=subprocess.PIPE)
    subprocess.run([command, "leaf", "train", "--config",
                    Path(os.environ["LEAFGLYPH_CONFIGS"]) / "leaf.yaml", "--data", folder / "data",
                    "--model", folder / "model", "--quiet"], check=True, stdout=subprocess.PIPE)
    return folder
