"""Puzzles: positions from a teacher's file, in each of which the best move is wanted. A line a position,

    # Connect Four: find the win        the first comment is the title
    connect_four | 4455 | Red to move   the game, the position as `hansu analyze` reads it, words for it if any

The page asks; the game's solver or engine judges the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansu.core import HansuError
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.messages import MOST_TEXT

MOST_PUZZLES = 1_000
LONGEST_WORDS = 500  # characters of what is said with a puzzle
LOOKS = "a line is GAME | POSITION | words, as in: connect_four | 4 4 4 | Yellow to move"


@dataclass(frozen=True)
class Puzzle:
    game: str  # a spec
    start: str
    words: str = ""


@dataclass(frozen=True)
class PuzzleSet:
    """What a file holds; `name` is its place in addresses."""

    name: str
    title: str
    puzzles: tuple[Puzzle, ...]

    def as_json(self) -> dict[str, Any]:
        told = [{"game": one.game, "start": one.start, "words": one.words} for one in self.puzzles]
        return {"name": self.name, "title": self.title, "puzzles": told}


def read_sets(paths: Sequence[str], catalogue: Catalogue) -> dict[str, PuzzleSet]:
    """The sets of some files by name; two files of one name get numbers."""
    found: dict[str, PuzzleSet] = {}
    for text in paths:
        path = Path(text).expanduser()
        base = re.sub(r"[^\w-]+", "_", path.stem) or "puzzles"
        name, number = base, 2
        while name in found:
            name, number = f"{base}_{number}", number + 1
        found[name] = read_set(path, name, catalogue)
    return found


def read_set(path: Path, name: str, catalogue: Catalogue) -> PuzzleSet:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise HansuError(f"cannot read {path}: {error.strerror}", "--puzzles wants a text file; " + LOOKS) from None
    except UnicodeDecodeError:
        raise HansuError(f"{path} is no text in UTF-8", LOOKS) from None
    title, puzzles = "", []
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            title = title or line.strip("# \t")
        elif line.strip():
            try:
                puzzles.append(_read(line, catalogue))
            except HansuError as error:
                raise HansuError(f"{path}, line {number}: {error.what}", error.hint) from None
        if len(puzzles) > MOST_PUZZLES:
            raise HansuError(f"{path}, line {number}: more than {MOST_PUZZLES:,} puzzles", "make two files of it")
    if not puzzles:
        raise HansuError(f"{path} has no puzzles", LOOKS)
    return PuzzleSet(name, title or path.stem, tuple(puzzles))


def _read(line: str, catalogue: Catalogue) -> Puzzle:
    game, *rest = (part.strip() for part in line.split("|", 2))
    if not rest:
        raise HansuError("there is no | between game and position", LOOKS)
    start, words = rest[0] or "start", rest[1] if len(rest) > 1 else ""
    if len(start) > MOST_TEXT or len(words) > LONGEST_WORDS:
        what = f"a position has {MOST_TEXT:,} characters at most, its words {LONGEST_WORDS}"
        raise HansuError(what, "begin from a position that is shorter as text")
    position = catalogue.game(game).position(start)
    if position.over:
        raise HansuError("the game is over in this position", "give one in which there is a move to find")
    return Puzzle(game, start, words)
