"""The opening rules, which reduce black's advantage of the first move.

A rule is a list of steps. The step of a state says what the mover has to do. Step 0 is ordinary play.

    rif            The first player places three stones: black in the centre, white within 3×3, black within 5×5 (one
                   of the 26 openings). The opponent may swap. White plays the fourth stone anywhere. Black offers two
                   fifth moves, and white chooses one.
    soosorv8       The same three stones, and the opponent may swap. White plays the fourth stone anywhere and chooses
                   the number of fifth moves, 1 to 8. The opponent may swap. Black offers that many fifth moves, and
                   white chooses one.
    taraguchi10    The first four stones lie in the centre and within 3×3, 5×5 and 7×7. After each the opponent may
                   swap. Instead of swapping after the fourth, black may offer ten fifth moves, of which white chooses
                   one. Else the fifth stone lies within 9×9, and the opponent may swap once more.
    swap2          The first player places black, white and black anywhere. The opponent chooses a colour, or adds one
                   stone of each colour and lets the first player choose.

No two offered fifth moves may be symmetrical: the stones with one of them must not equal the stones with the other
after a turn, a reflection or a shift. The position on the board does not matter: after h8 h9 h7 h6 the moves g8 and g7
are symmetrical.

Sources: the rules of the Renju International Federation (renju.net), Gomocup's swap2.
"""

from __future__ import annotations

from hansu.core import HansuError, item, lowest, popcount, with_item
from hansu.games.renju.state import AnyRenju, LargeRenju, Renju, empty_board, mover, place_of, size_of, step_of, vacant
from hansu.games.renju.stones import Words, has, stride, total, with_stone

WithOffers = Renju | LargeRenju

PLACE, SWAP, SWAP_OR_TEN, COUNT, OFFER, KEEP, PICK, PICK_OR_ADD = range(1, 9)
ANYWHERE = 99

# For each step: what the mover has to do; the maximum distance of the stone from the centre; the next step; 1 if the
# same player continues (after a choice: unless that player swaps).
STEPS = (
    (0, ANYWHERE, 0, 0),
    (OFFER, ANYWHERE, 2, 0),  # the last two steps of every rule with fifth moves
    (KEEP, ANYWHERE, 0, 1),
    (PLACE, 0, 4, 1),  # rif
    (PLACE, 1, 5, 1),
    (PLACE, 2, 6, 0),
    (SWAP, ANYWHERE, 7, 1),
    (PLACE, ANYWHERE, 1, 0),
    (PLACE, 0, 9, 1),  # soosorv8
    (PLACE, 1, 10, 1),
    (PLACE, 2, 11, 0),
    (SWAP, ANYWHERE, 12, 1),
    (PLACE, ANYWHERE, 13, 1),
    (COUNT, ANYWHERE, 14, 0),
    (SWAP, ANYWHERE, 1, 1),
    (PLACE, 0, 16, 0),  # taraguchi10
    (SWAP, ANYWHERE, 17, 1),
    (PLACE, 1, 18, 0),
    (SWAP, ANYWHERE, 19, 1),
    (PLACE, 2, 20, 0),
    (SWAP, ANYWHERE, 21, 1),
    (PLACE, 3, 22, 0),
    (SWAP_OR_TEN, ANYWHERE, 23, 1),
    (PLACE, 4, 24, 0),
    (SWAP, ANYWHERE, 0, 1),
    (PLACE, ANYWHERE, 26, 1),  # swap2
    (PLACE, ANYWHERE, 27, 1),
    (PLACE, ANYWHERE, 28, 0),
    (PICK_OR_ADD, ANYWHERE, 0, 1),
    (PLACE, ANYWHERE, 30, 1),
    (PLACE, ANYWHERE, 31, 0),
    (PICK, ANYWHERE, 0, 1),
)
KIND = tuple(kind for kind, _, _, _ in STEPS)
REACH = tuple(reach for _, reach, _, _ in STEPS)
NEXT = tuple(following for _, _, following, _ in STEPS)
SAME_SEAT = tuple(same for _, _, _, same in STEPS)
OFFERS, ADDED = 1, 29  # the steps after the third choice
FIRST = {"free": (0, 0), "rif": (3, 2), "taraguchi10": (15, 10), "soosorv8": (8, 0), "swap2": (25, 0)}
"""The first step of each rule and its number of fifth moves; 0 if a player chooses the number or there are none."""

# Actions after the cells, counted from size * size.
PASS, DO_SWAP, STAY, THIRD_CHOICE, COUNT_0 = range(5)  # COUNT_0 + n chooses n fifth moves
MOST_FIFTHS = 8
CHOICES = COUNT_0 + MOST_FIFTHS + 1


def start(rule: str = "renju", size: int = 15, opening: str = "free", no_move: str = "draw") -> AnyRenju:
    """The first state of a game."""
    if opening not in ("free", "swap2") and (size < 9 or size % 2 == 0):
        raise HansuError(
            "opening={opening} needs a board with a centre",
            "choose an odd size of at least 9, such as size=15",
            opening=opening,
        )
    first, fifths = FIRST[opening]
    return empty_board(rule, size, opening, no_move)._replace(turn=first << 2 | fifths << 8)


