"""Plays games of the Renju engine against itself, as training data:

    python scripts/renju_games.py games.jsonl --minutes 12 --seed 101
    hansu train renju supervised --from games.jsonl ...

Each game starts with three to seven random stones near the centre, in a position that the engine evaluates as nearly
even. Each side searches 1,500, 3,000 or 5,000 nodes a move. A few moves are displaced by a point or two, so that the
games contain mistakes and their punishment. The output has the format of `hansu match --save`.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from hansu.core import Control, Limit, registry
from hansu.core.position import Position
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.state import colour
from hansu.games.renju.tactics import played_stones

SIZE = 15
NODES = (1_500, 3_000, 5_000)
SLIP_SHARE = 0.04  # share of displaced moves
MOST_UNEVEN = 0.5  # maximum absolute value (-1 to 1) of an opening
MOST_PLIES = 180


class SelfPlay:
    """Plays games with two searchers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.game = registry.built_in("renju")
        self.searchers = [RenjuSearcher("renju", SIZE, 8) for _ in range(2)]

    def opening(self) -> Position:
        """A few random stones near the centre, in a nearly even position."""
        while True:
            reach, middle = self.random.choice((2, 3, 3, 4)), SIZE // 2
            near = range(middle - reach, middle + reach + 1)
            cells = self.random.sample([SIZE * y + x for y in near for x in near], self.random.choice((3, 4, 5, 6, 7)))
            at = self.game.first
            for cell in cells:
                if at.over or not at.legal(cell):
                    break
                at = at.play(cell)
            else:
                if not at.over:
                    value = (
                        self.searchers[0]
                        .search(played_stones(at), colour(at.state), Limit(nodes=NODES[0]), Control())
                        .value
                    )
                    if value is not None and not value.proved and abs(value) < MOST_UNEVEN:
                        return at

    def slip(self, at: Position, cell: int) -> int:
        """A random legal point within two points of a cell."""
        y, x = divmod(cell, SIZE)
        near = [SIZE * (y + dy) + x + dx for dy in range(-2, 3) for dx in range(-2, 3)
                if 0 <= y + dy < SIZE and 0 <= x + dx < SIZE]  # fmt: skip
        legal = [other for other in near if at.legal(other)]
        return self.random.choice(legal) if legal else cell

    def play(self) -> dict[str, object]:
        """One game, as a line of `hansu match --save`."""
        at = self.opening()
        first, nodes = len(at.history), [self.random.choice(NODES) for _ in range(2)]
        for searcher in self.searchers:
            searcher.new_game()
        while not at.over and len(at.history) < MOST_PLIES:
            side = colour(at.state)
            report = self.searchers[side].search(played_stones(at), side, Limit(nodes=nodes[side]), Control())
            if not report.line:
                break
            proved = report.value is not None and report.value.proved
            move = report.line[0]
            at = at.play(self.slip(at, move) if not proved and self.random.random() < SLIP_SHARE else move)
        outcome = round(at.score) if at.over else 0
        return {
            "game": "renju", "start": "start", "first": "engine", "second": "engine", "opening": at.moves[:first],
            "moves": at.moves[first:], "outcome": outcome, "score": float(outcome), "fault": "", "resigned": None,
            "adjudicated": "", "seconds": [0.0, 0.0],
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    games, until, count = SelfPlay(arguments.seed), time.monotonic() + 60 * arguments.minutes, 0
    with arguments.file.open("a", encoding="utf-8") as lines:
        while time.monotonic() < until:
            lines.write(json.dumps(games.play()) + "\n")
            count += 1
    print(f"{count:,} games")


if __name__ == "__main__":
    main()
