"""The rules of renju, standard and freestyle gomoku, on boards of 5×5 to 20×20.

A cell is y * size + x, x from 0 at the left, y from 0 at the top. An action below size * size places a stone on that
cell; size * size is the pass; higher actions are the choices of opening rules.

    rule        black wins with     white wins with     black may not
    freestyle   five or more        five or more
    standard    exactly five        exactly five
    renju       exactly five        five or more        make an overline, a double four or a double three (forbidden.py)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansu.core import mix, next_bit, next_random, pick, rules, turned_cell
from hansu.core.generic import actions
from hansu.games.renju.evaluation import chances
from hansu.games.renju.forbidden import black_lanes, forbidden_in, harmless, suspects
from hansu.games.renju.openings import CHOICES, WithOffers, start, step_legal, stepped
from hansu.games.renju.state import (
    BLACK,
    HARMLESS_STONES,
    RENJU,
    STANDARD,
    WHITE,
    AnyRenju,
    Gomoku,
    LargeRenju,
    Renju,
    board,
    mover,
    place_of,
    row_of,
    rule_of,
    size_of,
    step_of,
    vacant,
)
from hansu.games.renju.stones import (
    LARGE,
    LARGEST_SMALL,
    SMALL,
    Words,
    exactly_five,
    five_or_more,
    four_of_five,
    has,
    row,
    with_stone,
)

__all__ = ["board", "near_the_middle", "start"]

TRIES = 1000  # random draws of a cell before black's legal cells are counted


def five(s: AnyRenju) -> bool:
    """Has the colour that moved last won?"""
    if not five_or_more(s.theirs):
        return False
    rule = rule_of(s)
    if rule == STANDARD or (rule == RENJU and s.turn & 1 == WHITE):
        return exactly_five(s.theirs)
    return True


def score(s: AnyRenju) -> int:
    """+1 if seat 0 has won, -1 if seat 1 has, else 0."""
    if not five(s):
        return 0
    return 1 if mover(s) else -1


def evaluate(s: AnyRenju) -> float:
    """Compares the fives that each side can still make; the mover's count more. 0 during an opening rule, while the
    seats have no fixed colours."""
    if step_of(s):
        return 0.0
    value = chances(s.mine, s.theirs, size_of(s)) - 0.8 * chances(s.theirs, s.mine, size_of(s))
    value = value / (abs(value) + 200.0)
    return -value if mover(s) else value


def random_cell(s: AnyRenju, seed: Any) -> int:
    """A random cell, taken or not."""
    size = size_of(s)
    number = next_random(seed) * size  # y in the upper bits; the remainder makes x
    return (number >> 31) * size + ((number & 0x7FFFFFFF) * size >> 31)


# Gomoku: any empty cell is legal until somebody has five or the board is full.


def over_anywhere(s: AnyRenju) -> bool:
    return s.placed >= 5 and (s.placed == size_of(s) * size_of(s) or five(s))


def legal_anywhere(s: AnyRenju, a: int) -> bool:
    return a >= 0 and a < size_of(s) * size_of(s) and vacant(s, a)


def next_anywhere(s: AnyRenju, after: int) -> int:
    size = size_of(s)
    y = row_of(s, after + 1)
    x = after - y * size  # -1 at the start of a row
    while y < size:
        x = next_bit(((1 << size) - 1) & ~(row(s.mine, y) | row(s.theirs, y)), x)
        if x >= 0:
            return y * size + x
        y += 1
    return -1


def random_anywhere(s: AnyRenju, seed: Any) -> int:
    while True:
        a = random_cell(s, seed)
        if vacant(s, a):
            return a


def play_anywhere(s: Gomoku, a: int) -> Gomoku:
    return Gomoku(s.theirs, with_stone(s.mine, place_of(s, a)), s.placed + 1, s.turn ^ 3, s.setup)


def may_end_anywhere(s: AnyRenju) -> bool:
    """Might the next move fill the board or make five?"""
    return s.placed + 1 >= size_of(s) * size_of(s) or four_of_five(s.mine)


def cell_count(s: AnyRenju) -> int:
    return size_of(s) * size_of(s)


# Renju adds forbidden moves, passes and the steps of opening rules.


def restricted(s: AnyRenju) -> bool:
    """May the mover have forbidden moves? (On a board that was set up all stones may be black.)"""
    return s.setup >> 5 & 3 == RENJU and s.turn & 1 == BLACK and s.placed > HARMLESS_STONES


def next_cell(s: AnyRenju, after: int) -> int:
    """The first cell above `after` where the mover may place a stone in ordinary play, or -1."""
    size = size_of(s)
    a = next_anywhere(s, after)
    if restricted(s):
        while a >= 0 and forbidden_in(s.mine, s.theirs, size, a - row_of(s, a) * size, row_of(s, a)):
            a = next_anywhere(s, a)
    return a


def over(s: AnyRenju) -> bool:
    if over_anywhere(s):
        return True
    return restricted(s) and s.setup >> 7 & 1 == 0 and next_cell(s, -1) < 0


def legal(s: WithOffers, a: int) -> bool:
    if step_of(s):
        return a >= 0 and step_legal(s, a)
    size = size_of(s)
    if a < 0 or a >= size * size:
        return a == size * size and restricted(s) and next_cell(s, -1) < 0
    if not vacant(s, a):
        return False
    return not (restricted(s) and forbidden_in(s.mine, s.theirs, size, a - row_of(s, a) * size, row_of(s, a)))


def next_action(s: WithOffers, after: int) -> int:
    """The next legal action: cells row by row, then choices. Black passes if no cell is legal."""
    size = size_of(s)
    if step_of(s):
        for a in range(after + 1, size * size + CHOICES):
            if step_legal(s, a):
                return a
        return -1
    if after >= size * size:
        return -1
    cell = next_cell(s, after)
    return size * size if cell < 0 and after < 0 else cell


def actions_of(s: WithOffers) -> Iterator[int]:
    """All legal actions, in the order of `next_action`. Points that may be forbidden are found a whole row at a
    time."""
    size = size_of(s)
    if step_of(s) or size > LARGEST_SMALL:
        a = next_action(s, -1)
        while a >= 0:
            yield a
            a = next_action(s, a)
    else:
        may_be_forbidden, none = restricted(s), True
        for y in range(size):
            free = ((1 << size) - 1) & ~(row(s.mine, y) | row(s.theirs, y))
            suspect = suspects(s.mine, y) & free if may_be_forbidden else 0
            x = next_bit(free, -1)
            while x >= 0:
                if suspect >> x & 1 == 0 or not forbidden_in(s.mine, s.theirs, size, x, y):
                    none = False
                    yield y * size + x
                x = next_bit(free, x)
        if none:
            yield size * size


def may_end(s: WithOffers) -> bool:
    """Might the next move end the game? White's move may also leave black without a legal one, unless two cells stay
    harmless whatever white plays."""
    if step_of(s) or may_end_anywhere(s):
        return True
    if s.turn & 1 == BLACK or s.setup >> 5 & 3 != RENJU:
        return False
    size = size_of(s)
    free = 0
    a = next_anywhere(s, -1)
    while a >= 0 and free < 2:
        y = row_of(s, a)
        free += harmless(black_lanes(s.theirs, a - y * size, y))
        a = next_anywhere(s, a)
    return free < 2


def random_action(s: WithOffers, seed: Any) -> int:
    """A random legal action. Draws cells until one is legal. In an opening, and when black has hardly any legal cells,
    counts the legal actions and picks one."""
    if not step_of(s):
        if not restricted(s):
            return random_anywhere(s, seed)
        for _ in range(TRIES):
            a = random_cell(s, seed)
            if legal(s, a):
                return a
    count = 0
    a = next_action(s, -1)
    while a >= 0:
        count += 1
        a = next_action(s, a)
    a = next_action(s, -1)
    for _ in range(pick(seed, count)):
        a = next_action(s, a)
    return a


def moved(s: WithOffers, a: int) -> tuple[Words, Words, int, int, Words]:
    """The fields of the state after an action, except `setup`."""
    if step_of(s):
        return stepped(s, a)
    if a == size_of(s) * size_of(s):
        return s.theirs, s.mine, s.placed, s.turn ^ 3, s.offers
    return s.theirs, with_stone(s.mine, place_of(s, a)), s.placed + 1, s.turn ^ 3, s.offers


def play(s: Renju, a: int) -> Renju:
    mine, theirs, placed, turn, offers = moved(s, a)
    return Renju(mine, theirs, placed, turn, s.setup, offers)


def play_large(s: LargeRenju, a: int) -> LargeRenju:
    mine, theirs, placed, turn, offers = moved(s, a)
    return LargeRenju(mine, theirs, placed, turn, s.setup, offers)


def key(s: WithOffers) -> int:
    return mix((s.mine, s.theirs, s.turn, s.offers))


def action_count(s: WithOffers) -> int:
    return size_of(s) * size_of(s) + CHOICES


def near_the_middle(s: AnyRenju) -> list[int]:
    """The legal cells from which random openings are drawn; all legal actions if none of these cells is legal. (A first
    stone at the edge would decide the game.)"""
    size = size_of(s)
    legal_here = list(actions(s))
    reach = range((size - 6) // 2, (size + 7) // 2)
    middle = [a for a in legal_here if a < size * size and a % size in reach and a // size in reach]
    return middle or legal_here


# The board's symmetries. Number k mirrors x if k & 1, then y if k & 2, then swaps x and y if k & 4. A swap does not
# commute with the mirrors, so 5 and 6 undo each other; every other symmetry undoes itself.

SYMMETRIES = 8


def turned_stones(s: AnyRenju, words: Words, empty: Words, k: int) -> Words:
    """The stones under symmetry k; `empty` is the layout's board without stones."""
    turned = empty
    for cell in range(size_of(s) * size_of(s)):
        if has(words, place_of(s, cell)):
            turned = with_stone(turned, place_of(s, turned_cell(cell, size_of(s), size_of(s), k)))
    return turned


