"""Claim: empty boards of 7 points are solved in less than a second each, boards of 8 and 9 points in less than a
minute.

The peer is the general `iterative` player (alpha-beta with a transposition table over the plain rules), to the end of
the game, on boards of 7 points.

    python benchmarks/triangles_solve.py             20 boards of each size
    python benchmarks/triangles_solve.py 7 500       500 boards of 7 points
"""

from __future__ import annotations

import sys
import time

from hansu.core import Limit, registry
from hansu.games.triangles.solver import TrianglesSolver
from hansu.search.players import Iterative

PEER_SIZE = 7
PEER_BOARDS = 5


def main() -> None:
    sizes = [int(sys.argv[1])] if len(sys.argv) > 1 else [7, 8, 9]
    boards = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    solver = TrianglesSolver()
    solver.solve(registry.game("triangles:points=4").first.state)
    for size in sizes:
        spent, nodes, slowest = [], 0, 0
        for seed in range(1, boards + 1):
            position = registry.game(f"triangles:points={size},seed={seed}").first
            began = time.process_time()
            solution = solver.solve(position.state)
            spent.append(time.process_time() - began)
            nodes += solution.nodes
            slowest = seed if spent[-1] == max(spent) else slowest
        mean = sum(spent) / boards
        text = f"{size} points, {boards} boards: mean {mean:.3f} CPU s, slowest {max(spent):.3f} (seed {slowest})"
        text += f", {nodes:,} nodes"
        if size == PEER_SIZE:
            text += f"; the general search takes {peer(size) / mean:.0f} times as long"
        print(text, flush=True)


def peer(size: int) -> float:
    """CPU seconds of the general search for a board."""
    Iterative().decide(registry.game("triangles:points=4").first, Limit(depth=100))
    began = time.process_time()
    for seed in range(1, PEER_BOARDS + 1):
        decision = Iterative(slots=1 << 22).decide(
            registry.game(f"triangles:points={size},seed={seed}").first, Limit(depth=100)
        )
        assert decision.report.proved
    return (time.process_time() - began) / PEER_BOARDS


if __name__ == "__main__":
    main()
