"""Nim: take any number of matches from one heap. Taking the last match wins (in misère play: loses).

Bouton (1901) solved it: the player to move loses if and only if the XOR of the heaps is 0. The same holds in misère
play while some heap has two or more matches; otherwise the result is reversed.
"""

from typing import NamedTuple

from hansu.core import Game, Option, item, rules, with_item
from hansu.scene import Cell, Line, Scene, Text

HEAPS = 4
MOST = 9  # largest heap; action = heap * MOST + matches taken - 1


class Nim(NamedTuple):
    heaps: tuple[int, int, int, int]
    turn: int
    misere: int  # 1: taking the last match loses


def legal(s, a):
    return 0 <= a < HEAPS * MOST and a % MOST < item(s.heaps, a // MOST)


def next_action(s, after):
    a = after + 1
    while a < HEAPS * MOST:
        if a % MOST < item(s.heaps, a // MOST):
            return a
        a = (a // MOST + 1) * MOST  # the next heap
    return -1


def play(s, a):
    heap = a // MOST
    return Nim(with_item(s.heaps, heap, item(s.heaps, heap) - a % MOST - 1), 1 - s.turn, s.misere)


def over(s):
    return s.heaps[0] + s.heaps[1] + s.heaps[2] + s.heaps[3] == 0


def score(s):  # the opponent took the last match
    return 1 if s.turn ^ s.misere == 1 else -1


def mover(s):
    return s.turn


def planes(s, out):
    """out[0]: a row per heap, a cell per match; out[1]: all ones in misère play."""
    for heap in range(HEAPS):
        for i in range(MOST):
            out[0, heap, i] = 1 if i < item(s.heaps, heap) else 0
            out[1, heap, i] = s.misere


rules(
    Nim, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover, planes=planes,
    action_count=HEAPS * MOST,
)  # fmt: skip


def start(a, b, c, d, misere):
    return Nim((a, b, c, d), 0, int(misere))


def move_text(s, a):
    return f"{'abcd'[a // MOST]}{a % MOST + 1}"


def look(position):
    shapes = [Cell(0, 0, "board", MOST + 2, HEAPS + 1)]
    for heap, matches in enumerate(position.state.heaps):
        shapes.append(Text(0.5, heap + 1, "abcd"[heap], "quiet"))
        shapes += [Line(i + 1.5, heap + 0.7, i + 1.5, heap + 1.3, "first", 0.12) for i in range(matches)]
    return Scene(MOST + 2, HEAPS + 1, tuple(shapes), "nim")


def touch(s, a):
    """The leftmost match that is taken."""
    return ((item(s.heaps, a // MOST) - a % MOST - 1 + 1.5, a // MOST + 1.0),)


def heap_option(name, matches):
    return Option(name, int, matches, f"matches in heap {name}", low=0, high=MOST)


GAME = Game(
    name="nim",
    title={"en": "Nim", "ko": "님"},
    about={"en": "take the last match", "ko": "마지막 성냥을 가져가면 이긴다"},
    state=Nim,
    start=start,
    options=(
        heap_option("a", 1),
        heap_option("b", 3),
        heap_option("c", 5),
        heap_option("d", 7),
        Option("misere", bool, False, "taking the last match loses"),
    ),
    move_text=move_text,
    look=look,
    touch=touch,
    plane_shape=(2, HEAPS, MOST),
    small=True,
    opening_plies=1,
)
