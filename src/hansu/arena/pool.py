"""Processes that play games side by side. A game's two players never think at the same time, so a process takes one
core, however many players it holds.

Each is a new Python that is told what to play in JSON lines (`pool_worker`). It shares nothing with this process but a
pair of pipes, so whatever a player does to its process, and however this one ends, the others do not live on.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import Entry
from hansu.arena.openings import Opening
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message

MOST_DEATHS = 3  # of processes over the same pair of games
FAREWELL_SECONDS = 3.0
KEPT_ERROR_LINES = 20


@dataclass
class PoolTask:
    """A pair of games to be played: two players by number, an opening, and the seats that are wanted."""

    number: int
    a: int
    b: int
    opening: Opening
    seed: str
    seats: Sequence[int] = (0, 1)
    deaths: int = field(default=0, compare=False)


@dataclass(frozen=True)
class FinishedTask:
    """A game of a task, or, without one, the task's end."""

    task: PoolTask
    seat: int = 0
    game: Entry | None = None


class _Process:
    def __init__(self, hello: str, heard: queue.Queue[tuple[_Process, dict[str, Any] | None]]) -> None:
        self.task: PoolTask | None = None
        self.errors: deque[str] = deque(maxlen=KEPT_ERROR_LINES)
        self._heard = heard
        command = [sys.executable, "-P", "-m", "hansu.arena.pool_worker"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            encoding="utf-8", errors="replace", start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._listen_to_errors, daemon=True).start()
        self.send(hello)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError, TypeError):  # a line that is cut off, or none of ours: it has ended
            for line in self._process.stdout:
                answer = json.loads(line)
                if "game" in answer:
                    record = self._process.stdout.readline()
                    if not record.endswith("\n"):
                        break
                    answer["game"] = Entry._make([*answer["game"], record[:-1]])
                self._heard.put((self, answer))
        self._heard.put((self, None))

    def _listen_to_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.errors.append(line.rstrip())

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended, which is heard soon
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def let_go(self) -> None:
        """It ends when its pipe is closed."""
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def end(self, seconds: float) -> int:
        """Wait until it has ended, and see to it; its exit code."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def told_event(players: Sequence[Contestant], adjudication: Adjudication) -> dict[str, Any]:
    """What every process that plays has to know, but for the game."""
    told = [
        {"name": who.name, "spec": who.spec, "limit": "" if who.limit == Limit() else str(who.limit)} for who in players
    ]
    return {"players": told, "adjudicate": str(adjudication)}


def told_task(task: PoolTask, seats: Sequence[int]) -> dict[str, Any]:
    """What the process that plays it has to know."""
    return {
        "task": task.number, "a": task.a, "b": task.b, "start": task.opening.start, "moves": task.opening.moves,
        "seed": task.seed, "seats": list(seats),
    }  # fmt: skip


class Pool:
    """So many processes, each with every player of an event, made when it is needed. Close it."""

    def __init__(
        self, game: Game, players: Sequence[Contestant], workers: int, adjudication: Adjudication = Adjudication(),
        on_compiling: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.workers = workers
        self._players = players
        self._hello = json.dumps({"game": game.spec, **told_event(players, adjudication)})
        self._on_compiling = on_compiling
        self._heard: queue.Queue[tuple[_Process, dict[str, Any] | None]] = queue.Queue()
        self._idle: list[_Process] = []
        self._all: list[_Process] = []

    def check(self, opening: Opening) -> None:
        """Start every player once: one that cannot be made or cannot move is told now. What has to be compiled is
        compiled by this one process, and found by the others."""
        process = self._start()
        process.send(json.dumps({"check": {"start": opening.start, "moves": opening.moves}}))
        while True:
            who, answer = self._heard.get()
            if answer is None:
                raise HansuError("the players cannot be started{words}", words=_last_words(who))
            if self._understood(answer):
                self._idle.append(process)
                return

    @property
    def free(self) -> bool:
        return bool(self._idle) or len(self._all) < self.workers

    @property
    def busy(self) -> bool:
        return any(process.task is not None for process in self._all)

    def submit(self, task: PoolTask) -> None:
        """Let a free process play it."""
        process = self._idle.pop() if self._idle else self._start()
        process.task = task
        process.send(json.dumps(told_task(task, task.seats)))

    def wait(self, seconds: float | None = None) -> FinishedTask | None:
        """The next game or end of a task; None after so many seconds without one. Raises HansuError where the event
        cannot go on."""
        while True:
            try:
                process, answer = self._heard.get(timeout=seconds)
            except queue.Empty:
                return None
            if answer is None:
                if (task := self._bury(process)) is not None:
                    return FinishedTask(task)
                continue
            if not self._understood(answer):
                continue
            task = process.task
            assert task is not None and task.number == answer["task"]
            if "game" in answer:
                task.seats = [seat for seat in task.seats if seat != answer["seat"]]
                return FinishedTask(task, answer["seat"], answer["game"])
            process.task = None
            self._idle.append(process)
            return FinishedTask(task)

    def _understood(self, answer: dict[str, Any]) -> bool:
        """Deal with what is no answer to a question; True for one that is."""
        if "error" in answer:
            raise HansuError(Message(dict(answer["error"])), Message(dict(answer["hint"])))
        if "compiling" in answer:
            if self._on_compiling is not None:
                self._on_compiling(answer["compiling"])
            return False
        return True

    def _start(self) -> _Process:
        process = _Process(self._hello, self._heard)
        self._all.append(process)
        return process

    def _bury(self, process: _Process) -> PoolTask | None:
        """A process that ended by itself: what it was playing is played again, unless that kills processes. Gives the
        task if that was finished."""
        code = process.end(FAREWELL_SECONDS)
        self._all.remove(process)
        if process in self._idle:
            self._idle.remove(process)
        task, process.task = process.task, None
        if task is None or not task.seats:
            return task
        task.deaths += 1
        if task.deaths >= MOST_DEATHS:
            a, b = self._players[task.a].name, self._players[task.b].name
            raise HansuError(
                f"a game of {a} and {b} has ended its process {task.deaths} times (exit code {code})"
                f"{_last_words(process)}",
                "one of them crashes the Python that it runs in",
            )
        self.submit(task)
        return None

    def close(self) -> None:
        """End every process; games that they are playing are lost."""
        for process in self._all:
            process.let_go()
        for process in self._all:
            process.end(FAREWELL_SECONDS)
        self._all.clear()
        self._idle.clear()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _last_words(process: _Process) -> str:
    return f": {process.errors[-1]}" if process.errors else ""
