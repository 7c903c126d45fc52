"""Claim: `hansu engine ataxx` never oversteps 10 ms a move by the 25 ms at which a tournament manager forfeits an
engine, over 200 games. (The time is the manager's, from sending `go` to reading `bestmove`.)

    python benchmarks/ataxx_clock.py [games]
"""

from __future__ import annotations

import random
import sys
import time

from hansu import games
from hansu.arena.match import opening
from hansu.protocols.process import Outside

MOVE_SECONDS = 0.010
FORFEIT_SECONDS = 0.025


def main(count: int) -> None:
    game = games.game("ataxx")
    engine = Outside([sys.executable, "-m", "hansu", "engine", "ataxx"], "hansu")

    def ask(line: str, wanted: str) -> str:
        engine.send(line)
        while not (answer := engine.read(60)).startswith(wanted):
            pass
        return answer

    ask("uai", "uaiok")
    chance = random.Random(1)
    spent: list[float] = []
    for _ in range(count):
        engine.send("uainewgame")
        ask("isready", "readyok")
        position = opening(game, 4, chance)
        while not position.over:
            engine.send(f"position startpos moves {' '.join(position.moves)}")
            began = time.perf_counter()
            answer = ask(f"go movetime {int(1000 * MOVE_SECONDS)}", "bestmove")
            spent.append(time.perf_counter() - began)
            position = position.play_move(answer.split()[1])
    engine.kill()
    spent.sort()
    late = sum(seconds > MOVE_SECONDS + FORFEIT_SECONDS for seconds in spent)
    middle, most = spent[len(spent) // 2], spent[-1]
    rare = spent[int(0.999 * len(spent))]
    print(
        f"{count} games, {len(spent):,} moves of 10 ms: median {1000 * middle:.1f} ms, 99.9 % within "
        f"{1000 * rare:.1f} ms, slowest {1000 * most:.1f} ms; {late} forfeits: {'ok' if not late else 'BELOW'}"
    )
    sys.exit(1 if late else 0)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
