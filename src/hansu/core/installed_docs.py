"""Where the guides and the examples lie: beside the sources in a checkout, else inside the installed package."""

from __future__ import annotations

import re
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
PLACES = (_PACKAGE, _PACKAGE.parents[1])


def folder(kind: str) -> Path | None:
    """`docs` or `examples`; None where neither place has it."""
    return next((place / kind for place in PLACES if (place / kind).is_dir()), None)


def located(text: str) -> str:
    """A text whose `docs/name.md` lead to a file that is there, from wherever one reads it."""

    def there(found: re.Match[str]) -> str:
        home = folder(found[1])
        if Path(found[0]).is_file() or home is None or not (home / found[2]).is_file():
            return found[0]
        return str(home / found[2])

    return re.sub(r"(?<![\w/.])(docs|examples)/([\w/]+\.(?:md|py))", there, text)
