"""Kalah, a mancala game: sow the seeds of one of your houses counterclockwise, one per house, also into your own store.
If the last seed falls into your store, you move again. If it falls into an empty house of yours, you capture it and the
seeds in the opposite house, if there are any. The game ends when one side has no seeds in its houses. The other keeps
the remaining seeds. The score is the difference of the stores.

Each side is one integer, with seven bits per house and for the store:

    bits 7 i .. 7 i + 6    house i, from 0 to houses - 1, in sowing order; then the store

Small boards are solved: Irving, Donkers and Uiterwijk, Solving Kalah (ICGA Journal 23/3, 2000).
"""

from dataclasses import replace
from typing import NamedTuple

from hansu.core import Game, Option, rules
from hansu.scene import Cell, Scene, Stone, Text

WIDTH = 7
SEEDS = (1 << WIDTH) - 1


class Kalah(NamedTuple):
    first: int
    second: int
    turn: int
    houses: int


def seeds(side, i):
    return side >> WIDTH * i & SEEDS


def in_houses(side, houses):
    return side & (1 << WIDTH * houses) - 1


def legal(s, a):
    return 0 <= a < s.houses and seeds(s.first if s.turn == 0 else s.second, a) > 0


def next_action(s, after):
    for a in range(after + 1, s.houses):
        if legal(s, a):
            return a
    return -1


def gathered(side, houses):
    """The side after all its seeds have moved to its store."""
    total = 0
    for i in range(houses + 1):
        total += seeds(side, i)
    return total << WIDTH * houses


def play(s, a):
    mine, theirs = (s.first, s.second) if s.turn == 0 else (s.second, s.first)
    left, at = seeds(mine, a), a
    mine &= ~(SEEDS << WIDTH * a)
    while left > 0:  # 0 .. houses: my houses and store; above: the opponent's houses
        at = at + 1 if at < 2 * s.houses else 0
        if at <= s.houses:
            mine += 1 << WIDTH * at
        else:
            theirs += 1 << WIDTH * (at - s.houses - 1)
        left -= 1
    if at < s.houses and seeds(mine, at) == 1:
        opposite = s.houses - 1 - at
        taken = seeds(theirs, opposite)
        if taken > 0:
            mine += (taken + 1 << WIDTH * s.houses) - (1 << WIDTH * at)
            theirs -= taken << WIDTH * opposite
    if in_houses(mine, s.houses) == 0 or in_houses(theirs, s.houses) == 0:
        mine, theirs = gathered(mine, s.houses), gathered(theirs, s.houses)
    turn = s.turn if at == s.houses else 1 - s.turn
    if s.turn == 0:
        return Kalah(mine, theirs, turn, s.houses)
    return Kalah(theirs, mine, turn, s.houses)


def over(s):
    return in_houses(s.first, s.houses) == 0 and in_houses(s.second, s.houses) == 0


def score(s):
    return seeds(s.first, s.houses) - seeds(s.second, s.houses)


def evaluate(s):
    return float(seeds(s.first, s.houses) - seeds(s.second, s.houses))


def mover(s):
    return s.turn


def planes(s, out):
    """Seeds / 8. out[0]: the mover's houses and store; out[1]: the opponent's."""
    for i in range(s.houses + 1):
        out[s.turn, 0, i] = seeds(s.first, i) / 8
        out[1 - s.turn, 0, i] = seeds(s.second, i) / 8


def action_count(s):
    return s.houses


rules(
    Kalah, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover, evaluate=evaluate,
    planes=planes, action_count=action_count,
)  # fmt: skip


def start(houses, seeds):
    side = sum(seeds << WIDTH * i for i in range(houses))
    return Kalah(side, side, 0, houses)


def move_text(s, a):
    return str(a + 1)


def middle(s, turn, a):
    """The first player's houses are drawn below, from left to right, the second player's above, from right to left."""
    return (a + 2.0, 2.5) if turn == 0 else (s.houses - 1 - a + 2.0, 1.0)


def look(position):
    s = position.state
    shapes = [Cell(0.3, 0.3, "wood", s.houses + 2.4, 2.9)]
    for turn, side, tone in ((0, s.first, "first"), (1, s.second, "second")):
        for i in range(s.houses):
            x, y = middle(s, turn, i)
            shapes += [Stone(x, y, "hole", " ", 0.42), Text(x, y, str(seeds(side, i)), tone, 0.4)]
            shapes.append(Text(x, y + (0.6 if turn == 0 else -0.55), str(i + 1), "quiet", 0.2))
        x = s.houses + 2.1 if turn == 0 else 0.9
        shapes += [
            Cell(x - 0.4, 0.8, "hole", 0.8, 1.9),
            Text(x, 1.75, str(seeds(side, s.houses)), tone, 0.5, bold=True),
        ]
    return Scene(s.houses + 3, 3.5, tuple(shapes), "kalah")


def touch(s, a):
    return (middle(s, s.turn, a),)


def adapt(game):
    houses, each = game.option("houses"), game.option("seeds")
    return replace(game, score_range=2.0 * houses * each, plane_shape=(2, 1, houses + 1))


GAME = Game(
    name="kalah",
    title={"en": "Kalah", "ko": "칼라하"},
    about={"en": "sow seeds; most seeds in your store win", "ko": "씨앗을 뿌려 창고에 더 많이 모으면 이긴다"},
    state=Kalah,
    start=start,
    options=(
        Option("houses", int, 6, "houses per player", low=1, high=6),
        Option("seeds", int, 4, "seeds in each house", low=1, high=6),
    ),
    move_text=move_text,
    look=look,
    touch=touch,
    score_range=48.0,
    plane_shape=(2, 1, 7),
    adapt=adapt,
    default_depth=8,
    opening_plies=2,
)
