"""Finds games by name or path.

Every module or package in `hansu.games` that defines a `GAME` is a built-in game. Any other Python file that defines
one can be named by its path.
"""

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
    """The names of the built-in games, small games first.

    >>> import hansu
    >>> hansu.names()[:2]
    ('tictactoe', 'tree')
    """
    modules = [module.name for module in pkgutil.iter_modules([str(GAMES)]) if not module.name.startswith("_")]
    return tuple(sorted(modules, key=lambda name: (not built_in(name).small, name)))


@cache
def built_in(name: str) -> Game:
    """The built-in game of this name."""
    if name not in {module.name for module in pkgutil.iter_modules([str(GAMES)])}:
        hint = Message("{hint} (or the path of a .py file)", hint=did_you_mean(name, names(), "games"))
        raise HansuError("there is no game {name!r}", hint, name=name)
    module = importlib.import_module(f"hansu.games.{name}")
    return game_check.check(getattr(module, "GAME", None), module.__name__)


def game(spec: str) -> Game:
    """The game of a spec: `tictactoe`, `tree:file=my_tree.txt`, `./my_game.py`, `./my_game.py:size=5`.

    >>> import hansu
    >>> first = hansu.game("tree").first
    >>> [first.move_text(action) for action in first.actions]
    ['a1', 'a2', 'a3']
    """
    file = _file_match(spec)
    if file:
        plain = from_file(Path(file[1]))
        _, settings = split_spec(f"{plain.name}:{file[2]}" if file[2] else plain.name)
    else:
        name, settings = split_spec(spec)
        plain = built_in(name)
    return plain.with_settings(settings)


def _file_match(spec: str) -> re.Match[str] | None:
    """The path and the settings of a spec that names a Python file."""
    return re.match(r"(?!\w+:\w+=)(.*\.py)(?::(.*))?$", spec.strip())  # but not name:option=something.py


def file_of(spec: str) -> Path | None:
    """The existing Python file that a spec names, or None."""
    file = _file_match(spec)
    path = Path(file[1]).expanduser() if file else None
    return path if path is not None and path.is_file() else None


def from_file(path: Path) -> Game:
    """The GAME of a user's file."""
    module = load(path)
    return game_check.check(getattr(module, "GAME", None), str(path))


def load(path: Path, shims: Mapping[str, str] | None = None) -> object:
    """Import a user's file as a module.

    The module's name contains a hash of the full path, so two files never share a name. `shims` maps module names of
    another framework to replacements, which take precedence over files in the same folder.
    """
    from dataclasses import replace

    full = path.expanduser().resolve()
    if not full.is_file():
        included = located(path.as_posix())
        hint = Message("hansu includes {path}", path=included) if included != path.as_posix() else ""
        raise not_there(path, hint)
    name = f"hansu_user_{full.stem}_{hashlib.sha256(str(full).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise HansuError("{path} is not a Python file", "its name must end with .py", path=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    for shim, replacement in (shims or {}).items():
        sys.modules[shim] = importlib.import_module(replacement)
    sys.path.insert(0, str(full.parent))  # so that the file can import its neighbours
    try:
        spec.loader.exec_module(module)
    except HansuError:
        del sys.modules[name]
        raise
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        line, text = _line_of(error, full), getattr(error, "msg", None) or error  # str(SyntaxError) repeats the line
        where = Message("{file}, line {line}", file=path, line=line) if line else path
        what = Message("cannot load {path}: {kind}: {error}", path=where, kind=type(error).__name__, error=text)
        hint = game_check.moved_field(error) or Message(
            "`python {path}` shows the full traceback; `hansu check {path}` checks a game", path=path
        )
        raise HansuError(what, hint) from error
    finally:
        sys.path.remove(str(full.parent))
    game = getattr(module, "GAME", None)
    if isinstance(game, Game):
        module.GAME = replace(game, path=str(full))  # type: ignore[attr-defined]
    return module


def _line_of(error: BaseException, file: Path) -> int | None:
    """The line of a file that raised an error."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    return lines[-1] if lines else None


def restored(name: str, settings: Mapping[str, Any]) -> Game:
    """A game by name or path, with settings: how a pickled game is restored."""
    game = from_file(Path(name)) if name.endswith(".py") else built_in(name)
    return game.with_values(settings) if settings else game


def is_registered(game: Game) -> bool:
    """Can `restored` find this game in another process? (Not if it was defined in a notebook.)"""
    known = game.path or game.name in {module.name for module in pkgutil.iter_modules([str(GAMES)])}
    return bool(known) and restored(game.path or game.name, {}).state is game.state
