"""Games as plain lines: moves one after the other, or the JSON lines of `hansu match --save`.

h8i9g7 1-0              a game a line: moves with or without spaces between, then the result where it is known
# a remark              such lines and empty ones are passed over
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hansu.core import HansuError
from hansu.core.saved import read_saved
from hansu.games.renju.notation import split_moves
from hansu.games.renju.record import (
    BLACK_WINS,
    DRAW,
    MOST_MOVES,
    RESULTS,
    UNKNOWN,
    WHITE_WINS,
    Broken,
    GameRecord,
    Mistake,
    read_move,
)

_NUMBER = re.compile(r"\b\d+\.+")  # before a move, as in 1.h8


def read_lines(lines: Iterable[str], size: int = 15, rule: str = "") -> Iterator[GameRecord | Mistake]:
    for number, text in enumerate(lines, 1):
        text = text.removeprefix("\ufeff").strip()
        if not text or text.startswith("#"):
            continue
        try:
            yield _of_text(text, size, rule or "renju", f"line {number}")
        except Broken as error:
            yield Mistake(f"line {number}", error.what)


def _of_text(text: str, size: int, rule: str, where: str) -> GameRecord:
    words = _NUMBER.sub(" ", text).split()
    result = words.pop() if words and words[-1] in RESULTS else UNKNOWN
    moves = split_moves(" ".join(words))
    if len(moves) > MOST_MOVES:
        raise Broken(f"more than {MOST_MOVES} moves")
    return GameRecord(tuple(read_move(move, size) for move in moves), size, rule, result, where=where)


def line_text(game: GameRecord) -> str:
    between = " " if game.pass_move in game.moves else ""
    return between.join(game.move_texts()) + f" {game.result}\n"


def read_matches(lines: Iterable[str]) -> Iterator[GameRecord | Mistake]:
    """The games of `hansu match renju --save`."""
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            yield _of_match(text, f"line {number}")
        except Broken as error:
            yield Mistake(f"line {number}", error.what)


def _of_match(text: str, where: str) -> GameRecord:
    from hansu.games.renju import GAME
    from hansu.games.renju.state import colour

    try:
        saved = read_saved(text, GAME)
        at = saved.game.first
        size = at.game.option("size")
        moves = []
        for word in saved.moves:
            before, at = at.state, at.play_move(word)
            if at.state.placed > before.placed or at.last == size * size:  # not a choice of an opening rule
                moves.append(at.last)
    except HansuError as error:
        raise Broken(error.what) from None
    swapped = at.mover != colour(at.state)  # the first seat has white
    for_black = -saved.outcome if swapped else saved.outcome
    players = (saved.second, saved.first) if swapped else (saved.first, saved.second)
    opening = at.game.option("opening")
    return GameRecord(
        tuple(moves), size, at.game.option("rule"), BLACK_WINS if for_black > 0 else WHITE_WINS if for_black else DRAW,
        *players, opening_rule="" if opening == "free" else opening,
        comments=((len(moves), saved.fault),) if saved.fault else (), where=where,
    )  # fmt: skip
