"""A session's thinking: one task at a time, with progress messages; a task nobody needs is abandoned, not awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from hansu.arena.turn import ask
from hansu.arena.warmup import FallbackPlayer, Warmup, WarmupQueue
from hansu.core import Limit, Message
from hansu.ui.web import messages as m
from hansu.ui.web.board import MoveComment
from hansu.ui.web.task import AnyTask, Task
from hansu.ui.web.translations import words
from hansu.ui.web.workers import Workers

T = TypeVar("T")
Send = Callable[..., None]
"""`send(message or its JSON, droppable)` hands a message to the page; a slow page skips droppable ones."""

PROGRESS_EVERY = 0.1  # seconds between two progress messages
COUNT_EVERY = 0.5  # seconds without a report until the node count is sent by itself
LET_GO = 0.3  # seconds until a player that does not stop counts as lost


class Thinker:
    """Runs a session's tasks with the workers. `failed(task, error)` handles a task that raised."""

    def __init__(
        self, workers: Workers, send: Send, failed: Callable[[AnyTask, Exception], Awaitable[None]],
        warmups: WarmupQueue | None = None,
    ) -> None:  # fmt: skip
        self._workers = workers
        self._send = send
        self._failed = failed
        self._warmups = warmups
        self._running: asyncio.Task[None] | None = None
        self.task: AnyTask | None = None

    def start(self, task: Task[T], reply: Callable[[T], Awaitable[None]]) -> None:
        """Make it the current task; `reply` receives its answer if that is still wanted."""
        self.task = task
        self._running = asyncio.ensure_future(self._run(task, reply))

    async def _run(self, task: Task[T], reply: Callable[[T], Awaitable[None]]) -> None:
        reporter = ProgressReporter(task, self._send)
        try:
            if self._warmups is not None:
                await self._warm_up(task, self._warmups, reporter)
            answer = await self._workers.run(task, reporter.started)
            reporter.close()
            if task.wanted:
                await reply(answer)
        except Exception as error:
            await self._failed(task, error)
        finally:
            reporter.close()
            if self.task is task:
                self.task = None

    async def _warm_up(self, task: AnyTask, warmups: WarmupQueue, reporter: ProgressReporter) -> None:
        """Wait until the task's player is compiled, or replace it by a stand-in."""
        if task.kind == "xray" and task.player.traced_as == "bounds":
            return  # runs interpreted
        loop = asyncio.get_running_loop()
        warmup = await loop.run_in_executor(None, warmups.request, task.position.game, task.player)
        if warmup is not None and not task.waits:
            reporter.warming_up(warmup)
            task.player = FallbackPlayer(task.player, warmup)
            return
        while warmup is not None and not warmup.finished.is_set() and not task.stopped:
            reporter.warming_up(warmup)
            await asyncio.sleep(PROGRESS_EVERY)

    def supersede(self) -> None:
        """Nobody needs the current task any more. If a message requested it, answer that message with `replaced`."""
        task = self.task
        if task is not None and task.wanted:
            task.wanted = False
            if task.request_id is not None:
                text = words(Message("something newer took its place"))
                self._send(m.ErrorMessage(re=task.request_id, code="replaced", text=text), False)

    async def abandon(self) -> AnyTask | None:
        """End the current task. Returns the task if its search did not let go of the player in time."""
        self.supersede()
        task, running = self.task, self._running
        if task is None:
            return None
        self.task = self._running = None
        task.stop()
        if not task.done.done():
            await asyncio.wait([task.answer], timeout=LET_GO)
        if running is not None:
            running.cancel()
        return None if task.done.done() else task

    def close(self) -> None:
        """The page is gone."""
        if self.task is not None:
            self.task.wanted = False
            self.task.stop()
        if self._running is not None:
            self._running.cancel()


class ProgressReporter:
    """Sends the progress of a running task to the page: the newest report, at most ten times a second; if the player
    is silent, the number of visited nodes."""

    def __init__(self, task: AnyTask, send: Send) -> None:
        self._task, self._send = task, send
        self._sent_at = 0.0
        self._latest: m.ReportJson = {}  # the report that was sent last
        self._waiting: m.ReportJson | None = None
        self._player = task.player.called  # a stand-in may replace it
        task.on_report = partial(task.call_soon, self.put)
        task.on_compiling = partial(task.call_soon, self._compiling)
        self.started(0)
        self._timer = asyncio.get_running_loop().call_later(COUNT_EVERY, self._count)

    def close(self) -> None:
        self._timer.cancel()

    def started(self, queued: int) -> None:
        """The search has begun, or waits for a worker."""
        task = self._task
        seat, name = task.position.team, task.player.name
        message = m.Thinking(re=task.request_id, task=task.kind, ply=task.ply, seat=seat, player=name, queued=queued)
        self._send(message, queued > 0)

    def warming_up(self, warmup: Warmup) -> None:
        seconds, player = round(warmup.seconds_left), self._player
        text = Message("{player}, about {seconds} s more, only this once", player=player, seconds=seconds)
        self._send(m.Compiling(re=self._task.request_id, what=words(text), share=warmup.progress), True)

    def _compiling(self, function: str) -> None:
        """The name of the compiled function means nothing to people."""
        text = Message("{player}, some seconds, only this once", player=self._player)
        self._send(m.Compiling(re=self._task.request_id, what=words(text)))

    def put(self, report: m.ReportJson) -> None:
        """Send this report soon, unless a newer one comes first."""
        if self._waiting is None:
            wait = self._sent_at + PROGRESS_EVERY - time.monotonic()
            asyncio.get_running_loop().call_later(max(wait, 0.0), self._send_waiting)
        self._waiting = report

    def _send_waiting(self) -> None:
        report, self._waiting = self._waiting, None
        if report is not None:
            self._latest = report
            self._send_report(report)

    def _send_report(self, report: m.ReportJson) -> None:
        task = self._task
        if task.wanted and not task.done.done():
            self._sent_at = time.monotonic()
            kind: Any = task.kind
            self._send(m.Progress(re=task.request_id, task=kind, ply=task.ply, found=report), True)

    def _count(self) -> None:
        """Send the node count if there was no report for a while."""
        task, now = self._task, time.monotonic()
        if task.kind in ("xray", "review"):
            return
        self._timer = asyncio.get_running_loop().call_later(COUNT_EVERY, self._count)
        if task.began is not None and now >= self._sent_at + COUNT_EVERY and task.nodes:
            known = self._latest.get("nodes", 0)
            # An analysis counts the nodes of its finished decisions; the reports of a decision may include their own.
            nodes = known + task.nodes if task.kind == "analysis" else max(known, task.nodes)
            self._send_report({**self._latest, "nodes": nodes, "seconds": now - task.began})


def take_turn(task: AnyTask, limit: Limit) -> list[MoveComment]:
    """The moves of one seat until the other seat or chance is to move: several if the seat has several agents.

    Each agent moves once; a seat without an opponent (Pacman without ghosts) would otherwise move forever. After its
    first move a turn also ends when its time is up or nobody needs it any more."""
    position, player = task.position, task.player
    seat = position.team
    turn: list[MoveComment] = []
    moved: set[int] = set()
    while not position.over and position.team == seat and position.mover not in moved and (not turn or task.goes_on):
        moved.add(position.mover)
        decision = ask(player, position, limit, task.control())
        turn.append(MoveComment(player.name, decision))
        position = position.play(decision.action)
    return turn
