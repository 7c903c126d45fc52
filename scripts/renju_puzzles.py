"""Generates tests/data/renju_vcf.jsonl: positions with a win by fours (VCF), by all three rules and for both colours.

    python scripts/renju_puzzles.py [seconds] [seed]

A shallow engine plays games in which some moves are random points near the stones, so that boards get crowded. In each
position the script searches the shortest win by fours of either side, as if that side were to move. For longer wins, it
adds a stone of the opponent that stops the win and a nearby stone of the winner, as long as there still is a win. A win
is kept if the independent search of tests/support/vcf_oracle.py finds the same shortest length. Existing puzzles stay
in the file, and the number of puzzles of each length is limited.

    {"rule": "renju", "size": 15, "board": "15/15/.../7XO6", "side": 0, "plies": 11, "line": ["h8", ...]}

`line` is the oracle's line. It ends with a five or with a four that has no answer.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from support.vcf_oracle import Board, bits_of  # noqa: E402

from hansu.core import Control, Limit  # noqa: E402
from hansu.games.renju.engine.patterns import K_FIVE  # noqa: E402
from hansu.games.renju.engine.search import begin, threat_win  # noqa: E402
from hansu.games.renju.engine.searcher import RenjuSearcher  # noqa: E402
from hansu.games.renju.notation import cell_text  # noqa: E402
from hansu.games.renju.state import RULES  # noqa: E402

FILE = TESTS / "data" / "renju_vcf.jsonl"
SIZE = 15
SHORTEST, LONGEST = 5, 21
ENGINE_NODES, ORACLE_NODES = 300_000, 20_000
PUZZLE_LIMITS = {5: 1, 7: 3, 9: 3, 11: 4, 13: 4, 15: 4, 17: 4, 19: 4, 21: 4}  # puzzles for each length, rule and colour

Stones = list[tuple[int, int]]


def board_text(stones: Stones, size: int) -> str:
    colours = dict(stones)
    rows = ("".join("XO "[colours.get(y * size + x, 2)] for x in range(size)) for y in range(size))
    return "/".join(re.sub(" +", lambda gap: str(len(gap[0])), row) for row in rows)


def near(stones: Stones, generator: random.Random) -> int:
    """A random empty cell close to a stone."""
    taken = {cell for cell, _ in stones}
    while True:
        cell = generator.choice(stones)[0]
        x, y = cell % SIZE + generator.randint(-2, 2), cell // SIZE + generator.randint(-2, 2)
        if 0 <= x < SIZE and 0 <= y < SIZE and y * SIZE + x not in taken:
            return y * SIZE + x


def positions(searcher: RenjuSearcher, generator: random.Random) -> Iterator[Stones]:
    """The positions of one game, until a side has won or the board is crowded."""
    searcher.new_game()
    stones: Stones = [(SIZE * SIZE // 2, 0)]
    random_share = generator.choice((0.1, 0.25, 0.4))
    while len(stones) < 130:
        side = len(stones) & 1
        report = searcher.search(stones, side, Limit(depth=2, nodes=400), Control(), threats=False)
        cell = report.line[0]
        if report.plies is None and generator.random() < random_share:
            cell = near(stones, generator)
        searcher.set_board(stones)
        if not searcher.legal(cell, side) or (report.plies == 1 and searcher.score_of(report) > 0):
            return
        stones.append((cell, side))
        yield list(stones)


def shortest(searcher: RenjuSearcher, stones: Stones, side: int) -> int:
    """Plies of the shortest win by fours that the engine finds; 0 if there is none."""
    searcher.set_board(stones)
    with searcher.thinking(side, Limit(nodes=ENGINE_NODES), Control()):
        begin(searcher.memory)
        for depth in range(3, LONGEST + 1, 2):
            if plies := threat_win(searcher.memory, side, depth, 0, ENGINE_NODES):
                return int(plies)
    return 0


def harder(searcher: RenjuSearcher, stones: Stones, side: int, generator: random.Random) -> Stones | None:
    """The position with two more stones: an opponent's stone on a point of the win that `shortest` has just found, and
    a nearby stone of `side`. None if a stone is forbidden or a side can make five."""
    spoiler = generator.choice(searcher.actions(searcher.memory["threat_line"]))
    position = list(stones)
    for cell, colour in ((spoiler, 1 - side), (near([*stones, (spoiler, 0)], generator), side)):
        searcher.set_board(position)
        if not searcher.legal(cell, colour):
            return None
        position.append((cell, colour))
    searcher.set_board(position)
    return None if searcher.memory["totals"][:, K_FIVE].any() else position


def main(seconds: float, seed: int) -> None:
    puzzles = [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []
    counts = Counter((p["rule"], p["side"], p["plies"]) for p in puzzles)
    generator = random.Random(seed)
    searchers = {rule: RenjuSearcher(rule, SIZE, 1) for rule in RULES}
    ends = time.monotonic() + seconds
    searched = given_up = 0
    while time.monotonic() < ends:
        rule = generator.choice(RULES)
        last = [-9, -9]  # no two puzzles of one side from nearly the same position
        for ply, reached in enumerate(positions(searchers[rule], generator)):
            for side in range(2):
                stones = reached
                searcher = searchers[rule]
                if ply - last[side] < 8 or not (plies := shortest(searcher, stones, side)):
                    continue
                for _ in range(generator.choice((0, 4, 12, 24))):
                    position = harder(searcher, stones, side, generator)
                    longer = shortest(searcher, position, side) if position else 0
                    if position and longer > plies:
                        stones, plies = position, longer
                    else:
                        shortest(searcher, stones, side)
                last[side] = ply
                if plies < SHORTEST or counts[rule, side, plies] >= PUZZLE_LIMITS[plies]:
                    continue
                searched += 1
                board = Board(rule, SIZE)
                sides = [bits_of(cell for cell, colour in stones if colour == c) for c in (side, 1 - side)]
                line = board.win_by_fours(*sides, side, plies, ORACLE_NODES)
                if line is None and board.nodes >= ORACLE_NODES:
                    given_up += 1
                    continue
                assert line is not None, (rule, board_text(stones, SIZE), side, plies)
                assert board.plies(*sides, side, line) == plies and board.line_wins(*sides, side, line)
                counts[rule, side, plies] += 1
                puzzles.append({
                    "rule": rule, "size": SIZE, "board": board_text(stones, SIZE), "side": side, "plies": plies,
                    "line": [cell_text(cell, SIZE) for cell in line],
                })  # fmt: skip
            if time.monotonic() > ends:
                break
    puzzles.sort(key=lambda p: (p["rule"], p["side"], p["plies"], p["board"]))
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("".join(json.dumps(p) + "\n" for p in puzzles))
    print(f"{len(puzzles)} puzzles; the oracle searched {searched} positions and gave up {given_up} times")
    for rule in RULES:
        for side in range(2):
            lengths = {plies: counts[rule, side, plies] for plies in PUZZLE_LIMITS}
            print(f"{rule}, {('black', 'white')[side]}: {lengths}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
