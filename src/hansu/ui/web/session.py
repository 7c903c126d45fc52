"""One page's session: handles the page's messages and runs its searches.

    PageSocket -> Session -> Thinker -> Workers -> Task -> player      a move: each hands over once
    PageSocket <- Session <- Thinker <-

Messages are handled one after the other; whoever changes the game holds the session's lock. Slow work happens in
threads: positions and pictures in a small *pool*, thinking with the *workers*.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from functools import partial
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from hansu.arena.roster import adviser
from hansu.arena.turn import ask
from hansu.arena.warmup import WarmupQueue
from hansu.core import HansuError, IllegalMove, Message, Position
from hansu.core.errors import PlayerFault
from hansu.core.record import thought
from hansu.ui.web import messages as m
from hansu.ui.web.analysis import Analysis
from hansu.ui.web.board import MoveComment
from hansu.ui.web.catalogue import Catalogue
from hansu.ui.web.game_file import loaded
from hansu.ui.web.limits import Bounds
from hansu.ui.web.open_game import OpenGame, limit_of
from hansu.ui.web.review import GameReview
from hansu.ui.web.seats import MemoryBudget, SessionPlayers
from hansu.ui.web.task import AnyTask, Kind, Task
from hansu.ui.web.thinking import Send, Thinker, take_turn
from hansu.ui.web.translations import Refused, words
from hansu.ui.web.workers import Dropped, Workers
from hansu.ui.web.xray import xray

log = logging.getLogger("hansu.web")
T = TypeVar("T")

FASTEST_PACE = 0.03  # seconds between two moves of machines: a page has to draw them


class Shared:
    """What all sessions of a server share."""

    def __init__(
        self, catalogue: Catalogue, bounds: Bounds, pool: Executor, warmups: WarmupQueue | None = None
    ) -> None:
        self.catalogue = catalogue
        self.bounds = bounds
        self.pool = pool
        self.workers = Workers(bounds)
        self.budget = MemoryBudget(bounds)
        self.warmups = warmups


class Session:
    """`handle` takes one message of the page, `send` hands messages to the page, `caught_up` waits until the page has
    taken them. `client` is the page's address."""

    def __init__(
        self, shared: Shared, client: str, send: Send, caught_up: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        self._shared = shared
        self._client = client
        self._send = send
        self._caught_up = caught_up
        self._players = SessionPlayers(shared.catalogue, shared.budget)
        self._opened: OpenGame | None = None
        self._thinker = Thinker(shared.workers, send, self._failed, shared.warmups)
        self._lock = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._moved_at = 0.0

    # Messages.

    async def handle(self, text: str | bytes) -> None:
        """Answer one message. Errors are reported to the page; nothing is raised."""
        request_id: int | None = None
        try:
            request = m.client_messages.validate_json(text)
            request_id = request.id
            async with self._lock:
                await self._answer(request)
        except ValidationError as error:
            self._send_error("malformed", _gist(error), "", m.number_in(text))
        except HansuError as error:
            self._send_error(_code(error), error.what, error.hint, request_id)
        except Exception as error:
            log.exception("a message could not be handled")
            what = Message("the server failed: {error}", error=type(error).__name__)
            self._send_error("internal", what, "", request_id)

    async def _answer(self, request: m.ClientMessage) -> None:
        if isinstance(request, m.Open):
            await self._open(request)
            return
        opened = self._opened
        if opened is None:
            hint = Message("send `open` first")
            raise Refused("refused", Message("no game is open"), hint)
        board = opened.board
        match request:
            case m.Move():
                await self._change(opened, request.id, partial(opened.move, request))
            case m.Undo():
                await self._change(opened, request.id, lambda: board.undo(opened.seats.people))
            case m.Resign(seat=seat, overtime=overtime):
                await self._change(opened, request.id, lambda: opened.resign(seat, overtime))
            case m.Jump(ply=ply):
                # A review goes on: it is about the whole game.
                reviewing = self._thinker.task is not None and self._thinker.task.kind == "review"
                await self._change(opened, request.id, lambda: board.jump(ply), disturb=not reviewing)
            case m.Swap():
                await self._reseat(opened, request, opened.seats.swap)
            case m.Players():
                await self._reseat(opened, request, lambda: opened.change_players(request))
            case m.Auto():
                await self._set_auto(opened, request)
            case m.Step():
                await self._step(opened, request)
            case m.Stop():
                if self._thinker.task is not None:
                    self._thinker.task.stop()
            case m.Hint():
                await self._hint(opened, request)
            case m.Analyse():
                await self._analyse(opened, request)
            case m.Review():
                await self._review(opened, request)
            case m.Xray():
                await self._xray(opened, request)
            case m.LineMessage(moves=moves, ply=since):
                at = board.ply if since is None else since
                await self._reply(lambda: m.LineReply(re=request.id, ply=at, frames=board.frames(moves, at)))
            case m.Picture(dark=dark):
                name = f"{board.game.name}.svg"
                await self._reply(lambda: m.PictureReply(re=request.id, name=name, svg=board.picture(dark)))
            case m.Edit():
                await self._reply(lambda: board.squares(request.id))
            case m.Arrange(letters=letters, mover=mover):
                await self._reply(lambda: m.ArrangeReply(re=request.id, text=board.arranged(letters, mover)))
            case m.Load(name=name, data=data, number=number):
                catalogue = self._shared.catalogue
                await self._reply(lambda: loaded(name, data, number, board.game, catalogue, request.id))
            case m.Forbidden(x=x, y=y):
                await self._reply(lambda: board.forbidden(request.id, x, y))
            case m.Export(format=format, variations=variations):
                await self._reply(lambda: opened.file(format, variations, request.id))

    async def _open(self, request: m.Open) -> None:
        opened = await self._in_pool(lambda: OpenGame.of(request, self._players))
        await self._abandon()
        before, self._opened = self._opened, opened
        await self._reply(lambda: opened.state(request.id))
        if before is not None:
            await self._in_pool(before.seats.close)
        self._start_machine(opened)
        self._prepare(opened)

    async def _change(
        self, opened: OpenGame, request_id: int | None, change: Callable[[], None], disturb: bool = True
    ) -> None:
        """Change the moves or the shown ply, send the new state, and let the machine move. A change that is rejected
        disturbs no search."""

        def work() -> str:
            change()
            return opened.state(request_id).model_dump_json()

        text = await self._loop.run_in_executor(self._shared.pool, work)
        disturb = disturb and self._thinker.task is not None
        if disturb:
            self._thinker.supersede()
        self._send(text, False)
        if disturb:
            await self._abandon()
        if self._thinker.task is None:
            self._start_machine(opened)

    async def _reseat(self, opened: OpenGame, request: m.Request, change: Callable[[], None]) -> None:
        """Change the players; none of them may be thinking."""
        await self._abandon()
        try:
            await self._in_pool(change)
            await self._reply(lambda: opened.state(request.id))
        finally:
            self._start_machine(opened)
        self._prepare(opened)

    async def _set_auto(self, opened: OpenGame, request: m.Auto) -> None:
        opened.auto = request.on
        opened.pace = opened.pace if request.pace is None else request.pace
        task = self._thinker.task
        if task is not None and task.kind == "move" and not request.on:
            await self._abandon()
        await self._reply(lambda: opened.state(request.id))
        if self._thinker.task is None:
            self._start_machine(opened)

    # Machines.

    def _start_machine(self, opened: OpenGame, stepped: bool = False, request_id: int | None = None) -> None:
        """Let the machine that is to move think, if there is one."""
        player = opened.machine(stepped)
        if player is None:
            return
        task = Task("move", player, opened.board.shown, partial(take_turn, limit=limit_of(opened.limits)),
                    seconds=m.LONGEST_THINK, ply=opened.board.ply, request_id=request_id, client=self._client,
                    waits=not any(opened.seats.people))  # fmt: skip
        self._thinker.start(task, partial(self._machine_moved, opened, task))

    async def _step(self, opened: OpenGame, request: m.Step) -> None:
        if self._thinker.task is not None and self._thinker.task.kind == "move":
            raise Refused("refused", Message("a machine is thinking already"))
        if opened.machine(stepped=True) is None:
            raise Refused("refused", Message("no machine is to move here"))
        await self._abandon()
        self._start_machine(opened, stepped=True, request_id=request.id)

    async def _machine_moved(self, opened: OpenGame, task: AnyTask, turn: list[MoveComment]) -> None:
        """Play the machine's turn and let the next machine think, if the next turn is a machine's."""
        if opened.auto and opened.follows_a_machine:
            await asyncio.sleep(self._moved_at + max(opened.pace, FASTEST_PACE) - time.monotonic())
            await self._caught_up()
        async with self._lock:
            if not task.wanted:
                return
            self._thinker.task = None
            await self._change(opened, task.request_id, partial(opened.board.extend, turn))
            self._moved_at = time.monotonic()

    async def _hint(self, opened: OpenGame, request: m.Hint) -> None:
        limit = limit_of(request.limit)

        def work(task: AnyTask) -> m.ReportJson:
            return thought(task.position, ask(task.player, task.position, limit, task.control()))

        async def reply(report: m.ReportJson) -> None:
            self._send(m.HintReply(re=request.id, ply=task.ply, found=report))

        task = await self._question("hint", opened, request.player or adviser(opened.board.game), request.id, work)
        self._thinker.start(task, reply)

    async def _analyse(self, opened: OpenGame, request: m.Analyse) -> None:
        def work(task: AnyTask) -> Analysis:
            return Analysis(task, request.depth).run()

        async def reply(analysis: Analysis) -> None:
            ended = _ending(task, analysis.finished)
            self._send(m.AnalysisReply(re=request.id, ply=task.ply, found=analysis.result, ended=ended))

        task = await self._question("analysis", opened, request.player, request.id, work, request.seconds)
        self._thinker.start(task, reply)

    async def _review(self, opened: OpenGame, request: m.Review) -> None:
        def judged(ply: int, report: m.ReportJson) -> None:
            if task.wanted:
                progress = m.Progress(re=request.id, task="review", ply=ply, found=report)
                task.call_soon(self._send, progress.model_dump_json())
                with contextlib.suppress(TimeoutError, RuntimeError):  # wait for a slow page
                    caught_up = asyncio.run_coroutine_threadsafe(self._caught_up(), self._loop)
                    caught_up.result(self._shared.bounds.send_seconds)

        def work(task: AnyTask) -> GameReview:
            return GameReview(task, positions, request.seconds, judged, request.since).run()

        async def reply(review: GameReview) -> None:
            async with self._lock:
                if task.wanted:
                    self._send(m.ReviewReply(re=request.id, ended=_ending(task, review.finished)))
                    self._thinker.task = None
                    self._start_machine(opened)  # a machine at the end of the game has waited for the review

        positions = tuple(opened.board.positions)
        seconds = request.seconds + m.LONGEST_THINK  # one position may take a little longer than its limit
        task = await self._question("review", opened, request.player, request.id, work, seconds, positions[0])
        self._thinker.start(task, reply)

    async def _xray(self, opened: OpenGame, request: m.Xray) -> None:
        def work(task: AnyTask) -> str:
            picture = xray(task.position, task.player, request.most, task.control(), task.ply)
            return picture.model_copy(update={"re": request.id}).model_dump_json()

        async def reply(picture: str) -> None:
            self._send(picture)

        self._thinker.start(await self._question("xray", opened, request.player, request.id, work), reply)

    async def _question(
        self, kind: Kind, opened: OpenGame, spec: str, request_id: int | None, work: Callable[[AnyTask], T],
        seconds: float = m.LONGEST_THINK, position: Position | None = None,
    ) -> Task[T]:  # fmt: skip
        """A task about the shown position, or another one. It does not disturb a machine that thinks about a move."""
        position, ply = opened.question() if position is None else position, opened.board.ply
        if self._thinker.task is not None and self._thinker.task.kind == "move":
            raise Refused("refused", Message("a machine is thinking"))
        await self._abandon()
        player = await self._in_pool(lambda: opened.seats.helper(spec.strip()))
        return Task(kind, player, position, work, seconds=seconds, ply=ply, request_id=request_id, client=self._client)

    async def _failed(self, task: AnyTask, error: Exception) -> None:
        """A task raised: tell the page if it still waits. The session lives on."""
        code, what, hint = "player", "", ""
        if isinstance(error, Dropped):
            code, what = "stopped", Message("stopped before it began")
        elif isinstance(error, HansuError):
            code, what, hint = _code(error), error.what, error.hint
        else:
            log.error("%s failed", task.player.name, exc_info=error)
            what = f"{task.player.name}: {type(error).__name__}: {error}"
        async with self._lock:
            if not task.wanted:
                return
            if task.kind == "move" and code in ("refused", "stopped"):
                code = "player"
            self._send_error(code, what, hint, task.request_id)
            opened = self._opened
            if task.kind == "move" and opened is not None:  # it waits until a person lets it move
                opened.auto = False
                await self._reply(lambda: opened.state(None))

    async def _abandon(self) -> None:
        """End the current task; replace a player that does not let go."""
        lost = await self._thinker.abandon()
        if lost is not None and self._opened is not None:
            player, seats = lost.player, self._opened.seats
            await self._in_pool(lambda: seats.renew(player))
            await self._in_pool(player.close)

    def _prepare(self, opened: OpenGame) -> None:
        """Begin to compile what the machines at the board need, while a person thinks."""
        warmups, game = self._shared.warmups, opened.board.game
        if warmups is not None:
            for one in opened.seats.seated:
                if one.player is not None:
                    self._loop.run_in_executor(self._shared.pool, warmups.request, game, one.player)

    # Sending.

    async def _reply(self, work: Callable[[], m.Reply]) -> None:
        """Create a message in the pool and send it. (In one go: switching threads costs time.)"""
        self._send(await self._in_pool(lambda: work().model_dump_json()), False)

    def _send_error(self, code: Any, what: str, hint: str, request_id: int | None) -> None:
        text = words(hint) if hint else None
        self._send(m.ErrorMessage(re=request_id, code=code, text=words(what), hint=text), False)

    async def _in_pool(self, work: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._shared.pool, work)

    async def close(self) -> None:
        """The page is gone: end its search at once and release its players."""
        self._thinker.close()
        self._opened = None
        await self._in_pool(self._players.close)


def _ending(task: AnyTask, finished: bool) -> Literal["finished", "stopped", "time"]:
    return "finished" if finished else "time" if task.timed_out else "stopped"


def _code(error: HansuError) -> str:
    if isinstance(error, Refused):
        return error.code
    if isinstance(error, PlayerFault):
        return "player"
    return "illegal" if isinstance(error, IllegalMove) else "refused"


def _gist(error: ValidationError) -> str:
    """What is wrong with a message, in one line."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    text = f"{place}: {first['msg']}" if place else str(first["msg"])
    return Message("cannot read this message: {text}", text=text[:274])
