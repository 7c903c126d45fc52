"""Finds the docs and examples: next to `src/` in a checkout, inside the package when installed."""

from __future__ import annotations

import re
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
PLACES = (_PACKAGE, _PACKAGE.parents[1])


def folder(kind: str) -> Path | None:
    """The folder `docs` or `examples`, or None if it is not there."""
    return next((place / kind for place in PLACES if (place / kind).is_dir()), None)


def located(text: str) -> str:
    """The text with paths such as `docs/name.md` replaced by the file's full path, where needed."""

    def full_path(match: re.Match[str]) -> str:
        home = folder(match[1])
        if Path(match[0]).is_file() or home is None or not (home / match[2]).is_file():
            return match[0]
        return str(home / match[2])

    return re.sub(r"(?<![\w/.])(docs|examples)/([\w/]+\.(?:md|py))", full_path, text)
