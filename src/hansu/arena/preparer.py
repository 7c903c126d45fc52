"""The process that prepares one player: `python -m hansu.arena.preparer GAME PLAYER`. It ends when its input ends."""

from __future__ import annotations

import os
import sys
import threading

from hansu.arena.preparation import prepare
from hansu.arena.roster import player
from hansu.core.errors import HansuError


def main(game_spec: str, player_spec: str) -> int:
    from hansu import games

    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        game = games.game(game_spec)
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
