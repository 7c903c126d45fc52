"""The games of examples/games: conformance, and results that others have published.

Sources: Othello's perft is published with many engines (4, 12, 56, 244, 1396, 8200, 55092); Gardner on Hexapawn
(Scientific American, March 1962); Bouton on Nim (1901); Nash on Hex; Breakthrough of 4 by 4 was solved in the forum of
Little Golem (November 2006); Irving, Donkers and Uiterwijk, Solving Kalah (ICGA Journal 23/3, 2000); Winning Ways on
Dots and Boxes of 2 by 2; Neller and Presser on Piglet (UMAP Journal 25, 2004).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import reduce
from math import prod
from operator import xor
from typing import Any

import pytest
from support.commands import ROOT

from hansu.core import CHANCE, Game, generic, registry
from hansu.core.generic import rules_of
from hansu.search.conformance.checkup import COMPILED, PLAIN
from hansu.search.perft import perft
from hansu.ui.web.catalogue import Catalogue

FOLDER = ROOT / "examples" / "games"
NAMES = sorted(file.stem for file in FOLDER.glob("*.py"))
QUICK = {("othello", "compiled rules")}  # the others take long to compile


def example(name: str, **settings: int) -> Game:
    return registry.game(str(FOLDER / f"{name}.py")).with_values(settings)


def value(game: Game, state: Any = None) -> float:
    """The value of a game with best play, by exhaustive search with a cache."""
    words = rules_of(game.state).words
    play, over, score, next_action, mover = (words[w] for w in ("play", "over", "score", "next_action", "mover"))
    cache: dict[Any, float] = {}

    def value_of(s: Any) -> float:
        if s not in cache:
            if over(s):
                cache[s] = score(s)
            else:
                side = 1 if mover(s) == 0 else -1
                best, a = -float("inf"), next_action(s, -1)
                while a >= 0 and best < game.score_range:
                    best = max(best, side * value_of(play(s, a)))
                    a = next_action(s, a)
                cache[s] = side * best
        return cache[s]

    return value_of(game.first.state if state is None else state)


def test_the_examples_are_complete() -> None:
    assert NAMES == ["breakthrough", "dots_and_boxes", "hex", "hexapawn", "kalah", "nim", "nine_mens_morris", "othello",
                     "pig", "twenty48"]  # fmt: skip
    for name in NAMES:
        game = example(name)
        assert game.name == name and game.look and game.touch and game.plane_shape and game.title.translations["ko"]
        lines = len((FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines())
        assert 80 <= lines <= 200, (name, lines)


def test_the_browser_lists_them() -> None:
    games = Catalogue([example(name) for name in NAMES]).described()["games"]
    assert [game["name"] for game in games] == NAMES and all(game["title"]["ko"] for game in games)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("check", PLAIN)
def test_conformance(name: str, check: str) -> None:
    PLAIN[check](example(name))


@pytest.mark.parametrize(
    ("name", "check"),
    [
        pytest.param(*pair, marks=[] if pair in QUICK else [pytest.mark.long])
        for pair in itertools.product(NAMES, COMPILED)
    ],
)
def test_compiled(name: str, check: str) -> None:
    COMPILED[check](example(name))


@pytest.mark.parametrize(
    ("name", "settings"),
    [("breakthrough", {"width": 3, "height": 5}), ("dots_and_boxes", {"rows": 2, "columns": 4}), ("hex", {"size": 7}),
     ("hex", {"size": 11}),
     ("kalah", {"houses": 3, "seeds": 5}), ("nim", {"misere": True}), ("pig", {"goal": 10}), ("twenty48", {"size": 3})],
)  # fmt: skip
def test_conformance_of_other_sizes(name: str, settings: dict[str, int]) -> None:
    for check in PLAIN.values():
        check(example(name, **settings))


def test_othello_has_the_published_counts() -> None:
    first = example("othello").first.state
    assert [perft(first, n) for n in range(1, 7)] == [4, 12, 56, 244, 1396, 8200]


def test_othello_passes_and_ends() -> None:
    game = example("othello")
    assert game.position("f5 d6 c5 f4 e3 c6").actions  # the Tiger opening
    wipeout = game.position("e6 f4 e3 f6 g5 d6 e7 f5 c5")  # nine moves that leave white without a disc
    assert wipeout.over and wipeout.score == 1 and not any(wipeout.state.second)


def test_the_second_player_wins_hexapawn() -> None:
    assert value(example("hexapawn")) == -1
    assert [perft(example("hexapawn").first.state, n) for n in (1, 2)] == [3, 10]  # by hand


@pytest.mark.parametrize("misere", [False, True])
def test_nim_follows_bouton(misere: bool) -> None:
    for heaps in itertools.combinations_with_replacement(range(5), 4):
        game = example("nim", **dict(zip("abcd", heaps, strict=True)), misere=misere)
        loses = reduce(xor, heaps) == 0
        if misere and max(heaps) <= 1:
            loses = not loses
        assert value(game) == (-1 if loses else 1), heaps


def test_the_first_player_wins_hex() -> None:
    assert [value(example("hex", size=size)) for size in (2, 3)] == [1, 1]
    for seed in range(20):  # and a full board has exactly one winner
        position = example("hex", size=4).random_position(40, seed)
        assert position.over and len(position.history) <= 16


def test_hex_of_eleven_by_eleven() -> None:
    """On a board of two words, the winner has a chain, which a search over neighbours finds, too."""
    game = example("hex", size=11)
    for seed in range(8):
        last, rng = game.first, random.Random(seed)
        while not last.over:
            last = last.play_random(rng)
        for at in (last, last.back()):
            for down, stones in ((True, at.state.first), (False, at.state.second)):
                cells = {divmod(i, 11)[:: 1 if down else -1] for i in range(121) if int(stones) >> i & 1}
                reached, stack = set(), [cell for cell in cells if cell[0] == 0]
                while stack:
                    row, column = stack.pop()
                    if (row, column) in cells - reached:
                        reached.add((row, column))
                        stack += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
                        stack += [(row - 1, column + 1), (row + 1, column - 1)]
                joined = any(row == 10 for row, _ in reached)
                assert joined == (at.over and (at.score == 1) == down)


def test_breakthrough_of_four_by_four() -> None:
    assert value(example("breakthrough", width=4, height=4, rows=1)) == 1
    assert value(example("breakthrough", width=4, height=4, rows=2)) == -1


def test_breakthrough_counts() -> None:
    """Against simple rules on a grid of letters."""

    def count(rows: tuple[str, ...], depth: int) -> int:
        if depth == 0:
            return 1
        if "o" in rows[0] or not any("x" in row for row in rows):
            return 0  # the mover, x, moves to larger rows; the opponent has arrived or captured all
        total = 0
        for r, row in enumerate(rows[:-1]):
            for c, piece in enumerate(row):
                for side in (-1, 0, 1) if piece == "x" else ():
                    if 0 <= c + side < len(row) and rows[r + 1][c + side] in (".o" if side else "."):
                        grid = [list(each) for each in rows]
                        grid[r][c], grid[r + 1][c + side] = ".", "x"
                        swapped = ("".join(each).translate(str.maketrans("xo", "ox")) for each in grid[::-1])
                        total += count(tuple(swapped), depth - 1)
        return total

    rows = ("xxxx", "xxxx", "....", "oooo", "oooo")
    first = example("breakthrough", width=4, height=5).first.state
    assert [perft(first, n) for n in (1, 2, 3, 4, 5)] == [count(rows, n) for n in (1, 2, 3, 4, 5)]
    assert perft(example("breakthrough").first.state, 2) == 22 * 22


def test_dots_and_boxes_of_small_boards() -> None:
    assert value(example("dots_and_boxes", rows=1, columns=1)) == -1  # drawing the third side loses the box
    assert value(example("dots_and_boxes", rows=2, columns=2)) == 2  # the first player wins, three boxes to one


def test_kalah_has_the_published_values() -> None:
    solved = {1: "DLWLWD", 2: "WLLL", 3: "DW", 4: "W"}  # by houses, then seeds from 1 on
    for houses, results in solved.items():
        for seeds, result in enumerate(results, 1):
            outcome = value(example("kalah", houses=houses, seeds=seeds))
            assert "DWL"[(outcome > 0) + 2 * (outcome < 0)] == result, (houses, seeds)


def test_kalah_moves_again_after_the_store() -> None:
    game = example("kalah")
    again = game.position("3")  # four seeds from the third house end in the store
    assert again.mover == 0 and again.play_move("1").mover == 1
    assert game.position("1 1").state.turn == 0 and sum(map(int, "4444440" * 2)) == 48


def test_nine_mens_morris_counts() -> None:
    """Nobody can close a mill within four plies. On the fifth ply, 16 mills in 6 orders, with any two men of the
    opponent in between, close one; the move may then take either man. That gives 5,140,800 lines if taking is part of
    the move."""
    game = example("nine_mens_morris")
    assert [perft(game.first.state, n) for n in (1, 2, 3)] == [24, 552, 12144]
    mills = 0
    for mill in itertools.combinations(range(24), 3):
        men = sum(1 << point for point in mill)
        after = generic.play(game.state(men & men - 1, 1 << 24 >> 1, 0, 4, 0, 0), (men & -men).bit_length() - 1)
        mills += after.taking
    lines = prod(range(20, 25))
    closing = mills * 6 * 21 * 20
    assert (mills, lines - closing + 2 * closing) == (16, 5_140_800)


def test_nine_mens_morris_takes_men_outside_mills_first() -> None:
    game = example("nine_mens_morris")
    taking = game.position("a7 a1 d7 d1 g7")  # the top side is closed
    assert taking.mover == 0 and [taking.move_text(a) for a in taking.actions] == ["xd1", "xa1"]
    assert taking.play_move("xd1").mover == 1
    lost = game.state(0b111, 0b11 << 20, 1, 18, 0, 0)  # two men are too few
    assert generic.over(lost) and generic.score(lost) == 1


def test_piglet_has_the_published_probabilities() -> None:
    """Value iteration over the rules. The probability that the mover wins is (1 + value) / 2, for the mover."""
    game = example("pig", goal=4, sides=2)  # a coin that counts 2: Piglet to 2
    start = game.first.state
    states, stack = {start}, [start]
    while stack:
        s = stack.pop()
        if not generic.over(s):
            for a in generic.actions(s):
                after = generic.play(s, a)
                if after.pot <= 4 and after not in states:
                    states.add(after)
                    stack.append(after)
    values = {s: float(generic.score(s)) if generic.over(s) else 0.0 for s in states}

    def improved(s: Any) -> float:
        if generic.over(s):
            return float(generic.score(s))
        after = [values.get(generic.play(s, a), 1.0 if s.turn == 0 else -1.0) for a in generic.actions(s)]
        if generic.mover(s) == CHANCE:
            return sum(after) / len(after)
        return (max if generic.team(s) == 0 else min)(after)

    for _ in range(200):
        values = {s: improved(s) for s in states}
    probabilities = {
        (first, second, pot): (1 + values[start._replace(first=2 * first, second=2 * second, pot=2 * pot)]) / 2
        for first, second, pot in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0))
    }
    assert probabilities == {
        (0, 0, 0): pytest.approx(4 / 7), (0, 0, 1): pytest.approx(5 / 7), (0, 1, 0): pytest.approx(2 / 5),
        (0, 1, 1): pytest.approx(3 / 5), (1, 0, 0): pytest.approx(4 / 5), (1, 1, 0): pytest.approx(2 / 3),
    }  # fmt: skip


def slide(cells: list[int]) -> list[int]:
    """A slide of 2048 on a list of exponents."""
    tiles, result = [cell for cell in cells if cell], []
    while tiles:
        cell = tiles.pop(0)
        result.append(cell + 1 if tiles[:1] == [cell] and tiles.pop(0) else cell)
    return result + [0] * (len(cells) - len(result))


def test_twenty48_slides() -> None:
    game = example("twenty48")
    to_grid: Callable[[Any], list[list[int]]] = lambda s: [[row >> 4 * c & 15 for c in range(4)] for row in s.rows]  # noqa: E731
    for seed in range(30):
        position = game.random_position(40, seed)
        for action in position.actions if position.mover == 0 else ():
            grid, after = to_grid(position.state), to_grid(position.play(action).state)
            if action in (0, 2):
                grid, after = [list(c) for c in zip(*grid, strict=True)], [list(c) for c in zip(*after, strict=True)]
            if action in (1, 2):
                assert after == [slide(lane[::-1])[::-1] for lane in grid]
            else:
                assert after == [slide(lane) for lane in grid]


def test_twenty48_of_two_by_two_ends_at_32() -> None:
    """The largest tile of n cells is 2 to the power n + 1. Visits all boards of 4 cells."""
    game = example("twenty48", size=2)
    seen, stack, largest = set(), [game.first.state._replace(points=0)], 0
    while stack:
        s = stack.pop()
        if s in seen:
            continue
        seen.add(s)
        largest = max(largest, *(s.rows[r] >> 4 * c & 15 for r in range(2) for c in range(2)))
        if not generic.over(s):
            stack += [generic.play(s, a)._replace(points=0) for a in generic.actions(s)]
    assert 1 << largest == 32
