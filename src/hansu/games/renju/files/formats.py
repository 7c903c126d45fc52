"""Reads and writes game files of all known formats, one game at a time.

    .sgf  SGF                 .psq  Gomocup, piskvork         .lib    RenLib
    .rif  RenjuNet (.xml)     .txt  one game per line         .jsonl  `hansu match --save` (read only)

The format is detected from the content, otherwise from the file name. An invalid game is reported with its place in the
file and skipped; with `strict` it raises an error.
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
TEXT_ENCODINGS = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp\d+|euc_\w+|shift_jis\w*|gb\w+|hz|big5\w*|johab|koi8-\w|iso2022_\w+|mac-\w+|tis-620"
)
"""Text encodings that contain ASCII. (Python's codecs also include zlib, rot13 and other transformations.)"""
HEAD_BYTES = 1 << 16  # the format and the encoding are detected from these

OnMistake = Callable[[Mistake], None]


@dataclass(frozen=True)
class Assumed:
    """Defaults for games whose file does not name their rule or size."""

    rule: str = ""  # empty: the default of the format
    size: int = 15  # of plain lines of moves


def format_of(path: Path, head: bytes) -> str:
    """The format of a file that begins with `head`: sgf, psq, rif, lib, txt or jsonl."""
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
    """UTF-8, else the encoding that an SGF file names (CA), else Latin-1, which accepts any byte."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # incremental: the last character may be cut off
        return "utf-8-sig"
    except UnicodeDecodeError:
        pass
    declared = re.search(rb"CA\s*\[\s*([\w.:-]+)\s*\]", head)
    try:
        name = codecs.lookup(declared[1].decode("ascii")).name if declared else "latin-1"
    except (LookupError, ValueError):
        return "latin-1"
    return name if TEXT_ENCODINGS.fullmatch(name) else "latin-1"


def read_games(path: Path, strict: bool = False, skipped: OnMistake | None = None, assumed: Assumed = Assumed(),
               progress: Callable[[int], None] | None = None, check: bool = True) -> Iterator[GameRecord]:  # fmt: skip
    """Yield the valid games of a file; `check` replays each of them. `skipped` is called with the invalid ones, unless
    `strict` raises an error at the first. `progress` is called with the number of bytes read."""
    with opened(path) as (raw, stream):
        for result in _read(path, stream, assumed):
            if isinstance(result, GameRecord) and check and (error := validation_error(result)):
                result = Mistake(result.where, error)
            if isinstance(result, GameRecord):
                yield result
            elif strict:
                raise HansuError(
                    "{path}, {where}: {what}",
                    "correct the file, or skip invalid games by leaving --strict out",
                    path=path,
                    where=result.where,
                    what=result.what,
                )
            elif skipped is not None:
                skipped(result)
            if progress is not None:
                progress(raw.tell())


def _read(path: Path, stream: BinaryIO, assumed: Assumed) -> Iterator[GameRecord | Mistake]:
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    kind = format_of(path.with_suffix("") if path.suffix.lower() == ".gz" else path, head)
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
    """Does the file name end with a format that can be written?"""
    return SUFFIXES.get(path.suffix.lower(), "jsonl") != "jsonl"


def write_games(path: Path, games: Iterable[GameRecord]) -> int:
    """Write games in the format of the file's ending and return their number. An unfinished file is removed."""
    kind = SUFFIXES.get(path.suffix.lower(), "")
    if not writable(path):
        raise HansuError(
            "games cannot be written to {name}",
            "choose a file that ends with {endings}",
            name=path.name,
            endings=", ".join(suffix for suffix in SUFFIXES if suffix != ".jsonl"),
        )
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
