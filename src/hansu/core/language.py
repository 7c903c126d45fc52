"""The languages that hansu speaks: a file each in `languages/`, found by being there.

    {"name": "한국어",                                          as its speakers write it
     "messages": {"core": {"{winner} wins": "{winner} 승리"}},    the English template -> this language's, in groups
     "page": {"replay": {"to_end": "끝으로"}}}                   the web page's own words by their keys, in groups

English is the source: `en.json` holds only the page's words. What a file leaves out is told in English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from hansu.core.errors import HansuError

ENGLISH = "en"
FOLDER = Path(__file__).parents[1] / "languages"


@dataclass(frozen=True)
class Language:
    """One file: `messages` by English template, `page` by key."""

    name: str
    messages: Mapping[str, str]
    page: Mapping[str, str]


@cache
def languages() -> Mapping[str, Language]:
    """Every language by its code, English first."""
    return read_languages(FOLDER)


def read_languages(folder: Path) -> dict[str, Language]:
    """The languages of a folder, each named by its file; raises where one is not as it should be."""
    files = sorted(folder.glob("*.json"), key=lambda file: (file.stem != ENGLISH, file.stem))
    return {file.stem: _read(file) for file in files}


def fields(template: str) -> set[str]:
    """The parts that a template asks for, as they stand in it: {move}, {text!r}, {share:.0%}."""
    found = set()
    for _, name, spec, conversion in Formatter().parse(template):
        if name is not None:
            found.add(f"{{{name}{'!' + conversion if conversion else ''}{':' + spec if spec else ''}}}")
    return found


def _read(file: Path) -> Language:
    try:
        if not re.fullmatch("[a-z]{2,3}(-[a-z0-9]{2,8})*", file.stem):
            raise ValueError("its name is not a language tag in small letters, such as ko or pt-br")
        given = json.loads(file.read_text(encoding="utf-8"))
        messages, page = _together(given.get("messages", {})), _together(given.get("page", {}))
        name = str(given["name"])
        for template, text in messages.items():
            if not fields(text) <= fields(template):
                raise ValueError(f"{text!r} asks for parts that {template!r} has not")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        what = f"the language file {file.name} cannot be read: {type(error).__name__}: {error}"
        raise HansuError(what, "docs/internals/architecture.md tells what is in such a file") from None
    return Language(name, messages, page)


def _together(groups: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The groups are there for who reads the file."""
    found: dict[str, str] = {}
    for group in groups.values():
        if twice := found.keys() & group.keys():
            raise ValueError(f"{min(twice)!r} is there twice")
        found.update({key: _text(text) for key, text in group.items()})
    return found


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{given!r} is no text")
    return given
