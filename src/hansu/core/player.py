"""Players and their decisions: an action, the reason, and the search's report."""

from __future__ import annotations

import dataclasses
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.limit import Limit
from hansu.core.options import Option, duplicate, read_settings
from hansu.core.owner import owner_of
from hansu.core.report import Report
from hansu.core.types import Action

if TYPE_CHECKING:
    from hansu.core.game import Game
    from hansu.core.position import Position

NO_REPORT = Report()
LIMITS = frozenset({"depth", "nodes", "time"})
"""The bounds of a `Limit`."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A chosen action, the reason in one sentence, and the search's report.

    >>> import hansu
    >>> position = hansu.game("tictactoe").position("1 4 2 5")
    >>> decision = hansu.player("minimax", position.game).decide(position)
    >>> position.move_text(decision.action), decision.report.value
    ('3', Value(1, proved))
    >>> decision.why
    '3 after looking to the end: X wins'
    """

    action: Action
    why: str = ""
    report: Report = NO_REPORT


def option(
    default: Any, help: str, *, title: str = "", low: float | None = None, high: float | None = None,
    choices: tuple[str, ...] = (), choice_titles: tuple[str, ...] = (), plain: bool = False,
    bytes_each: int = 0, program: bool = False, processors: bool = False, old: str = "",
) -> Any:  # fmt: skip
    """A dataclass field of a player or a recipe that users can set. `Option` explains the arguments.

    >>> import hansu
    >>> [(each.name, each.help) for each in hansu.player("random", hansu.game("tree")).options()]
    [('seed', 'random seed; the same seed repeats the same moves')]
    """
    metadata = {
        "help": help, "title": title, "low": low, "high": high, "choices": choices,
        "choice_titles": choice_titles, "plain": plain,
        "bytes_each": bytes_each, "program": program, "processors": processors, "old": old,
    }  # fmt: skip
    return field(default=default, metadata=metadata)


def preset(cls: type, name: str, default: Any) -> Any:
    """An inherited option of `cls` with another default."""
    return field(default=default, metadata=next(f.metadata for f in dataclasses.fields(cls) if f.name == name))


