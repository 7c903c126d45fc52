"""Patterns, the incremental board, threats, VCF and VCT, against oracles that share no code with the engine."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from support.renju_boards import Stones, both_sides, cells, crowd, searcher, stones_at
from support.renju_oracle import Oracle
from support.renju_positions import hard_position
from support.vcf_oracle import Board, cells_of

from hansu.core import registry
from hansu.games.renju.engine import patterns as pt
from hansu.games.renju.engine.board import (
    ALONG_SIZE,
    LARGEST,
    STEPS,
    WINDOW,
    along,
    clear,
    lift,
    place,
    point_of,
    remove,
)
from hansu.games.renju.engine.threats import find_defence_zone
from hansu.games.renju.forbidden import FIVE, judge_board
from hansu.games.renju.notation import cell_text
from hansu.games.renju.state import BLACK, RULES, WHITE
from hansu.games.renju.tactics import Tactics

PUZZLES = Path(__file__).parents[2] / "data" / "renju_vcf.jsonl"


@cache
def tactics(rule: str, black: str, white: str = "", side: int = BLACK) -> Tactics:
    return Tactics(stones_at(black, white), side, searcher(rule))


def names(found: list[int] | tuple[int, ...]) -> str:
    return " ".join(cell_text(cell, 15) for cell in found)


# Patterns.


def line_class(rule: str, black: bool, line: tuple[int, ...], known: dict[tuple[int, ...], int]) -> int:
    """The class of the stone in the middle of eleven cells (0 empty, 1 own, 2 blocked), by trying every cell."""
    if line not in known:
        restricted = rule == "renju" and black
        left, right = line[4::-1], line[6:]
        row = 1 + sum(next((i for i in range(5) if part[i] != 1), 5) for part in (left, right))
        after = [
            line_class(rule, black, (*line[:i], 1, *line[i + 1 :]), known)
            for i in range(11)
            if row < 5 and line[i] == 0
        ]
        fives, open_fours = after.count(pt.FIVE), after.count(pt.OPEN_FOUR)
        threes = after.count(pt.THREE_1) + after.count(pt.THREE_2)
        if row == 5 or (row > 5 and not restricted and rule != "standard"):
            made = pt.FIVE
        elif row > 5:
            made = pt.OVERLINE if restricted else pt.DEAD
        elif fives >= 2:
            made = pt.OPEN_FOUR if row == 4 or not restricted else pt.TWO_FOURS
        elif fives:
            made = pt.FOUR
        elif open_fours:
            made = pt.THREE_2 if open_fours > 1 else pt.THREE_1
        elif pt.FOUR in after or pt.TWO_FOURS in after:
            made = pt.HALF_THREE
        elif threes:
            made = {1: pt.TWO_1, 2: pt.TWO_1, 3: pt.TWO_2}.get(threes, pt.TWO_3)
        else:
            two = (pt.TWO_1, pt.TWO_2, pt.TWO_3)
            rules = ((pt.HALF_TWO, (pt.HALF_THREE,)), (pt.ONE, two), (pt.HALF_ONE, (pt.HALF_TWO,)))
            made = next((c for c, parents in rules if any(x in parents for x in after)), pt.DEAD)
        known[line] = made
    return known[line]


@pytest.mark.parametrize(("rule", "black"), [("renju", True), ("standard", True), ("freestyle", False)])
def test_the_classes_of_lines(rule: str, black: bool) -> None:
    table = pt.classes(rule, black)
    known: dict[tuple[int, ...], int] = {}
    for code in random.Random(1).sample(range(pt.CODES), 6000):
        digits = [code // 3**i % 3 for i in range(pt.DIGITS)]
        assert table[code] == line_class(rule, black, (*digits[:5], 1, *digits[5:]), known), digits
    assert len(set(known.values())) == (pt.CLASSES if rule == "renju" else pt.CLASSES - 2)


def test_only_black_in_renju_is_restricted() -> None:
    assert np.array_equal(pt.classes("renju", False), pt.classes("freestyle", False))
    for rule in ("standard", "freestyle"):
        assert np.array_equal(pt.classes(rule, True), pt.classes(rule, False))


def test_enemy_stones_never_raise_a_class() -> None:
    """The search for defences depends on it: a point where black may make an open four stays one unless a defence
    touches it."""
    ranking = list(range(pt.CLASSES))
    ranking[pt.OVERLINE], ranking[pt.TWO_FOURS] = pt.FIVE, pt.OPEN_FOUR
    ranks, codes, threes = np.array(ranking), np.arange(pt.CODES), (pt.THREE_1, pt.THREE_2)
    table = pt.classes("renju", True)
    for place_of in range(pt.DIGITS):
        free = codes[codes // 3**place_of % 3 == 0]
        before, after = table[free], table[free + 2 * 3**place_of]
        assert (ranks[after] <= ranks[before]).all()
        assert np.isin(before[np.isin(after, threes)], threes).all()


# The incremental board.


def every_byte(memory: np.void) -> dict[str, bytes]:
    names = ("count", "hash", "totals", "rows", "stones", "codes", "pairs", "free", "kinds")
    return {name: memory[name].tobytes() for name in names}


def picture(memory: np.void) -> dict[str, bytes]:
    """The same, but only the kinds of empty points; those of taken points are outdated."""
    return every_byte(memory) | {"kinds": memory["kinds"][:, memory["stones"] == 0].tobytes()}


def test_points_of_a_line_are_adjacent() -> None:
    inside = np.array([point_of(cell, LARGEST) for cell in range(LARGEST**2)])
    for d, step in enumerate(STEPS):
        here, lines = along.plain(d, inside), inside[:, None] + np.arange(-pt.REACH, pt.REACH + 1) * step
        assert (along.plain(d, lines) == here[:, None] + np.arange(-pt.REACH, pt.REACH + 1)).all()
        seen: dict[int, set[int]] = {}
        for place_of, point in zip(along.plain(d, lines).ravel().tolist(), lines.ravel().tolist(), strict=True):
            seen.setdefault(place_of, set()).add(point)
        assert all(len(points) == 1 for points in seen.values()) and max(seen) + WINDOW - pt.REACH <= ALONG_SIZE


@pytest.mark.parametrize("restricted", [True, False])
def test_kinds_depend_on_urgent_classes_only(restricted: bool) -> None:
    keys = np.arange(1 << 16)
    lines = keys[:, None] >> 4 * np.arange(4) & 15
    urgent = (np.where(lines >= pt.THREE_1, lines, 0) << 4 * np.arange(4)).sum(axis=1)
    kinds = pt.key_kinds(restricted)
    assert np.array_equal(kinds, kinds[urgent]) and set(kinds[urgent == 0]) == {pt.K_QUIET}
    line_classes = pt.FOUR, pt.THREE_2, pt.TWO_1, pt.DEAD
    shuffled = {int(kinds[sum(c << 4 * d for d, c in enumerate(order))]) for order in permutations(line_classes)}
    assert shuffled == {pt.K_FOUR_THREE}
    two_threes = kinds[pt.THREE_1 | pt.THREE_2 << 8]
    assert two_threes == (pt.K_RISKY if restricted else pt.K_THREES)
    assert kinds[pt.FOUR | pt.OPEN_FOUR << 4] == (pt.K_FORBIDDEN if restricted else pt.K_OPEN_FOUR)
    assert kinds[pt.FIVE << 12 | pt.FOUR | pt.FOUR << 4] == pt.K_FIVE


@pytest.mark.parametrize(("rule", "size"), [("renju", 15), ("standard", 5), ("freestyle", 20)])
def test_the_board_is_updated_incrementally(rule: str, size: int) -> None:
    generator = random.Random(size)
    memory = searcher(rule, size).memory
    for _ in range(6):
        clear(memory)
        stones = [
            (cell, generator.randrange(2))
            for cell in generator.sample(range(size**2), generator.randint(1, size**2 - 1))
        ]
        before: list[dict[str, bytes]] = []
        for cell, colour in stones:
            before.append(every_byte(memory))
            place(memory, point_of(cell, size), colour)
        complete = picture(memory)
        for cell, _ in reversed(stones):
            lift(memory, point_of(cell, size))
            assert every_byte(memory) == before.pop()
        for cell, colour in generator.sample(
            stones, len(stones)
        ):  # in another order, with stones placed and lifted in between
            others = [c for c in range(size**2) if memory["stones"][point_of(c, size)] == 0 and c != cell]
            if others and generator.random() < 0.3:
                point = point_of(generator.choice(others), size)
                place(memory, point, 1 - colour)
                lift(memory, point)
            place(memory, point_of(cell, size), colour)
        assert picture(memory) == complete
        left = stones[: len(stones) // 3]
        for cell, _ in generator.sample(stones[len(left) :], len(stones) - len(left)):  # any stone can be removed
            remove(memory, point_of(cell, size))
        less = picture(memory)
        clear(memory)
        for cell, colour in left:
            place(memory, point_of(cell, size), colour)
        assert picture(memory) == less
        assert [int(total) for total in memory["totals"].sum(axis=1)] == [size**2 - len(left)] * 2
    clear(memory)


def test_forbidden_points_match_the_rules() -> None:
    """The incremental board against forbidden.py, which is itself tested against a literal oracle."""
    generator = random.Random(5)
    checked = forbidden_count = 0
    for _ in range(350):
        position = hard_position(generator)
        size, flat = position.size, np.array(position.flat, np.int8)
        kinds = np.zeros(size * size, np.int8)
        judge_board(flat, size, kinds)
        engine = searcher("renju", size)
        engine.set_board([(cell, int(flat[cell]) - 1) for cell in np.flatnonzero(flat)])
        for cell in np.flatnonzero(flat == 0):
            expected = bool(kinds[cell]) and kinds[cell] != FIVE
            assert engine.legal(int(cell), BLACK) != expected, (position.flat, int(cell))
            checked, forbidden_count = checked + 1, forbidden_count + expected
    assert checked > 20_000 and forbidden_count > 1_000


def test_threes_match_the_rules() -> None:
    generator = random.Random(6)
    counts = [0] * 4
    for _ in range(80):
        position = hard_position(generator, 4)
        oracle, size = Oracle(position.size, frozenset(position.white)), position.size
        engine = searcher("renju", size)
        flat = position.flat
        engine.set_board([(cell, flat[cell] - 1) for cell in range(size * size) if flat[cell]])
        for x, y in position.points:
            if not oracle.five(frozenset(position.black), (x, y)):
                expected = len(oracle.threes(frozenset(position.black), (x, y)))
                assert engine.threes(y * size + x, BLACK) == expected, (flat, x, y)
                counts[min(expected, 3)] += 1
    assert min(counts[:3]) > 10


# Tactics by hand.


@pytest.mark.parametrize("rule", RULES)
def test_what_a_stone_makes(rule: str) -> None:
    three = tactics(rule, "g8 h8 i8")
    assert names(three.open_fours(BLACK)) == "f8 j8" and names(three.fours(BLACK)) == "e8 f8 j8 k8"
    assert three.fives(BLACK) == [] and three.open_fours(WHITE) == [] and three.double_fours(BLACK) == []
    assert names(tactics(rule, "h8 i8").threes(BLACK)) == "f8 g8 j8 k8"
    assert names(tactics(rule, "g8 h8 i8 j8", "f8").fives(BLACK)) == "k8"
    assert names(tactics(rule, "", "g8 h8 i8 j8").fives(WHITE)) == "f8 k8"
    six = tactics(rule, "e8 f8 g8 i8 j8", "e7 f7 g7 i7 j7")
    assert names(six.fives(BLACK)) == ("h8" if rule == "freestyle" else "")
    assert names(six.fives(WHITE)) == ("" if rule == "standard" else "h7")


@pytest.mark.parametrize("rule", RULES)
def test_four_three_and_four_four(rule: str) -> None:
    four_three = tactics(rule, "h8 i8 j8 k9 k10", "g8")
    assert names(four_three.four_threes(BLACK)) == "k8" and four_three.double_fours(BLACK) == []
    four_four = "h8 i8 j8 k9 k10 k11", "g8 k12"
    assert names(tactics(rule, *four_four).double_fours(BLACK)) == ("" if rule == "renju" else "k8")
    assert names(tactics(rule, *reversed(four_four)).double_fours(WHITE)) == "k8"
    # The point that would extend the three downwards makes six; white has the other end.
    false_three = "h8 i8 j8 k9 k10 i11 j11 l11 m11 n11", "g8 k6"
    assert (cells("k8")[0] in tactics(rule, *false_three).four_threes(BLACK)) == (rule != "renju")


def test_forced_moves_in_order() -> None:
    five, stop = ("a1 b1 c1 d1", "e1"), ("a3 b3 c3 d3", "e3")
    open_four, four_four, four_three = "g8 h8 i8", "m2 m3 m4 l5 k5 j5", "b10 c10 d10 e11 e12"
    blocks = "m1 i5 a10"
    for missing, expected in enumerate([("e1", "five"), ("e3", "stops five"), ("f8", "open four"), ("m5", "four-four"),
                                      ("e10", "four-three")]):  # fmt: skip
        black = [five[0], "", open_four, four_four, four_three][missing:]
        white = blocks + " " + (stop[0] if missing <= 1 else "")
        found = tactics("freestyle", " ".join(black), white).forced_move()
        assert found is not None and (cell_text(found[0], 15), found[1]) == expected
    assert tactics("freestyle", "h8 i9", "g7 h9").forced_move() is None
    # In Renju a double four is forbidden, so the four-three remains.
    found = tactics("renju", f"{four_four} {four_three}", blocks).forced_move()
    assert found is not None and (cell_text(found[0], 15), found[1]) == ("e10", "four-three")
    # A forbidden point cannot stop a five.
    forbidden_block = tactics("renju", "k9 k10 l9 m10 f8", "g8 h8 i8 j8")
    assert forbidden_block.fives(WHITE) == cells("k8") and forbidden_block.forced_move() is None


def test_an_open_three_must_be_answered() -> None:
    assert names(tactics("renju", "a1 c2 e1", "g8 h8 i8").open_four_threats()) == "f8 j8"
    assert tactics("renju", "a1 c2 f8", "g8 h8 i8").open_four_threats() == []


# Wins by fours.


def test_black_must_answer_on_a_forbidden_point() -> None:
    """White's j8 must be answered at k8, a double three for black."""
    position = "f8 k9 k10 l9 m10", "g8 h8 i8"
    assert names(tactics("renju", *position, WHITE).win_by_fours(WHITE)) == "j8"
    assert tactics("standard", *position, WHITE).win_by_fours(WHITE) == ()
    assert tactics("freestyle", *position, WHITE).win_by_fours(WHITE) == ()


