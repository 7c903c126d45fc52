"""Claim: over 200 games at 10 ms a move, `hansu engine ataxx` is as punctual as a program that only watches the clock
for 7 ms. A tournament manager forfeits an engine that exceeds its time by 25 ms. The engine does so no more often than
the peer, within statistical error; no program can do better on an overloaded machine. (The manager measures the time,
from sending `go` to reading `bestmove`.)

    python benchmarks/ataxx_clock.py [games]
"""

from __future__ import annotations

import random
import sys

from measure import Timed, as_punctual, clock_watcher

from hansu.arena.openings import random_opening
from hansu.core import registry

MOVE_SECONDS = 0.010
FORFEIT_SECONDS = 0.025


def main(count: int) -> None:
    game = registry.game("ataxx")
    most = MOVE_SECONDS + FORFEIT_SECONDS
    engine = Timed([sys.executable, "-m", "hansu", "engine", "ataxx"], "hansu", most)
    peer = Timed(clock_watcher(0.007, "bestmove"), "the clock watcher", most)
    go = f"go movetime {int(1000 * MOVE_SECONDS)}"
    engine.ask("uai", wanted="uaiok")
    rng = random.Random(1)
    for _ in range(count):
        engine.program.send("uainewgame")
        engine.ask("isready", wanted="readyok")
        position = random_opening(game, 4, rng)
        while not position.over:
            engine.program.send(f"position startpos moves {' '.join(position.moves)}")
            position = position.play_move(engine.move(go, wanted="bestmove").split()[1])
            peer.move(go)
    as_punctual(f"{count} games of 10 ms a move", engine, peer)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
