"""A runner that plays in worker processes of this machine. The two players of a game never search at the same time, so
a worker needs one core, however many players it holds.

A worker is a new Python process, driven by JSON lines (`pool_worker`). It shares only a pair of pipes with this
process. So a player that breaks its worker does not stop the others, and no worker outlives this process.
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
from typing import Any

from hansu.arena.adjudication import Adjudication
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import GameRow
from hansu.arena.openings import Opening
from hansu.arena.runner import PairTask, TaskResult
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message

MAX_CRASHES = 3  # of workers over the same pair of games
EXIT_SECONDS = 3.0
MAX_ERROR_LINES = 20


class _Worker:
    """A worker process. Its messages arrive in `messages`; None: the process has ended."""

    def __init__(self, event: str, messages: queue.Queue[tuple[_Worker, dict[str, Any] | None]]) -> None:
        self.task: PairTask | None = None
        self.errors: deque[str] = deque(maxlen=MAX_ERROR_LINES)
        self._messages = messages
        command = [sys.executable, "-P", "-m", "hansu.arena.pool_worker"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            encoding="utf-8", errors="replace", start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._read_messages, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()
        self.send(event)

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError, TypeError):  # a truncated or foreign line: the worker has crashed
            for line in self._process.stdout:
                message = json.loads(line)
                if "game" in message:
                    record = self._process.stdout.readline()
                    if not record.endswith("\n"):
                        break
                    message["game"] = GameRow._make([*message["game"], record[:-1]])
                self._messages.put((self, message))
        self._messages.put((self, None))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.errors.append(line.rstrip())

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # the worker has ended; its reader thread reports that soon
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def close_pipe(self) -> None:
        """The worker ends when its pipe is closed."""
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def end(self, seconds: float) -> int:
        """Wait until the process has ended, kill it after `seconds`, and return its exit code."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    @property
    def last_error(self) -> str:
        """For the end of a message; empty if the worker wrote no error."""
        return f": {self.errors[-1]}" if self.errors else ""


def event_message(players: Sequence[Contestant], adjudication: Adjudication) -> dict[str, Any]:
    """What every worker needs to know of an event, except the game."""
    contestants = [
        {"name": who.name, "spec": who.spec, "limit": "" if who.limit == Limit() else str(who.limit)} for who in players
    ]
    return {"players": contestants, "adjudicate": str(adjudication)}


def task_message(task: PairTask, seats: Sequence[int]) -> dict[str, Any]:
    """What the worker that plays a task needs to know."""
    return {
        "task": task.number, "a": task.a, "b": task.b, "start": task.opening.start, "moves": task.opening.moves,
        "seed": task.seed, "seats": list(seats),
    }  # fmt: skip


class Pool:
    """Up to `workers` processes, started as needed, each with all players of an event. Close it."""

    def __init__(
        self, game: Game, players: Sequence[Contestant], workers: int, adjudication: Adjudication = Adjudication(),
        on_compiling: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        """`on_compiling` is called with the name of a function when a worker compiles one."""
        self.workers = workers
        self._players = players
        self._event = json.dumps({"game": game.spec, **event_message(players, adjudication)})
        self._on_compiling = on_compiling
        self._messages: queue.Queue[tuple[_Worker, dict[str, Any] | None]] = queue.Queue()
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []

    def check(self, opening: Opening) -> None:
        """As `Runner.check`. This one worker compiles what the players need, and the other workers find it cached."""
        worker = self._start()
        worker.send(json.dumps({"check": {"start": opening.start, "moves": opening.moves}}))
        while True:
            sender, message = self._messages.get()
            if message is None:
                raise HansuError("the players cannot be started{words}", words=sender.last_error)
            if self._is_answer(message):
                self._idle.append(worker)
                return

    @property
    def free(self) -> bool:
        return bool(self._idle) or len(self._all) < self.workers

    @property
    def busy(self) -> bool:
        return any(worker.task is not None for worker in self._all)

    def submit(self, task: PairTask) -> None:
        worker = self._idle.pop() if self._idle else self._start()
        worker.task = task
        worker.send(json.dumps(task_message(task, task.seats)))

    def wait(self, seconds: float | None = None) -> TaskResult | None:
        while True:
            try:
                worker, message = self._messages.get(timeout=seconds)
            except queue.Empty:
                return None
            if message is None:
                if (task := self._replace(worker)) is not None:
                    return TaskResult(task)
                continue
            if not self._is_answer(message):
                continue
            task = worker.task
            assert task is not None and task.number == message["task"]
            if "game" in message:
                task.seats = [seat for seat in task.seats if seat != message["seat"]]
                return TaskResult(task, message["seat"], message["game"])
            worker.task = None
            self._idle.append(worker)
            return TaskResult(task)

    def _is_answer(self, message: dict[str, Any]) -> bool:
        """Handle notices and errors; True for an answer."""
        if "error" in message:
            raise HansuError(Message(dict(message["error"])), Message(dict(message["hint"])))
        if "compiling" in message:
            if self._on_compiling is not None:
                self._on_compiling(message["compiling"])
            return False
        return True

    def _start(self) -> _Worker:
        worker = _Worker(self._event, self._messages)
        self._all.append(worker)
        return worker

    def _replace(self, worker: _Worker) -> PairTask | None:
        """Play the task of a crashed worker again, unless that task keeps crashing workers. Returns the task if all of
        its games were finished."""
        code = worker.end(EXIT_SECONDS)
        self._all.remove(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        task, worker.task = worker.task, None
        if task is None or not task.seats:
            return task
        task.crashes += 1
        if task.crashes >= MAX_CRASHES:
            raise HansuError(
                "{a} against {b} crashed {count} worker processes (exit code {code}){words}",
                "one of the two players crashes the Python process that it runs in",
                a=self._players[task.a].name,
                b=self._players[task.b].name,
                count=task.crashes,
                code=code,
                words=worker.last_error,
            )
        self.submit(task)
        return None

    def close(self) -> None:
        for worker in self._all:
            worker.close_pipe()
        for worker in self._all:
            worker.end(EXIT_SECONDS)
        self._all.clear()
        self._idle.clear()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
