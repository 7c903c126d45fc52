"""Claim: over 200 games of 10 ms a move, `hansu engine ataxx` oversteps its time by the 25 ms at which a tournament
manager forfeits an engine no more often, within chance, than a program that does nothing but look at the clock for 7
ms: on a machine with more work than cores nobody can do better. (The time is the manager's, from sending `go` to
reading `bestmove`.)

    python benchmarks/ataxx_clock.py [games]
"""

from __future__ import annotations

import math
import random
import sys
import time

from hansu import games
from hansu.arena.match import opening
from hansu.protocols.process import Outside

MOVE_SECONDS = 0.010
FORFEIT_SECONDS = 0.025
PEER = """
import sys, time
for line in sys.stdin:
    end = time.perf_counter() + 0.007
    while time.perf_counter() < end:
        pass
    print("bestmove", flush=True)
"""


class Timed:
    """A program and how long its answers took."""

    def __init__(self, command: list[str], name: str) -> None:
        self.outside = Outside(command, name)
        self.spent: list[float] = []

    def ask(self, line: str, wanted: str) -> str:
        self.outside.send(line)
        while not (answer := self.outside.read(60)).startswith(wanted):
            pass
        return answer

    def move(self) -> str:
        began = time.perf_counter()
        answer = self.ask(f"go movetime {int(1000 * MOVE_SECONDS)}", "bestmove")
        self.spent.append(time.perf_counter() - began)
        return answer

    @property
    def late(self) -> int:
        return sum(seconds > MOVE_SECONDS + FORFEIT_SECONDS for seconds in self.spent)

    def told(self) -> str:
        spent = sorted(self.spent)
        middle, rare, most = spent[len(spent) // 2], spent[int(0.999 * len(spent))], spent[-1]
        return (
            f"{self.late} of {len(spent):,} moves late (median {1000 * middle:.1f} ms, 99.9 % within "
            f"{1000 * rare:.1f} ms, slowest {1000 * most:.1f} ms)"
        )


def main(count: int) -> None:
    game = games.game("ataxx")
    engine = Timed([sys.executable, "-m", "hansu", "engine", "ataxx"], "hansu")
    peer = Timed([sys.executable, "-c", PEER], "the clock watcher")
    engine.ask("uai", "uaiok")
    chance = random.Random(1)
    for _ in range(count):
        engine.outside.send("uainewgame")
        engine.ask("isready", "readyok")
        position = opening(game, 4, chance)
        while not position.over:
            engine.outside.send(f"position startpos moves {' '.join(position.moves)}")
            position = position.play_move(engine.move().split()[1])
            peer.move()
    engine.outside.kill()
    peer.outside.kill()
    chance_alone = 3 * math.sqrt(engine.late + peer.late)  # three standard deviations of the difference
    verdict = "ok" if engine.late - peer.late <= chance_alone else "BELOW"
    print(f"{count} games of 10 ms a move: {engine.told()} against {peer.told()} of a clock watcher: {verdict}")
    sys.exit(0 if verdict == "ok" else 1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
