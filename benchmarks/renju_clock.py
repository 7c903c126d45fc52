"""Claim: `hansu engine renju`, told `timeout_turn 100`, oversteps those 100 ms no more often, within chance, than a
program that does nothing but look at the clock for 50 ms, which is what the engine takes of them: on a machine with
more work than cores nobody can do better. (The time is the manager's, from sending `BOARD` to reading the answer. The
engine plays both sides, by all three rules, until a move is found at once because the game is decided.)

    python benchmarks/renju_clock.py [games]
"""

from __future__ import annotations

import random
import sys

from measure import Timed, as_punctual, clock_watcher

from hansu.arena.openings import random_opening
from hansu.core import registry

TURN_MS = 100
AT_ONCE = 0.02  # seconds


def main(count: int) -> None:
    engine = Timed([sys.executable, "-m", "hansu", "engine", "renju"], "hansu", TURN_MS / 1000, "MESSAGE")
    peer = Timed(clock_watcher(0.05, "0,0"), "the clock watcher", TURN_MS / 1000)
    chance = random.Random(1)
    for number in range(count):
        bits, rule = ((0, "freestyle"), (1, "standard"), (4, "renju"))[number % 3]
        for line in (f"INFO rule {bits}", f"INFO timeout_turn {TURN_MS}"):
            engine.program.send(line)
        assert engine.ask("START 15") == "OK"
        game = registry.game("renju").with_settings({"rule": rule})
        position = random_opening(game, 4, chance)
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
