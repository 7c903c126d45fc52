"""Claim: `hansu engine renju`, told `timeout_turn 100`, oversteps those 100 ms no more often, within chance, than a
program that does nothing but look at the clock for 50 ms, which is what the engine takes of them: on a machine with
more work than cores nobody can do better. (The time is the manager's, from sending `BOARD` to reading the answer. The
engine plays both sides, by all three rules, until a move is found at once because the game is decided.)

    python benchmarks/renju_clock.py [games]
"""

from __future__ import annotations

import math
import random
import sys
import time

from hansu import games
from hansu.arena.match import opening
from hansu.protocols.process import Outside

TURN_MS = 100
AT_ONCE = 0.02  # seconds
PEER = """
import sys, time
for line in sys.stdin:
    end = time.perf_counter() + 0.05
    while time.perf_counter() < end:
        pass
    print("0,0", flush=True)
"""


class Timed:
    """A program and how long its moves took."""

    def __init__(self, command: list[str], name: str) -> None:
        self.outside = Outside(command, name)
        self.spent: list[float] = []

    def ask(self, *lines: str) -> str:
        for line in lines:
            self.outside.send(line)
        while (answer := self.outside.read(120)).startswith("MESSAGE"):
            pass
        return answer

    def move(self, *lines: str) -> str:
        began = time.perf_counter()
        answer = self.ask(*lines)
        self.spent.append(time.perf_counter() - began)
        return answer

    @property
    def late(self) -> int:
        return sum(1000 * seconds > TURN_MS for seconds in self.spent)

    def told(self) -> str:
        spent = sorted(1000 * seconds for seconds in self.spent)
        middle, rare = spent[len(spent) // 2], spent[int(0.99 * len(spent))]
        return (
            f"{self.late} of {len(spent):,} moves late (median {middle:.1f} ms, 99 % within {rare:.1f} ms, "
            f"slowest {spent[-1]:.1f} ms)"
        )


def main(count: int) -> None:
    engine = Timed([sys.executable, "-m", "hansu", "engine", "renju"], "hansu")
    peer = Timed([sys.executable, "-c", PEER], "the clock watcher")
    chance = random.Random(1)
    for number in range(count):
        bits, rule = ((0, "freestyle"), (1, "standard"), (4, "renju"))[number % 3]
        for line in (f"INFO rule {bits}", f"INFO timeout_turn {TURN_MS}"):
            engine.outside.send(line)
        assert engine.ask("START 15") == "OK"
        game = games.game("renju").with_settings({"rule": rule})
        position = opening(game, 4, chance)
        decided = False
        while not position.over and not decided:
            mine = len(position.history) % 2
            stones = [f"{c % 15},{c // 15},{1 if i % 2 == mine else 2}" for i, c in enumerate(position.history)]
            x, y = map(int, engine.move("BOARD", *stones, "DONE").split(","))
            position = position.play(15 * y + x)
            decided = engine.spent[-1] < AT_ONCE
            peer.move("go")
    engine.outside.kill()
    peer.outside.kill()
    chance_alone = 3 * math.sqrt(engine.late + peer.late)  # three standard deviations of the difference
    verdict = "ok" if engine.late - peer.late <= chance_alone else "BELOW"
    print(f"{count} games of {TURN_MS} ms a move: {engine.told()} against {peer.told()} of a clock watcher: {verdict}")
    sys.exit(0 if verdict == "ok" else 1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
