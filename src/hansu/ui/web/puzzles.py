"""Puzzles: positions from a teacher's file, each asking for the best move. One line per position:

    # Connect Four: find the win        the first comment is the title
    connect_four | 4455 | Red to move   the game, the position as for `hansu analyze`, an optional comment

The game's solver or engine judges the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansu.core import HansuError, Message
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.messages import MOST_TEXT

MOST_PUZZLES = 1_000
LONGEST_COMMENT = 500  # characters
FORMAT = Message("a line is GAME | POSITION | comment, such as: connect_four | 4 4 4 | Yellow to move")


@dataclass(frozen=True)
class Puzzle:
    game: str  # a spec
    start: str
    words: str = ""


@dataclass(frozen=True)
class PuzzleSet:
    """The puzzles of a file; `name` is its part of addresses."""

    name: str
    title: str
    puzzles: tuple[Puzzle, ...]

    def as_json(self) -> dict[str, Any]:
        """The answer of `/api/puzzles/NAME`."""
        puzzles = [{"game": one.game, "start": one.start, "words": one.words} for one in self.puzzles]
        return {"name": self.name, "title": self.title, "puzzles": puzzles}


def read_sets(paths: Sequence[str], catalogue: Catalogue) -> dict[str, PuzzleSet]:
    """The sets of several files by name; files with the same name are numbered."""
    sets: dict[str, PuzzleSet] = {}
    for text in paths:
        path = Path(text).expanduser()
        base = re.sub(r"[^\w-]+", "_", path.stem) or "puzzles"
        name, number = base, 2
        while name in sets:
            name, number = f"{base}_{number}", number + 1
        sets[name] = read_set(path, name, catalogue)
    return sets


def read_set(path: Path, name: str, catalogue: Catalogue) -> PuzzleSet:
    """The puzzles of one file."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise HansuError(
            "cannot read {path}: {reason}", "--puzzles expects a text file", path=path, reason=error.strerror
        ) from None
    except UnicodeDecodeError:
        raise HansuError("{path} is not UTF-8 text", FORMAT, path=path) from None
    title, puzzles = "", []
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            title = title or line.strip("# \t")
        elif line.strip():
            try:
                puzzles.append(_read(line, catalogue))
            except HansuError as error:
                what = Message("{path}, line {number}: {what}", path=path, number=number, what=error.what)
                raise HansuError(what, error.hint) from None
        if len(puzzles) > MOST_PUZZLES:
            raise HansuError(
                "{path}: more than {most:,} puzzles", "split it into several files", path=path, most=MOST_PUZZLES
            )
    if not puzzles:
        raise HansuError("{path} has no puzzles", FORMAT, path=path)
    return PuzzleSet(name, title or path.stem, tuple(puzzles))


def _read(line: str, catalogue: Catalogue) -> Puzzle:
    game, *rest = (part.strip() for part in line.split("|", 2))
    if not rest:
        raise HansuError("there is no | between game and position", FORMAT)
    start, words = rest[0] or "start", rest[1] if len(rest) > 1 else ""
    if len(start) > MOST_TEXT or len(words) > LONGEST_COMMENT:
        raise HansuError(
            "a position may have {position:,} characters, its comment {comment}", "use a shorter position or comment",
            position=MOST_TEXT, comment=LONGEST_COMMENT,
        )  # fmt: skip
    position = catalogue.game(game).position(start)
    if position.over:
        raise HansuError("the game is over in this position", "use a position with legal moves")
    return Puzzle(game, start, words)
