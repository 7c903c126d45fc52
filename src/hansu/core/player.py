"""A player decides; a decision says what, how good and why."""

from __future__ import annotations

import dataclasses
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ClassVar

from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.generic import Action
from hansu.core.limit import Limit
from hansu.core.options import Option, read_settings
from hansu.core.owner import owner_of
from hansu.core.report import Report

if TYPE_CHECKING:
    from hansu.core.game import Game
    from hansu.core.position import Position

NO_REPORT = Report()
LIMITS = frozenset({"depth", "nodes", "time"})
"""What a `Limit` can bound."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """A chosen action, why it was chosen in a person's words, and what the search found.

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
    """A field of a player (or of a recipe) that people can set, with its meaning. See `Option` for the rest.

    >>> import hansu
    >>> [(each.name, each.help) for each in hansu.player("random", hansu.game("tree")).options()]
    [('seed', 'random seed; the same seed repeats the same moves')]
    """
    more = {
        "title": title, "low": low, "high": high, "choices": choices, "choice_titles": choice_titles, "plain": plain,
        "bytes_each": bytes_each, "program": program, "processors": processors, "old": old,
    }  # fmt: skip
    return field(default=default, metadata={"help": help, **more})


def preset(cls: type, name: str, default: Any) -> Any:
    """An option of the class that is inherited from, with another default."""
    return field(default=default, metadata=next(f.metadata for f in dataclasses.fields(cls) if f.name == name))


@dataclass
class Player(ABC):
    """Subclass as a dataclass whose fields are made by `option`: they become `kind:key=value` settings.

    The class variables say what a player can do; interfaces ask them instead of guessing. One that depends on the
    settings is set in `__post_init__`.

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
    title: ClassVar[str] = ""  # what people call it; its kind where nobody has said
    about: ClassVar[str]
    heeds: ClassVar[frozenset[str]] = LIMITS  # which limits of a `Limit` it keeps to
    judges_all: ClassVar[bool] = False  # it reports an exact value for every legal move, whatever the limit
    averages: ClassVar[bool] = False  # its values are means over what others may play: no result is sure by them
    tells_lines: ClassVar[bool] = False  # it reports as many of the best moves, each with its line, as a Control wants
    main_option: ClassVar[str] = ""  # the option that a number without a name sets: `level:3`
    compile_seconds: ClassVar[float] = 3.0  # about: what its first search on a machine spends on compiling; 0: nothing
    traced_as: ClassVar[str] = ""  # how its search can be drawn: "bounds" (windows and cuts), "visits", or not at all

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "decide" in vars(cls):
            cls.decide = _asked_rightly(cls.decide)  # type: ignore[method-assign]

    @abstractmethod
    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        """Choose an action for the mover of a position that is not over (else it raises HansuError)."""

    async def deciding(
        self, position: Position, limit: Limit | None = None, control: Control | None = None
    ) -> Decision:
        """`decide` for asyncio: it thinks in a thread of its own, so that engines can think at the same time; a task
        that is cancelled stops its search.

        >>> import asyncio, hansu
        >>> position = hansu.game("tictactoe").position("1 4 2 5")
        >>> players = [hansu.player(kind, position.game) for kind in ("minimax", "alphabeta")]
        >>> async def ask():
        ...     return await asyncio.gather(*(player.deciding(position) for player in players))
        >>> [position.move_text(decision.action) for decision in asyncio.run(ask())]
        ['3', '3']
        """
        import asyncio

        control = control or Control()
        thinking = asyncio.ensure_future(asyncio.to_thread(self.decide, position, limit, control))
        try:
            return await asyncio.shield(thinking)
        except asyncio.CancelledError:
            control.stop()
            await asyncio.wait([thinking])  # a player is asked one thing at a time
            raise

    def new_game(self) -> None:
        """Forget what belonged to the last game."""
        return

    def find_files(self, position: Position) -> None:
        """Raise HansuError if a file that its settings name is missing or of another game: before anybody waits."""
        return

    def close(self) -> None:
        """Give back what the player holds (tables, processes)."""
        return

    @property
    def own_limit(self) -> Limit:
        """What its settings bound, whatever it is asked for."""
        return Limit()

    @property
    def table_bytes(self) -> int:
        """What its tables take between its moves."""
        return sum(int(getattr(self, o.name)) * o.bytes_each for o in self.options() if o.bytes_each)

    def acting(self, game: Game) -> Player:
        """Who thinks in a game: itself, unless it is only a name for another player."""
        return self

    def drawn_as(self, game: Game) -> Player | None:
        """Whose search is drawn to show how it thinks: its own, or another that is like it; None: there is none."""
        return self if self.traced_as else None

    @classmethod
    def starts_programs(cls) -> bool:
        """Is it nothing without a program outside?"""
        return any(o.program for o in cls.options())

    @classmethod
    def ready_for(cls, game: Game) -> bool:
        """Can it play a game as it stands, without a program or a file that somebody has to name?"""
        return not cls.starts_programs()

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """What can be set, as forms and help texts show it."""
        return options_of(cls)

    @classmethod
    def from_settings(cls, settings: dict[str, str]) -> Player:
        """A player by settings as text, `{"depth": "3"}`; raises HansuError where they do not fit."""
        return cls(**read_settings(cls.options(), cls.named(settings), cls.kind))

    @classmethod
    def named(cls, settings: dict[str, str]) -> dict[str, str]:
        """Settings in which a number without a name has that of the main option."""
        if "" in settings and cls.main_option in settings:
            raise HansuError("{text!r}: {key} is given twice", text=cls.kind, key=cls.main_option)
        return {key or cls.main_option: text for key, text in settings.items()}

    @property
    def name(self) -> str:
        """The kind with every setting that differs from its default."""
        changed = [
            f"{o.name}={_shown(getattr(self, o.name))}" for o in self.options() if getattr(self, o.name) != o.default
        ]
        return f"{self.kind}:{','.join(changed)}" if changed else self.kind

    @property
    def called(self) -> str:
        """What people call it."""
        return self.title or self.kind


Decide = Callable[..., Decision]


def _asked_rightly(decide: Decide) -> Decide:
    """A player's `decide` that is only asked what it can answer."""

    @wraps(decide)
    def asked(self: Player, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        if position.over:
            raise HansuError("the game is over: there is nothing to decide")
        owner = owner_of(type(self).__module__)
        if owner.is_game and owner != owner_of(type(position.state).__module__):
            raise HansuError("{kind} does not play {name}", kind=type(self).kind, name=position.game.name)
        return decide(self, position, limit, control)

    return asked


@cache
def options_of(cls: type) -> tuple[Option, ...]:
    """What a dataclass lets people set: its fields that `option` made."""
    hints = typing.get_type_hints(cls)
    return tuple(
        Option(f.name, _plain_type(hints[f.name]), f.default, **f.metadata)
        for f in dataclasses.fields(cls)
        if "help" in f.metadata
    )


def _plain_type(hint: Any) -> type:
    """int for `int | None`: None only says that nothing was set."""
    if isinstance(hint, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    return hint  # type: ignore[no-any-return]


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