def step_legal(s: WithOffers, a: int) -> bool:
    """Is the action legal in this opening step?"""
    step = step_of(s)
    kind = KIND[step]
    size = size_of(s)
    if a >= size * size:
        a -= size * size
        if kind == COUNT:
            return COUNT_0 < a < CHOICES
        if a == THIRD_CHOICE:
            return kind in (SWAP_OR_TEN, PICK_OR_ADD)
        return a in (DO_SWAP, STAY) and kind not in (PLACE, OFFER, KEEP)
    if kind == KEEP:
        return has(s.offers, place_of(s, a))
    if kind not in (PLACE, OFFER) or not vacant(s, a):
        return False
    from_centre = max(abs(a // size - size // 2), abs(a % size - size // 2))
    return from_centre <= REACH[step] and (kind == PLACE or unlike_others(s, a))


def stepped(s: WithOffers, a: int) -> tuple[Words, Words, int, int, Words]:
    """The fields of the state after an opening step, except `setup`."""
    size = size_of(s)
    step = step_of(s)
    kind, following = KIND[step], NEXT[step]
    seat = mover(s) if SAME_SEAT[step] else 1 - mover(s)
    fifths = s.turn >> 8
    mine, theirs, placed, colour, offers = s.mine, s.theirs, s.placed, s.turn & 1, s.offers
    if kind in (PLACE, KEEP):
        mine, theirs = theirs, with_stone(mine, place_of(s, a))
        placed += 1
        colour ^= 1
        for i in range(len(offers)):
            offers = with_item(offers, i, 0)
    elif kind == OFFER:
        offers = with_stone(offers, place_of(s, a))
        if total(offers) < fifths:
            following = step
            seat = mover(s)
    elif kind == COUNT:
        fifths = a - size * size - COUNT_0
    elif a == size * size + DO_SWAP:
        seat = 1 - seat
    elif a == size * size + THIRD_CHOICE:
        following = OFFERS if kind == SWAP_OR_TEN else ADDED
    turn = colour | seat << 1
    if following:
        turn |= following << 2 | fifths << 8
    return mine, theirs, placed, turn, offers


def unlike_others(s: WithOffers, a: int) -> bool:
    """Is this fifth move different from those already offered, also up to symmetry?"""
    place = place_of(s, a)
    for n in range(total(s.offers)):
        other = nth_place(s.offers, n)
        if other == place or look_alike(s.mine, s.theirs, place, other):
            return False
    return True


def nth_place(words: Words, n: int) -> int:
    """The place of stone number n, counted from 0; -1 if there are not that many stones."""
    for i in range(len(words)):
        word = item(words, i)
        if n < popcount(word):
            while n > 0:
                word &= word - 1
                n -= 1
            return i * (64 if len(words) == 4 else 63) + lowest(word)
        n -= popcount(word)
    return -1


def look_alike(black: Words, white: Words, one: int, other: int) -> bool:
    """Are the stones with black on the place `one` symmetrical to those with black on `other`?"""
    down = stride(black)
    if distances(black, one) != distances(black, other) or distances(white, one) != distances(white, other):
        return False  # symmetries keep distances
    with_one, with_other = with_stone(black, one), with_stone(black, other)
    first = nth_place(white, 0)
    for k in range(8):
        x, y = turned(first % down, first // down, k)
        for n in range(total(white)):  # the first white stone may fall onto any white stone
            there = nth_place(white, n)
            right, below = there % down - x, there // down - y
            if falls_onto(white, white, k, right, below) and falls_onto(with_one, with_other, k, right, below):
                return True
    return False


def distances(words: Words, place: int) -> int:
    """The sum of the squared distances to all stones, which symmetries and shifts do not change."""
    down = stride(words)
    x, y = place % down, place // down
    squares = 0
    for i in range(len(words)):
        word = item(words, i)
        while word:
            there = i * (64 if len(words) == 4 else 63) + lowest(word)
            squares += (there % down - x) ** 2 + (there // down - y) ** 2
            word &= word - 1
    return squares


def turned(x: int, y: int, k: int) -> tuple[int, int]:
    """A vector under symmetry k (rules.py numbers them)."""
    if k & 1:
        x = -x
    if k & 2:
        y = -y
    return (y, x) if k & 4 else (x, y)


def falls_onto(words: Words, others: Words, k: int, right: int, below: int) -> bool:
    """Does every stone, turned by symmetry k and shifted, fall onto one of the others?"""
    down = stride(words)
    for n in range(total(words)):
        place = nth_place(words, n)
        x, y = turned(place % down, place // down, k)
        x, y = x + right, y + below
        if x < 0 or y < 0 or x >= down or y >= down - 1 or not has(others, y * down + x):
            return False
    return True
