"""Black's forbidden moves: known facts, hard cases by hand, and the slow oracle on generated hard positions."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from support.commands import Run
from support.renju_oracle import Oracle, Point
from support.renju_positions import Position, bred, hard_position

from hansu.compile import kernel
from hansu.core import actions, next_action, over, play, random_action
from hansu.games.renju.forbidden import (
    FIVE,
    black_lanes,
    forbidden_kinds,
    gathered,
    harmless,
    judge_board,
    judge_small,
    kind_names,
    suspects,
)
from hansu.games.renju.rules import start
from hansu.games.renju.state import board
from hansu.games.renju.stones import SMALL


def fast_kinds(position: Position) -> np.ndarray:
    """The result of the fast code for every cell."""
    flat = np.array(position.flat, np.int8)
    out = np.full(flat.size, -1, np.int8)
    judge_board(flat, position.size, out)
    return out


def named(code: int) -> set[str]:
    return {"five"} if code == FIVE else set(kind_names(code))


def expected(position: Position, p: Point) -> set[str]:
    """The result of the definition for a point."""
    oracle, black = Oracle(position.size, frozenset(position.white)), frozenset(position.black)
    return {"five"} if oracle.five(black, p) else oracle.kinds(black, p)


def points(text: str) -> list[Point]:
    return [(int(x), int(y)) for x, y in (word.split(",") for word in text.split())]


def position_with(black: str, white: str = "", size: int = 15) -> Position:
    position = Position(size)
    position.black, position.white = set(points(black)), set(points(white))
    return position


FACTS = [
    ("4,4 6,4 8,4 10,4", "", "7,4", {"double_four"}),  # two fours on one line
    ("4,4 5,4 7,4 8,4 9,4", "", "6,4", {"overline"}),
    ("0,1 0,2 0,3 0,4 0,6 1,5 2,5 3,5 4,5", "", "0,5", {"five"}),  # five beats overline
    ("6,4 7,4 5,5 8,5 5,6 8,6 6,7 7,7", "", "6,5", set()),  # a ring
    ("7,4 7,5 11,5 7,6 10,6 6,7 8,7", "", "9,7", set()),
    ("5,4 8,4 9,4 10,5 10,6", "", "10,4", {"double_three"}),
]

CASES = [
    # Fours. A straight four is one four; two fours on one line may share one, two or three stones.
    ("4,7 5,7 6,7", "", "7,7", set()),
    ("3,7 4,7 7,7 9,7 10,7", "", "6,7", {"double_four"}),  # ●●_[●]●_●●
    ("2,7 3,7 4,7 8,7 9,7 10,7", "", "6,7", {"double_four"}),  # ●●●_[●]_●●●
    ("3,7 5,7 7,7 9,7", "4,7", "6,7", set()),  # one of the holes is white's
    ("3,7 5,7 7,7 9,7", "2,7 10,7", "6,7", {"double_four"}),  # stones outside the fives are harmless
    ("3,7 5,7 7,7 9,7 11,7", "", "6,7", {"double_four"}),  # 3-7 and 5-9; 11 is too far to spoil a five
    ("1,7 3,7 5,7 7,7 9,7", "", "6,7", {"double_four"}),
    ("2,7 3,7 5,7 7,7 9,7", "", "6,7", set()),  # the hole at 4 would make six, so 5-9 is the only four
    ("7,4 7,5 7,6 4,7 5,7 6,7", "", "7,7", {"double_four"}),  # two straight fours that cross
    ("0,7 1,7 2,7 3,4 3,5 3,6", "", "3,7", {"double_four"}),  # at the edge: a four that has one end is a four
    # Overlines from either side; other kinds are reported, too.
    ("4,7 5,7 7,7 8,7 9,7 6,6 6,5 6,4", "", "6,7", {"overline"}),
    ("4,7 5,7 7,7 8,7 9,7 6,6 6,5 7,6 8,5", "", "6,7", {"overline", "double_three"}),
    ("0,0 1,0 2,0 4,0 5,0", "", "3,0", {"overline"}),
    # Threes. Both ends must be open far enough for exactly five.
    ("6,7 8,7 7,6 7,8", "", "7,7", {"double_three"}),
    ("6,7 8,7 7,6 7,8", "5,7", "7,7", set()),  # one end is blocked
    ("6,7 8,7 7,6 7,8", "4,7 10,7", "7,7", set()),  # either straight four would have a dead end
    ("6,7 8,7 7,6 7,8", "4,7 11,7", "7,7", {"double_three"}),  # one straight four is enough
    ("6,7 8,7 7,6 7,8 10,7 4,7", "", "7,7", {"double_four"}),  # ●_●[●]●_● is two fours and no three
    ("6,7 8,7 7,6 7,8 10,7", "", "7,7", set()),  # a four and a three
    ("6,7 8,7 7,6 7,8 11,7 3,7", "", "7,7", set()),  # any end would make six
    ("6,7 8,7 7,6 7,8 11,7", "", "7,7", {"double_three"}),  # 5-8 is straight
    ("1,7 3,7 2,6 2,8", "", "2,7", {"double_three"}),  # the edge lies beyond the end
    ("0,7 2,7 1,6 1,8", "", "1,7", set()),  # the edge is the end
    ("5,7 8,7 7,6 7,8", "", "7,7", {"double_three"}),  # a broken three
    ("6,7 8,7 7,6 7,8 6,6 8,8", "", "7,7", {"double_three"}),  # three threes
    # A three whose only extension is forbidden, or makes five, does not count.
    ("6,7 8,7 7,6 7,8 9,3 9,4 9,5 9,6", "4,7", "7,7", set()),  # 9,7 makes five, 5,7 a four with a dead end
    ("6,7 8,7 7,6 7,8 9,4 9,5 9,6", "4,7", "7,7", set()),  # 9,7 makes two fours
    ("6,7 8,7 7,6 7,8 9,4 9,5 9,6 9,8 9,9", "4,7", "7,7", set()),  # 9,7 makes an overline
    ("6,7 8,7 7,6 7,8 9,5 9,6 10,6 11,5", "4,7", "7,7", set()),  # 9,7 makes two threes
    ("6,7 8,7 7,6 7,8 9,5 9,6 10,6 11,5", "4,7 9,3 9,8", "7,7", {"double_three"}),  # now one of these does not count
]  # fmt: skip


@pytest.mark.parametrize(("black", "white", "point", "kinds"), FACTS + CASES)
def test_facts(black: str, white: str, point: str, kinds: set[str]) -> None:
    position = position_with(black, white)
    (x, y) = points(point)[0]
    assert expected(position, (x, y)) == kinds, "the oracle"
    assert named(fast_kinds(position)[15 * y + x]) == kinds
    flat = np.array(position.flat, np.int8)
    assert named(forbidden_kinds(flat, 15, 15 * y + x)) == kinds - {"five"}
    assert named(forbidden_kinds.plain(flat, 15, 15 * y + x)) == kinds - {"five"}, "interpreted"


def compare(seed: int, count: int) -> dict[str, int]:
    """Compare fast code and oracle on hard positions. Returns the number of points of each kind."""
    generator = random.Random(seed)
    counts: dict[str, int] = {}
    for number in range(count):
        position = hard_position(generator)
        out = fast_kinds(position)
        for x, y in position.points:
            kinds = expected(position, (x, y))
            assert named(out[y * position.size + x]) == kinds, (seed, number, position.flat, (x, y))
            for kind in kinds or {"legal"}:
                counts[kind] = counts.get(kind, 0) + 1
    return counts


def test_hard_positions_agree_with_the_definition() -> None:
    counts = compare(1, 2_000)
    assert min(counts[kind] for kind in ("double_three", "double_four", "overline", "five", "legal")) > 200


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
def test_a_hundred_thousand_hard_positions(seed: int) -> None:
    counts = compare(seed, 10_000)
    assert min(counts[kind] for kind in ("double_three", "double_four", "overline", "five", "legal")) > 1_000


def compare_bred(seed: int, climbs: int) -> int:
    """Compare fast code and oracle on boards bred for depth. Returns the deepest recursion."""
    generator = random.Random(seed)
    deepest = 0
    for _ in range(climbs):
        for position, kinds in bred(generator, 100):
            x, y = position.points[0]
            flat = np.array(position.flat, np.int8)
            result = set(kind_names(forbidden_kinds(flat, position.size, y * position.size + x)))
            assert result == kinds, (seed, position.flat, (x, y))
        oracle = Oracle(position.size, frozenset(position.white))
        oracle.kinds(frozenset(position.black), (x, y))
        deepest = max(deepest, oracle.deepest)
    return deepest


def test_boards_bred_for_depth() -> None:
    assert compare_bred(1, 12) >= 5


@pytest.mark.long
def test_many_boards_bred_for_depth() -> None:
    assert compare_bred(2, 500) >= 8


class Naive(Oracle):
    """Does not check whether a three's extension is legal."""

    def kinds(self, black: frozenset[Point], p: Point) -> set[str]:
        return super().kinds(black, p) if self.depth == 0 else set()


