"""A recipe: one way to train something for a game, with its own documented options.

A recipe is a dataclass whose fields are defined by `option`, like a player's. The modules of `learn/recipes/` define
the recipes for every game, and a game's `training` returns its own."""

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
    """Results of a recipe as a table of texts."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass
class TrainingResult:
    """The results of a training: tables to print, curves to plot, files that were written, and messages."""

    tables: list[ResultTable] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stopped: bool = False  # by Ctrl-C, before its end


def _silent(_: Any) -> None:
    return


@dataclass(frozen=True)
class Job:
    """The input of a training besides the recipe's options: files, the output, and callbacks."""

    files: tuple[Path, ...] = ()
    output: Path | None = None
    tell: Callable[[str], None] = _silent  # receives messages
    show: Callable[[Mapping[str, Any]], None] = _silent  # receives the rows of a long run's log

    def __post_init__(self) -> None:
        if self.output is None:
            return
        if self.output.is_dir():  # checked before the training, whose result would be lost
            raise HansuError("{path} is a folder, not a file", "name a file: -o FILE", path=self.output)
        if self.output.resolve() in {path.resolve() for path in self.files}:
            raise HansuError("{path} is also an input file", "name another output file with -o", path=self.output)
        if not self.output.parent.is_dir():
            raise HansuError(
                "there is no folder {folder}", "create it, or name another file with -o", folder=self.output.parent
            )

    @property
    def target(self) -> Path:
        """The file to write."""
        assert self.output is not None, "a recipe that writes a file must define usual_files"
        return self.output

    @property
    def some_files(self) -> tuple[Path, ...]:
        """The input files, at least one."""
        if not self.files:
            raise HansuError("no input file was given", "this recipe needs at least one: --from FILE")
        return self.files

    @property
    def file(self) -> Path:
        """The only input file."""
        if len(self.files) != 1:
            count = len(self.files)
            many = Message("{count} input files were given", count=count)
            what = many if self.files else Message("no input file was given")
            raise HansuError(what, Message("this recipe needs exactly one: --from FILE"))
        return self.files[0]


@dataclass
class Recipe(ABC):
    """Subclass it as a dataclass whose fields are defined by `option`."""

    kind: ClassVar[str]
    about: ClassVar[str]
    old_kinds: ClassVar[tuple[str, ...]] = ()  # former names, accepted with a warning
    reads_files: ClassVar[bool] = True  # False: it plays its own games
    given: dict[str, str] = field(default_factory=dict, kw_only=True)  # the options that were set, as text

    @abstractmethod
    def train(self, game: Game, job: Job) -> TrainingResult:
        """Train, measure and write the results."""

    def carry_out(self, game: Game, job: Job) -> TrainingResult:
        """Check the job, choose the default output, and train."""
        if job.files and not self.reads_files:
            raise HansuError(
                "{kind} needs no input file, but {path} was given",
                "leave it out; -o names the output file",
                kind=self.kind,
                path=job.files[0],
            )
        usual = self.usual_files(game, job)
        if job.output is None and usual:
            existing = next((path for path in usual if path.exists()), None)
            if existing is not None:  # only a file that was named with -o is overwritten
                raise HansuError(
                    "{path} already exists",
                    "name the output file: -o FILE (-o {output} overwrites it)",
                    path=existing,
                    output=usual[0],
                )
            job = replace(job, output=usual[0])
        return self.train(game, job)

    def usual_files(self, game: Game, job: Job) -> tuple[Path, ...]:
        """The default output: the main file first, then other files that are written with it. Empty if there is
        none."""
        return ()

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        return options_of(cls)

    @classmethod
    def from_settings(cls, settings: Mapping[str, str]) -> Recipe:
        return cls(**read_settings(cls.options(), settings, cls.kind), given=dict(settings))


def how_to_play(game: Game, player: str, path: Path) -> Message:
    """The command to play with a network's file."""
    spec = shlex.quote(f"{player}:network={path}")
    return Message("to play with it: hansu play {game} --second {spec}", game=shlex.quote(game.spec), spec=spec)


def recipes(game: Game) -> dict[str, type[Recipe]]:
    """The recipes for a game by name: its own first, then those for every game."""
    from hansu.learn.recipes import alphazero, quantize, supervised

    general: tuple[type[Recipe], ...] = (*alphazero.RECIPES, *quantize.RECIPES, *supervised.RECIPES)
    return {recipe.kind: recipe for recipe in (*game.training(), *general)}


def recipe_named(name: str, game: Game) -> type[Recipe]:
    """The recipe with a name, which may be a former name."""
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
    """The settings of a TOML file, as text: `channels = 64`, `simulations = [24, 160]`, `opponent = "mcts"`."""
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise HansuError(
            "{path} cannot be read: {strerror}",
            "expected lines like: channels = 64",
            path=path,
            strerror=error.strerror,
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise HansuError(
            "{path} is not a TOML file: {error}", "expected lines like: channels = 64", path=path, error=error
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
        "{path}: {key} is neither a number nor a string", "write settings without tables", path=path, key=key
    )


def pairs(words: Iterable[str]) -> dict[str, str]:
    """`channels=64 blocks=6` as settings."""
    settings: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.strip():
            raise HansuError("invalid setting {word!r}", "write key=value", word=word)
        settings[key.strip()] = value.strip()
    return settings


def flags(words: Iterable[str], options: Iterable[Option]) -> tuple[dict[str, str], list[str]]:
    """A recipe's options from the command line, and the other words: `--epochs 12 --no-side a.pgn` is
    ({epochs: 12, side: false}, [a.pgn])."""
    switches = {option.name for option in options if option.kind is bool}
    settings: dict[str, str] = {}
    others: list[str] = []
    rest = list(words)[::-1]
    while rest:
        word = rest.pop()
        if not word.startswith("--"):
            others.append(word)
            continue
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if key in switches and not equals:
            settings[key] = "true"
        elif key.startswith("no_") and key[3:] in switches and not equals:
            settings[key[3:]] = "false"
        elif equals or (rest and not rest[-1].startswith("--")):
            settings[key] = value if equals else rest.pop()
        elif key in {option.name for option in options}:
            raise HansuError("--{key} needs a value", key=key)
        else:
            settings[key] = ""  # unknown: rejected when the settings are read
    return settings, others
