"""RenjuNet's game database (.rif, XML), read and written as a stream; only its tables of names are held in memory.

    <database version="1.0">
    <players><player id="7" name="Ichiro" surname="Sato" .../></players>     also rules, openings, tournaments, ...
    <games>
    <game id="1" tournament="3" round="2" rule="1" black="7" white="9" bresult="1" opening="4" alt="j9" swap="...">
    <move>h8 i9 h10 ...</move>
    <info>...</info>
    </game>

`bresult` is black's score: 1, 0.5 or 0. `alt` lists the fifth moves that were not chosen. The numbers of a game refer
to the tables. The board is 15×15; row 1 is at the bottom.

There is no specification; this follows existing files. Malformed XML is reported with its line, and reading continues
at the next game. Entity declarations are rejected, because they can make a small file fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO, BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

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
    move_text,
    read_move,
)

SIZE = 15
PIECE = 1 << 16  # bytes read at a time
LONGEST_TEXT = 1 << 16  # characters of one game
TABLES = {"player", "rule", "opening", "tournament", "city", "country"}
RESULTS = {"1": BLACK_WINS, "0": WHITE_WINS, "0.5": DRAW, "1/2": DRAW, "0,5": DRAW}
_CODEC = re.compile(rb'<\?xml[^>]*encoding=["\']([\w.-]+)["\']')
AGAIN = b"<database><games>"
LONGEST_TAG = 1 << 20  # bytes
MOST_NAMES = 1_000_000  # entries in all tables together
_GAME = re.compile(rb"<game[\s>]")

Table = dict[str, dict[str, str]]


def read_rif(stream: BinaryIO) -> Iterator[GameRecord | Mistake]:
    """Yield the games of a RenjuNet database."""
    reader = _RifReader()
    line, codec, fed = 1, "", 0
    parser: expat.XMLParserType | None = None
    while piece := stream.readline(PIECE):
        if not codec:
            codec = declared[1].decode("ascii") if (declared := _CODEC.search(piece)) else "utf-8"
            parser = reader.parser(codec, 1)
        while piece:
            if parser is None:  # continue at the next game
                begin = _GAME.search(piece)
                if begin is None:
                    line += piece.count(b"\n")
                    break
                line += piece.count(b"\n", 0, begin.start())
                piece = piece[begin.start() :]
                parser, fed = reader.parser(codec, line), len(AGAIN)
                parser.Parse(AGAIN)
            reader.unfinished += len(piece)
            if reader.unfinished > LONGEST_TAG:
                reader.mistake(f"line {line}", f"a tag without an end (no > within {LONGEST_TAG:,} bytes)")
                yield from reader.take_results()
                return
            try:
                parser.Parse(piece)
                fed += len(piece)
                line += piece.count(b"\n")
                piece = b""
            except expat.ExpatError as error:
                reader.mistake(reader.where(error.lineno), f"malformed XML: {expat.errors.messages[error.code]}")
                behind = max(parser.ErrorByteIndex - fed, 0) + 1
                line += piece.count(b"\n", 0, behind)
                piece = piece[behind:]
                parser = None
        yield from reader.take_results()
    if parser is not None:
        try:
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            reader.mistake(reader.where(error.lineno), f"the file is incomplete: {expat.errors.messages[error.code]}")
    elif not codec:
        reader.mistake("line 1", "the file is empty")
    yield from reader.take_results()


class _RifReader:
    """The state of the reader: the tables so far, and the game being read."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {name: {} for name in TABLES}
        self._results: list[GameRecord | Mistake] = []
        self._game: dict[str, str] | None = None  # the attributes of the game being read
        self._where = ""
        self._texts: dict[str, str] = {}
        self._element = ""
        self._length = 0
        self._parser: expat.XMLParserType | None = None
        self._first_line = 1
        self._names = 0
        self.unfinished = 0  # bytes since the parser's last event

    def parser(self, codec: str, line: int) -> expat.XMLParserType:
        """A new parser; `line` is the line of the file where it starts."""
        try:
            if "<trial/>".encode(codec) != b"<trial/>":
                raise ValueError  # such as UTF-16, in which the search for the next game would fail
            expat.ParserCreate(codec).Parse(b"<trial/>", True)
        except (LookupError, ValueError, AttributeError, expat.ExpatError):
            raise HansuError(
                "the encoding {encoding!r} of the XML is not supported", "save the file as UTF-8", encoding=codec
            ) from None
        parser = expat.ParserCreate(codec)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._reject
        parser.buffer_text = True
        self._parser, self._first_line = parser, line
        self._game = None
        return parser

    def where(self, line: int) -> str:
        """The line of the file for a line of the parser."""
        return f"line {self._first_line + line - 1}"

    def take_results(self) -> list[GameRecord | Mistake]:
        """The games and mistakes since the last call."""
        results, self._results = self._results, []
        return results

    def mistake(self, where: str, what: str) -> None:
        """Add a mistake to the results."""
        self._results.append(Mistake(where, what))

    def _reject(self, name: str, *_: object) -> None:
        raise HansuError(
            "the file declares the XML entity {name!r}, which is not supported",
            "remove the DOCTYPE from the file",
            name=name[:30],
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        assert self._parser is not None
        self.unfinished = 0
        self._element = name
        if name == "game":
            self._game, self._texts, self._length = attributes, {}, 0
            self._where = self.where(self._parser.CurrentLineNumber)
        elif name in TABLES and self._game is None and "id" in attributes:
            self._names += 1
            if self._names > MOST_NAMES:
                raise HansuError(
                    "the tables of the file have more than {limit:,} names", "split the file", limit=MOST_NAMES
                )
            self._tables[name][attributes["id"]] = attributes

    def _text(self, text: str) -> None:
        self.unfinished = 0
        if self._game is not None:
            self._length += len(text)
            if self._length <= LONGEST_TEXT:
                self._texts[self._element] = self._texts.get(self._element, "") + text

    def _end(self, name: str) -> None:
        self.unfinished = 0
        self._element = "game"
        if name == "game" and self._game is not None:
            try:
                self._results.append(self._record(self._game))
            except InvalidGame as error:
                self.mistake(self._where, error.what)
            self._game = None

    def _record(self, game: dict[str, str]) -> GameRecord:
        if self._length > LONGEST_TEXT:
            raise InvalidGame(f"the game's text is longer than {LONGEST_TEXT:,} characters")
        words = self._texts.get("move", "").split()
        if len(words) > MOST_MOVES:
            raise InvalidGame(f"the game has more than {MOST_MOVES} moves")
        moves = tuple(read_move(word, SIZE) for word in words)
        offers = []
        for word in re.split(r"[\s,;]+", game.get("alt", "")):
            try:
                offers.append(read_move(word, SIZE))
            except InvalidGame:
                continue  # `alt` sometimes contains remarks
        tournament = self._tables["tournament"].get(game.get("tournament", ""), {})
        rule = self._tables["rule"].get(game.get("rule", ""), {})
        name = rule.get("name", "").lower()
        places = [tournament.get("place", "")]
        places += [self._tables[kind].get(tournament.get(kind, ""), {}).get("name", "") for kind in ("city", "country")]
        info = " ".join(self._texts.get("info", "").split())
        return GameRecord(
            moves, SIZE, "standard" if "gomoku" in name or "swap2" in name else "renju",
            RESULTS.get(game.get("bresult", "").strip(), UNKNOWN), self._player(game.get("black", "")),
            self._player(game.get("white", "")), tournament.get("name", ""), game.get("round", ""),
            ", ".join(filter(None, places)), tournament.get("start", "") or tournament.get("year", ""),
            self._tables["opening"].get(game.get("opening", ""), {}).get("name", "") or game.get("opening", ""),
            rule.get("name", ""), tuple(offers), game.get("swap", ""), comments=((0, info),) if info else (),
            where=self._where,
        )  # fmt: skip

    def _player(self, number: str) -> str:
        player = self._tables["player"].get(number, {})
        return " ".join(filter(None, (player.get("name", ""), player.get("surname", ""))))


class _Names:
    """A table of names and their numbers, filled while games are written."""

    def __init__(self, element: str, *attributes: str) -> None:
        self._element = element
        self._attributes = attributes
        self._numbers: dict[tuple[str, ...], int] = {}

    def number(self, *name: str) -> str:
        """The number of a name, new or known; "" for an empty name."""
        return str(self._numbers.setdefault(name, len(self._numbers) + 1)) if any(name) else ""

    def lines(self) -> Iterator[str]:
        """The table as XML."""
        yield f"<{self._element}s>\n"
        for name, number in self._numbers.items():
            attributes = "".join(
                f" {key}={quoteattr(_valid(value))}" for key, value in zip(self._attributes, name, strict=True)
            )
            yield f'<{self._element} id="{number}"{attributes}/>\n'
        yield f"</{self._element}s>\n"


def write_rif(games: Iterable[GameRecord], out: IO[str]) -> int:
    """Write a whole file and return the number of games. The tables precede the games that fill them, so the games go
    to a temporary file first."""
    players, rules, openings = (_Names(element, "name") for element in ("player", "rule", "opening"))
    tournaments = _Names("tournament", "name", "place", "start")
    results = {"1-0": "1", "0-1": "0", "1/2-1/2": "0.5", "*": ""}
    count = 0
    with TemporaryFile("w+", encoding="utf-8") as games_file:
        for count, game in enumerate(games, 1):
            if game.size != SIZE:
                raise HansuError(
                    "a .rif file holds only 15×15 games, not {size}×{size}",
                    "choose another format, such as .sgf",
                    size=game.size,
                )
            values = {
                "id": str(count), "tournament": tournaments.number(game.event, game.place, game.date),
                "round": game.round, "rule": rules.number(game.opening_rule or ("Gomoku" * (game.rule != "renju"))),
                "black": players.number(game.black), "white": players.number(game.white),
                "bresult": results[game.result], "opening": openings.number(game.opening),
                "alt": " ".join(move_text(cell, SIZE) for cell in game.offers), "swap": game.swaps,
            }  # fmt: skip
            attributes = "".join(f" {key}={quoteattr(_valid(value))}" for key, value in values.items())
            info = " ".join(_valid(text) for _, text in game.comments)
            games_file.write(f"<game{attributes}>\n<move>{' '.join(game.move_texts())}</move>\n")
            games_file.write(f"<info>{escape(info)}</info>\n</game>\n")
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<database version="1.0">\n')
        for table in (players, rules, openings, tournaments):
            out.writelines(table.lines())
        out.write("<games>\n")
        games_file.seek(0)
        while piece := games_file.read(PIECE):
            out.write(piece)
        out.write("</games>\n</database>\n")
    return count


def _valid(text: str) -> str:
    """The text with characters that XML does not allow replaced by spaces."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)
