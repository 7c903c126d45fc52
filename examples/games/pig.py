"""Pig: roll a die as often as you like. Each roll is added to the pot, but a 1 empties the pot and ends your turn.
Holding scores the pot. The first player to reach the goal wins.

    action of a player   0 hold, 1 roll
    action of chance     face - 1

Neller and Presser, Optimal Play of the Dice Game Pig (UMAP Journal 25, 2004), solve it, and also Piglet, which uses a
coin instead of a die (here: a die with two sides, the second of which counts 2).
"""

from typing import NamedTuple

from hansu.core import CHANCE, Game, Message, Option, pick, rules
from hansu.scene import Cell, Scene, Stone, Text

HOLD, ROLL = 0, 1


class Pig(NamedTuple):
    first: int  # points of player 0, without the pot
    second: int
    pot: int
    turn: int
    rolling: int  # 1: the die is rolling, so chance moves next
    goal: int
    sides: int


def legal(s, a):
    if s.rolling:
        return 0 <= a < s.sides
    return a == ROLL or (a == HOLD and s.pot > 0)


def next_action(s, after):
    a = after + 1
    if not s.rolling:
        return HOLD if a == HOLD and s.pot > 0 else ROLL if a <= ROLL else -1
    return a if a < s.sides else -1


def random_action(s, seed):
    if s.rolling:
        return pick(seed, s.sides)
    return pick(seed, 2) if s.pot > 0 else ROLL


def play(s, a):
    if s.rolling and a == 0:
        return Pig(s.first, s.second, 0, 1 - s.turn, 0, s.goal, s.sides)
    if s.rolling:
        return Pig(s.first, s.second, s.pot + a + 1, s.turn, 0, s.goal, s.sides)
    if a == ROLL:
        return Pig(s.first, s.second, s.pot, s.turn, 1, s.goal, s.sides)
    if s.turn == 0:
        return Pig(s.first + s.pot, s.second, 0, 1, 0, s.goal, s.sides)
    return Pig(s.first, s.second + s.pot, 0, 0, 0, s.goal, s.sides)


def over(s):
    return s.first >= s.goal or s.second >= s.goal


def score(s):
    return 1 if s.first >= s.goal else -1


def evaluate(s):
    first, second = (s.first + s.pot, s.second) if s.turn == 0 else (s.first, s.second + s.pot)
    return (min(first, s.goal) - min(second, s.goal)) / (s.goal + 1)


def mover(s):
    return CHANCE if s.rolling else s.turn


def team(s):
    return CHANCE if s.rolling else s.turn


def planes(s, out):
    """The mover's points, the opponent's and the pot, as shares of the goal; whether the die is rolling."""
    out[s.turn, 0, 0] = s.first / s.goal
    out[1 - s.turn, 0, 0] = s.second / s.goal
    out[2, 0, 0] = s.pot / s.goal
    out[3, 0, 0] = s.rolling


def action_count(s):
    return max(2, s.sides)


rules(
    Pig, legal=legal, next_action=next_action, random_action=random_action, play=play, over=over, score=score,
    mover=mover, team=team, evaluate=evaluate, planes=planes, action_count=action_count,
)  # fmt: skip


def start(goal, sides):
    return Pig(0, 0, 0, 0, 0, goal, sides)


def move_text(s, a):
    return str(a + 1) if s.rolling else ("hold", "roll")[a]


def look(position):
    s = position.state
    shapes = [Cell(0, 0, "board", 8, 4)]
    for turn, points, tone in ((0, s.first, "first"), (1, s.second, "second")):
        y = 0.8 + turn * 0.9
        shapes += [Cell(0.5, y - 0.25, "hole", 6, 0.5), Cell(0.5, y - 0.25, tone, 6 * min(1.0, points / s.goal), 0.5)]
        shapes.append(Text(7.2, y, str(points), tone, 0.4, bold=turn == s.turn))
    shapes += [Text(0.5, 2.6, Message({"en": "pot {pot}", "ko": "모은 점수 {pot}"}, pot=s.pot), anchor="start")]
    before = position.previous
    if before is not None and before.state.rolling:
        shapes.append(Stone(4, 2.6, "chance", str(position.last + 1), 0.4, drawn=True, form="square"))
    for a, word in enumerate((Message({"en": "hold", "ko": "멈춤"}), Message({"en": "roll", "ko": "굴리기"}))):
        shapes += [Cell(0.5 + 2.5 * a, 3.1, "faint", 2, 0.7), Text(1.5 + 2.5 * a, 3.45, word)]
    return Scene(8, 4, tuple(shapes), "pig")


def touch(s, a):
    return ((1.5 + 2.5 * a, 3.45),) if not s.rolling else ((4.0 + a / 10, 2.6),)


GAME = Game(
    name="pig",
    title={"en": "Pig", "ko": "피그"},
    about={"en": "roll on or hold; a 1 costs the pot", "ko": "더 굴릴까 멈출까, 1이 나오면 모은 점수를 잃는다"},
    state=Pig,
    start=start,
    options=(
        Option("goal", int, 100, "points needed to win", low=2, high=1000),
        Option("sides", int, 6, "sides of the die", low=2, high=12),
    ),
    move_text=move_text,
    look=look,
    touch=touch,
    plane_shape=(4, 1, 1),
    default_depth=6,
)
