"""Ataxx games in PGN, read and written one at a time, so files may be larger than memory.

    [Event "a match"]                        one tag per line
    [FEN "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"]  if the game does not start from the usual position
    [Result "1-0"]
                                             an empty line
    1. g2 a2 (1... b1 {a comment}) 2. a7a5   moves as in UAI; a variation follows the move it replaces
    0000 1-0                                 `1-0` is a win of x, `0-1` of o

The reader skips move numbers, `$` glyphs, and comments in braces or after a semicolon. A comment at the start of a
variation is its name. Variations with illegal moves are skipped. If the moves end without a result, the tag gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hansu.core import HansuError, IllegalMove, Record
from hansu.core.errors import shortened
from hansu.core.record import read_record
from hansu.core.variation import MOST_VARIATIONS, Fork, Variation, joined
from hansu.games.ataxx.notation import fen, move_text, read_fen, read_move
from hansu.games.ataxx.rules import Ataxx, over, play, start

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
RESULT_OF = {1: "1-0", 0: "1/2-1/2", -1: "0-1", None: "*"}
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
LINE_WIDTH = 80
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*$')
_TOKEN = re.compile(r"[{;()]|\$\d+|\d+\.+|[^\s{;()]+")


@dataclass
class PgnGame:
    """One game of a file. `line` is its first line there."""

    tags: dict[str, str] = field(default_factory=dict)
    first: Ataxx = field(default_factory=start)
    actions: list[int] = field(default_factory=list)
    result: str = "*"
    line: int = 0
    variations: list[Variation] = field(default_factory=list)

    def states(self) -> Iterator[Ataxx]:
        """Every state from the first to the last."""
        s = self.first
        yield s
        for action in self.actions:
            s = play(s, action)
            yield s


@dataclass
class _Line:
    """A line of play that is being read: the game, or a variation."""

    now: Ataxx
    actions: list[int]
    number: int = 0  # line of the file where it starts
    before: Ataxx | None = None  # the position before the last move
    name: str = ""
    broken: bool = False


class _PgnReader:
    """The state of the reader: the current game, and the open comments and variations."""

    def __init__(self, contest: bool) -> None:
        self.contest = contest
        self.comment_from = 0  # the line of an open brace
        self.outer: list[_Line] = []  # lines that continue after the open parentheses
        self.begin()

    def begin(self) -> None:
        self.game = PgnGame(first=start(contest=self.contest))
        self.at = _Line(self.game.first, self.game.actions)
        self.in_moves = False

    @property
    def begun(self) -> bool:
        return self.in_moves or bool(self.game.tags)

    def tag(self, text: str, number: int) -> None:
        match = _TAG.match(text)
        if match is None:
            raise HansuError(
                "line {number}: cannot read the tag {text}",
                'a tag looks like [Name "value"]',
                number=number,
                text=shortened(text.strip()),
            )
        name, value = match[1], re.sub(r"\\(.)", r"\1", match[2])
        if not self.begun:
            self.game.line = number
        self.game.tags[name] = value
        if name.lower() == "fen":
            try:
                self.at.now = self.game.first = read_fen(value, self.contest)
            except HansuError as error:
                raise HansuError("line {number}: {error}", error.hint, number=number, error=error.what) from None

    def moves(self, text: str, number: int) -> Iterator[PgnGame]:
        """Read a line of moves; yields each game that ends on it."""
        at = 0
        while True:
            if self.comment_from:
                end = text.find("}", at)
                if end < 0:
                    return
                self.comment_from, at = 0, end + 1
            match = _TOKEN.search(text, at)
            if match is None:
                return
            token, at = match[0], match.end()
            if token == ";":
                return
            if token == "{":
                self.comment_from = number
                if self.outer and len(self.at.actions) == len(self.outer[-1].actions) - 1:
                    self.at.name = self.at.name or " ".join(text[at:].partition("}")[0].split())
            elif token == "(":
                self.branch(number)
            elif token == ")":
                if not self.outer:
                    raise HansuError("line {number}: unmatched `)`", number=number)
                self.close()
            elif token.startswith("$") or token.endswith("."):
                continue
            elif self.outer:
                if not self.at.broken:
                    try:
                        self.move(token, number)
                    except IllegalMove:
                        self.at.broken = True
            else:
                if not self.begun:
                    self.game.line = number
                self.in_moves = True
                if token in RESULTS:
                    yield self.finished(token, number)
                else:
                    self.move(token, number)

    def branch(self, number: int) -> None:
        """Start a variation of the last move."""
        at = self.at
        self.outer.append(at)
        if at.before is None or at.broken:
            self.at = _Line(at.now, at.actions[:-1], number, broken=True)
        else:
            self.at = _Line(at.before, at.actions[:-1], number)

    def close(self) -> None:
        """End a variation."""
        done, self.at = self.at, self.outer.pop()
        has_moves = len(done.actions) >= len(self.at.actions)
        if has_moves and not done.broken and len(self.game.variations) < MOST_VARIATIONS:
            self.game.variations.append(Variation(tuple(done.actions), done.name))

    def move(self, token: str, number: int) -> None:
        token = re.sub(r"^\d+\.+|[!?]+$", "", token)
        at = self.at
        if over(at.now):
            raise IllegalMove(
                "line {number}: {move} is after the end of the game", number=number, move=shortened(token)
            )
        action = read_move(at.now, token)
        if action is None:
            raise IllegalMove(
                "line {number}: {move} is not a legal move in {position}",
                number=number,
                move=shortened(token),
                position=fen(at.now),
            )
        at.actions.append(action)
        at.before, at.now = at.now, play(at.now, action)

    def cut_short(self, number: int) -> PgnGame:
        """A game whose moves end without a result: its tag must have the result."""
        result = self.game.tags.get("Result", "")
        if result not in RESULTS:
            raise HansuError(
                "line {number}: the previous game has no result",
                "add a result: {results}",
                number=number,
                results=", ".join(RESULTS),
            )
        return self.finished(result, number)

    def finished(self, result: str, number: int) -> PgnGame:
        tag = self.game.tags.get("Result", result)
        if tag != result and "*" not in (tag, result):
            raise HansuError(
                "line {number}: the moves end with {result}, but the tag is {tag}",
                number=number,
                result=result,
                tag=tag,
            )
        game = self.game
        game.result = result
        self.begin()
        return game


def read_pgn(lines: Iterable[str], contest: bool = False) -> Iterator[PgnGame]:
    """Yields every game of an open file (or any lines). Errors name their line."""
    reader = _PgnReader(contest)
    number = 0
    for number, text in enumerate(lines, 1):
        if number == 1:
            text = text.removeprefix("\ufeff")
        inside = reader.comment_from or reader.outer
        if not inside and text.startswith("%"):
            continue
        if not inside and text.startswith("["):
            if reader.in_moves:
                yield reader.cut_short(number)
            reader.tag(text, number)
        else:
            yield from reader.moves(text, number)
    if reader.comment_from:
        raise HansuError("line {number}: the comment is never closed", number=reader.comment_from)
    if reader.outer:
        raise HansuError("line {number}: the variation is never closed", number=reader.at.number)
    if reader.begun:
        yield reader.cut_short(number)


def pgn_text(game: PgnGame) -> str:
    """One game, with an empty line at the end. Black is x and moves first; White is o."""
    tags = dict.fromkeys(ROSTER, "?") | game.tags | {"Result": game.result}
    if game.first != start(contest=bool(game.first.contest)):
        tags["FEN"] = fen(game.first)
    escaped = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in tags.items()}
    lines = [f'[{name} "{" ".join(value.split())}"]' for name, value in escaped.items()] + [""]
    words = [*_words(joined(tuple(game.actions), game.variations), game.first), game.result]
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > LINE_WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line, "", ""])


def _words(at: Fork, s: Ataxx) -> Iterator[str]:
    """The moves below a node, with variations in parentheses after the move they replace."""
    numbered = False  # is the next move's number already written?
    while at.following:
        main, *others = at.following
        if s.turns & 1 == 0 or not numbered:
            yield f"{s.turns // 2 + 1}{'...' if s.turns & 1 else '.'}"
        yield move_text(s, main.action)
        for other in others:
            name = "{" + other.name.replace("{", "(").replace("}", ")") + "}" if other.name else ""
            inner = [word for word in (name, *_words(Fork(following=[other]), s)) if word]
            inner[0], inner[-1] = f"({inner[0]}", f"{inner[-1]})"
            yield from inner
        numbered = not others
        at, s = main, play(s, main.action)


def of_record(record: Record) -> PgnGame:
    """The PGN game of a record. The first seat is x."""
    tags = {"Black": record.players[0], "White": record.players[1]}
    if record.fault:
        tags["Termination"] = record.fault
    return PgnGame(
        tags,
        record.last.origin.state,
        list(record.last.history),
        RESULT_OF[record.outcome],
        variations=list(record.variations),
    )


def from_records(lines: Iterable[str]) -> Iterator[PgnGame]:
    """The games in the JSON lines of `hansu match --save`."""
    from hansu.core.registry import built_in

    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            game = of_record(read_record(text, built_in("ataxx")))
        except HansuError as error:
            raise HansuError("line {number}: {error}", error.hint, number=number, error=error.what) from None
        game.line = number
        yield game
