"""Claim: the solver is faster than `bitbully` on every public set of positions. Neither uses a book, both clear their
tables before each position, and only the CPU time of the search counts.

    python benchmarks/connect_four_solver.py [--sets FOLDER] [--first SET=COUNT ...] [--empty]

The sets (Test_L3_R1 etc., with lines `columns score`) are expected in ../shared/data/connect_four_sets.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from measure import claim

from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.standard_board import read_columns

SETS = Path(__file__).parents[2] / "shared" / "data" / "connect_four_sets"
FIRST = {"L3_R1": 1000, "L2_R1": 1000, "L2_R2": 1000, "L1_R1": 1000, "L1_R2": 200, "L1_R3": 50}

Solve = Callable[[str], tuple[int, float, int]]  # columns -> score, seconds, nodes


def hansu() -> Solve:
    searcher = SolverSearcher(new_table(32))
    searcher.precompile()
    searcher.score(*read_columns("121212"))

    def solve(columns: str) -> tuple[int, float, int]:
        words = read_columns(columns)
        searcher.empty()
        searcher.nodes = 0
        began = time.thread_time()
        score = searcher.score(*words)
        return score, time.thread_time() - began, searcher.nodes

    return solve


def bitbully() -> Solve:
    try:
        from bitbully import bitbully_core
    except ImportError:
        sys.exit("this benchmark needs its peer: .venv/bin/pip install bitbully")
    core = bitbully_core.BitBullyCore()

    def solve(columns: str) -> tuple[int, float, int]:
        board = bitbully_core.BoardCore()
        if columns:
            assert board.play([int(column) - 1 for column in columns])
        core.resetTranspositionTable()
        core.resetNodeCounter()
        began = time.thread_time()
        score = core.mtdf(board, 0)
        return score, time.thread_time() - began, core.getNodeCounter()

    return solve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sets", type=Path, default=SETS, help="folder of the position sets")
    parser.add_argument("--first", nargs="*", default=[], metavar="SET=COUNT", help="number of positions of a set")
    parser.add_argument("--empty", action="store_true", help="also solve the empty board (hansu only)")
    arguments = parser.parse_args()
    if not arguments.sets.is_dir():
        sys.exit(f"no position sets in {arguments.sets}; name their folder with --sets")
    ours, theirs = hansu(), bitbully()
    for name, count in {**FIRST, **{k: int(v) for k, v in (word.split("=") for word in arguments.first)}}.items():
        lines = [line.split() for line in (arguments.sets / f"Test_{name}").read_text().splitlines()[:count]]
        if not lines:
            continue
        rates = []
        for who, solve in (("hansu", ours), ("bitbully", theirs)):
            results = [solve(columns) for columns, _ in lines]
            wrong = sum(score != int(known) for (score, _, _), (_, known) in zip(results, lines, strict=True))
            mean = sum(seconds for _, seconds, _ in results) / len(lines)
            nodes = sum(nodes for _, _, nodes in results) / len(lines)
            print(f"{name} {who}: {1000 * mean:.4f} ms, {nodes:,.0f} nodes, {wrong} wrong of {len(lines)}", flush=True)
            rates.append(1 / mean)
        claim(f"{name}: positions solved", *rates, "bitbully", 1)
    if arguments.empty:
        score, seconds, nodes = ours("")
        print(f"empty board: score {score}, {seconds:.1f} s, {nodes:,} nodes")


if __name__ == "__main__":
    main()
