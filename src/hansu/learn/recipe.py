"""A recipe: one way to train something for a game, with documented options of its own.

A recipe is a dataclass whose fields are made by `option`, as a player's are. Every module of `learn/recipes/` that
defines `RECIPES` adds some, for the games they name or for every game; `hansu train` knows none of them by name.
"""

from __future__ import annotations

import shlex
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.options import Option, did_you_mean, read_settings, warn_renamed
from hansu.core.player import options_of

if TYPE_CHECKING:
    from hansu.learn.curves import Curve


class ResultTable(NamedTuple):
    """What a recipe measured, for people: a row of headings, and the rows below."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass
class TrainingResult:
    """What came of a training: tables to print, curves to draw, files that were written, what else is to be said."""

    tables: list[ResultTable] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stopped: bool = False  # by Ctrl-C, before its time


def _silent(_: Any) -> None:
    return


@dataclass(frozen=True)
class Job:
    """What a recipe is asked to do beside its options: the files to learn from, where to write, who listens."""

    files: tuple[Path, ...] = ()
    output: Path | None = None
    tell: Callable[[str], None] = _silent  # a line about how it goes
    show: Callable[[Mapping[str, Any]], None] = _silent  # the numbers of a long run, as its log has them

    def __post_init__(self) -> None:
        if self.output is None:
            return
        if self.output.is_dir():  # said before the work, which would be lost
            raise HansuError("{path} is a folder, not a file", "name a file: -o FILE", path=self.output)
        if self.output.resolve() in {path.resolve() for path in self.files}:
            raise HansuError("{path} would be overwritten", "name another file to write with -o", path=self.output)
        if not self.output.parent.is_dir():
            raise HansuError(
                "there is no folder {folder}", "make it, or name another file with -o", folder=self.output.parent
            )

    @property
    def target(self) -> Path:
        """The file to write."""
        assert self.output is not None, "a recipe that writes one says where if nobody else does: usual_files"
        return self.output

    @property
    def some_files(self) -> tuple[Path, ...]:
        """The files to learn from: one at least."""
        if not self.files:
            raise HansuError("no file to learn from was given", "this recipe wants some: --from FILE")
        return self.files

    @property
    def file(self) -> Path:
        """The only file to learn from."""
        if len(self.files) != 1:
            count = len(self.files)
            many = Message("{count} files were given", count=count)
            what = many if self.files else Message("no file to learn from was given")
            raise HansuError(what, Message("this recipe wants one: --from FILE"))
        return self.files[0]


@dataclass
class Recipe(ABC):
    """Subclass as a dataclass whose fields are made by `option`."""

    kind: ClassVar[str]
    about: ClassVar[str]
    old_kinds: ClassVar[tuple[str, ...]] = ()  # former names, accepted with a warning
    reads_files: ClassVar[bool] = True  # does it learn from files, or from what it plays itself?
    given: dict[str, str] = field(default_factory=dict, kw_only=True)  # what somebody set, as text

    @abstractmethod
    def train(self, game: Game, job: Job) -> TrainingResult:
        """Train, measure, write."""

    def carry_out(self, game: Game, job: Job) -> TrainingResult:
        """Train, unless the job does not fit."""
        if job.files and not self.reads_files:
            raise HansuError(
                "{kind} reads no file, and {path} was given",
                "leave it out; the file to write is named by -o",
                kind=self.kind,
                path=job.files[0],
            )
        usual = self.usual_files(game, job)
        if job.output is None and usual:
            there = next((path for path in usual if path.exists()), None)
            if there is not None:  # said before the work; what somebody named may be written over
                what = Message("{path} is there already", path=there)
                raise HansuError(
                    what, Message("name the file to write: -o FILE (-o {path} writes over it)", path=usual[0])
                )
            job = replace(job, output=usual[0])
        return self.train(game, job)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        """What is written where nobody names a file: that one first, then others beside it. None: no file is."""
        return ()

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        return options_of(cls)

    @classmethod
    def from_settings(cls, settings: Mapping[str, str]) -> Recipe:
        return cls(**read_settings(cls.options(), settings, cls.kind), given=dict(settings))


def how_to_play(game: Game, player: str, path: Path) -> Message:
    """The command that plays with a network's file."""
    spec = shlex.quote(f"{player}:network={path}")
    return Message("play with it: hansu play {game} --second {spec}", game=shlex.quote(game.spec), spec=spec)


def recipes(game: Game) -> dict[str, type[Recipe]]:
    """Everything that can be trained for a game, by name: its own first, then what works for every game."""
    from hansu.learn.recipes import alphazero, quantize, supervised

    general: tuple[type[Recipe], ...] = (*alphazero.RECIPES, *quantize.RECIPES, *supervised.RECIPES)
    return {recipe.kind: recipe for recipe in (*game.training(), *general)}


def recipe_named(name: str, game: Game) -> type[Recipe]:
    known = recipes(game)
    for recipe in known.values():
        if name in recipe.old_kinds:
            warn_renamed("hansu train", name, recipe.kind)
            return recipe
    if name not in known:
        owner = game.name
        raise HansuError("{owner} has no recipe {name!r}", did_you_mean(name, known, "recipes"), owner=owner, name=name)
    return known[name]


def settings_file(path: Path) -> dict[str, str]:
    """The settings of a TOML file, as texts: `channels = 64`, `simulations = [24, 160]`, `against = "mcts"`."""
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise HansuError(
            "{path} cannot be read: {strerror}", "a line looks like: channels = 64", path=path, strerror=error.strerror
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise HansuError(
            "{path} is no TOML file: {error}", "a line looks like: channels = 64", path=path, error=error
        ) from None
    return {key: _as_text(value, path, key) for key, value in values.items()}


def _as_text(value: Any, path: Path, key: str) -> str:
    if isinstance(value, list):
        return ",".join(_as_text(part, path, key) for part in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | str):
        return str(value)
    raise HansuError(
        "{path}: {key} is neither a number nor a text", "settings are not grouped in tables", path=path, key=key
    )


def pairs(words: Iterable[str]) -> dict[str, str]:
    """`channels=64 blocks=6` as settings."""
    settings: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.strip():
            raise HansuError("cannot read the setting {word!r}", "a setting looks like key=value", word=word)
        settings[key.strip()] = value.strip()
    return settings


def flags(words: Iterable[str], options: Iterable[Option]) -> tuple[dict[str, str], list[str]]:
    """A recipe's options as flags of the command line, and the words between them: `--epochs 12 --no-side a.pgn` is
    ({epochs: 12, side: false}, [a.pgn])."""
    switches = {option.name for option in options if option.kind is bool}
    settings: dict[str, str] = {}
    others: list[str] = []
    waiting = list(words)[::-1]
    while waiting:
        word = waiting.pop()
        if not word.startswith("--"):
            others.append(word)
            continue
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if key in switches and not equals:
            settings[key] = "true"
        elif key.startswith("no_") and key[3:] in switches and not equals:
            settings[key[3:]] = "false"
        elif equals or (waiting and not waiting[-1].startswith("--")):
            settings[key] = value if equals else waiting.pop()
        elif key in {option.name for option in options}:
            raise HansuError("--{key} wants a value", key=key)
        else:
            settings[key] = ""  # unknown: reading the settings says so
    return settings, others
