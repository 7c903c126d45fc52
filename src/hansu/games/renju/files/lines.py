"""Games as lines: plain moves, or the JSON lines of `hansu match --save`.

h8i9g7 1-0          one game per line: moves with or without spaces, then the result if it is known
# a comment         comments and empty lines are skipped
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from hansu.core import HansuError, Record, Variation
from hansu.core.record import read_record
from hansu.games.renju.files.game_record import (
    BLACK_WINS,
    DRAW,
    MOST_MOVES,
    RESULTS,
    UNKNOWN,
    WHITE_WINS,
    GameRecord,
    InvalidGame,
    Mistake,
    read_move,
)
from hansu.games.renju.notation import split_moves
from hansu.games.renju.state import RULES, colour, mover, rule_of, size_of
from hansu.games.renju.tactics import played_stones

_NUMBER = re.compile(r"\b\d+\.+")  # before a move, as in 1.h8


def read_lines(lines: Iterable[str], size: int = 15, rule: str = "") -> Iterator[GameRecord | Mistake]:
    """Yield the games of plain lines, with this size and rule (by default renju)."""
    for number, text in enumerate(lines, 1):
        text = text.removeprefix("\ufeff").strip()
        if not text or text.startswith("#"):
            continue
        try:
            yield _of_text(text, size, rule or "renju", f"line {number}")
        except InvalidGame as error:
            yield Mistake(f"line {number}", error.what)


def _of_text(text: str, size: int, rule: str, where: str) -> GameRecord:
    words = _NUMBER.sub(" ", text).split()
    result = words.pop() if words and words[-1] in RESULTS else UNKNOWN
    moves = split_moves(" ".join(words))
    if len(moves) > MOST_MOVES:
        raise InvalidGame(f"the game has more than {MOST_MOVES} moves")
    return GameRecord(tuple(read_move(move, size) for move in moves), size, rule, result, where=where)


def line_text(game: GameRecord) -> str:
    """A game as a line."""
    between = " " if game.pass_move in game.moves else ""
    return between.join(game.move_texts()) + f" {game.result}\n"


def read_matches(lines: Iterable[str]) -> Iterator[GameRecord | Mistake]:
    """The games of `hansu match renju --save`."""
    from hansu.core.registry import built_in

    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            yield replace(of_record(read_record(text, built_in("renju"))), where=f"line {number}")
        except HansuError as error:
            yield Mistake(f"line {number}", error.what)


def of_record(record: Record) -> GameRecord:
    """A played game as a game record: its stones, without the choices of an opening rule. After a swap the first seat
    has white."""
    s, game, outcome = record.last.state, record.last.game, record.outcome
    size = size_of(s)
    cells = [cell for cell, _ in played_stones(record.last.origin)]
    start_cells = tuple(cells)
    for before, after in pairwise([*record.last.way, record.last]):
        if after.state.placed > before.state.placed or after.last == size * size:
            cells.append(after.last)
    swapped = mover(s) != colour(s)
    black, white = reversed(record.players) if swapped else record.players
    for_black = outcome if outcome is None or not swapped else -outcome
    opening = game.option("opening")
    return GameRecord(
        tuple(cells), size, RULES[rule_of(s)], {1: BLACK_WINS, 0: DRAW, -1: WHITE_WINS, None: UNKNOWN}[for_black],
        black, white, opening_rule="" if opening == "free" else opening,
        comments=((len(cells), record.fault),) if record.fault else (),
        variations=tuple(Variation((*start_cells, *actions), name) for actions, name in record.variations)
        if opening == "free" else (),
    )  # fmt: skip
