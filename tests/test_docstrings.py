"""The examples in docstrings run, and public names have docstrings."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import hansu
import hansu.arena
import hansu.compile
import hansu.core
import hansu.scene
from hansu.core.generic import WORDS

FOLDERS = (hansu.scene, hansu.core, hansu.arena)
MODULES = [
    f"{folder.__name__}.{module.name}" for folder in FOLDERS for module in pkgutil.iter_modules(folder.__path__)
] + ["hansu.compile.specialization"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_of_the_package() -> None:
    assert doctest.testmod(hansu).failed == 0


@pytest.mark.parametrize("name", [name for name in hansu.__all__ if name != "CHANCE"])  # a number has no docstring
def test_every_public_name_has_a_working_example(name: str) -> None:
    public = getattr(hansu, name)
    public = public if inspect.isclass(public) else inspect.unwrap(public)
    (example,) = doctest.DocTestFinder(recurse=False).find(public, name)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", WORDS)
def test_every_common_word_has_an_example(name: str) -> None:
    """`test_examples` runs them."""
    (example,) = doctest.DocTestFinder(recurse=False).find(WORDS[name], name)
    assert example.examples


@pytest.mark.parametrize("module", [hansu.core, hansu.scene, hansu.compile])
def test_public_classes_functions_and_methods_have_docstrings(module: object) -> None:
    for name in module.__all__:  # type: ignore[attr-defined]
        public = getattr(module, name)
        if inspect.isclass(public) or inspect.isfunction(public):
            assert inspect.getdoc(public), name
        if inspect.isclass(public):
            methods = [method for method in vars(public) if not method.startswith("_") and is_method(public, method)]
            undocumented = [method for method in methods if not inspect.getdoc(getattr(public, method))]
            assert not undocumented, (name, undocumented)


def is_method(cls: type, name: str) -> bool:
    attribute = vars(cls)[name]
    if name in getattr(cls, "__dataclass_fields__", {}):  # a field whose default is a function
        return False
    return inspect.isfunction(attribute) or isinstance(attribute, property | classmethod | staticmethod)
