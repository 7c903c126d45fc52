"""Players that do what players should not, for the tests of the web app."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import ClassVar

from hansu.compile.native import first_time_notice, ready_notice
from hansu.core import Control, Decision, Game, Limit, Player, Position, Report, Value, registry


@dataclass
class Stubborn(Player):
    """Thinks until it is let go, whatever it is told."""

    kind: ClassVar[str] = "stubborn"
    about: ClassVar[str] = "does not stop"
    gate: ClassVar[threading.Event] = threading.Event()
    entered: ClassVar[threading.Semaphore] = threading.Semaphore(0)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        self.entered.release()
        self.gate.wait(600)
        return Decision(action=position.actions[0], why="let go")


@dataclass
class Crashing(Player):
    kind: ClassVar[str] = "crashing"
    about: ClassVar[str] = "raises"

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        raise RuntimeError("out of ideas")


@dataclass
class Cheating(Player):
    kind: ClassVar[str] = "cheating"
    about: ClassVar[str] = "plays what is not legal"

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        return Decision(action=99, why="why not")


@dataclass
class Slow(Player):
    """Says that it is being compiled."""

    kind: ClassVar[str] = "slow"
    about: ClassVar[str] = "is compiled first"

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        for notices in (first_time_notice, ready_notice):
            for tell in list(notices):
                tell("everything")
        return Decision(action=position.actions[0], why="at last")


@dataclass(frozen=True, kw_only=True)
class WiderReport(Report):
    """As if a field had been added to `Report`."""

    swings: int = 0


@dataclass
class Telling(Player):
    """Knows something that no other player knows."""

    kind: ClassVar[str] = "telling"
    about: ClassVar[str] = "tells of swings"
    heard: ClassVar[threading.Event] = threading.Event()

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        if control is not None:
            control.tell(WiderReport(swings=3))
            self.heard.wait(600)
        report = WiderReport(value=Value(0.5, proved=True), swings=7)
        return Decision(action=position.actions[0], why="plain words", report=report)


def toy() -> Game:
    """Tic-tac-toe with those players."""
    odd = {player.kind: player for player in (Stubborn, Crashing, Cheating, Slow, Telling)}
    return replace(registry.built_in("tictactoe"), name="toy", players=lambda: odd)
