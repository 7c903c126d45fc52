"""A session's thinking: one search at a time, told of as it goes, abandoned (not waited for) when it is not wanted."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from hansu.arena.turn import ask
from hansu.core import Control, Limit, Phrase, Player, Position
from hansu.core.report import Report
from hansu.ui.web import messages as m
from hansu.ui.web.board import Thought
from hansu.ui.web.findings import of_report, speed
from hansu.ui.web.words import words
from hansu.ui.web.workers import Search, Workers

T = TypeVar("T")
Kind = Literal["move", "hint", "analysis", "xray"]
Post = Callable[[m.Told | str, bool], None]
"""Hands a message (or its JSON) to the page; True: it may be dropped where the page is slow."""

TOLD_EVERY = 0.1  # seconds between two progress messages
COUNTED_EVERY = 0.5  # seconds until nodes are counted anew where a search is silent
LET_GO = 0.3  # seconds until a player that does not stop is taken for lost


class Task:
    """What is being thought about, by whom, at which ply."""

    def __init__(self, kind: Kind, player: Player, at: Position, ply: int, number: int | None) -> None:
        self.kind = kind
        self.player = player
        self.at = at
        self.ply = ply
        self.number = number  # the id of the message that asked
        self.search: Search[Any] | None = None
        self.wanted = True  # False: its answer is of no interest any more
        self.running: asyncio.Task[None] | None = None
        self.told: Throttle  # what is told of its way; made when it begins

    def stop(self) -> None:
        if self.search is not None:
            self.search.stop()


class Thinker:
    """Runs a session's tasks with the workers and tells the page of their way."""

    def __init__(self, workers: Workers, post: Post) -> None:
        self._workers = workers
        self._post = post
        self._loop = asyncio.get_running_loop()
        self.task: Task | None = None

    def begin(self, task: Task, work: Callable[[], Awaitable[None]]) -> None:
        self.task = task
        task.told = Throttle(self._post, task)

        async def run() -> None:
            try:
                await work()
            finally:
                if self.task is task:
                    self.task = None

        task.running = asyncio.ensure_future(run())

    async def think(self, task: Task, work: Callable[[Search[T]], T], seconds: float, *, long: bool = False) -> T:
        """Run a search for a task."""
        task.search = search = Search(work, seconds, long=long)
        search.on_compiling = self.compiling(task.player.name, task.number)
        self._tell(task, 0)
        if task.kind in ("move", "hint"):
            search.on_report = self._progress(task, search)
        counting = asyncio.ensure_future(self._count(task, search))
        try:
            return await self._workers.run(search, lambda before: self._tell(task, before))
        finally:
            counting.cancel()

    async def _count(self, task: Task, search: Search[Any]) -> None:
        """While a search is silent, tell how many nodes it has visited."""
        if task.kind == "xray":
            return
        while True:
            await asyncio.sleep(COUNTED_EVERY)
            silent = time.monotonic() - task.told.last
            if search.began is None or silent < COUNTED_EVERY or not search.nodes:
                continue
            known = task.told.found or m.Findings()
            # An analysis counts what its finished decisions took; a decision's own reports may be part of its count.
            nodes = known.nodes + search.nodes if task.kind == "analysis" else max(known.nodes, search.nodes)
            seconds = time.monotonic() - search.began
            counted = {"nodes": nodes, "seconds": round(seconds, 2), "speed": speed(nodes, seconds)}
            task.told.send(self._news(task, known.model_copy(update=counted)), keep=False)

    def _tell(self, task: Task, queued: int) -> None:
        seat = task.at.team
        told = m.Thinking(
            re=task.number, task=task.kind, ply=task.ply, seat=seat, player=task.player.name, queued=queued
        )
        self._post(told, queued > 0)

    def compiling(self, player: str, number: int | None = None) -> Callable[[str], None]:
        """What to do when something is compiled for a player."""

        def tell(what: str) -> None:
            text = Phrase(
                "{player} is being compiled ({what}): some seconds, only this first time", player=player, what=what
            )
            self.soon(self._post, m.Compiling(re=number, what=words(text)), False)

        return tell

    def _progress(self, task: Task, search: Search[Any]) -> Callable[[Report], None]:
        def tell(report: Report) -> None:
            seconds = time.monotonic() - (search.began or time.monotonic())
            with contextlib.suppress(Exception):  # what is told of the way must not end the search
                self.news(task, of_report(task.at, report, seconds))

        return tell

    def news(self, task: Task, found: m.Findings) -> None:
        """From a worker's thread: how far a task is."""
        self.soon(task.told.put, self._news(task, found))

    def _news(self, task: Task, found: m.Findings) -> m.Progress:
        kind: Any = task.kind
        return m.Progress(re=task.number, task=kind, ply=task.ply, found=found)

    def unwant(self) -> None:
        """Nothing more is told of the task at hand."""
        if self.task is not None:
            self.task.wanted = False

    async def abandon(self) -> Task | None:
        """End the task at hand. Gives it back if its search did not let go of its player in time."""
        task, self.task = self.task, None
        if task is None:
            return None
        task.wanted = False
        task.stop()
        search = task.search
        if search is not None and not search.done.done():
            await asyncio.wait([search.waited_for()], timeout=LET_GO)
        if task.running is not None:
            task.running.cancel()
        return task if search is not None and not search.done.done() else None

    def close(self) -> None:
        """The page is gone: nothing is wanted any more."""
        task, self.task = self.task, None
        if task is not None:
            task.wanted = False
            task.stop()
            if task.running is not None:
                task.running.cancel()

    def soon(self, call: Callable[..., Any], *args: Any) -> None:
        """From any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, *args)


class Throttle:
    """Passes on the newest of many progress messages, ten a second at most."""

    def __init__(self, post: Post, task: Task) -> None:
        self._post, self._task = post, task
        self.last = 0.0  # when it passed on the last one, and what that said
        self.found: m.Findings | None = None
        self._waiting: m.Progress | None = None

    def put(self, told: m.Progress) -> None:
        if self._waiting is not None:
            self._waiting = told
            return
        wait = self.last + TOLD_EVERY - time.monotonic()
        if wait <= 0:
            self.send(told)
        else:
            self._waiting = told
            asyncio.get_running_loop().call_later(wait, self._late)

    def _late(self) -> None:
        told, self._waiting = self._waiting, None
        if told is not None:
            self.send(told)

    def send(self, told: m.Progress, keep: bool = True) -> None:
        search = self._task.search
        if self._task.wanted and search is not None and not search.done.done():
            self.last = time.monotonic()
            self.found = told.found if keep else self.found
            self._post(told, True)


def take_turn(at: Position, player: Player, limit: Limit, control: Callable[[], Control]) -> list[Thought]:
    """The moves of one seat until it is the other's turn (or chance's): several where a seat has several agents."""
    seat = at.team
    turn: list[Thought] = []
    while not at.over and at.team == seat:
        decision = ask(player, at, limit, control())
        turn.append(Thought(player.name, decision))
        at = at.play(decision.action)
    return turn
