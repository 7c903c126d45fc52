"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import hansu.arena
import hansu.core

ROOMS = (hansu.core, hansu.arena)
MODULES = [f"{room.__name__}.{module.name}" for room in ROOMS for module in pkgutil.iter_modules(room.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_common_classes_have_examples() -> None:
    from hansu.core import Control, Decision, Limit, Phrase, Position, Record, Report, Value

    for cls in (Control, Decision, Limit, Phrase, Position, Record, Report, Value):
        assert ">>>" in (cls.__doc__ or ""), cls.__name__
