import ast
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import leafglyph
from leafglyph import _leafglyph

FOLDER = Path(leafglyph.__file__).parent
STUBS = ast.parse((FOLDER / "_leafglyph.pyi").read_text())


def stub_arguments(function):
    """name=default of each argument in the stubs; "*" in front of keyword arguments."""
    arguments = function.args
    texts = []
    positional = [a for a in arguments.args if a.arg != "self"]
    for argument, default in zip(positional, [None] * (len(positional) - len(arguments.defaults))
                                 + arguments.defaults):
        texts.append(argument.arg + ("" if default is None else f"={ast.unparse(default)}"))
    if arguments.kwonlyargs:
        texts.append("*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        texts.append(argument.arg + ("" if default is None else f"={ast.unparse(default)}"))
    return texts


def module_arguments(function):
    """The same from the first line of the docstring, written by pybind11."""
    signature = function.__doc__.splitlines()[0]
    inside = signature[signature.index("(") + 1:signature.rindex(") ->")]
    while re.search(r"\[[^\[\]]*\]", inside):  # types with commas
        inside = re.sub(r"\[[^\[\]]*\]", "", inside)
    texts = []
    for argument in re.split(r", (?![^(]*\))", inside) if inside else []:
        name, _, default = argument.partition(" = ")
        name = name.partition(":")[0]
        if name != "self":
            texts.append(name + (f"={default}" if default else ""))
    return texts


# agreement: the module has everything in the stubs, and nothing else
def test_stubs_agree_with_the_module():
    stubs = {node.name: node for node in STUBS.body
             if isinstance(node, (ast.ClassDef, ast.FunctionDef))
             and not node.name.startswith("_")}
    public = {name for name in vars(_leafglyph) if not name.startswith("_")}
    assert set(stubs) == public
    assert set(stubs) <= set(leafglyph.__all__)
    for name, node in stubs.items():
        thing = getattr(leafglyph, name)
        assert thing.__doc__, name
        if isinstance(node, ast.FunctionDef):
            assert module_arguments(thing) == stub_arguments(node), name
            continue
        assert thing.__module__ == "leafglyph"
        if issubclass(thing, Exception):
            assert [base.id for base in node.bases] == [base.__name__ for base in thing.__bases__]
            continue
        methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        shown = {key for key in vars(thing) if not key.startswith("_")}
        assert {key for key in methods if not key.startswith("_")} == shown, name
        for method, item in methods.items():
            if item.decorator_list:
                assert isinstance(vars(thing)[method], property), f"{name}.{method}"
            elif method != "__len__":
                assert module_arguments(getattr(thing, method)) == stub_arguments(item), method


# Classes that pybind11 makes have a metaclass of its own, and those that only functions return have
# the __init__ of object. scikit-learn and matplotlib write these methods when they are imported,
# torch makes functions with a metaclass, Dask operators.
LEFT_OUT = r"""leafglyph\.(\w+\.)?({})(\.__init__)?
leafglyph\.estimators\.\w+\.set_(fit|score|predict|transform)_request
leafglyph\.plots\.\w+\.set
leafglyph\.torch\.(_Adjoint|_Forward)
leafglyph\.dask\.Delayed.*
"""


# mechanics: types are complete, and the module has what the stubs say
@pytest.mark.parametrize("program,option", [
    (["mypy", "--strict", "-p"], "--config-file"),
    (["mypy.stubtest"], "--mypy-config-file"),
])
def test_types(program, option, tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed (Debian: mypy)")
    # Of these, Debian's packages have no types.
    (tmp_path / "mypy.ini").write_text("[mypy]\ncache_dir = /dev/null\n" + "".join(
        f"[mypy-{name}.*]\nignore_missing_imports = True\n"
        for name in ("sklearn", "pandas", "matplotlib", "torch", "fsspec")))
    arguments = ["leafglyph", option, "mypy.ini"]
    if program[0] == "mypy.stubtest":
        bound = [name for name, thing in vars(_leafglyph).items() if inspect.isclass(thing)
                 and not issubclass(thing, BaseException)]
        (tmp_path / "left_out").write_text(LEFT_OUT.format("|".join(bound)))
        arguments += ["--allowlist", "left_out", "--ignore-unused-allowlist"]
    result = subprocess.run([sys.executable, "-m", *program, *arguments], cwd=tmp_path,
                            env={**os.environ, "MYPYPATH": str(FOLDER.parent)}, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert result.returncode == 0, result.stdout
