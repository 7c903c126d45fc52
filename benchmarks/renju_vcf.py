"""Claim: the engine finds a win by fours in every puzzle of tests/data/renju_vcf.jsonl (wins of up to 21 plies, by all
three rules) in less than a second each. For wins of 11 to 15 plies it is at least 50 times as fast as the plain Python
search of tests/support/vcf_oracle.py. (The slowest time is wall-clock time.)"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

from measure import claim

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from support.vcf_oracle import Board, bits_of  # noqa: E402

from hansu.games.renju.engine.searcher import RenjuSearcher  # noqa: E402
from hansu.games.renju.state import RULES  # noqa: E402
from hansu.games.renju.tactics import Tactics  # noqa: E402

MOST_SECONDS = 1.0
PEER_PLIES, PEER_PUZZLES = range(11, 16), 20


def main() -> None:
    puzzles = [json.loads(line) for line in (TESTS / "data" / "renju_vcf.jsonl").read_text().splitlines()]
    searchers = {rule: RenjuSearcher(rule, 15, 1) for rule in RULES}
    searchers["renju"].precompile()
    spent: list[tuple[float, int]] = []
    ours = theirs = 0.0
    compared = 0
    for puzzle in puzzles:
        flat = re.sub("[0-9]+", lambda digits: "." * int(digits[0]), puzzle["board"]).replace("/", "")
        stones = [(cell, "XO".index(stone)) for cell, stone in enumerate(flat) if stone != "."]
        side, searcher = puzzle["side"], searchers[puzzle["rule"]]
        searcher.new_game()
        began, cpu = time.perf_counter(), time.process_time()
        line = Tactics(stones, side, searcher).win_by_fours(side)
        cpu = time.process_time() - cpu
        spent.append((time.perf_counter() - began, puzzle["plies"]))
        sides = [bits_of(cell for cell, colour in stones if colour == c) for c in (side, 1 - side)]
        board = Board(puzzle["rule"], puzzle["size"])
        if not board.line_wins(*sides, side, line):
            sys.exit(f"not solved: {puzzle}")
        if puzzle["plies"] in PEER_PLIES and compared < PEER_PUZZLES:
            began = time.process_time()
            assert board.win_by_fours(*sides, side, puzzle["plies"], 1_000_000)
            theirs += time.process_time() - began
            ours += cpu
            compared += 1
    slowest, mean = max(spent), sum(seconds for seconds, _ in spent) / len(spent)
    print(
        f"{len(puzzles)} puzzles, {sum(plies >= 11 for _, plies in spent)} of 11 to 21 plies: "
        f"mean {1000 * mean:.2f} ms, slowest {1000 * slowest[0]:.1f} ms ({slowest[1]} plies)"
    )
    claim(f"{compared} puzzles of 11 to 15 plies", compared / ours, compared / theirs, "plain Python", 50)
    claim("the slowest puzzle", 1 / slowest[0], 1 / MOST_SECONDS, "the limit of a second", 1)


if __name__ == "__main__":
    main()
