"""Claim: the compiled functions compute the planes of Renju positions 100 times as fast as the interpreted ones."""

from __future__ import annotations

import random

import numpy as np
from measure import claim, seconds

from hansu.games.renju.features import PLANES, fill
from hansu.games.renju.state import RULES

BOARDS, PLAIN_BOARDS = 2000, 2
STONES = 40


def main() -> None:
    generator = random.Random(1)
    boards = np.zeros((BOARDS, 225), np.int8)
    for board in boards:  # stones near the middle, as in the middle game
        cells = generator.sample([y * 15 + x for y in range(3, 12) for x in range(3, 12)], STONES)
        board[cells[::2]], board[cells[1::2]] = 1, 2
    movers = np.ones(BOARDS, np.int8)
    last = np.full((BOARDS, 4), -1, np.int16)
    out = np.zeros((BOARDS, PLANES, 225), np.float32)
    rule = RULES.index("standard")  # forbidden points have their own benchmark

    def ours() -> None:
        fill(boards, movers, last, 15, rule, out)

    def plain() -> None:
        fill.plain(boards[:PLAIN_BOARDS], movers, last, 15, rule, out)

    ours()
    with_forbidden = seconds(lambda: fill(boards, movers, last, 15, RULES.index("renju"), out))
    print(f"with forbidden points: {BOARDS / with_forbidden:,.4g} boards/s")
    claim("planes", BOARDS / seconds(ours), PLAIN_BOARDS / seconds(plain), "plain Python", 100, " boards/s")


if __name__ == "__main__":
    main()
