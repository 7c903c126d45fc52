"""The games of examples/games: sound, and right where somebody else has counted or solved them.

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

SHELF = ROOT / "examples" / "games"
NAMES = sorted(file.stem for file in SHELF.glob("*.py"))
QUICK = {("othello", "compiled rules")}  # in every run of the tests; the others take long to compile


def shelved(name: str, **settings: int) -> Game:
    return registry.game(str(SHELF / f"{name}.py")).with_values(settings)


def value(game: Game, state: Any = None) -> float:
    """What a game is worth with best play, by trying everything and remembering it."""
    words = rules_of(game.state).words
    play, over, score, next_action, mover = (words[w] for w in ("play", "over", "score", "next_action", "mover"))
    known: dict[Any, float] = {}

    def worth(s: Any) -> float:
        if s not in known:
            if over(s):
                known[s] = score(s)
            else:
                side = 1 if mover(s) == 0 else -1
                best, a = -float("inf"), next_action(s, -1)
                while a >= 0 and best < game.score_range:
                    best = max(best, side * worth(play(s, a)))
                    a = next_action(s, a)
                known[s] = side * best
        return known[s]

    return worth(game.first.state if state is None else state)


def test_the_shelf_is_full() -> None:
    assert NAMES == ["breakthrough", "dots_and_boxes", "hex", "hexapawn", "kalah", "nim", "nine_mens_morris", "othello",
                     "pig", "twenty48"]  # fmt: skip
    for name in NAMES:
        game = shelved(name)
        assert game.name == name and game.look and game.touch and game.plane_shape and game.title.translations["ko"]
        lines = len((SHELF / f"{name}.py").read_text(encoding="utf-8").splitlines())
        assert 80 <= lines <= 200, (name, lines)


def test_the_browser_offers_them() -> None:
    told = Catalogue([shelved(name) for name in NAMES]).described()["games"]
    assert [game["name"] for game in told] == NAMES and all(game["title"]["ko"] for game in told)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("check", PLAIN)
def test_sound(name: str, check: str) -> None:
    PLAIN[check](shelved(name))


@pytest.mark.parametrize(
    ("name", "check"),
    [
        pytest.param(*pair, marks=[] if pair in QUICK else [pytest.mark.long])
        for pair in itertools.product(NAMES, COMPILED)
    ],
)
def test_compiled(name: str, check: str) -> None:
    COMPILED[check](shelved(name))


@pytest.mark.parametrize(
    ("name", "settings"),
    [("breakthrough", {"width": 3, "height": 5}), ("dots_and_boxes", {"rows": 2, "columns": 4}), ("hex", {"size": 7}),
     ("hex", {"size": 11}),
     ("kalah", {"houses": 3, "seeds": 5}), ("nim", {"misere": True}), ("pig", {"goal": 10}), ("twenty48", {"size": 3})],
)  # fmt: skip
def test_other_sizes_are_sound(name: str, settings: dict[str, int]) -> None:
    for check in PLAIN.values():
        check(shelved(name, **settings))


def test_othello_has_the_published_counts() -> None:
    first = shelved("othello").first.state
    assert [perft(first, n) for n in range(1, 7)] == [4, 12, 56, 244, 1396, 8200]


def test_othello_passes_and_ends() -> None:
    game = shelved("othello")
    assert game.position("f5 d6 c5 f4 e3 c6").actions  # the tiger, a well-known opening
    wiped = game.position("e6 f4 e3 f6 g5 d6 e7 f5 c5")  # nine moves that leave white without a disc
    assert wiped.over and wiped.score == 1 and not any(wiped.state.second)


def test_hexapawn_is_won_by_the_second_player() -> None:
    assert value(shelved("hexapawn")) == -1
    assert [perft(shelved("hexapawn").first.state, n) for n in (1, 2)] == [3, 10]  # by hand


@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_boutons(misere: bool) -> None:
    for heaps in itertools.combinations_with_replacement(range(5), 4):
        game = shelved("nim", **dict(zip("abcd", heaps, strict=True)), misere=misere)
        loses = reduce(xor, heaps) == 0
        if misere and max(heaps) <= 1:
            loses = not loses
        assert value(game) == (-1 if loses else 1), heaps


def test_hex_is_won_by_the_first_player() -> None:
    assert [value(shelved("hex", size=size)) for size in (2, 3)] == [1, 1]
    for seed in range(20):  # and a full board has exactly one winner
        position = shelved("hex", size=4).random_position(40, seed)
        assert position.over and len(position.history) <= 16


def test_hex_of_eleven_by_eleven() -> None:
    """As people play it, in two words: whoever has won has a chain, which a search over neighbours finds, too."""
    game = shelved("hex", size=11)
    for seed in range(8):
        last, chance = game.first, random.Random(seed)
        while not last.over:
            last = last.play_random(chance)
        for at in (last, last.back()):
            for down, stones in ((True, at.state.first), (False, at.state.second)):
                cells = {divmod(i, 11)[:: 1 if down else -1] for i in range(121) if int(stones) >> i & 1}
                reached, waiting = set(), [cell for cell in cells if cell[0] == 0]
                while waiting:
                    row, column = waiting.pop()
                    if (row, column) in cells - reached:
                        reached.add((row, column))
                        waiting += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
                        waiting += [(row - 1, column + 1), (row + 1, column - 1)]
                joined = any(row == 10 for row, _ in reached)
                assert joined == (at.over and (at.score == 1) == down)


def test_breakthrough_of_four_by_four() -> None:
    assert value(shelved("breakthrough", width=4, height=4, rows=1)) == 1
    assert value(shelved("breakthrough", width=4, height=4, rows=2)) == -1


def test_breakthrough_counts() -> None:
    """Against the plainest rules on a grid of letters."""

    def count(rows: tuple[str, ...], depth: int) -> int:
        if depth == 0:
            return 1
        if "o" in rows[0] or not any("x" in row for row in rows):
            return 0  # the mover, x, moves to larger rows; the other has arrived or taken all
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
    first = shelved("breakthrough", width=4, height=5).first.state
    assert [perft(first, n) for n in (1, 2, 3, 4, 5)] == [count(rows, n) for n in (1, 2, 3, 4, 5)]
    assert perft(shelved("breakthrough").first.state, 2) == 22 * 22


def test_dots_and_boxes_of_small_boards() -> None:
    assert value(shelved("dots_and_boxes", rows=1, columns=1)) == -1  # whoever draws the third side loses the box
    assert value(shelved("dots_and_boxes", rows=2, columns=2)) == 2  # the first player wins, three boxes to one


def test_kalah_has_the_published_values() -> None:
    solved = {1: "DLWLWD", 2: "WLLL", 3: "DW", 4: "W"}  # by houses, then seeds from 1 on
    for houses, results in solved.items():
        for seeds, result in enumerate(results, 1):
            worth = value(shelved("kalah", houses=houses, seeds=seeds))
            assert "DWL"[(worth > 0) + 2 * (worth < 0)] == result, (houses, seeds)


def test_kalah_sows_takes_and_moves_again() -> None:
    game = shelved("kalah")
    again = game.position("3")  # four seeds from the third house end in the store
    assert again.mover == 0 and again.play_move("1").mover == 1
    assert game.position("1 1").state.turn == 0 and sum(map(int, "4444440" * 2)) == 48


def test_nine_mens_morris_counts() -> None:
    """Nobody can close a mill within four plies. Of the fifth, 16 mills in 6 orders with any two of the other's men
    between them close one, and may then take either man: 5,140,800 positions where taking is part of the move."""
    game = shelved("nine_mens_morris")
    assert [perft(game.first.state, n) for n in (1, 2, 3)] == [24, 552, 12144]
    mills = 0
    for mill in itertools.combinations(range(24), 3):
        men = sum(1 << point for point in mill)
        after = generic.play(game.state(men & men - 1, 1 << 24 >> 1, 0, 4, 0, 0), (men & -men).bit_length() - 1)
        mills += after.taking
    lines = prod(range(20, 25))
    closing = mills * 6 * 21 * 20
    assert (mills, lines - closing + 2 * closing) == (16, 5_140_800)


def test_nine_mens_morris_takes_loose_men_first() -> None:
    game = shelved("nine_mens_morris")
    taking = game.position("a7 a1 d7 d1 g7")  # the top side is closed
    assert taking.mover == 0 and [taking.move_text(a) for a in taking.actions] == ["xd1", "xa1"]
    assert taking.play_move("xd1").mover == 1
    lost = game.state(0b111, 0b11 << 20, 1, 18, 0, 0)  # two men are too few
    assert generic.over(lost) and generic.score(lost) == 1


def test_piglet_has_the_published_chances() -> None:
    """Values by iteration over the rules; the chance that the mover wins is (1 + value) / 2 from the mover's side."""
    game = shelved("pig", goal=4, sides=2)  # a coin that counts 2: Piglet to 2
    start = game.first.state
    states, waiting = {start}, [start]
    while waiting:
        s = waiting.pop()
        if not generic.over(s):
            for a in generic.actions(s):
                after = generic.play(s, a)
                if after.pot <= 4 and after not in states:
                    states.add(after)
                    waiting.append(after)
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
    chances = {
        (first, second, pot): (1 + values[start._replace(first=2 * first, second=2 * second, pot=2 * pot)]) / 2
        for first, second, pot in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0))
    }
    assert chances == {
        (0, 0, 0): pytest.approx(4 / 7), (0, 0, 1): pytest.approx(5 / 7), (0, 1, 0): pytest.approx(2 / 5),
        (0, 1, 1): pytest.approx(3 / 5), (1, 0, 0): pytest.approx(4 / 5), (1, 1, 0): pytest.approx(2 / 3),
    }  # fmt: skip


def slide(cells: list[int]) -> list[int]:
    """2048 by the book, on a list of powers."""
    kept, made = [cell for cell in cells if cell], []
    while kept:
        cell = kept.pop(0)
        made.append(cell + 1 if kept[:1] == [cell] and kept.pop(0) else cell)
    return made + [0] * (len(cells) - len(made))


def test_twenty48_slides_by_the_book() -> None:
    game = shelved("twenty48")
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
    """The largest tile of n cells is 2 to the power n + 1; all 4-cell boards are looked at."""
    game = shelved("twenty48", size=2)
    seen, waiting, largest = set(), [game.first.state._replace(points=0)], 0
    while waiting:
        s = waiting.pop()
        if s in seen:
            continue
        seen.add(s)
        largest = max(largest, *(s.rows[r] >> 4 * c & 15 for r in range(2) for c in range(2)))
        if not generic.over(s):
            waiting += [generic.play(s, a)._replace(points=0) for a in generic.actions(s)]
    assert 1 << largest == 32