@dataclass
class Player(ABC):
    """Base class of all players. A subclass is a dataclass; its `option` fields become `kind:key=value` settings.

    The class variables describe what the player supports. A subclass whose settings change one of them sets it in
    `__post_init__`.

    >>> import hansu
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Nth(hansu.Player):
    ...     kind, about = "nth", "always the n-th legal move"
    ...     n: int = hansu.option(1, "which move", low=1)
    ...     def decide(self, position, limit=None, control=None):
    ...         return hansu.Decision(action=position.actions[self.n - 1], why=f"it is number {self.n}")
    >>> position = hansu.game("tictactoe").position("1 5")
    >>> position.move_text(Nth(n=3).decide(position).action), Nth(n=3).name
    ('4', 'nth:n=3')
    """

    kind: ClassVar[str]
    title: ClassVar[str] = ""  # label for people; empty: the kind
    about: ClassVar[str]  # one line that describes it
    heeds: ClassVar[frozenset[str]] = LIMITS  # the bounds of a `Limit` that it supports
    judges_all: ClassVar[bool] = False  # reports an exact value for every legal move, whatever the limit
    averages: ClassVar[bool] = False  # values are averages over the others' possible moves: they prove no result
    tells_lines: ClassVar[bool] = False  # supports `Control.lines`: several best moves, each with its line
    main_option: ClassVar[str] = ""  # the option that a bare number sets, as in `level:3`
    compile_seconds: ClassVar[float] = 3.0  # about how long its first search on a machine compiles; 0: not at all
    traced_as: ClassVar[str] = ""  # how its search can be drawn: "bounds" (windows and cuts), "visits", or "" (not)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "decide" in vars(cls):
            cls.decide = _validated(cls.decide)  # type: ignore[method-assign]

    @abstractmethod
    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        """Choose an action for the mover. Raises HansuError if the game is over."""

    async def deciding(
        self, position: Position, limit: Limit | None = None, control: Control | None = None
    ) -> Decision:
        """`decide` for asyncio. It runs in its own thread, so players can search at the same time. Cancelling the task
        stops the search.

        >>> import asyncio, hansu
        >>> position = hansu.game("tictactoe").position("1 4 2 5")
        >>> players = [hansu.player(kind, position.game) for kind in ("minimax", "alphabeta")]
        >>> async def both():
        ...     return await asyncio.gather(*(player.deciding(position) for player in players))
        >>> [position.move_text(decision.action) for decision in asyncio.run(both())]
        ['3', '3']
        """
        import asyncio

        control = control or Control()
        search = asyncio.ensure_future(asyncio.to_thread(self.decide, position, limit, control))
        try:
            return await asyncio.shield(search)
        except asyncio.CancelledError:
            control.stop()
            await asyncio.wait([search])  # a player runs one search at a time
            raise

    def new_game(self) -> None:
        """Clear everything that belongs to the last game."""
        return

    def find_files(self, position: Position) -> None:
        """Before a game starts: raise HansuError if a file in its settings is missing or belongs to another game."""
        return

    def close(self) -> None:
        """Release tables and processes."""
        return

    @property
    def own_limit(self) -> Limit:
        """The limit that its own settings impose."""
        return Limit()

    @property
    def table_bytes(self) -> int:
        """The memory that its tables hold between moves."""
        return sum(int(getattr(self, o.name)) * o.bytes_each for o in self.options() if o.bytes_each)

    def acting(self, game: Game) -> Player:
        """The player that plays a game: itself, or another one if it is an alias such as `level`."""
        return self

    def drawn_as(self, game: Game) -> Player | None:
        """The player whose search tree is drawn for it: itself, a similar one, or None."""
        return self if self.traced_as else None

    @classmethod
    def starts_programs(cls) -> bool:
        """Does it need an external program?"""
        return any(o.program for o in cls.options())

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        """Can it play this game with its default settings, without a program or a file that the user must name?"""
        return not cls.starts_programs()

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Its options, as forms and help texts show them."""
        return options_of(cls)

    @classmethod
    def from_settings(cls, settings: dict[str, str]) -> Player:
        """A player from settings as text, such as `{"depth": "3"}`. Raises HansuError for invalid settings."""
        return cls(**read_settings(cls.options(), cls.named(settings), cls.kind))

    @classmethod
    def named(cls, settings: dict[str, str]) -> dict[str, str]:
        """The settings, with a bare number assigned to the main option."""
        if "" in settings and cls.main_option in settings:
            raise duplicate(cls.kind, cls.main_option)
        return {key or cls.main_option: text for key, text in settings.items()}

    @property
    def name(self) -> str:
        """The spec: the kind with every setting that differs from its default."""
        changed = [
            f"{o.name}={_as_text(getattr(self, o.name))}" for o in self.options() if getattr(self, o.name) != o.default
        ]
        return f"{self.kind}:{','.join(changed)}" if changed else self.kind

    @property
    def called(self) -> str:
        """The label for people: the title, or the kind."""
        return self.title or self.kind


Decide: TypeAlias = Callable[..., Decision]


def _validated(decide: Decide) -> Decide:
    """A player's `decide` that checks the position first."""

    @wraps(decide)
    def validated(
        self: Player, position: Position, limit: Limit | None = None, control: Control | None = None
    ) -> Decision:
        if position.over:
            raise HansuError("the game is over: there is no move to decide", "pass a position with legal moves")
        owner = owner_of(type(self).__module__)
        if owner.is_game and owner != owner_of(type(position.state).__module__):
            raise HansuError(
                "{kind} does not play {name}", "use a general player or one of {name}'s own",
                kind=type(self).kind, name=position.game.name,
            )  # fmt: skip
        return decide(self, position, limit, control)

    return validated


@cache
def options_of(cls: type) -> tuple[Option, ...]:
    """The options of a dataclass: its fields that `option` defines."""
    hints = typing.get_type_hints(cls)
    return tuple(
        Option(f.name, _plain_type(hints[f.name]), f.default, **f.metadata)
        for f in dataclasses.fields(cls)
        if "help" in f.metadata
    )


def _plain_type(hint: type | types.UnionType) -> type:
    """The type without None: int for `int | None`, where None means "not set"."""
    if isinstance(hint, types.UnionType):
        without_none: type = next(part for part in typing.get_args(hint) if part is not type(None))
        return without_none
    return hint


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
