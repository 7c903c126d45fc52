"""Claim: perft of Ataxx, with every move played, is 40 times as fast as the pure-Python library `ataxx`."""

from __future__ import annotations

import sys
from typing import Any

from measure import claim, seconds

from hansu.compile import compiled
from hansu.games.ataxx.rules import Ataxx, perft, perft_bulk, start

DEPTH = 6
THEIR_DEPTH = 4


def peer() -> Any:
    """The pure-Python library, which is installed for benchmarks only."""
    try:
        import ataxx
    except ImportError:
        sys.exit("this benchmark needs its peer: .venv/bin/pip install ataxx")
    return ataxx


def main() -> None:
    board = peer().Board("startpos")
    theirs = board.perft(THEIR_DEPTH) / seconds(lambda: board.perft(THEIR_DEPTH), 3)
    for name, count, target in (("perft", perft, 40), ("perft, last ply counted", perft_bulk, 200)):
        ours = compiled(count, Ataxx)
        lines = ours(start(), DEPTH)
        claim(name, lines / seconds(lambda: ours(start(), DEPTH), 3), theirs, "ataxx, pure Python", target)  # noqa: B023


if __name__ == "__main__":
    main()
