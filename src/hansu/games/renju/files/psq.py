"""Game files of Gomocup and its manager piskvork (.psq).

    Piskvorky 15x15, 11:11, 0     width x height, two levels, the player who moves first (0 or 1)
    8,8,0                         a move: column and row from 1 at the top left, milliseconds
    9,7,1234
    pbrain-one.exe                the first and the second player
    pbrain-two.exe
    -1                            the reason of the end, as a number of piskvork's
    1,Renju                       winner (1 the first player, 2 the second, 0 a draw) and rule

Only tournaments write the lines after the moves, and only newer ones the last line. A file contains one game; a
concatenation of files is read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hansu.core import HansuError
from hansu.games.renju.files.game_record import (
    BLACK_WINS,
    DRAW,
    MOST_MOVES,
    UNKNOWN,
    WHITE_WINS,
    GameRecord,
    InvalidGame,
    Mistake,
)
from hansu.games.renju.notation import SIZES
from hansu.games.renju.state import RULES

_HEAD = re.compile(
    r"Piskvorky\s+([0-9]{1,6})x([0-9]{1,6})\s*,\s*(-?[0-9]+):(-?[0-9]+)\s*,\s*([0-9]+)\s*$", re.IGNORECASE
)
_MOVE = re.compile(r"(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*(?:,\s*(-?[0-9]{1,12})\s*)?$")
_END = re.compile(r"([0-2])\s*,\s*([A-Za-z].*)$")
NOBODY = ("homo-1", "homo-2")
WINNERS = {"1": BLACK_WINS, "2": WHITE_WINS, "0": DRAW}


def read_psq(lines: Iterable[str], rule: str = "") -> Iterator[GameRecord | Mistake]:
    """Yield the games of a psq file; `rule` is the rule of games that do not name one."""
    game: list[tuple[int, str]] = []
    number, reported = 0, False
    for number, text in enumerate(lines, 1):
        text = text.strip().removeprefix("\ufeff")
        if text.lower().startswith("piskvorky"):
            if game:
                yield _game(game, rule)
            game, reported = [(number, text)], False
        elif text and not game:
            if not reported:  # report only the first such line before the next header
                yield Mistake(f"line {number}", f"expected `Piskvorky 15x15, 11:11, 0`, found {text[:30]!r}")
            reported = True
        elif text and len(game) < MOST_MOVES + 10:
            game.append((number, text))
    if game:
        yield _game(game, rule)
    elif not number:
        yield Mistake("line 1", "the file is empty")


def _game(lines: list[tuple[int, str]], rule: str) -> GameRecord | Mistake:
    try:
        return _record(lines, rule)
    except InvalidGame as error:
        return Mistake(error.where or f"line {lines[0][0]}", error.what)


def _record(lines: list[tuple[int, str]], rule: str) -> GameRecord:
    head = _HEAD.match(lines[0][1])
    if head is None:
        raise InvalidGame(f"expected `Piskvorky 15x15, 11:11, 0`, found {lines[0][1][:30]!r}")
    size = int(head[1])
    if head[2] != head[1] or size not in SIZES:
        raise InvalidGame(f"the board is {head[1]}×{head[2]}; only square boards of 5×5 to 20×20 are supported")
    moves: list[int] = []
    seconds: list[float] = []
    rest: list[str] = []
    for number, text in lines[1:]:
        move = _MOVE.match(text) if not rest else None
        if move is None:
            rest.append(text)
            continue
        x, y = int(move[1]), int(move[2])
        if not (1 <= x <= size and 1 <= y <= size):
            raise InvalidGame(
                f"{x},{y} is not a point of the {size}×{size} board (1,1 to {size},{size})", f"line {number}"
            )
        moves.append((y - 1) * size + x - 1)
        seconds.append(int(move[3] or 0) / 1000)
    if len(moves) > MOST_MOVES:
        raise InvalidGame(f"the game has more than {MOST_MOVES} moves")
    result, opening_rule = UNKNOWN, ""
    if rest and (end := _END.match(rest[-1])):
        result, opening_rule = WINNERS[end[1]], end[2]
        rest.pop()
    if rest and re.fullmatch(r"-?\d+", rest[-1]):
        rest.pop()
    names = [_name(text) for text in rest[:2]] + ["", ""]
    if head[5] == "1":  # the second player moved first
        names[:2] = names[1::-1]
        result = {BLACK_WINS: WHITE_WINS, WHITE_WINS: BLACK_WINS}.get(result, result)
    return GameRecord(
        tuple(moves), size, _rule(opening_rule) or rule or "freestyle", result, names[0], names[1],
        opening_rule=opening_rule if opening_rule.lower() not in RULES else "",
        seconds=tuple(seconds) if any(seconds) else (), where=f"line {lines[0][0]}",
    )  # fmt: skip


def _name(text: str) -> str:
    """A player's name without the prefix and the suffix of programs. Piskvork calls people homo-1 and homo-2."""
    text = re.sub(r"\.(exe|zip)$", "", re.sub(r"^pbrain-", "", text.strip(), flags=re.I), flags=re.I)
    return "" if text in NOBODY else text


def _rule(text: str) -> str:
    text = text.lower()
    return next((rule for rule in RULES if rule in text), "")


def psq_text(game: GameRecord) -> str:
    """One game as text. The format has no pass."""
    if game.pass_move in game.moves:
        raise HansuError("a .psq file cannot hold a pass", "choose another format, such as .sgf")
    seconds = game.seconds if len(game.seconds) == len(game.moves) else (0.0,) * len(game.moves)
    lines = [f"Piskvorky {game.size}x{game.size}, 0:0, 0"]
    lines += [
        f"{move % game.size + 1},{move // game.size + 1},{round(1000 * spent)}"
        for move, spent in zip(game.moves, seconds, strict=True)
    ]
    lines += [_line(game.black) or NOBODY[0], _line(game.white) or NOBODY[1], "-1"]
    winner = {result: number for number, result in WINNERS.items()}.get(game.result)
    if winner is not None:
        lines.append(f"{winner},{game.rule.capitalize()}")
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    """A name, changed so that it does not read as a move or a number."""
    text = " ".join(text.split())
    return f"pbrain-{text}" if text and not text[0].isalpha() else text
