"""Training on machines that have only NumPy, Numba and torch:

    python -m hansu.learn GAME RECIPE [FILE ...] [--option value ...] [-o FILE]

It takes a recipe's files and options like `hansu train`, and prints one JSON object per line.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from hansu.core.errors import HansuError

STOPPED = 130  # exit code


def main(words: list[str]) -> int:
    show_help = not {"-h", "--help"}.isdisjoint(words)
    if show_help or len(words) < 2:
        print(__doc__)
        return 0 if show_help else 2
    from hansu.core import registry
    from hansu.learn.recipe import Job, flags, recipe_named

    signal.signal(signal.SIGTERM, _stop)
    try:
        game = registry.game(words[0])
        recipe = recipe_named(words[1], game)
        given, files = flags(["--output" if word == "-o" else word for word in words[2:]], recipe.options())
        output = given.pop("output", None)
        job = Job(tuple(map(Path, files)), Path(output) if output else None, _tell, _show)
        outcome = recipe.from_settings(given).carry_out(game, job)
    except HansuError as error:
        _show({"error": error.what, "hint": error.hint})
        return 2
    except KeyboardInterrupt:
        _show({"told": "stopped"})
        return STOPPED
    for table in outcome.tables:
        for row in table.rows:
            _show(dict(zip(table.header, row, strict=True)))
    for note in outcome.notes:
        _tell(note)
    _show({"files": [str(path) for path in outcome.files]})
    return STOPPED if outcome.stopped else 0


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _tell(text: str) -> None:
    _show({"told": text})


def _show(row: Mapping[str, Any]) -> None:
    print(f"{json.dumps(row, ensure_ascii=False)}\n", end="", flush=True)  # in one piece: several threads print


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
