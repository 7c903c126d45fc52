"""Claim: over 200 games of 10 ms a move, `hansu engine ataxx` oversteps its time by the 25 ms at which a tournament
manager forfeits an engine no more often, within chance, than a program that does nothing but look at the clock for 7
ms: on a machine with more work than cores nobody can do better. (The time is the manager's, from sending `go` to
reading `bestmove`.)

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
    chance = random.Random(1)
    for _ in range(count):
        engine.program.send("uainewgame")
        engine.ask("isready", wanted="readyok")
        position = random_opening(game, 4, chance)
        while not position.over:
            engine.program.send(f"position startpos moves {' '.join(position.moves)}")
            position = position.play_move(engine.move(go, wanted="bestmove").split()[1])
            peer.move(go)
    as_punctual(f"{count} games of 10 ms a move", engine, peer)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