def test_the_hard_positions_are_hard() -> None:
    """A rule without recursion gets many of them wrong."""
    generator, wrong = random.Random(2), 0
    for _ in range(400):
        position = hard_position(generator)
        naive, black = Naive(position.size, frozenset(position.white)), frozenset(position.black)
        wrong += any(naive.kinds(black, p) != expected(position, p) - {"five"} for p in position.points)
    assert wrong > 20


def test_another_library_agrees() -> None:
    """The library `renju` (of the `bench` extra) reports only the first kind of: overline, double four, double
    three."""
    library = pytest.importorskip("renju.check_forbid")
    generator = random.Random(4)
    for _ in range(200):
        position = hard_position(generator)
        out, size, flat = fast_kinds(position), position.size, position.flat
        rows = [flat[i : i + size] for i in range(0, size * size, size)]
        for x, y in position.points:
            kinds = named(out[y * size + x])
            first = 3 if "overline" in kinds else 2 if "double_four" in kinds else 1 if "double_three" in kinds else 0
            assert library.get_foul_type(rows, y, x) == first, (flat, (x, y))


def test_a_larger_board_changes_nothing_in_the_middle() -> None:
    """The same stones in both bitboard layouts."""
    generator = random.Random(5)
    for _ in range(300):
        position = hard_position(generator)
        if position.size != 11:
            continue
        answers = []
        for size in (15, 20):  # two cells of white around the old board, so that the edges are the same
            wider = Position(size)
            wider.black = {(x + 2, y + 2) for x, y in position.black}
            ring = {(x, y) for x in range(15) for y in range(15) if not (2 <= x < 13 and 2 <= y < 13)}
            wider.white = {(x + 2, y + 2) for x, y in position.white} | ring
            out = fast_kinds(wider).reshape(size, size)
            answers.append(out[2:13, 2:13].tolist())
        assert answers[0] == answers[1] == fast_kinds(position).reshape(11, 11).tolist()