def test_black_may_not_win_with_a_double_four() -> None:
    position = "h8 i8 j8 k9 k10 k11", "g8 k12"
    assert tactics("renju", *position).win_by_fours(BLACK) == ()
    assert names(tactics("standard", *position).win_by_fours(BLACK)) == "k8"


def puzzles() -> list[dict]:
    return [json.loads(line) for line in PUZZLES.read_text().splitlines()]


def stones_of_text(board: str, size: int) -> Stones:
    flat = re.sub("[0-9]+", lambda digits: "." * int(digits[0]), board).replace("/", "")
    assert len(flat) == size * size
    return [(cell, "XO".index(stone)) for cell, stone in enumerate(flat) if stone != "."]


def test_every_puzzle_is_solved() -> None:
    all_puzzles = puzzles()
    assert len(all_puzzles) >= 100 and {(p["rule"], p["side"]) for p in all_puzzles} == {
        (r, s) for r in RULES for s in range(2)
    }
    assert sum(11 <= p["plies"] <= 21 for p in all_puzzles) >= 50
    for puzzle in all_puzzles:
        board = Board(puzzle["rule"], puzzle["size"])
        stones, side = stones_of_text(puzzle["board"], puzzle["size"]), puzzle["side"]
        sides = both_sides(stones, side)
        reference = cells(" ".join(puzzle["line"]))
        assert board.line_wins(*sides, side, reference) and board.plies(*sides, side, reference) == puzzle["plies"]
        found = Tactics(stones, side, searcher(puzzle["rule"])).win_by_fours(side)
        assert board.line_wins(*sides, side, found), puzzle
        assert board.plies(*sides, side, found) >= puzzle["plies"]


