"""Ataxx games in PGN, read and written one at a time: memory does not grow with the file.

    [Event "a match"]                        tags, one a line
    [FEN "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"]  where the game does not begin from the usual start
    [Result "1-0"]
                                             an empty line
    1. g2 a2 (1... b1 {a comment}) 2. a7a5   moves as in UAI, variations in round brackets after the move they replace
    0000 1-0                                 `1-0` is a win of x, `0-1` of o

Move numbers, comments in braces or after a semicolon and `$` glyphs are skipped; a comment that a variation begins with
is its name. A variation that makes no sense is left out. A game that ends without a result has its tag's.
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
    """One game of a file. `line` is where it begins there."""

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
    """A line that is being read: the game, or a variation of another line from the move before on."""

    now: Ataxx
    actions: list[int]
    number: int = 0  # of the line of the file where it begins
    before: Ataxx | None = None  # the last move
    name: str = ""
    broken: bool = False


class _PgnReader:
    """What is known of the game being read, and how deep in comments and variations the text is."""

    def __init__(self, contest: bool) -> None:
        self.contest = contest
        self.comment_from = 0  # the line where an open brace is
        self.outer: list[_Line] = []  # lines that go on when the open brackets are closed
        self.begin()

    def begin(self) -> None:
        self.game = PgnGame(first=start(contest=self.contest))
        self.at = _Line(self.game.first, self.game.actions)
        self.in_moves = False

    @property
    def begun(self) -> bool:
        return self.in_moves or bool(self.game.tags)

    def tag(self, text: str, number: int) -> None:
        found = _TAG.match(text)
        if found is None:
            raise HansuError(
                f"line {number}: cannot read the tag {shortened(text.strip())}", 'a tag looks like [Name "value"]'
            )
        name, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        if not self.begun:
            self.game.line = number
        self.game.tags[name] = value
        if name.lower() == "fen":
            try:
                self.at.now = self.game.first = read_fen(value, self.contest)
            except HansuError as error:
                raise HansuError(f"line {number}: {error.what}", error.hint) from None

    def moves(self, text: str, number: int) -> Iterator[PgnGame]:
        """Take a line of moves; yields each game that ends on it."""
        at = 0
        while True:
            if self.comment_from:
                end = text.find("}", at)
                if end < 0:
                    return
                self.comment_from, at = 0, end + 1
            found = _TOKEN.search(text, at)
            if found is None:
                return
            token, at = found[0], found.end()
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
                    raise HansuError(f"line {number}: a bracket is closed that was never opened")
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
        """Another move in place of the last one."""
        at = self.at
        self.outer.append(at)
        if at.before is None or at.broken:
            self.at = _Line(at.now, at.actions[:-1], number, broken=True)
        else:
            self.at = _Line(at.before, at.actions[:-1], number)

    def close(self) -> None:
        done, self.at = self.at, self.outer.pop()
        own = len(done.actions) >= len(self.at.actions)
        if own and not done.broken and len(self.game.variations) < MOST_VARIATIONS:
            self.game.variations.append(Variation(tuple(done.actions), done.name))

    def move(self, token: str, number: int) -> None:
        token = re.sub(r"^\d+\.+|[!?]+$", "", token)
        at = self.at
        if over(at.now):
            raise IllegalMove(f"line {number}: {shortened(token)} is played after the end of the game")
        action = read_move(at.now, token)
        if action is None:
            raise IllegalMove(f"line {number}: {shortened(token)} is not a legal move in {fen(at.now)}")
        at.actions.append(action)
        at.before, at.now = at.now, play(at.now, action)

    def cut_short(self, number: int) -> PgnGame:
        """A game whose moves end without a result: its tag must say it."""
        result = self.game.tags.get("Result", "")
        if result not in RESULTS:
            raise HansuError(f"line {number}: the game before has no result", f"one of: {', '.join(RESULTS)}")
        return self.finished(result, number)

    def finished(self, result: str, number: int) -> PgnGame:
        told = self.game.tags.get("Result", result)
        if told != result and "*" not in (told, result):
            raise HansuError(f"line {number}: the moves end with {result}, the tag says {told}")
        made = self.game
        made.result = result
        self.begin()
        return made


def read_pgn(lines: Iterable[str], contest: bool = False) -> Iterator[PgnGame]:
    """Every game of an open file (or any lines), as it is read; a mistake is told with its line number."""
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
        raise HansuError(f"line {reader.comment_from}: a comment is opened and never closed")
    if reader.outer:
        raise HansuError(f"line {reader.at.number}: a bracket is opened and never closed")
    if reader.begun:
        yield reader.cut_short(number)


def pgn_text(game: PgnGame) -> str:
    """One game with an empty line at its end. Black is x, who moves first; White is o."""
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
    """What follows in a tree of lines: a move, in brackets what might have been played instead, the next move."""
    numbered = False  # does the next move stand behind its number already?
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
    """A game that was played; x is in the first seat."""
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
    """The games of `hansu match --save`."""
    from hansu.core.registry import built_in

    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            made = of_record(read_record(text, built_in("ataxx")))
        except HansuError as error:
            raise HansuError(f"line {number}: {error.what}", error.hint) from None
        made.line = number
        yield made
