"""The plain entry, for machines that have little more than NumPy, Numba and torch:

    python -m hansu.learn GAME RUN_DIR [key=value ...]

Begins a run of `alphazero` in the folder, or goes on with the one that is there. Every line it prints is JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from hansu.core.errors import HansuError


def main(words: list[str]) -> int:
    if len(words) < 2 or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    from hansu import games
    from hansu.learn.recipe import Job, pairs
    from hansu.learn.recipes.alphazero import AlphaZero

    signal.signal(signal.SIGTERM, _stop)
    folder = words[1]
    settings = {
        "resume": str(os.path.isfile(os.path.join(folder, "run.json"))).lower(),
        "run": folder,
        **pairs(words[2:]),
    }
    try:
        outcome = AlphaZero.from_settings(settings).train(games.game(words[0]), Job(tell=_tell, show=_show))
    except HansuError as error:
        _show({"error": error.what, "hint": error.hint})
        return 2
    for table in outcome.tables:
        _show({row[0]: row[1] for row in table.rows})
    _show({"files": [str(path) for path in outcome.files]})
    return 0


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _tell(text: str) -> None:
    _show({"told": text})


def _show(row: Mapping[str, Any]) -> None:
    print(f"{json.dumps(row, ensure_ascii=False)}\n", end="", flush=True)  # in one piece: several threads tell


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
