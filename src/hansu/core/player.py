"""A player decides; a decision says what, how good and why."""

from __future__ import annotations

import dataclasses
import types
import typing
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from hansu.core.control import Control
from hansu.core.generic import Action
from hansu.core.limit import Limit
from hansu.core.options import Option, read_settings

if TYPE_CHECKING:
    from hansu.core.position import Position


@dataclass(frozen=True)
class MoveValue:
    """What a search learnt of one root move. Values are from player 0's side; `bound` is "" where the value is exact
    for the search, else "<=" or ">=" (alpha-beta often learns only that a move is no better)."""

    action: Action
    value: float | None = None
    visits: int | None = None
    bound: str = ""


@dataclass(frozen=True)
class Decision:
    """A chosen action with everything an interface may show of it. Values are from player 0's side."""

    action: Action
    value: float | None = None
    why: str = ""
    line: tuple[Action, ...] = ()
    moves: tuple[MoveValue, ...] = ()
    nodes: int = 0
    depth: int = 0
    seconds: float = 0.0
    proved: bool = False  # the value is exact: every line was followed to the end of the game

    @property
    def policy(self) -> dict[Action, float]:
        """Each root move's share of the visits, where the player counts visits."""
        total = sum(move.visits or 0 for move in self.moves)
        return {move.action: (move.visits or 0) / total for move in self.moves} if total else {}


def option(default: Any, help: str, *, low: float | None = None, high: float | None = None,
           choices: tuple[str, ...] = ()) -> Any:  # fmt: skip
    """A field of a player (or of a recipe that trains one) that people can set, with its meaning."""
    return field(default=default, metadata={"help": help, "low": low, "high": high, "choices": choices})


@dataclass
class Player(ABC):
    """Subclass as a dataclass whose fields are made by `option`: they become `kind:key=value` settings."""

    kind: ClassVar[str]
    about: ClassVar[str]

    @abstractmethod
    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        """Choose an action for the mover of a position that is not over."""

    def new_game(self) -> None:
        """Forget what belonged to the last game."""
        return

    def close(self) -> None:
        """Give back what the player holds (tables, processes)."""
        return

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        return options_of(cls)

    @classmethod
    def from_settings(cls, settings: dict[str, str]) -> Player:
        return cls(**read_settings(cls.options(), settings, cls.kind))

    @property
    def name(self) -> str:
        """The kind with every setting that differs from its default."""
        changed = [
            f"{o.name}={_shown(getattr(self, o.name))}" for o in self.options() if getattr(self, o.name) != o.default
        ]
        return f"{self.kind}:{','.join(changed)}" if changed else self.kind


@cache
def options_of(cls: type) -> tuple[Option, ...]:
    """What a dataclass lets people set: its fields that `option` made."""
    hints = typing.get_type_hints(cls)
    return tuple(
        Option(f.name, _plain_type(hints[f.name]), f.default, f.metadata["help"],
               f.metadata["low"], f.metadata["high"], f.metadata["choices"])
        for f in dataclasses.fields(cls) if "help" in f.metadata
    )  # fmt: skip


def _plain_type(hint: Any) -> type:
    """int for `int | None`: None only says that nothing was set."""
    if isinstance(hint, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    return hint  # type: ignore[no-any-return]


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
