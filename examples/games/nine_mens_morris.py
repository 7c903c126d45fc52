"""Nine Men's Morris: place nine men each, then move them along the lines; three in a line take one of the other's men.
With three men left one may jump anywhere. Fewer than three, or no move, loses. Gasser (1996): a draw.

A point is ring * 8 + place, the outer ring first, places clockwise from the corner at the top left:

    0-----------1-----------2        corners are even, the middles of sides odd;
    |   8-------9------10   |        a man moves to a neighbouring place of its ring,
    |   |  16--17--18   |   |        from the middle of a side also to the next ring
    7--15--23      19--11---3
    |   |  22--21--20   |   |        action 0 .. 23: place a man there, or take the man there
    |   14-----13------12   |        action 24 + 24 * from + to: move
    6-----------5-----------4

Taking is a move of its own, by the same player. Fifty plies without a man placed or taken are a draw: rules see one
state, not the way there, so the third repetition that people count cannot be a rule here.
"""

from typing import NamedTuple

from hansu.core import Game, lowest, next_bit, popcount, rules
from hansu.scene import Line, Mark, Scene, Stone, Text

FULL = (1 << 24) - 1
QUIET = 50


def neighbours(point):
    ring, place = point // 8, point % 8
    near = [ring * 8 + (place + 1) % 8, ring * 8 + (place + 7) % 8]
    if place % 2:
        near += [other * 8 + place for other in (ring - 1, ring + 1) if 0 <= other < 3]
    return near


SIDES = [[ring * 8 + (corner + i) % 8 for i in range(3)] for ring in range(3) for corner in (0, 2, 4, 6)]
ACROSS = [[ring * 8 + place for ring in range(3)] for place in (1, 3, 5, 7)]
MILLS = tuple(sum(1 << point for point in mill) for mill in SIDES + ACROSS)
NEAR = tuple(sum(1 << near for near in neighbours(point)) for point in range(24))


class Morris(NamedTuple):
    first: int
    second: int
    turn: int
    placed: int  # men placed by both, 0 to 18
    taking: int  # 1: the mover has closed a mill and takes a man
    quiet: int  # plies without a man placed or taken


def in_mills(men):
    found = 0
    for mill in MILLS:
        if men & mill == mill:
            found |= mill
    return found


def sides(s):
    return (s.first, s.second) if s.turn == 0 else (s.second, s.first)


def targets(s, point):
    """Where the mover's man may go from a point."""
    mine, theirs = sides(s)
    free = FULL & ~(mine | theirs)
    return free if popcount(mine) == 3 else free & NEAR[point]


def points(s):
    """Where the mover places or takes a man; nothing while men move."""
    mine, theirs = sides(s)
    if s.taking:
        loose = theirs & ~in_mills(theirs)
        return loose if loose else theirs
    return FULL & ~(mine | theirs) if s.placed < 18 else 0


