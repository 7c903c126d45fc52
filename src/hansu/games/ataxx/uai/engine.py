"""The interface of engines that the UAI server runs, and their options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hansu.core import Control, Game, HansuError, Limit, Message, Report, State
from hansu.core.errors import shortened


@dataclass(frozen=True)
class UaiOption:
    """An option of a UAI engine."""

    name: str
    kind: str  # spin, check, combo, string or button
    default: str = ""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The `option` line."""
        words = f"option name {self.name} type {self.kind}"
        if self.kind != "button":
            words += f" default {self.default or '<empty>'}"
        if self.kind == "spin":
            words += f" min {self.low} max {self.high}"
        return words + "".join(f" var {choice}" for choice in self.choices)

    def read(self, value: str) -> str:
        """The value in the form that `set_option` expects. Raises HansuError if it is invalid."""
        given = f"{self.name}: {shortened(value)}"
        if self.kind == "spin":
            try:
                number = int(value)
            except ValueError:
                raise HansuError("{given} is not an integer", given=given) from None
            if not self.low <= number <= self.high:
                allowed = Message("{low} to {high}", low=self.low, high=self.high)
                raise HansuError("{given} is out of range", "allowed: {allowed}", given=given, allowed=allowed)
            return str(number)
        if self.kind == "check" and value.lower() not in ("true", "false"):
            raise HansuError("{given} is neither true nor false", given=given)
        if self.kind == "combo":
            matches = [choice for choice in self.choices if choice.lower() == value.lower()]
            if not matches:
                names = ", ".join(self.choices)
                raise HansuError("{given} is unknown", "one of: {names}", given=given, names=names)
            return matches[0]
        return value.lower() if self.kind == "check" else value


class UaiEngine(Protocol):
    """An engine that `UaiServer` runs. Only one thread at a time calls it."""

    @property
    def name(self) -> str: ...

    @property
    def author(self) -> str: ...

    @property
    def options(self) -> tuple[UaiOption, ...]: ...

    game: Game  # with the settings of the options
    overhead: float  # seconds of each move reserved for communication

    def set_option(self, name: str, value: str) -> None: ...

    def new_game(self) -> None: ...

    def precompile(self) -> None:
        """Compile, load and allocate everything a search needs, before a clock starts. Cheap if nothing has changed."""

    def search(self, s: State, limit: Limit, soft: float | None, control: Control) -> Report:
        """The report's line starts with the move to play. `control` receives a report after each iteration. No
        iteration starts after `soft` seconds (None: the search may use all of `limit.time`)."""

    def score_of(self, report: Report) -> int:
        """The score of the last search, in hundredths, for the mover."""

    def hashfull(self) -> int:
        """The share of the table that the last search has filled, in permille."""

    def evaluation(self, s: State) -> int:
        """The static evaluation, in hundredths, for the mover."""

    def bench(self, control: Control) -> tuple[int, float]:
        """The nodes and seconds of a fixed set of searches."""
