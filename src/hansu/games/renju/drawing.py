"""The board as a picture: stones, the last move, black's forbidden points by kind, the winning five, and below the
board what the mover has to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Any

from hansu.core import Message, Position
from hansu.core.message import in_languages
from hansu.games.renju.forbidden import DOUBLE_FOUR, DOUBLE_THREE, FIVE, OVERLINE, judge
from hansu.games.renju.notation import COLOURS, COLUMNS, SEATS, offered, score_text
from hansu.games.renju.opening_names import opening_name
from hansu.games.renju.openings import (
    COUNT,
    KEEP,
    KIND,
    OFFER,
    PICK,
    PICK_OR_ADD,
    PLACE,
    REACH,
    SWAP,
    SWAP_OR_TEN,
)
from hansu.games.renju.rules import restricted
from hansu.games.renju.state import (
    RENJU,
    STANDARD,
    AnyRenju,
    black_of,
    mover,
    place_of,
    rule_of,
    size_of,
    step_of,
    vacant,
    white_of,
)
from hansu.games.renju.stones import has
from hansu.scene import Cell, Line, Mark, Scene, Stone, Text

NARROWEST = 13  # cells; narrower boards get margins so that the text below fits
LABELS = {DOUBLE_THREE: "33", DOUBLE_FOUR: "44", OVERLINE: "6"}


def look(position: Position) -> Scene:
    """The picture of a position."""
    s: AnyRenju = position.state
    size = size_of(s)
    stones = letters(s)
    last = position.last if position.last is not None and position.last < size * size else None
    return board_scene(
        size, stones, {} if position.over else forbidden_points(s), winning_cells(s, stones) if position.over else (),
        last, offered(s), words_below(position),
    )  # fmt: skip


def touch(s: AnyRenju, action: int) -> tuple[tuple[float, float], ...]:
    """A stone is placed by touching its cell. Choices and passes have no place on the board."""
    size = size_of(s)
    return (point(action, size),) if action < size * size else ()


FORBIDDEN = {
    DOUBLE_THREE: Message("a double three is forbidden for black: two open threes with one stone"),
    DOUBLE_FOUR: Message("a double four is forbidden for black: two fours with one stone"),
    OVERLINE: Message("an overline is forbidden for black: six or more in a row"),
}


def barred(s: AnyRenju, x: float, y: float) -> Message | None:
    """Why black may not play on an empty point; None if the point is legal or not empty."""
    size = size_of(s)
    column, row = round(x - left(size) - 0.5), round(y - 1.0)
    cell = row * size + column
    if step_of(s) or not (0 <= column < size and 0 <= row < size) or not restricted(s) or not vacant(s, cell):
        return None
    kinds = judge(s.mine, s.theirs, size, column, row)
    return next((text for kind, text in FORBIDDEN.items() if kinds & kind), None)


def point(cell: int, size: int) -> tuple[float, float]:
    """The centre of a cell in the scene."""
    return cell % size + left(size) + 0.5, cell // size + 1.0


def left(size: int) -> float:
    """The left edge of the board: small boards are centred, so that the text below fits."""
    return 1 + max(0, NARROWEST - size) / 2


def board_scene(
    size: int, stones: str, forbidden: Mapping[int, int], winning: Sequence[int], last: int | None,
    offers: Iterable[int] = (), words: Sequence[str] = (), fives: Iterable[int] = (),
) -> Scene:  # fmt: skip
    """The picture of a board given as X, O and dots from the top left.

    `forbidden` maps cells to their kinds. `winning`, `last`, `offers` and `fives` are cells: the winner's five, the
    last move, the offered fifth moves, the points where black makes five. `words` are printed below the board.
    """

    edge = left(size)
    end = edge + size - 0.5
    shapes: list[Any] = [Cell(edge, 0.5, "wood", size, size)]
    for i in range(size):
        x, y = edge + i + 0.5, i + 1.0
        shapes += [Line(edge + 0.5, y, end, y, width=0.03), Line(x, 1, x, size, width=0.03)]
        shapes += [Text(edge - 0.2, y, str(size - i), "quiet", 0.42, anchor="end")]
        shapes += [Text(x, size + 1, COLUMNS[i], "quiet", 0.42)]
    shapes += [Stone(*point(cell, size), "line", "┼", 0.08) for cell in star_points(size)]
    for cell, stone in enumerate(stones):
        if stone != ".":
            shapes.append(Stone(*point(cell, size), "black" if stone == "X" else "white", stone, 0.44))
    shapes += [Mark(*point(cell, size), "good") for cell in winning]
    if last is not None and stones[last] != "." and last not in winning:
        shapes.append(Mark(*point(last, size), "last", 0.2))
    for cell in offers:
        shapes += [Mark(*point(cell, size), "hint", 0.4), Text(*point(cell, size), "?", "hint", 0.4, bold=True)]
    shapes += [Text(*point(cell, size), "5", "good", 0.4, bold=True) for cell in fives]
    for cell, kinds in forbidden.items():
        x, y = point(cell, size)
        shapes += [Stone(x, y, "wood", " ", 0.26), Text(x, y, label(kinds), "bad", 0.36, bold=True)]
    width = size + 2 + max(0, NARROWEST - size)
    below = wrapped(words, 2 * width)
    shapes += [Text(width / 2, size + 2.0 + i, line, "text", 0.45) for i, line in enumerate(below)]
    return Scene(width, size + 1.6 + len(below), tuple(shapes), "Renju", grain=(2, 1))


def wrapped(words: Sequence[str], width: int) -> list[Message]:
    """The texts in every language, joined on one line where they fit, else wrapped."""
    parts_by_language: dict[str, list[str]] = {}
    for text in words:
        for language, part in in_languages(text).items():
            parts_by_language.setdefault(language, []).append(part)
    lines = {language: _lines(parts, width) for language, parts in parts_by_language.items()}
    return [Message(dict(zip(lines, row, strict=True))) for row in zip_longest(*lines.values(), fillvalue="")]


def _lines(parts: list[str], width: int) -> list[str]:
    whole = " · ".join(parts)
    return [whole] if len(whole) <= width else [line for part in parts for line in wrap(part, width)]


def label(kinds: int) -> str:
    """33, 44 or 6; 34, 36, 46 or 346 where several kinds apply."""
    labels = [text for kind, text in LABELS.items() if kinds & kind]
    return labels[0] if len(labels) == 1 else "".join(text[0] for text in labels)


def star_points(size: int) -> list[int]:
    """The cells of the star points: the centre, and on larger boards four near the corners."""
    points = [(size // 2, size // 2)] if size % 2 else []
    if size >= 9:
        near = 3 if size >= 12 else 2
        points += [(x, y) for x in (near, size - 1 - near) for y in (near, size - 1 - near)]
    return [y * size + x for x, y in points]


def letters(s: AnyRenju) -> str:
    """The board as X, O and dots from the top left."""
    black, white = black_of(s), white_of(s)
    places = [place_of(s, cell) for cell in range(size_of(s) ** 2)]
    return "".join("X" if has(black, place) else "O" if has(white, place) else "." for place in places)


def forbidden_points(s: AnyRenju) -> dict[int, int]:
    """The cells where black may not play, with their kinds; empty if white is to move."""
    if step_of(s) or not restricted(s):
        return {}
    size = size_of(s)
    kinds = {
        cell: judge(s.mine, s.theirs, size, cell % size, cell // size) for cell in range(size**2) if vacant(s, cell)
    }
    return {cell: kind for cell, kind in kinds.items() if kind not in (0, FIVE)}


def winning_cells(s: AnyRenju, stones: str) -> list[int]:
    """The cells of every row with which the last mover has won."""
    size, winner = size_of(s), 1 - (s.turn & 1)
    exact = rule_of(s) == STANDARD or (rule_of(s) == RENJU and winner == 0)
    cells: set[int] = set()
    for cell in range(size * size):
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            row = []
            x, y = cell % size, cell // size
            while 0 <= x < size and 0 <= y < size and stones[y * size + x] == "XO"[winner]:
                row.append(y * size + x)
                x, y = x + dx, y + dy
            x, y = cell % size - dx, cell // size - dy
            begins = not (0 <= x < size and 0 <= y < size and stones[y * size + x] == "XO"[winner])
            if begins and (len(row) == 5 or (len(row) > 5 and not exact)):
                cells.update(row)
    return sorted(cells)


def words_below(position: Position) -> list[Message]:
    """What the mover has to do or the result, and the name of the opening."""
    s: AnyRenju = position.state
    size = size_of(s)
    words = [score_text(s) if position.over else prompt(s)]
    cells = tuple(a for a in position.history if a < size * size)[:3]
    opening = opening_name(cells, size) if len(cells) == 3 and position.origin.state.placed == 0 else None
    if opening is not None:
        code, name, characters = opening.code, opening.name, opening.characters
        words.append(Message("{code} {name} {characters}", code=code, name=name, characters=characters))
    return words


CHOICES = {
    SWAP: Message("may swap colours: swap or stay"),
    SWAP_OR_TEN: Message("may swap colours (swap or stay), or offer ten fifth moves (ten)"),
    KEEP: Message("chooses one of the fifth moves"),
    PICK: Message("chooses a colour: black or white"),
    PICK_OR_ADD: Message("chooses a colour (black or white), or adds two stones (add)"),
}


def prompt(s: AnyRenju) -> Message:
    """What the mover has to do, as a sentence."""
    kind, size, seat, colour = KIND[step_of(s)], size_of(s), SEATS[mover(s)], COLOURS[s.turn & 1]
    who = Message("the {seat} player", seat=seat)
    if kind == PLACE:
        reach, stone = 2 * REACH[step_of(s)] + 1, s.placed + 1
        if reach > size:
            where = Message("anywhere")
        elif reach == 1:
            where = Message("in the centre")
        else:
            where = Message("within the central {reach}×{reach}", reach=reach)
        return Message(
            "{who} places stone {stone}, {colour}, {where}", who=who, stone=stone, colour=colour, where=where
        )
    if kind == OFFER:
        done, count = len(offered(s)), s.turn >> 8
        return Message("{who}, black, offers fifth moves: {done} of {count}", who=who, done=done, count=count)
    if kind == COUNT:
        return Message("{who} chooses the number of fifth moves: 1 to 8", who=who)
    if kind in CHOICES:
        return Message("{who} {choice}", who=who, choice=CHOICES[kind])
    if mover(s) == s.turn & 1:
        return Message("{colour} to move", colour=colour)
    return Message("{colour} to move ({who})", colour=colour, who=who)


def squares(s: AnyRenju) -> list[tuple[float, float, str]]:
    """The centre and the letter of every cell, for the editor."""
    return [(*point(cell, size_of(s)), letter) for cell, letter in enumerate(letters(s))]