def next_action(s, after):
    if s.taking or s.placed < 18:
        return next_bit(points(s), after)
    mine, _ = sides(s)
    at, to = (0, -1) if after < 24 else ((after - 24) // 24, (after - 24) % 24)
    while at < 24:
        if mine >> at & 1:
            found = next_bit(targets(s, at), to)
            if found >= 0:
                return 24 + 24 * at + found
        at, to = at + 1, -1
    return -1


def legal(s, a):
    if a < 0 or a >= 600:
        return False
    if a < 24:
        return points(s) >> a & 1 == 1
    if s.taking or s.placed < 18:
        return False
    mine, _ = sides(s)
    return mine >> (a - 24) // 24 & 1 == 1 and targets(s, (a - 24) // 24) >> (a - 24) % 24 & 1 == 1


def play(s, a):
    mine, theirs = sides(s)
    placed, quiet, taking = s.placed, s.quiet, 0
    if s.taking:
        theirs &= ~(1 << a)
        quiet = 0
    else:
        if a < 24:
            to, quiet = 1 << a, 0
            placed += 1
        else:
            to = 1 << (a - 24) % 24
            mine &= ~(1 << (a - 24) // 24)
            quiet += 1
        mine |= to
        taking = int(in_mills(mine) & to != 0)
    turn = s.turn if taking else 1 - s.turn
    if s.turn == 0:
        return Morris(mine, theirs, turn, placed, taking, quiet)
    return Morris(theirs, mine, turn, placed, taking, quiet)


def beaten(s):
    """The mover has too few men, or none that can move."""
    mine, _ = sides(s)
    return s.taking == 0 and s.placed == 18 and (popcount(mine) < 3 or next_action(s, -1) < 0)


def over(s):
    return beaten(s) or s.quiet >= QUIET


def score(s):
    if not beaten(s):
        return 0
    return -1 if s.turn == 0 else 1


def evaluate(s):
    return (popcount(s.first) - popcount(s.second)) / 10


def mover(s):
    return s.turn


def turned_point(point, k):
    """Four turns, a mirror, inside out: sixteen symmetries."""
    ring, place = point // 8, point % 8
    place = (place + 2 * (k & 3)) % 8
    if k & 4:
        place = (10 - place) % 8
    return (2 - ring if k & 8 else ring) * 8 + place


def turned(men, k):
    made = 0
    while men:
        made |= 1 << turned_point(lowest(men), k)
        men &= men - 1
    return made


def symmetric(s, k):
    return Morris(turned(s.first, k), turned(s.second, k), s.turn, s.placed, s.taking, s.quiet)


def symmetric_action(s, a, k):
    if a < 24:
        return turned_point(a, k)
    return 24 + 24 * turned_point((a - 24) // 24, k) + turned_point((a - 24) % 24, k)


def planes(s, out):
    """A row for each ring: the mover's men, the other's; then taking, placing, men placed, quiet plies."""
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
    Morris, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover, evaluate=evaluate,
    symmetric=symmetric, symmetric_action=symmetric_action, planes=planes, action_count=600,
)  # fmt: skip


def start():
    return Morris(0, 0, 0, 0, 0, 0)


def place_of(point):
    """Column and row of a point, 0 to 6."""
    ring, place = point // 8, point % 8
    far = 3 - ring
    return (
        3 + (-far, 0, far, far, far, 0, -far, -far)[place],
        3 + (-far, -far, -far, 0, far, far, far, 0)[place],
    )


def name_of(point):
    x, y = place_of(point)
    return f"{'abcdefg'[x]}{7 - y}"


def move_text(s, a):
    if a < 24:
        return f"x{name_of(a)}" if s.taking else name_of(a)
    return f"{name_of((a - 24) // 24)}-{name_of((a - 24) % 24)}"


def middle(point):
    x, y = place_of(point)
    return x + 1.0, y + 1.0


def look(position):
    s, shapes = position.state, []
    for point in range(24):
        for near in neighbours(point):
            if near > point:
                shapes.append(Line(*middle(point), *middle(near)))
    for point in range(24):
        if (s.first | s.second) >> point & 1:
            first = s.first >> point & 1
            shapes.append(Stone(*middle(point), "first" if first else "second", "X" if first else "O", 0.34))
        else:
            shapes.append(Stone(*middle(point), "line", ".", 0.08))
    shapes += [Text(x + 1, 7.75, "abcdefg"[x], "quiet", 0.25) for x in range(7)]
    shapes += [Text(0.3, 7 - y, str(y + 1), "quiet", 0.25) for y in range(7)]
    if position.last is not None:
        shapes.append(Mark(*middle(position.last if position.last < 24 else (position.last - 24) % 24)))
    return Scene(8, 8, tuple(shapes), "nine men's morris")


def touch(s, a):
    return (middle(a),) if a < 24 else (middle((a - 24) // 24), middle((a - 24) % 24))


GAME = Game(
    name="nine_mens_morris",
    title={"en": "Nine Men's Morris", "ko": "나인 멘스 모리스"},
    about={"en": "three in a line take one of the other's men", "ko": "셋을 나란히 놓아 상대의 말을 하나씩 없앤다"},
    state=Morris,
    start=start,
    move_text=move_text,
    look=look,
    touch=touch,
    symmetries=16,
    plane_shape=(6, 3, 8),
    opening_plies=2,
)
