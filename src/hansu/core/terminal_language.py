"""The terminal's language: `--lang ko`, else HANSU_LANG, else the locale.

It is in core, not in the terminal's folder, because the commands of games need it, too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from hansu.core.errors import HansuError
from hansu.core.language import ENGLISH, languages
from hansu.core.message import in_language

_chosen: list[str] = []


def choose(language: str) -> None:
    """Use this language from now on."""
    if language not in languages():
        raise HansuError(
            "hansu does not support the language {language!r}",
            "one of: {names}",
            language=language,
            names=", ".join(languages()),
        )
    _chosen[:] = [language]


def chosen_from(words: list[str]) -> list[str]:
    """Choose the language X of `--lang X`, which may be anywhere in the command line; returns the other words."""
    others: list[str] = []
    remaining = iter(words)
    for word in remaining:
        if word == "--":
            return [*others, word, *remaining]
        if word == "--lang":
            code = next(remaining, "")
        elif word.startswith("--lang="):
            code = word.removeprefix("--lang=")
        else:
            others.append(word)
            continue
        choose(code)
    return others


def language(environment: Mapping[str, str] = os.environ) -> str:
    """The code of the current language."""
    if _chosen:
        return _chosen[0]
    for name in ("HANSU_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if locale := environment.get(name, ""):
            code = locale.replace("_", "-").split(".")[0].lower()
            return next((known for known in (code, code.split("-")[0]) if known in languages()), ENGLISH)
    return ENGLISH


def localize(text: str) -> str:
    """A text in the terminal's language."""
    return in_language(text, language())
