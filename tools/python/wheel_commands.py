"""The commands with which setuptools builds the module by CMake (pyproject.toml).

They build for the Python that runs them, with the preset `wheel`. CMAKE_ARGS holds further
arguments for CMake, such as -DLEAFGLYPH_CUDA=OFF.
"""
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parents[2]
VERSION = subprocess.run([ROOT / "tools/release/version"], check=True, stdout=subprocess.PIPE,
                         text=True).stdout.strip()


def cmake_folder_of_pybind11():
    """An argument for CMake, if pybind11 is installed as a Python package."""
    try:
        import pybind11
    except ImportError:
        return []  # Debian's pybind11-dev is where CMake looks
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


class BuildWithCMake(build_py):
    """Adds the compiled module and the configurations to the package."""

    def run(self):
        package = Path(self.build_lib) / "leafglyph"
        shutil.rmtree(package, ignore_errors=True)  # of an earlier build
        super().run()
        folder = ROOT / "build" / f"wheel-cp{sys.version_info.major}{sys.version_info.minor}"
        subprocess.run(["cmake", "--preset", "wheel", "-B", folder,
                        f"-DPython_EXECUTABLE={sys.executable}", *cmake_folder_of_pybind11(),
                        *shlex.split(os.environ.get("CMAKE_ARGS", ""))], cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "leafglyph_python"], check=True)
        for module in (folder / "tools/python/leafglyph").glob("_leafglyph*.so"):
            shutil.copy2(module, package)
        shutil.copytree(ROOT / "configs", package / "share" / "leafglyph" / "configs",
                        dirs_exist_ok=True)


class PlatformWheel(bdist_wheel):
    """A wheel for one version of Python on one platform."""

    def finalize_options(self):
        self.distribution.has_ext_modules = lambda: True  # CMake builds them
        super().finalize_options()
