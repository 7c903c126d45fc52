"""A session's thinking: one task at a time, told of as it goes, abandoned (not waited for) when it is not wanted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from hansu.arena.turn import ask
from hansu.arena.warmup import StandIn, Warmup, Warmups
from hansu.core import Control, Limit, Message, Player, Position
from hansu.ui.web import messages as m
from hansu.ui.web.board import MoveComment
from hansu.ui.web.task import AnyTask, Task
from hansu.ui.web.translations import words
from hansu.ui.web.workers import Workers

T = TypeVar("T")
Send = Callable[..., None]
"""`send(message or its JSON, droppable)`: hands it to the page; droppable: not where the page is slow."""

TOLD_EVERY = 0.1  # seconds between two progress messages
COUNTED_EVERY = 0.5  # seconds until nodes are counted anew where a search is silent
LET_GO = 0.3  # seconds until a player that does not stop is taken for lost


class Thinker:
    """Runs a session's tasks with the workers and tells the page of their way."""

    def __init__(self, workers: Workers, send: Send, preparations: Warmups | None = None) -> None:
        self._workers = workers
        self._send = send
        self._preparations = preparations
        self._loop = asyncio.get_running_loop()
        self._running: asyncio.Task[None] | None = None
        self.task: AnyTask | None = None

    def begin(self, task: AnyTask, work: Callable[[], Awaitable[None]]) -> None:
        """`work` lets it `think` and does something with the answer; until then it is the task at hand."""
        self.task = task

        async def run() -> None:
            try:
                await work()
            finally:
                if self.task is task:
                    self.task = None

        self._running = asyncio.ensure_future(run())

    async def think(self, task: Task[T]) -> T:
        """The answer of the task at hand."""
        news = News(task, self._send)
        task.on_found = partial(self.soon, news.put)
        task.on_compiling = self.compiling(task.player.called, task.number)
        self._tell(task, 0)
        await self._prepare(task)
        counting = asyncio.ensure_future(news.count())
        try:
            return await self._workers.run(task, lambda before: self._tell(task, before))
        finally:
            counting.cancel()

    async def _prepare(self, task: AnyTask) -> None:
        """Wait until the task's player need not be compiled any more, or let somebody answer for it."""
        if self._preparations is None or (task.kind == "xray" and task.player.traced_as == "bounds"):  # interpreted
            return
        waited = await self._loop.run_in_executor(None, self._preparations.of, task.at.game, task.player)
        if waited is not None and not task.waits:
            self._tell_left(task, waited)
            task.player = StandIn(task.player, waited)
            return
        while waited is not None and not waited.ended.is_set() and not task.stopped:
            self._tell_left(task, waited)
            await asyncio.sleep(TOLD_EVERY)

    def _tell_left(self, task: AnyTask, waited: Warmup) -> None:
        seconds = round(waited.seconds_left)
        text = Message("{player}, about {seconds} s more, only this once", player=task.player.called, seconds=seconds)
        self._send(m.Compiling(re=task.number, what=words(text), share=waited.share), True)

    def _tell(self, task: AnyTask, queued: int) -> None:
        kind: Any = task.kind
        told = m.Thinking(
            re=task.number, task=kind, ply=task.ply, seat=task.at.team, player=task.player.name, queued=queued
        )
        self._send(told, queued > 0)

    def compiling(self, player: str, number: int | None = None) -> Callable[[str], None]:
        """What to do when something is compiled for a player."""

        def tell(_: str) -> None:  # names of inner functions mean nothing to people
            text = Message("{player}, some seconds, only this once", player=player)
            self.soon(self._send, m.Compiling(re=number, what=words(text)))

        return tell

    def unwant(self) -> None:
        """Nothing more is told of the task at hand but to who asked for it: that something else took its place."""
        task = self.task
        if task is None or not task.wanted:
            return
        task.wanted = False
        if task.number is not None:
            what = words(Message("something newer took its place"))
            self._send(m.Trouble(re=task.number, code="replaced", text=what), False)

    async def abandon(self) -> AnyTask | None:
        """End the task at hand. Gives it back if its search did not let go of its player in time."""
        self.unwant()
        task, running = self._take()
        if task is None:
            return None
        if not task.done.done():
            await asyncio.wait([task.answer()], timeout=LET_GO)
        if running is not None:
            running.cancel()
        return None if task.done.done() else task

    def close(self) -> None:
        """The page is gone: nothing is wanted any more."""
        _, running = self._take()
        if running is not None:
            running.cancel()

    def _take(self) -> tuple[AnyTask | None, asyncio.Task[None] | None]:
        """The task at hand, stopped, and what runs it."""
        task, self.task = self.task, None
        running, self._running = self._running, None
        if task is not None:
            task.wanted = False
            task.stop()
        return task, running

    def soon(self, call: Callable[..., Any], *args: Any) -> None:
        """From any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, *args)


class News:
    """What a page hears of a task while it runs: the newest of what was found, ten times a second at most; where that
    is silent, how many nodes it has visited."""

    def __init__(self, task: AnyTask, send: Send) -> None:
        self._task, self._send = task, send
        self._last = 0.0  # when something was told, and what was found then
        self._found: m.Found = {}
        self._waiting: m.Found | None = None

    def put(self, found: m.Found) -> None:
        if self._waiting is None:
            wait = self._last + TOLD_EVERY - time.monotonic()
            asyncio.get_running_loop().call_later(max(wait, 0.0), self._tell_waiting)
        self._waiting = found

    def _tell_waiting(self) -> None:
        found, self._waiting = self._waiting, None
        if found is not None:
            self._found = found
            self._tell(found)

    def _tell(self, found: m.Found) -> None:
        task = self._task
        if task.wanted and not task.done.done():
            self._last = time.monotonic()
            kind: Any = task.kind
            self._send(m.Progress(re=task.number, task=kind, ply=task.ply, found=found), True)

    async def count(self) -> None:
        task = self._task
        while task.kind not in ("xray", "review"):
            await asyncio.sleep(COUNTED_EVERY)
            now = time.monotonic()
            if task.began is None or now < self._last + COUNTED_EVERY or not task.nodes:
                continue
            known = self._found.get("nodes", 0)
            # An analysis counts what its finished decisions took; a decision's own reports may be part of its count.
            nodes = known + task.nodes if task.kind == "analysis" else max(known, task.nodes)
            self._tell({**self._found, "nodes": nodes, "seconds": now - task.began})


def take_turn(
    at: Position, player: Player, limit: Limit, control: Callable[[], Control], goes_on: Callable[[], bool]
) -> list[MoveComment]:
    """The moves of one seat until it is the other's turn (or chance's): several where a seat has several agents. Each
    agent moves once: a seat that nobody answers (Pacman without ghosts) would otherwise move for ever. After its first
    move, a turn also ends when it need not go on (its time is over, or nobody waits for it any more)."""
    seat = at.team
    turn: list[MoveComment] = []
    moved: set[int] = set()
    while not at.over and at.team == seat and at.mover not in moved and (not turn or goes_on()):
        moved.add(at.mover)
        decision = ask(player, at, limit, control())
        turn.append(MoveComment(player.name, decision))
        at = at.play(decision.action)
    return turn
