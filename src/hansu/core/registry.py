"""Finds games by name or path. Every module or package in `hansu.games` that defines a `GAME` is a built-in game; any
other Python file that defines one can be named by its path."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import pkgutil
import re
import sys
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hansu.core import game_check
from hansu.core.errors import HansuError
from hansu.core.file_errors import not_there
from hansu.core.game import Game
from hansu.core.installed_docs import located
from hansu.core.message import Message
from hansu.core.options import did_you_mean, split_spec
from hansu.core.owner import GAMES


@cache
def names() -> tuple[str, ...]:
    """The games of the package, the smallest first: those a beginner meets first.

    >>> import hansu
    >>> hansu.names()[:2]
    ('tictactoe', 'tree')
    """
    found = [module.name for module in pkgutil.iter_modules([str(GAMES)]) if not module.name.startswith("_")]
    return tuple(sorted(found, key=lambda name: (not built_in(name).small, name)))


@cache
def built_in(name: str) -> Game:
    """A game of the package by its name."""
    if name not in {module.name for module in pkgutil.iter_modules([str(GAMES)])}:
        hint = Message("{hint} - or a path to a .py file", hint=did_you_mean(name, names(), "games"))
        raise HansuError("there is no game {name!r}", hint, name=name)
    module = importlib.import_module(f"hansu.games.{name}")
    return game_check.check(getattr(module, "GAME", None), module.__name__)


def game(spec: str) -> Game:
    """The game that a text names: `tictactoe`, `tree:file=my_tree.txt`, `./my_game.py`, `./my_game.py:size=5`.

    >>> import hansu
    >>> first = hansu.game("tree").first
    >>> [first.move_text(action) for action in first.actions]
    ['a1', 'a2', 'a3']
    """
    by_path = _by_path(spec)
    if by_path:
        found = from_file(Path(by_path[1]))
        _, settings = split_spec(f"{found.name}:{by_path[2]}" if by_path[2] else found.name)
    else:
        name, settings = split_spec(spec)
        found = built_in(name)
    return found.with_settings(settings)


def _by_path(spec: str) -> re.Match[str] | None:
    return re.match(r"(?!\w+:\w+=)(.*\.py)(?::(.*))?$", spec.strip())  # but not name:option=something.py


def file_of(spec: str) -> Path | None:
    """The existing Python file that the text names, if it names one."""
    by_path = _by_path(spec)
    path = Path(by_path[1]).expanduser() if by_path else None
    return path if path is not None and path.is_file() else None


def from_file(path: Path) -> Game:
    """The GAME that a user's file defines."""
    module = load(path)
    return game_check.check(getattr(module, "GAME", None), str(path))


def load(path: Path, shims: Mapping[str, str] | None = None) -> object:
    """A user's file as a module. The name holds the full path, so that two files never meet under one name. `shims` are
    modules that the file may import by another framework's names: they go before files that lie beside it."""
    from dataclasses import replace

    full = path.expanduser().resolve()
    if not full.is_file():
        there = located(path.as_posix())
        hint = Message("but hansu brings {path}", path=there) if there != path.as_posix() else ""
        raise not_there(path, hint)
    name = f"hansu_user_{full.stem}_{hashlib.sha256(str(full).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    wanted = importlib.util.spec_from_file_location(name, full)
    if wanted is None or wanted.loader is None:
        raise HansuError("{path} is not a Python file", "its name ends with .py", path=path)
    module = importlib.util.module_from_spec(wanted)
    sys.modules[name] = module
    for shim, ours in (shims or {}).items():
        sys.modules[shim] = importlib.import_module(ours)
    sys.path.insert(0, str(full.parent))  # so that the file may import its neighbours
    try:
        wanted.loader.exec_module(module)
    except HansuError:
        del sys.modules[name]
        raise
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        at, text = _place_of(error, full), getattr(error, "msg", None) or error  # a SyntaxError's text names its place
        where = Message("{file}, line {line}", file=path, line=at) if at else path
        what = Message("{path} cannot be loaded: {kind}: {error}", path=where, kind=type(error).__name__, error=text)
        hint = game_check.moved_field(error) or Message(
            "fix it there; `python {path}` shows the whole traceback, `hansu check {path}` checks a game", path=path
        )
        raise HansuError(what, hint) from error
    finally:
        sys.path.remove(str(full.parent))
    made = getattr(module, "GAME", None)
    if isinstance(made, Game):
        module.GAME = replace(made, path=str(full))  # type: ignore[attr-defined]
    return module


def _place_of(error: BaseException, file: Path) -> int | None:
    """The line of a file at which it could not be loaded."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return lines[-1] if lines else None


def restored(name: str, settings: Mapping[str, Any]) -> Game:
    """A pickled game: the one with this name or path, with these settings."""
    game = from_file(Path(name)) if name.endswith(".py") else built_in(name)
    return game.with_values(settings) if settings else game


def is_registered(game: Game) -> bool:
    """Can `restored` find this game again in another process? (A notebook's own game cannot be found.)"""
    known = game.path or game.name in {module.name for module in pkgutil.iter_modules([str(GAMES)])}
    return bool(known) and restored(game.path or game.name, {}).state is game.state
