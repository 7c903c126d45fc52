"""Games of the Renju engine with itself, for networks to learn from:

    python scripts/renju_games.py games.jsonl --minutes 12 --seed 101
    hansu train renju supervised --from games.jsonl ...

Each game begins with three to seven stones laid by chance around the middle, in a position where the engine sees no
clear favourite. Each side searches 1,500, 3,000 or 5,000 nodes a move; now and then it slips by a point or two, so that
mistakes and their punishment are among the games. Lines are those of `hansu match --save`.
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
SLIPS = 0.04  # of the moves
NEVER_SURE = 0.5  # an opening's value, -1 to 1, is at most this far from even
LONGEST = 180  # plies


class Maker:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.game = registry.built_in("renju")
        self.searchers = [RenjuSearcher("renju", SIZE, 8) for _ in range(2)]

    def opening(self) -> Position:
        """A few stones around the middle, where nobody stands clearly better."""
        while True:
            reach, middle = self.chance.choice((2, 3, 3, 4)), SIZE // 2
            near = range(middle - reach, middle + reach + 1)
            cells = self.chance.sample([SIZE * y + x for y in near for x in near], self.chance.choice((3, 4, 5, 6, 7)))
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
                    if value is not None and not value.proved and abs(value) < NEVER_SURE:
                        return at

    def slip(self, at: Position, cell: int) -> int:
        """A legal point within two of another."""
        y, x = divmod(cell, SIZE)
        near = [SIZE * (y + dy) + x + dx for dy in range(-2, 3) for dx in range(-2, 3)
                if 0 <= y + dy < SIZE and 0 <= x + dx < SIZE]  # fmt: skip
        legal = [other for other in near if at.legal(other)]
        return self.chance.choice(legal) if legal else cell

    def one(self) -> dict[str, object]:
        at = self.opening()
        first, nodes = len(at.history), [self.chance.choice(NODES) for _ in range(2)]
        for searcher in self.searchers:
            searcher.new_game()
        while not at.over and len(at.history) < LONGEST:
            side = colour(at.state)
            found = self.searchers[side].search(played_stones(at), side, Limit(nodes=nodes[side]), Control())
            if not found.line:
                break
            proved = found.value is not None and found.value.proved
            move = found.line[0]
            at = at.play(self.slip(at, move) if not proved and self.chance.random() < SLIPS else move)
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
    asked = parser.parse_args()
    maker, until, count = Maker(asked.seed), time.monotonic() + 60 * asked.minutes, 0
    with asked.file.open("a", encoding="utf-8") as lines:
        while time.monotonic() < until:
            lines.write(json.dumps(maker.one()) + "\n")
            count += 1
    print(f"{count:,} games")


if __name__ == "__main__":
    main()