def test_the_rules_use_forbidden_moves() -> None:
    """Black's legal moves in random games are the empty points that the definition allows."""
    checked = 0
    for seed in range(6):
        s, word = start(size=9), [seed]
        while not over(s):
            if s.turn & 1 == 0 and s.placed >= 20:
                position = Position(9)
                flat = board(s)
                position.black = {(c % 9, c // 9) for c in range(81) if flat[c] == 1}
                position.white = {(c % 9, c // 9) for c in range(81) if flat[c] == 2}
                free = [c for c in range(81) if flat[c] == 0]
                allowed = [c for c in free if expected(position, (c % 9, c // 9)) <= {"five"}]
                assert allowed == list(actions(s))
                checked += len(free) - len(allowed)
            s = play(s, random_action(s, word))
    assert checked > 0, "no point was forbidden"


def test_whole_rows_are_judged_like_single_points() -> None:
    """`actions` and `next_action` on hard positions, and the suspects that `actions` checks."""
    generator = random.Random(21)
    forbidden_count = suspect_count = 0
    for _ in range(150):
        position = hard_position(generator)
        if position.size > 15:
            continue
        flat = np.array(position.flat, np.int8)
        black, white = gathered(flat, position.size, 1, SMALL), gathered(flat, position.size, 2, SMALL)
        for y in range(position.size):
            bits = suspects(black, y)
            for x in range(position.size):
                assert (bits >> x & 1 == 0) == harmless(black_lanes(black, x, y))
            suspect_count += bits.bit_count()
        s = start(size=position.size)._replace(mine=black, theirs=white, placed=len(position.black | position.white))
        walked, a = [], next_action(s, -1)
        while a >= 0:
            walked.append(a)
            a = next_action(s, a)
        assert list(actions(s)) == walked
        forbidden_count += int((flat == 0).sum()) - len(walked)
    assert forbidden_count > 300 and suspect_count > 3000


def test_kernels_may_call_it() -> None:
    flat = np.array(position_with("6,7 8,7 7,6 7,8").flat, np.int8)
    assert count_forbidden(flat, 15) == 1


@kernel
def count_forbidden(flat, size):
    count = 0
    for cell in range(size * size):
        if flat[cell] == 0 and forbidden_kinds(flat, size, cell):
            count += 1
    return count


def test_a_full_board() -> None:
    """A full board has no points to judge."""
    out = np.ones(25, np.int8)
    judge_small(np.array([1, 2] * 12 + [1], np.int8), 5, out)
    assert not out.any()


# The command.


def rows_of(position: Position) -> list[str]:
    flat = "".join(".XO"[stone] for stone in position.flat)
    return [flat[i : i + position.size] for i in range(0, len(flat), position.size)]


def test_the_stream_answers_line_by_line(hansu: Run) -> None:
    generator = random.Random(6)
    positions = [hard_position(generator) for _ in range(40)]
    lines = [json.dumps({"board": rows_of(position)}) for position in positions]
    lines += [json.dumps({"moves": ["h8", "a1", "j8", "a3", "i9", "a5", "i7", "a7"]}), '{"moves": []}']
    for _ in range(2):  # the second process loads the compiled code from the cache
        done = hansu("forbidden", input="\n".join(lines))
        assert done.returncode == 0, done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(lines)
        assert answers[-2:] == [
            {"forbidden": [{"point": "i8", "kinds": ["double_three"]}], "fives": []},
            {"forbidden": [], "fives": []},
        ]
    for position, answer in zip(positions, answers, strict=False):
        size = position.size
        everywhere = {p: expected(position, p) for p in position.points}
        listed = {entry["point"]: set(entry["kinds"]) for entry in answer["forbidden"]}
        listed |= {point: {"five"} for point in answer["fives"]}
        for (x, y), kinds in everywhere.items():
            assert listed.get(f"{'abcdefghijklmnopqrst'[x]}{size - y}", set()) == kinds


def test_searches_of_a_second_process(hansu: Run) -> None:
    """Recursive code loaded from the cache has crashed before."""
    words = ("analyze", "renju", "h8 a1 j8 a3 i9 a5 i7 a7", "--player", "alphabeta:depth=1", "--json")
    first, second = (hansu(*words) for _ in range(2))
    assert first.returncode == 0 and second.returncode == 0, second.stderr
    moves = [[move["move"] for move in json.loads(done.stdout)["moves"]] for done in (first, second)]
    assert moves[0] == moves[1] and len(moves[0]) == 225 - 8 - 1 and "i8" not in moves[0]


def test_invalid_lines_are_answered_with_errors(hansu: Run) -> None:
    lines = [
        '{"moves": ["h8"]}', "", "not json", '{"board": ["....."]}', '{"moves": ["h8", "h8"]}', '{"moves": ["z9"]}',
        "[1]", "{}", '{"board": 3}', '{"board": [".....", "..Y..", ".....", ".....", "....."]}', '{"moves": []}',
    ]  # fmt: skip
    done = hansu("forbidden", input="\n".join(lines))
    assert done.returncode == 2
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, *[True] * 8, False]
    assert "line 3: not JSON" in done.stderr and "line 5: move 2: h8 is already taken" in done.stderr
    assert "row 2 contains 'Y'" in answers[8]["error"] and "Traceback" not in done.stderr


def test_one_position_is_drawn(hansu: Run) -> None:
    done = hansu("forbidden", "h8 a1 j8 a3 i9 a5 i7 a7")
    assert "i8: double three" in done.stdout and "X─33X" in done.stdout, done.stdout
    board = "/".join([".....", ".X.X.", "..X..", "X.XX.", "....."])
    assert json.loads(hansu("forbidden", board, "--json").stdout)["fives"] == []
    done = hansu("forbidden", "XXXX./OOOO./...../...../..... b")
    assert "black wins with five at e5" in done.stdout
    assert hansu("forbidden", "h8 h99").returncode == 2
    assert "19×19" in hansu("forbidden", "t1", "--size", "19").stderr
