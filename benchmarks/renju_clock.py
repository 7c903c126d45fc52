"""Claim: with `timeout_turn 100`, `hansu engine renju` exceeds 100 ms no more often (within statistical error) than a
program that only watches the clock for 50 ms, the time that the engine uses. On a machine with more work than cores no
program can do better.

The time is measured by the manager, from sending `BOARD` to reading the answer. The engine plays both sides, by all
three rules, until a move comes at once because the game is decided.

    python benchmarks/renju_clock.py [games]
"""

from __future__ import annotations

import random
import sys

from measure import Timed, as_punctual, clock_watcher

from hansu.arena.openings import random_opening
from hansu.core import registry

TURN_MS = 100
AT_ONCE = 0.02  # seconds; a faster move means that the game is decided


def main(count: int) -> None:
    engine = Timed([sys.executable, "-m", "hansu", "engine", "renju"], "hansu", TURN_MS / 1000, "MESSAGE")
    peer = Timed(clock_watcher(0.05, "0,0"), "the clock watcher", TURN_MS / 1000)
    generator = random.Random(1)
    for number in range(count):
        bits, rule = ((0, "freestyle"), (1, "standard"), (4, "renju"))[number % 3]
        for line in (f"INFO rule {bits}", f"INFO timeout_turn {TURN_MS}"):
            engine.program.send(line)
        assert engine.ask("START 15") == "OK"
        game = registry.game("renju").with_settings({"rule": rule})
        position = random_opening(game, 4, generator)
        decided = False
        while not position.over and not decided:
            mine = len(position.history) % 2
            stones = [f"{c % 15},{c // 15},{1 if i % 2 == mine else 2}" for i, c in enumerate(position.history)]
            x, y = map(int, engine.move("BOARD", *stones, "DONE").split(","))
            position = position.play(15 * y + x)
            decided = engine.spent[-1] < AT_ONCE
            peer.move("go")
    as_punctual(f"{count} games of {TURN_MS} ms a move", engine, peer)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