@pytest.mark.parametrize("rule", RULES)
def test_wins_by_fours_are_found(rule: str) -> None:
    generator = random.Random(4)
    board = Board(rule, 15)
    won = lost = 0
    while min(won, lost) < 12:
        stones, side = crowd(generator), generator.randrange(2)
        sides = both_sides(stones, side)
        line = board.win_by_fours(*sides, side, 61, 400)
        if line is None and board.nodes >= 400:
            continue
        found = Tactics(stones, side, searcher(rule)).win_by_fours(side)
        assert bool(found) == (line is not None), (stones, side)
        assert not found or board.line_wins(*sides, side, found)
        won, lost = won + bool(found), lost + (not found)


def check_zone(stones: Stones, side: int, rule: str, cells_tried: int, generator: random.Random) -> int:
    """Check that the line, or a beginning of it, still wins after any defender's stone outside the zone. (A beginning
    wins if an answer has become forbidden.) Returns the number of points checked; 0 if the zone is not certain."""
    engine, board = searcher(rule), Board(rule, 15)
    line = Tactics(stones, side, engine).win_by_fours(side)
    memory = engine.memory
    assert line and engine.actions(memory["threat_line"]) == line
    before = picture(memory)
    certain = find_defence_zone(memory, side, 0)
    assert picture(memory) == before
    if not certain:
        return 0
    taken = {cell for cell, _ in stones}
    zone = {cell for cell in range(225) if memory["zone"][0][point_of(cell, 15) >> 5] >> (point_of(cell, 15) & 31) & 1}
    assert zone.issuperset(line)
    mine, theirs = both_sides(stones, side)
    outside = sorted(set(range(225)) - taken - zone)
    tried = generator.sample(outside, min(cells_tried, len(outside)))
    for cell in tried:
        beginnings = (line[:n] for n in range(len(line), 0, -2))
        won = any(board.line_wins(mine, theirs | 1 << cell, side, beginning) for beginning in beginnings)
        assert won, (rule, stones, side, cell_text(cell, 15))
    return len(tried)


