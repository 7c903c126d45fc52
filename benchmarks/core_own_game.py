"""Claim: a user's own game, given by path, runs within 10 % of the same game shipped inside the package."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
from measure import claim, seconds

from hansu.compile import compiled
from hansu.core import registry
from hansu.games import tictactoe
from hansu.search.playout import playouts

COUNT = 300_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "my_tictactoe.py"
        shutil.copy(tictactoe.__file__, path)
        mine, built_in = registry.game(str(path)), registry.game("tictactoe")
        assert mine.state is not built_in.state
        rates = {}
        for _ in range(3):  # in turn, so that a change of load meets both
            for game in (mine, built_in):
                seed = np.array([1])
                run, start = compiled(playouts, game.state), game.first.state
                run(start, 1, seed, 100)
                rate = COUNT / seconds(lambda run=run, start=start, seed=seed: run(start, COUNT, seed, 100))
                rates[game.path] = max(rates.get(game.path, 0), rate)
        claim("playouts of a game by path", rates[mine.path], rates[built_in.path], "the built-in game", 0.9)


if __name__ == "__main__":
    main()
