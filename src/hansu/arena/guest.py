"""A student's own player, by path. It runs in a process of its own, so that it can neither hang nor crash a match."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, ClassVar

from hansu.core.control import Control
from hansu.core.errors import HansuError, PlayerFault
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.phrase import Phrase
from hansu.core.player import Decision, Player
from hansu.core.position import Position
from hansu.core.report import Report
from hansu.protocols.process import Outside

START_SECONDS = 60.0
MOVE_SECONDS = 60.0  # where the limit names no time
GRACE_SECONDS = 0.5


class Guest(Player):
    """Speaks JSON lines with `guest_worker`, which holds the student's code."""

    kind: ClassVar[str] = "guest"
    about: ClassVar[str] = Phrase("a player of your own, by path")

    def __init__(self, path: str, attribute: str, game: Game) -> None:
        if not Path(path).expanduser().is_file():
            raise HansuError(f"there is no file {path}", "a player of your own is path/to/my_agent.py:Name")
        self._path = str(Path(path).expanduser().resolve())
        self._attribute = attribute
        self._game = game
        self._name = f"{Path(path).name}:{attribute}" if attribute else Path(path).name
        self._outside: Outside | None = None
        self._start()  # at once, so that a file that cannot be loaded is told before the first game

    @property
    def name(self) -> str:
        return self._name

    def _start(self) -> Outside:
        command = [sys.executable, "-m", "hansu.arena.guest_worker"]
        self._outside = Outside(command, self._name)
        hello = {"agent": self._path, "attribute": self._attribute, "game": self._game.spec}
        answer = self._ask(hello, START_SECONDS)
        if "error" in answer:
            self.close()
            raise HansuError(f"{self._name}: {answer['error']}")
        return self._outside

    def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        assert self._outside is not None
        self._outside.send(json.dumps(question))
        try:
            answer = json.loads(self._outside.read(seconds))
        except ValueError:
            raise PlayerFault(f"{self._name} answered something unreadable") from None
        if not isinstance(answer, dict):
            raise PlayerFault(f"{self._name} answered something unreadable")
        return answer

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit = limit or Limit()
        if self._outside is None or not self._outside.alive:
            self._start()
        question = {
            "origin": position.origin_text,
            "moves": position.moves,
            "limit": str(limit) if limit != Limit() else "",
        }
        answer = self._ask(question, (limit.time or MOVE_SECONDS) + GRACE_SECONDS)
        if "error" in answer:
            raise PlayerFault(f"{self._name} {answer['error']}")
        try:
            action = self._game.action(position.state, str(answer.get("move")))
        except HansuError as error:
            raise PlayerFault(f"{self._name} answered {answer.get('move')!r}: {error.what}") from None
        try:
            report = Report.from_json(position, answer)
        except HansuError:
            raise PlayerFault(f"{self._name} answered something unreadable") from None
        return Decision(action=action, why=str(answer.get("why", "")), report=report)

    def new_game(self) -> None:
        if self._outside is not None and self._outside.alive:
            self._ask({"new_game": True}, MOVE_SECONDS)

    def close(self) -> None:
        if self._outside is not None:
            self._outside.kill()
            self._outside = None
