"""A user's player, by path. It runs in a process of its own, so that it cannot hang or crash a match."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from hansu.arena.worker import Worker, printable_text
from hansu.core.control import Control
from hansu.core.errors import HansuError, PlayerFault
from hansu.core.file_errors import not_there
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player
from hansu.core.position import Position
from hansu.core.report import Report

START_SECONDS = 60.0
MOVE_SECONDS = 60.0  # if the limit has no time
GRACE_SECONDS = 0.5


class Guest(Player):
    """Runs the user's code in `guest_worker` and exchanges JSON lines with it."""

    kind: ClassVar[str] = "guest"
    title: ClassVar[str] = Message("your own player")
    about: ClassVar[str] = Message("your own player, by the path of its file")

    def __init__(self, path: str, attribute: str, game: Game) -> None:
        if not Path(path).expanduser().is_file():
            raise not_there(Path(path), Message("a player of your own is path/to/my_agent.py:Name"))
        self._path = str(Path(path).expanduser().resolve())
        self._attribute = attribute
        self._game = game
        self._name = f"{Path(path).name}:{attribute}" if attribute else Path(path).name
        self._worker: Worker | None = None
        self._start()  # now, so that a file that cannot be loaded is reported before the first game

    @property
    def name(self) -> str:
        return self._name

    def _start(self) -> Worker:
        self.close()
        self._worker = worker = Worker("hansu.arena.guest_worker", self._name)
        hello = {"agent": self._path, "attribute": self._attribute, "game": self._game.spec}
        answer = worker.ask(hello, START_SECONDS)
        if "error" in answer:
            self.close()
            raise HansuError("{name}: {what}", name=self._name, what=answer["error"])
        return worker

    def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            worker = self._worker if self._worker is not None and self._worker.alive else self._start()
        except HansuError as error:  # the file could be loaded before
            raise PlayerFault(error.what) from None
        answer = worker.ask(question, seconds)
        if "error" in answer:
            raise PlayerFault("{name} {what}", name=self._name, what=answer["error"])
        return answer

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        limit = limit or Limit()
        question = {
            "origin": position.origin_text,
            "moves": position.moves,
            "limit": str(limit) if limit != Limit() else "",
        }
        answer = self._ask(question, (limit.time or MOVE_SECONDS) + GRACE_SECONDS)
        move = printable_text(answer.get("move"))
        try:
            action = self._game.action(position.state, move)
        except HansuError as error:
            raise PlayerFault("{name} answered {move!r}: {what}", name=self._name, move=move, what=error.what) from None
        try:
            report = Report.from_json(position, answer)
        except HansuError:
            raise PlayerFault("{name} sent an unreadable answer", name=self._name) from None
        return Decision(action=action, why=printable_text(answer.get("why", "")), report=report)

    def new_game(self) -> None:
        self._ask({"new_game": True}, MOVE_SECONDS)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
