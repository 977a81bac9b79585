import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import leafglyph

LEAF = Path(os.environ["LEAFGLYPH_CONFIGS"]) / "leaf.yaml"

# Whether the address sanitizer is loaded, which keeps freed memory for a while.
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")


def run_command(*arguments):
    """Runs leafglyph without LD_PRELOAD, which brings the sanitizers' runtime to the interpreter."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run([os.environ["LEAFGLYPH_COMMAND"], *map(str, arguments), "--quiet"], check=True,
                   stdout=subprocess.PIPE, env=environment)


@pytest.fixture
def random():
    """The same numbers in every run."""
    return np.random.RandomState(20261121)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with generated leaves, and their model, trained by the command."""
    folder = tmp_path_factory.mktemp("leaves")
    run_command("leaf", "generate", "--out", folder / "data", "--species", 3, "--leaves", 8,
                "--seed", 3)
    run_command("leaf", "train", "--config", LEAF, "--data", folder / "data", "--model",
                folder / "model")
    return folder


@pytest.fixture(scope="session")
def evaluation(trained):
    """The figures of its leaves."""
    return leafglyph.evaluate(trained / "data", config=LEAF)
