"""Files of games in any of the known formats, one game at a time.

    .sgf  SGF                 .psq  Gomocup, piskvork         .lib    RenLib
    .rif  RenjuNet (.xml)     .txt  moves, a game a line      .jsonl  `hansu match --save` (only read)

The format is seen from the content; what cannot be told goes by the name. A mistake in a file is told with its place
and skipped, or with `strict` raised.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, BinaryIO

from hansu.core import HansuError
from hansu.core.file_errors import not_written
from hansu.core.reading import lines_of, opened
from hansu.games.renju.files.game_record import GameRecord, Mistake, validation_error
from hansu.games.renju.files.lib import read_lib, write_lib
from hansu.games.renju.files.lines import line_text, read_lines, read_matches
from hansu.games.renju.files.psq import psq_text, read_psq
from hansu.games.renju.files.rif import read_rif, write_rif
from hansu.games.renju.files.sgf import read_sgf, sgf_text

SUFFIXES = {".sgf": "sgf", ".psq": "psq", ".rif": "rif", ".xml": "rif", ".lib": "lib", ".txt": "txt", ".jsonl": "jsonl"}
LETTERS = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp\d+|euc_\w+|shift_jis\w*|gb\w+|hz|big5\w*|johab|koi8-\w|iso2022_\w+|mac-\w+|tis-620"
)
"""Encodings of texts in which a bracket is a bracket. (Python knows others that are none, as zlib and rot13.)"""
LOOK = 1 << 16  # bytes from which the format and the encoding are seen

Tell = Callable[[Mistake], None]


@dataclass(frozen=True)
class Assumed:
    """What is assumed of games whose file does not say it."""

    rule: str = ""  # empty: the usual one of the format
    size: int = 15  # of plain lines of moves


def format_of(path: Path, head: bytes) -> str:
    """One of sgf, psq, rif, lib, txt and jsonl."""
    if head[:1] == b"\xff" or (head[:1] == b"\x78" and path.suffix.lower() == ".lib"):
        return "lib"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for begin, name in ((b"<", "rif"), (b"(", "sgf"), (b"{", "jsonl")):
        if text.startswith(begin):
            return name
    if text[:9].lower() == b"piskvorky":
        return "psq"
    return SUFFIXES.get(path.suffix.lower(), "txt")


def encoding_of(head: bytes) -> str:
    """UTF-8, else what an SGF file says (CA), else Latin-1, which takes any byte."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character that is cut off at the end is no mistake
        return "utf-8-sig"
    except UnicodeDecodeError:
        pass
    said = re.search(rb"CA\s*\[\s*([\w.:-]+)\s*\]", head)
    try:
        name = codecs.lookup(said[1].decode("ascii")).name if said else "latin-1"
    except (LookupError, ValueError):
        return "latin-1"
    return name if LETTERS.fullmatch(name) else "latin-1"


def read_games(path: Path, strict: bool = False, skipped: Tell | None = None, assumed: Assumed = Assumed(),
               progress: Callable[[int], None] | None = None, check: bool = True) -> Iterator[GameRecord]:  # fmt: skip
    """The games of a file that are in order; `check` plays each of them through. `skipped` hears of the others, unless
    `strict` raises at the first; `progress` of how many bytes were read."""
    with opened(path) as (raw, stream):
        for found in _read(path, stream, assumed):
            if isinstance(found, GameRecord) and check and (fault := validation_error(found)):
                found = Mistake(found.where, fault)
            if isinstance(found, GameRecord):
                yield found
            elif strict:
                raise HansuError(f"{path}, {found.where}: {found.what}", "without --strict it would be skipped")
            elif skipped is not None:
                skipped(found)
            if progress is not None:
                progress(raw.tell())


def _read(path: Path, stream: BinaryIO, assumed: Assumed) -> Iterator[GameRecord | Mistake]:
    head = stream.read(LOOK)
    stream.seek(0)
    named = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    kind = format_of(named, head)
    if kind == "lib":
        return read_lib(stream)
    if kind == "rif":
        return read_rif(stream)
    lines = lines_of(TextIOWrapper(stream, encoding=encoding_of(head), errors="replace"))
    if kind == "sgf":
        return read_sgf(lines, assumed.rule)
    if kind == "psq":
        return read_psq(lines, assumed.rule)
    return read_matches(lines) if kind == "jsonl" else read_lines(lines, assumed.size, assumed.rule)


def writable(path: Path) -> bool:
    """Can games be written to a file of this name?"""
    return SUFFIXES.get(path.suffix.lower(), "jsonl") != "jsonl"


def write_games(path: Path, games: Iterable[GameRecord]) -> int:
    """Write games in the format that the file's name asks for, and give their number. Nothing is left of a file that
    could not be finished."""
    kind = SUFFIXES.get(path.suffix.lower(), "")
    if not writable(path):
        known = ", ".join(suffix for suffix in SUFFIXES if suffix != ".jsonl")
        raise HansuError(f"games cannot be written to {path.name}", f"name a file that ends with one of {known}")
    part = path.with_name(path.name + ".part")
    try:
        if kind == "lib":
            with part.open("wb") as out:
                count = write_lib(games, out)
        else:
            with part.open("w", encoding="utf-8", newline="\n") as text:
                count = write_rif(games, text) if kind == "rif" else _write_each(kind, games, text)
        part.replace(path)
    except OSError as error:
        raise not_written(path, error) from None
    finally:
        part.unlink(missing_ok=True)
    return count


def _write_each(kind: str, games: Iterable[GameRecord], out: IO[str]) -> int:
    text_of = {"sgf": sgf_text, "psq": psq_text, "txt": line_text}[kind]
    count = 0
    for game in games:
        out.write(text_of(game))
        count += 1
    return count