def test_points_outside_the_zone_defend_nothing() -> None:
    generator, found = random.Random(6), Counter[tuple[str, int]]()
    for puzzle in puzzles():
        stones = stones_of_text(puzzle["board"], puzzle["size"])
        if puzzle["size"] == 15:
            found[puzzle["rule"], puzzle["side"]] += check_zone(stones, puzzle["side"], puzzle["rule"], 8, generator)
    assert len(found) == 6 and min(found.values()) > 50


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
def test_points_outside_many_zones_defend_nothing(rule: str) -> None:
    generator, points, boards = random.Random(7), 0, 0
    while boards < 400:
        stones, side = crowd(generator), generator.randrange(2)
        if Tactics(stones, side, searcher(rule)).win_by_fours(side):
            found = check_zone(stones, side, rule, 225, generator)
            points, boards = points + found, boards + (found > 0)
    assert points > 20_000


# Wins by threes.


@pytest.mark.parametrize("rule", RULES)
def test_wins_by_threats_hold_against_every_defence(rule: str) -> None:
    generator = random.Random(8)
    board = Board(rule, 15)
    engine = searcher(rule)
    checked = 0
    while checked < 2:
        stones, side = crowd(generator), generator.randrange(2)

        def plan(mine: int, theirs: int, side: int = side) -> int | None:
            stones = [(c, side) for c in cells_of(mine)] + [(c, 1 - side) for c in cells_of(theirs)]
            line = Tactics(stones, side, engine).win_by_threats(side, 20_000)
            return line[0] if line else None

        here = Tactics(stones, side, engine)
        if here.win_by_fours(side) or not 3 <= len(here.win_by_threats(side, 20_000)) <= 5:
            continue
        assert board.plan_wins(*both_sides(stones, side), side, plan, 12), (stones, side)
        checked += 1


def test_no_win_by_threats_on_quiet_boards() -> None:
    assert tactics("renju", "h8", "i9").win_by_threats(BLACK, 20_000) == ()
    assert tactics("renju", "h8 h9", "i9").win_by_threats(WHITE, 20_000) == ()


def test_tactics_of_a_position() -> None:
    at = registry.game("renju").position("h8 h9 i8 i9 g8")
    found = Tactics.of(at)
    assert found.side == WHITE and names(found.open_four_threats()) == "f8 j8" and len(found.stones) == 5
