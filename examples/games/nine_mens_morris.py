"""Nine Men's Morris: place nine men each, then move them along the lines. Three men in a line (a mill) remove one of
the opponent's men. With three men you may jump anywhere. Fewer than three, or no move, loses. A draw (Gasser, 1996).

A point is ring * 8 + place: the outer ring first, places clockwise from the top left corner:

    0-----------1-----------2        even places are corners, odd places midpoints of sides;
    |   8-------9------10   |        a man moves to a neighbouring place of its ring,
    |   |  16--17--18   |   |        from a midpoint also to the next ring
    7--15--23      19--11---3
    |   |  22--21--20   |   |        action 0 .. 23: place a man, or remove the man on this point
    |   14-----13------12   |        action 24 * (from + 1) + to: move
    6-----------5-----------4

Removing a man is a separate move by the same player. The third occurrence of a position is a draw, and so are fifty
plies without a man placed or removed.
"""

from typing import NamedTuple

from hansu.core import Game, Repetition, bits_in, next_bit, popcount, rules
from hansu.scene import Line, Mark, Scene, Stone, Text

FULL = (1 << 24) - 1
QUIET = 50

SIDES = [[ring * 8 + (corner + i) % 8 for i in range(3)] for ring in range(3) for corner in (0, 2, 4, 6)]
ACROSS = [[ring * 8 + place for ring in range(3)] for place in (1, 3, 5, 7)]
STEPS = [step for line in SIDES + ACROSS for step in (line[:2], line[1:])]
MILLS = tuple(sum(1 << point for point in line) for line in SIDES + ACROSS)
NEAR = tuple(sum(1 << a + b - point for a, b in STEPS if point in (a, b)) for point in range(24))


class Morris(NamedTuple):
    first: int
    second: int
    turn: int
    placed: int  # men placed by both, 0 to 18
    taking: int  # 1: the mover has closed a mill and removes a man
    quiet: int  # plies since a man was placed or removed


def in_mills(men):
    found = 0
    for mill in MILLS:
        if men & mill == mill:
            found |= mill
    return found


def sides(s):
    return (s.first, s.second) if s.turn == 0 else (s.second, s.first)


def targets(s, at):
    """The points that the mover's man on a point may move to."""
    mine, theirs = sides(s)
    free = FULL & ~(mine | theirs)
    return free if popcount(mine) == 3 else free & NEAR[at]


def points(s):
    """The points where the mover may place or remove a man."""
    mine, theirs = sides(s)
    if not s.taking:
        return FULL & ~(mine | theirs)
    loose = theirs & ~in_mills(theirs)
    return loose if loose else theirs


def next_action(s, after):
    if s.taking or s.placed < 18:
        return next_bit(points(s), after)
    mine, _ = sides(s)
    for at in range(max(after // 24 - 1, 0), 24):
        to = next_bit(targets(s, at), max(after - 24 * (at + 1), -1)) if mine >> at & 1 else -1
        if to >= 0:
            return 24 * (at + 1) + to
    return -1


def play(s, a):
    mine, theirs = sides(s)
    placed, taking, point = s.placed, 0, 1 << a % 24
    if s.taking:
        theirs &= ~point
    else:
        mine |= point
        if a >= 24:
            mine &= ~(1 << a // 24 - 1)
        else:
            placed += 1
        taking = int(in_mills(mine) & point != 0)
    turn = s.turn if taking else 1 - s.turn
    first, second = (mine, theirs) if s.turn == 0 else (theirs, mine)
    return Morris(first, second, turn, placed, taking, s.quiet + 1 if a >= 24 else 0)


def beaten(s):
    """Has the mover lost: too few men, or no legal move?"""
    mine, _ = sides(s)
    return s.taking == 0 and s.placed == 18 and (popcount(mine) < 3 or next_action(s, -1) < 0)


def over(s):
    return beaten(s) or s.quiet >= QUIET


def score(s):
    return 0 if not beaten(s) else -1 if s.turn == 0 else 1


def evaluate(s):
    return (popcount(s.first) - popcount(s.second)) / 10


def turned_point(point, k):
    """Sixteen symmetries: four rotations, a reflection, and swapping the inner and outer rings."""
    ring, place = point // 8, point % 8
    place = (place + 2 * (k & 3)) % 8
    if k & 4:
        place = (10 - place) % 8
    return (2 - ring if k & 8 else ring) * 8 + place


def turned(men, k):
    made = 0
    for point in bits_in(men):
        made |= 1 << turned_point(point, k)
    return made


def symmetric(s, k):
    return Morris(turned(s.first, k), turned(s.second, k), s.turn, s.placed, s.taking, s.quiet)


def symmetric_action(s, a, k):
    to = turned_point(a % 24, k)
    return to if a < 24 else 24 * (turned_point(a // 24 - 1, k) + 1) + to


def planes(s, out):
    """A row per ring: the mover's men, the opponent's; then removing, placing, men placed, quiet plies."""
    mine, theirs = sides(s)
    for point in range(24):
        ring, place = point // 8, point % 8
        out[0, ring, place] = mine >> point & 1
        out[1, ring, place] = theirs >> point & 1
        out[2, ring, place] = s.taking
        out[3, ring, place] = 1 if s.placed < 18 else 0
        out[4, ring, place] = s.placed / 18
        out[5, ring, place] = s.quiet / QUIET


rules(
    Morris, next_action=next_action, play=play, over=over, score=score, mover=lambda s: s.turn, evaluate=evaluate,
    symmetric=symmetric, symmetric_action=symmetric_action, planes=planes, action_count=600,
)  # fmt: skip


def middle(point):
    """Where a point is drawn: the board is 7 by 7."""
    far, place = 3 - point // 8, point % 8
    return 4.0 + far * (-1, 0, 1, 1, 1, 0, -1, -1)[place], 4.0 + far * (-1, -1, -1, 0, 1, 1, 1, 0)[place]


def touch(s, a):
    return (middle(a),) if a < 24 else (middle(a // 24 - 1), middle(a % 24))


def move_text(s, a):
    return "x" * s.taking + "-".join(f"{' abcdefg'[int(x)]}{8 - int(y)}" for x, y in touch(s, a))


def look(position):
    s = position.state
    shapes = [Line(*middle(a), *middle(b)) for a, b in STEPS]
    shapes += [Stone(*middle(point), "line", ".", 0.08) for point in bits_in(FULL & ~(s.first | s.second))]
    shapes += [Stone(*middle(point), "first", "X", 0.34) for point in bits_in(s.first)]
    shapes += [Stone(*middle(point), "second", "O", 0.34) for point in bits_in(s.second)]
    shapes += [Text(x + 1, 7.75, "abcdefg"[x], "quiet", 0.25) for x in range(7)]
    shapes += [Text(0.3, 7 - y, str(y + 1), "quiet", 0.25) for y in range(7)]
    if position.last is not None:
        shapes.append(Mark(*middle(position.last % 24)))
    return Scene(8, 8, tuple(shapes), "nine men's morris")


GAME = Game(
    name="nine_mens_morris",
    title={"en": "Nine Men's Morris", "ko": "나인 멘스 모리스"},
    about={"en": "three in a line remove an enemy man", "ko": "셋을 나란히 놓아 상대의 말을 하나씩 없앤다"},
    state=Morris,
    start=lambda: Morris(0, 0, 0, 0, 0, 0),
    move_text=move_text,
    look=look,
    touch=touch,
    repetition=Repetition(key=lambda s: s._replace(quiet=0)),
    symmetries=16,
    plane_shape=(6, 3, 8),
    opening_plies=2,
)
