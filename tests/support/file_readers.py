"""Readers of files, as functions of a path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hansu.core import registry
from hansu.core.reading import lines_of
from hansu.games.ataxx.pgn import from_records, read_pgn
from hansu.games.pacman import course_games
from hansu.games.renju.files.formats import read_games


def renju(path: Path) -> object:
    return sum(1 for _ in read_games(path, skipped=lambda mistake: None))


def pgn(path: Path) -> object:
    with path.open(encoding="utf-8", errors="replace") as file:
        return list(read_pgn(lines_of(file)))


def saved(path: Path) -> object:
    with path.open(encoding="utf-8", errors="replace") as file:
        return list(from_records(lines_of(file)))


def first_of(spec: str) -> Callable[[Path], object]:
    return lambda path: registry.game(f"{spec}={path}").first


def recording(path: Path) -> object:
    first, played = course_games.load(path, registry.game("pacman"))
    return [list(course_games.replay(first, one)) for one in played]
