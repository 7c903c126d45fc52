"""Message catalogs: one JSON file per language in `languages/`. A file that is there is a supported language.

    {"name": "한국어",                                          the language's own name
     "messages": {"core": {"{winner} wins": "{winner} 승리"}},    English template -> translation, in groups
     "page": {"replay": {"to_end": "끝으로"}}}                   texts of the web page by key, in groups

English is the source language: `en.json` holds only the web page's texts. Missing translations are shown in English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

from hansu.core.errors import HansuError

ENGLISH = "en"
FOLDER = Path(__file__).parents[1] / "languages"


@dataclass(frozen=True)
class Language:
    """One catalog: `messages` by English template, `page` by key."""

    name: str
    messages: Mapping[str, str]
    page: Mapping[str, str]


@cache
def languages() -> Mapping[str, Language]:
    """Every supported language by its code, English first."""
    return read_languages(FOLDER)


def read_languages(folder: Path) -> dict[str, Language]:
    """The catalogs of a folder by language code, which is the file's name. Raises HansuError if one is invalid."""
    files = sorted(folder.glob("*.json"), key=lambda file: (file.stem != ENGLISH, file.stem))
    return {file.stem: _read(file) for file in files}


def fields(template: str) -> set[str]:
    """The replacement fields of a template, as written.

    >>> sorted(fields("{move} by {text!r}: {share:.0%}"))
    ['{move}', '{share:.0%}', '{text!r}']
    """
    written = set()
    for _, name, spec, conversion in Formatter().parse(template):
        if name is not None:
            written.add(f"{{{name}{'!' + conversion if conversion else ''}{':' + spec if spec else ''}}}")
    return written


def _read(file: Path) -> Language:
    try:
        if not re.fullmatch("[a-z]{2,3}(-[a-z0-9]{2,8})*", file.stem):
            raise ValueError("its name is not a language tag in lower case, such as ko or pt-br")
        content = json.loads(file.read_text(encoding="utf-8"))
        messages, page = _merged(content.get("messages", {})), _merged(content.get("page", {}))
        name = str(content["name"])
        for template, text in messages.items():
            if not fields(text) <= fields(template):
                raise ValueError(f"{text!r} has fields that {template!r} lacks")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise HansuError(
            "cannot read the language file {name}: {kind}: {error}",
            "docs/internals/architecture.md describes these files",
            name=file.name, kind=type(error).__name__, error=error,
        ) from None  # fmt: skip
    return Language(name, messages, page)


def _merged(groups: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """All groups as one mapping. (Groups only help whoever edits the file.)"""
    merged: dict[str, str] = {}
    for group in groups.values():
        if duplicates := merged.keys() & group.keys():
            raise ValueError(f"duplicate key {min(duplicates)!r}")
        merged.update({key: _string(value) for key, value in group.items()})
    return merged


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value
