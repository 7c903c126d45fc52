"""What thinks behind UAI (uai.py), and the options that it offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hansu.core import Control, Game, HansuError, Limit, Report, State


@dataclass(frozen=True)
class UaiOption:
    name: str
    kind: str  # spin, check, combo, string or button
    default: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        words = f"option name {self.name} type {self.kind}"
        if self.kind != "button":
            words += f" default {self.default or '<empty>'}"
        if self.kind == "spin":
            words += f" min {self.low} max {self.high}"
        return words + "".join(f" var {choice}" for choice in self.choices)

    def read(self, value: str) -> str:
        """The value as it will be handed on; raises if it does not fit."""
        if self.kind == "spin":
            try:
                number = int(value)
            except ValueError:
                raise HansuError(f"{self.name}: {value!r} is not a whole number") from None
            if not self.low <= number <= self.high:
                raise HansuError(f"{self.name}: {number} is not in {self.low} to {self.high}")
            return str(number)
        if self.kind == "check" and value.lower() not in ("true", "false"):
            raise HansuError(f"{self.name}: {value!r} is neither true nor false")
        if self.kind == "combo":
            fitting = [choice for choice in self.choices if choice.lower() == value.lower()]
            if not fitting:
                raise HansuError(f"{self.name}: {value!r} is none of {', '.join(self.choices)}")
            return fitting[0]
        return value.lower() if self.kind == "check" else value


class UaiEngine(Protocol):
    """Only one thread at a time calls it."""

    @property
    def name(self) -> str: ...

    @property
    def author(self) -> str: ...

    @property
    def options(self) -> tuple[UaiOption, ...]: ...

    game: Game  # as the options have set it
    overhead: float  # seconds of each move that are left to the way there and back

    def set_option(self, name: str, value: str) -> None: ...

    def new_game(self) -> None: ...

    def precompile(self) -> None:
        """Compile, load and allocate whatever a search needs, so that the clock of a move can start afterwards. Where
        nothing has changed there is nothing to do."""

    def search(self, s: State, limit: Limit, soft: float | None, control: Control) -> Report:
        """The line begins with the move to play. `control` is told a report after each iteration; after `soft` seconds
        none is begun (None: it may use all of `limit.time`)."""

    def score_of(self, report: Report) -> int:
        """Of the last search, in hundredths from the mover's side."""

    def hashfull(self) -> int:
        """Thousandths of its table that the last search has filled."""

    def evaluation(self, s: State) -> int:
        """Without a search, in hundredths from the mover's side."""

    def bench(self, control: Control) -> tuple[int, float]:
        """Nodes and seconds of a fixed set of searches."""