def symmetric(s: Renju, k: int) -> Renju:
    mine, theirs = turned_stones(s, s.mine, SMALL, k), turned_stones(s, s.theirs, SMALL, k)
    return Renju(mine, theirs, s.placed, s.turn, s.setup, turned_stones(s, s.offers, SMALL, k))


def symmetric_large(s: LargeRenju, k: int) -> LargeRenju:
    mine, theirs = turned_stones(s, s.mine, LARGE, k), turned_stones(s, s.theirs, LARGE, k)
    return LargeRenju(mine, theirs, s.placed, s.turn, s.setup, turned_stones(s, s.offers, LARGE, k))


def symmetric_anywhere(s: Gomoku, k: int) -> Gomoku:
    mine, theirs = turned_stones(s, s.mine, SMALL, k), turned_stones(s, s.theirs, SMALL, k)
    return Gomoku(mine, theirs, s.placed, s.turn, s.setup)


def symmetric_action(s: AnyRenju, a: int, k: int) -> int:
    size = size_of(s)
    return turned_cell(a, size, size, k) if a < size * size else a


PLANES = 4


def planes(s: AnyRenju, out: Any) -> None:
    """Fill out[4, height, width], indexed [plane, y, x]: the mover's stones, the opponent's stones, empty cells, and a
    plane of ones if black is to move. A smaller board fills the upper left corner and leaves zeros around it."""
    size = size_of(s)
    for y in range(out.shape[1]):
        for x in range(out.shape[2]):
            inside = y < size and x < size
            mine = inside and row(s.mine, y) >> x & 1 == 1
            theirs = inside and row(s.theirs, y) >> x & 1 == 1
            out[0, y, x] = mine
            out[1, y, x] = theirs
            out[2, y, x] = inside and not mine and not theirs
            out[3, y, x] = s.turn & 1 == BLACK


rules(
    Gomoku, legal=legal_anywhere, next_action=next_anywhere, play=play_anywhere, over=over_anywhere, score=score,
    mover=mover, evaluate=evaluate, random_action=random_anywhere, symmetric=symmetric_anywhere,
    symmetric_action=symmetric_action, planes=planes, action_count=cell_count, may_end=may_end_anywhere,
)  # fmt: skip
rules(
    Renju, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover, evaluate=evaluate,
    key=key, random_action=random_action, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=action_count, actions=actions_of, may_end=may_end,
)  # fmt: skip
rules(
    LargeRenju, legal=legal, next_action=next_action, play=play_large, over=over, score=score, mover=mover,
    evaluate=evaluate, key=key, random_action=random_action, symmetric=symmetric_large,
    symmetric_action=symmetric_action, planes=planes, action_count=action_count, actions=actions_of, may_end=may_end,
)  # fmt: skip
