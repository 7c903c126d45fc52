"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import hansu
import hansu.arena
import hansu.core
import hansu.scene
from hansu.core.generic import WORDS

ROOMS = (hansu.core, hansu.arena)
MODULES = [f"{room.__name__}.{module.name}" for room in ROOMS for module in pkgutil.iter_modules(room.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_examples_of_the_package_itself() -> None:
    assert doctest.testmod(hansu).failed == 0


@pytest.mark.parametrize("name", [name for name in hansu.__all__ if name != "CHANCE"])  # a number has no docstring
def test_every_common_word_has_an_example_that_is_true(name: str) -> None:
    found = getattr(hansu, name)
    found = found if inspect.isclass(found) else inspect.unwrap(found)
    (example,) = doctest.DocTestFinder(recurse=False).find(found, name)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", WORDS)
def test_every_word_of_rules_has_an_example(name: str) -> None:
    """`test_examples` looks that they are true."""
    (example,) = doctest.DocTestFinder(recurse=False).find(WORDS[name], name)
    assert example.examples


@pytest.mark.parametrize("room", [hansu.core, hansu.scene])
def test_every_public_method_says_what_it_does(room: object) -> None:
    for name in room.__all__:  # type: ignore[attr-defined]
        found = getattr(room, name)
        if inspect.isclass(found):
            public = [each for each in vars(found) if not each.startswith("_") and callable_of(found, each)]
            silent = [each for each in public if not inspect.getdoc(getattr(found, each))]
            assert not silent, (name, silent)


def callable_of(cls: type, name: str) -> bool:
    kind = vars(cls)[name]
    if name in getattr(cls, "__dataclass_fields__", {}):  # a field whose default is a function
        return False
    return inspect.isfunction(kind) or isinstance(kind, property | classmethod | staticmethod)
