"""Claims: `hansu forbidden` judges all points of 2,000 hard positions a second, including the start of the process;
this is 100 times the speed of a plain-Python implementation of the definition."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from measure import claim, seconds

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.renju_oracle import Oracle
from support.renju_positions import Position, hard_position

POSITIONS = 20_000
THEIR_POSITIONS = 20


def main() -> None:
    generator = random.Random(1)
    positions: list[Position] = []
    while len(positions) < POSITIONS:
        position = hard_position(generator)
        if position.size == 15:
            positions.append(position)
    lines = "".join(json.dumps({"board": rows(position)}) + "\n" for position in positions)

    def ours() -> float:
        """CPU time of the whole process."""
        began = os.times()
        done = subprocess.run([sys.executable, "-m", "hansu", "forbidden"], input=lines, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.count("\n") == POSITIONS, done.stderr
        ended = os.times()
        return ended.children_user + ended.children_system - began.children_user - began.children_system

    ours()  # compile
    rate = POSITIONS / min(ours() for _ in range(3))
    sample = positions[:THEIR_POSITIONS]
    theirs = THEIR_POSITIONS / seconds(lambda: [judge_all(position) for position in sample], 3)
    claim("positions", rate, theirs, "the definition in plain Python", 100)
    claim("positions", rate, 2_000, "the goal", 1)


def rows(position: Position) -> list[str]:
    flat = "".join(".XO"[stone] for stone in position.flat)
    return [flat[i : i + position.size] for i in range(0, len(flat), position.size)]


def judge_all(position: Position) -> None:
    oracle, black = Oracle(position.size, frozenset(position.white)), frozenset(position.black)
    for x in range(position.size):
        for y in range(position.size):
            if position.free((x, y)):
                oracle.five(black, (x, y)), oracle.kinds(black, (x, y))


if __name__ == "__main__":
    main()
