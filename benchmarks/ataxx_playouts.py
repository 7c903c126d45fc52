"""Claim: random playouts of Ataxx are 200 times as fast as those of the pure-Python library `ataxx`."""

from __future__ import annotations

import random

import numpy as np
from ataxx_perft import peer
from measure import claim, seconds

from hansu.compile import compiled
from hansu.games.ataxx.rules import Ataxx, start
from hansu.search.playout import playouts

COUNT = 20_000
THEIRS = 10


def main() -> None:
    library = peer()

    def their_playouts() -> None:
        for _ in range(THEIRS):
            board = library.Board("startpos")
            while not board.gameover():
                board.makemove(random.choice(list(board.legal_moves())))

    seed = np.array([1])
    ours = compiled(playouts, Ataxx)
    ours(start(), 1, seed, 1000)
    our_rate = COUNT / seconds(lambda: ours(start(), COUNT, seed, 1000))
    claim("playouts", our_rate, THEIRS / seconds(their_playouts, 3), "ataxx, pure Python", 200)


if __name__ == "__main__":
    main()
