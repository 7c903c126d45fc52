"""A player that drives an outside engine over UAI."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from hansu.core import Action, Control, Decision, HansuError, Limit, Message, Position, Report, option
from hansu.core.errors import PlayerFault
from hansu.core.reading import whole_number
from hansu.protocols.driver import DEFAULT_SECONDS, KEPT_LINES, Driver

SLOWEST_SECONDS = 3600.0  # for a limit without a time


class Declared(NamedTuple):
    """An option that an engine says it has."""

    name: str
    kind: str  # spin, check, combo, button, string
    rest: str  # `default 1 min 1 max 64`

    @classmethod
    def read(cls, line: str) -> Declared | None:
        found = re.fullmatch(r"option name (.+?) type (\w+)(.*)", line)
        return cls(*found.groups()) if found else None

    def takes(self, value: str) -> bool:
        if self.kind == "spin":
            bounds = [
                int(found[1]) if (found := re.search(rf" {end} (-?\d+)", self.rest)) else None for end in ("min", "max")
            ]
            number = whole_number(value)
            low, high = bounds
            return number is not None and (low is None or low <= number) and (high is None or number <= high)
        if self.kind == "combo":
            return value.lower() in (one.strip().lower() for one in self.rest.split(" var ")[1:])
        return self.kind != "check" or value.lower() in ("true", "false")


def refused(name: str, value: str, declared: Sequence[Declared]) -> Message | None:
    """Why an engine would pass over a setting without a word, and what it takes instead. None: it takes it, or it does
    not say what it takes."""
    known = {one.name.lower(): one for one in declared}
    if not known:
        return None
    one = known.get(name.lower())
    if one is None:
        return Message("its options: {names}", names=", ".join(each.name for each in declared))
    if one.takes(value):
        return None
    return Message("it takes: {name}, {kind}{rest}", name=one.name, kind=one.kind, rest=one.rest)


@dataclass
class UaiDriver(Driver):
    """Subclass with a `kind` for the games whose engines speak UAI."""

    stop_word: ClassVar[str] = "stop"
    heeds_stop: ClassVar[bool] = True
    farewell: ClassVar[str] = "quit"
    set: str = option("", Message("its options, as in Hash=64;Threads=1"))

    def _await(self, wanted: str) -> list[str]:
        """The lines up to the one that is wanted."""
        end, allowed = self._starting()
        passed: list[str] = []
        while (line := (self._wait(end, allowed) or "").strip()) != wanted:
            if line and len(passed) < KEPT_LINES:
                passed.append(line)
        return passed

    def _start(self) -> None:
        if self._program is not None and self._program.alive:
            return
        self._launch()
        self._send("uai")
        declared = [found for line in self._await("uaiok") if (found := Declared.read(line))]
        for setting in filter(None, (part.strip() for part in self.set.split(";"))):
            name, _, value = (part.strip() for part in setting.partition("="))
            if wrong := refused(name, value, declared):
                raise PlayerFault("{name}: {setting} is no setting of it", wrong, name=self.name, setting=setting)
            self._send(f"setoption name {name} value {value}")
        self._send("uainewgame")
        self._send("isready")
        self._await("readyok")

    def new_game(self) -> None:
        if self._program is None or not self._program.alive:
            return  # whoever starts it begins a new game
        try:
            with self._faults_are_kept():
                self._send("uainewgame")
                self._send("isready")
                self._await("readyok")
        except PlayerFault:
            self.close()  # it gets another chance at its first move, where a fault counts

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        with self._faults_are_kept():
            self._start()
            origin = position.origin
            text = "startpos" if origin.state == position.game.first.state and not position.game.settings else ""
            moves = f" moves {' '.join(position.moves)}" if position.moves else ""
            self._send(f"position {text or 'fen ' + origin.text}{moves}")
            words, seconds = asked(limit)
            started = time.perf_counter()
            self._send(f"go {words}")
            told, move = self._answer(seconds, control)
            spent = time.perf_counter() - started
            try:
                action = position.game.action(position.state, move)
            except HansuError as error:
                raise PlayerFault(f"{self.name} answered {move!r}: {error.what}") from None
        return told_decision(position, action, told, spent)

    def _answer(self, seconds: float, control: Control) -> tuple[list[str], str]:
        """The words of the last line with a score, and the move."""
        told: list[str] = []

        def move_in(line: str) -> str | None:
            nonlocal told
            words = line.split()
            if words[:1] == ["info"] and "score" in words:
                told = words
            return " ".join(words[1:2]) if words[:1] == ["bestmove"] else None

        move = self._listen(seconds, control, move_in)
        return told, move


def asked(limit: Limit) -> tuple[str, float]:
    """The words after `go`, and the seconds that the engine may take."""
    words, seconds = [], SLOWEST_SECONDS
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    if limit.time is not None or not words:
        seconds = limit.time or DEFAULT_SECONDS
        words.append(f"movetime {max(int(1000 * seconds), 1)}")
    return " ".join(words), seconds


def told_decision(position: Position, action: Action, told: list[str], seconds: float) -> Decision:
    """What the engine said, in our terms. Its scale of scores is its own, so there is no value."""

    def number(name: str) -> int:
        after = told[told.index(name) + 1 :] if name in told else []
        return int(after[0]) if after and after[0].isdecimal() else 0

    line: list[Action] = []
    at = position
    for move in told[told.index("pv") + 1 :] if "pv" in told else []:
        try:
            a = at.game.action(at.state, move)
            at = at.play(a)
        except HansuError:
            break
        line.append(a)
    if line[:1] != [action]:
        line = [action]
    judgement = " ".join(told[told.index("score") + 1 :][:2]) if told else Message("no score")
    move, depth = position.move_text(action), number("depth")
    why = Message("{move}: the engine says {judgement} at depth {depth}", move=move, judgement=judgement, depth=depth)
    report = Report(line=tuple(line), depth=depth, seldepth=number("seldepth"), nodes=number("nodes"), seconds=seconds)
    return Decision(action=action, why=why, report=report)
