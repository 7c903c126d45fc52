"""A player that runs an external engine over UAI."""

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

SLOWEST_SECONDS = 3600.0  # for limits without a time


class DeclaredOption(NamedTuple):
    """An option that an engine declares."""

    name: str
    kind: str  # spin, check, combo, button, string
    rest: str  # `default 1 min 1 max 64`

    @classmethod
    def read(cls, line: str) -> DeclaredOption | None:
        """The option of an `option` line; None for other lines."""
        match = re.fullmatch(r"option name (.+?) type (\w+)(.*)", line)
        return cls(*match.groups()) if match else None

    def accepts(self, value: str) -> bool:
        """Is this a valid value?"""
        if self.kind == "spin":
            low, high = (
                int(match[1]) if (match := re.search(rf" {end} (-?\d+)", self.rest)) else None for end in ("min", "max")
            )
            number = whole_number(value)
            return number is not None and (low is None or low <= number) and (high is None or number <= high)
        if self.kind == "combo":
            return value.lower() in (choice.strip().lower() for choice in self.rest.split(" var ")[1:])
        return self.kind != "check" or value.lower() in ("true", "false")


def rejection(name: str, value: str, declared: Sequence[DeclaredOption]) -> Message | None:
    """A hint if an engine would silently ignore a setting. None: the setting is valid, or the engine declares no
    options."""
    by_name = {option.name.lower(): option for option in declared}
    if not by_name:
        return None
    found = by_name.get(name.lower())
    if found is None:
        return Message("the engine's options: {names}", names=", ".join(option.name for option in declared))
    if found.accepts(value):
        return None
    return Message("the engine declares: {name}, {kind}{rest}", name=found.name, kind=found.kind, rest=found.rest)


@dataclass
class UaiDriver(Driver):
    """A player that runs an external UAI engine. Subclasses give it a `kind`."""

    stop_word: ClassVar[str] = "stop"
    heeds_stop: ClassVar[bool] = True
    farewell: ClassVar[str] = "quit"
    set: str = option("", Message("options of the engine: Hash=64;Threads=1"))

    def _await(self, expected: str) -> list[str]:
        """The lines before the expected one."""
        end, allowed = self._starting()
        passed: list[str] = []
        while (line := (self._wait(end, allowed) or "").strip()) != expected:
            if line and len(passed) < KEPT_LINES:
                passed.append(line)
        return passed

    def _start(self) -> None:
        if self._program is not None and self._program.alive:
            return
        self._launch()
        self._send("uai")
        declared = [each for line in self._await("uaiok") if (each := DeclaredOption.read(line))]
        for setting in filter(None, (part.strip() for part in self.set.split(";"))):
            name, _, value = (part.strip() for part in setting.partition("="))
            if hint := rejection(name, value, declared):
                raise PlayerFault("{name} has no setting {setting}", hint, name=self.name, setting=setting)
            self._send(f"setoption name {name} value {value}")
        self._send("uainewgame")
        self._send("isready")
        self._await("readyok")

    def new_game(self) -> None:
        if self._program is None or not self._program.alive:
            return  # starting it will begin a new game
        try:
            with self._faults_are_kept():
                self._send("uainewgame")
                self._send("isready")
                self._await("readyok")
        except PlayerFault:
            self.close()  # restarted at its first move, where a fault counts

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit, control = limit or Limit(), control or Control()
        with self._faults_are_kept():
            self._start()
            origin = position.origin
            text = "startpos" if origin.state == position.game.first.state and not position.game.settings else ""
            moves = f" moves {' '.join(position.moves)}" if position.moves else ""
            self._send(f"position {text or 'fen ' + origin.text}{moves}")
            words, seconds = go_words(limit)
            started = time.perf_counter()
            self._send(f"go {words}")
            info, move = self._read_move(seconds, control)
            spent = time.perf_counter() - started
            try:
                action = position.game.action(position.state, move)
            except HansuError as error:
                raise PlayerFault(
                    "{name} answered {move!r}: {error}", name=self.name, move=move, error=error.what
                ) from None
        return decision_of(position, action, info, spent)

    def _read_move(self, seconds: float, control: Control) -> tuple[list[str], str]:
        """The words of the last `info` line with a score, and the move."""
        info: list[str] = []

        def move_in(line: str) -> str | None:
            nonlocal info
            words = line.split()
            if words[:1] == ["info"] and "score" in words:
                info = words
            return " ".join(words[1:2]) if words[:1] == ["bestmove"] else None

        move = self._listen(seconds, control, move_in)
        return info, move


def go_words(limit: Limit) -> tuple[str, float]:
    """The arguments of `go`, and the seconds that the engine may use."""
    words, seconds = [], SLOWEST_SECONDS
    if limit.depth is not None:
        words.append(f"depth {limit.depth}")
    if limit.nodes is not None:
        words.append(f"nodes {limit.nodes}")
    if limit.time is not None or not words:
        seconds = limit.time or DEFAULT_SECONDS
        words.append(f"movetime {max(int(1000 * seconds), 1)}")
    return " ".join(words), seconds


def decision_of(position: Position, action: Action, info: list[str], seconds: float) -> Decision:
    """The decision of an `info` line. It has no value, because the scale of the engine's scores is unknown."""

    def number(name: str) -> int:
        after = info[info.index(name) + 1 :] if name in info else []
        return int(after[0]) if after and after[0].isdecimal() else 0

    line: list[Action] = []
    at = position
    for move in info[info.index("pv") + 1 :] if "pv" in info else []:
        try:
            a = at.game.action(at.state, move)
            at = at.play(a)
        except HansuError:
            break
        line.append(a)
    if line[:1] != [action]:
        line = [action]
    judgement = " ".join(info[info.index("score") + 1 :][:2]) if info else Message("no score")
    move, depth = position.move_text(action), number("depth")
    why = Message("{move}: the engine says {judgement} at depth {depth}", move=move, judgement=judgement, depth=depth)
    report = Report(line=tuple(line), depth=depth, seldepth=number("seldepth"), nodes=number("nodes"), seconds=seconds)
    return Decision(action=action, why=why, report=report)
