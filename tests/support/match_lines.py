"""Lines as `hansu match --save` writes them."""

from __future__ import annotations

import json
import random

from hansu.core import Game


def match_line(game: Game, seed: int, /, **more: object) -> str:
    """A random game as `hansu match --save` writes it; whoever can win at once does."""
    chance = random.Random(seed)
    position = game.first
    while not position.over:
        winning = [a for a in position.actions if (after := position.play(a)).over and after.score != 0]
        position = position.play(winning[0] if winning else chance.choice(position.actions))
    outcome = int(position.score > 0) - int(position.score < 0)
    record = {"game": game.spec, "first": "a", "second": "b", "opening": position.moves[:1],
              "moves": position.moves[1:], "outcome": outcome, "score": position.score, "fault": ""}  # fmt: skip
    return json.dumps({**record, **more})
