"""The process that warms up one player: `python -m hansu.arena.warmup_process GAME PLAYER`.

It ends when its standard input ends."""

from __future__ import annotations

import os
import sys
import threading

from hansu.arena.roster import player
from hansu.arena.warmup import prepare
from hansu.core.errors import HansuError


def main(game_spec: str, player_spec: str) -> int:
    from hansu.core import registry

    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        game = registry.game(game_spec)
        made = player(player_spec, game)
    except HansuError:
        return 2  # whoever lets it play will be told
    try:
        prepare(game, made)
    except HansuError:
        return 2
    finally:
        made.close()
    return 0


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
