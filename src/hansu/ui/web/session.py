"""One page's session: what it asks, and what the machines do.

Messages are handled one after the other; whoever changes the game holds the session's lock. What takes more than a
moment happens in a thread: positions and pictures in a small *pool*, thinking with the *workers*.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from pydantic import ValidationError

from hansu.arena.roster import adviser
from hansu.arena.turn import ask
from hansu.arena.warmup import Warmups
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

QUICKEST = 0.03  # seconds between two moves where machines play each other: a page has to draw them


class Shared:
    """What all sessions of a server share."""

    def __init__(
        self, catalogue: Catalogue, bounds: Bounds, pool: Executor, preparations: Warmups | None = None
    ) -> None:
        self.catalogue = catalogue
        self.bounds = bounds
        self.pool = pool
        self.workers = Workers(bounds)
        self.budget = MemoryBudget(bounds)
        self.preparations = preparations


class Session:
    """`handle` takes one message of the page; `send` (given) hands messages to it, `taken` waits until it took them.
    `client` is the page's address."""

    def __init__(self, shared: Shared, client: str, send: Send, taken: Callable[[], Awaitable[None]]) -> None:
        self._shared = shared
        self._client = client
        self._send = send
        self._taken = taken
        self._players = SessionPlayers(shared.catalogue, shared.budget)
        self._opened: OpenGame | None = None
        self._thinker = Thinker(shared.workers, send, shared.preparations)
        self._lock = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._moved_at = 0.0

    # Messages.

    async def handle(self, text: str | bytes) -> None:
        """Answer one message. Whatever is wrong with it is told; nothing is raised."""
        number: int | None = None
        try:
            asked = m.requests.validate_json(text)
            number = asked.id
            async with self._lock:
                await self._answer(asked)
        except ValidationError as error:
            self._trouble("malformed", _gist(error), "", m.number_in(text))
        except HansuError as error:
            self._trouble(_code(error), error.what, error.hint, number)
        except Exception as error:
            log.exception("a message could not be handled")
            what = Message("the server failed: {error}", error=type(error).__name__)
            self._trouble("internal", what, "", number)

    async def _answer(self, asked: m.Request) -> None:
        if isinstance(asked, m.Open):
            await self._open(asked)
            return
        opened = self._opened
        if opened is None:
            hint = Message("send `open` first")
            raise Refused("refused", Message("no game is open"), hint)
        board = opened.board
        match asked:
            case m.Move():
                await self._move(opened, asked)
            case m.Undo():
                await self._change(opened, asked, lambda: board.undo(opened.seats.people))
            case m.Resign(seat=seat, overtime=overtime):
                await self._change(opened, asked, lambda: opened.resign(seat, overtime))
            case m.Jump(ply=ply):
                await self._jump(opened, asked, lambda: board.jump(ply))
            case m.Swap():
                await self._reseat(opened, asked, opened.seats.swap)
            case m.Players():
                await self._reseat(opened, asked, lambda: opened.change_players(asked))
            case m.Auto():
                await self._set_auto(opened, asked)
            case m.Step():
                await self._step(opened, asked)
            case m.Stop():
                if self._thinker.task is not None:
                    self._thinker.task.stop()
            case m.Hint():
                await self._hint(opened, asked)
            case m.Analyse():
                await self._analyse(opened, asked)
            case m.Review():
                await self._review(opened, asked)
            case m.Xray():
                await self._xray(opened, asked)
            case m.LineMessage(moves=moves, ply=since):
                at = board.ply if since is None else since
                await self._tell(lambda: m.LineTold(re=asked.id, ply=at, frames=board.frames(moves, at)))
            case m.Picture(dark=dark):
                name = f"{board.game.name}.svg"
                await self._tell(lambda: m.PictureTold(re=asked.id, name=name, svg=board.picture(dark)))
            case m.Edit():
                await self._tell(lambda: board.squares(asked.id))
            case m.Arrange(letters=letters, mover=mover):
                await self._tell(lambda: m.Arranged(re=asked.id, text=board.arranged(letters, mover)))
            case m.Load(name=name, data=data, number=number):
                catalogue = self._shared.catalogue
                await self._tell(lambda: loaded(name, data, number, board.game, catalogue, asked.id))
            case m.Barred(x=x, y=y):
                await self._tell(lambda: board.barred(asked.id, x, y))
            case m.Export(format=format, variations=variations):
                await self._tell(lambda: opened.file(format, variations, asked.id))

    async def _open(self, asked: m.Open) -> None:
        opened = await self._in_pool(lambda: OpenGame.of(asked, self._players))
        await self._abandon()
        before, self._opened = self._opened, opened
        await self._tell(lambda: opened.state(asked.id))
        if before is not None:
            await self._in_pool(before.seats.close)
        self._go_on(opened)
        self._prepare(opened)

    async def _move(self, opened: OpenGame, asked: m.Move) -> None:
        if asked.ply is not None and asked.ply != opened.board.ply:
            raise Refused("illegal", Message("this move was meant for another position"))
        if opened.machine() is not None:
            raise Refused("illegal", Message("it is the machine's turn"))
        await self._change(opened, asked, lambda: opened.board.play(asked.action, asked.move))

    async def _change(self, opened: OpenGame, asked: m.Asked, change: Callable[[], None]) -> None:
        """Change the moves or the shown ply. What is refused disturbs no search."""

        def work() -> m.State:
            change()
            return opened.state(asked.id)

        await self._tell(work, self._thinker.unwant)
        await self._abandon()
        self._go_on(opened)

    async def _jump(self, opened: OpenGame, asked: m.Asked, jump: Callable[[], None]) -> None:
        """Show another ply. A review goes on: it is of the whole game."""
        if self._thinker.task is None or self._thinker.task.kind != "review":
            await self._change(opened, asked, jump)
            return

        def work() -> m.State:
            jump()
            return opened.state(asked.id)

        await self._tell(work)

    async def _reseat(self, opened: OpenGame, asked: m.Asked, change: Callable[[], None]) -> None:
        """Change the players, none of whom may be thinking."""
        await self._abandon()
        try:
            await self._in_pool(change)
            await self._tell(lambda: opened.state(asked.id))
        finally:
            self._go_on(opened)
        self._prepare(opened)

    async def _set_auto(self, opened: OpenGame, asked: m.Auto) -> None:
        opened.auto = asked.on
        opened.pace = opened.pace if asked.pace is None else asked.pace
        thinking = self._thinker.task
        if thinking is not None and thinking.kind == "move" and not asked.on:
            await self._abandon()
        await self._tell(lambda: opened.state(asked.id))
        if self._thinker.task is None:
            self._go_on(opened)

    # Machines.

    def _go_on(self, opened: OpenGame, stepped: bool = False, number: int | None = None) -> None:
        """Let the machine that is to move think, if there is one."""
        player = opened.machine(stepped)
        if player is None:
            return
        limit = opened.limit

        def work(task: AnyTask) -> list[MoveComment]:
            return take_turn(task.at, task.player, limit, task.control, lambda: task.wanted and not task.timed_out)

        task = Task("move", player, opened.board.shown, work, seconds=m.LONGEST_THINK, ply=opened.board.ply,
                    number=number, client=self._client, waits=not any(opened.seats.people))  # fmt: skip
        self._begin(task, lambda turn: self._machine_moved(opened, task, turn))

    async def _step(self, opened: OpenGame, asked: m.Step) -> None:
        if self._thinker.task is not None and self._thinker.task.kind == "move":
            raise Refused("refused", Message("a machine is thinking already"))
        if opened.machine(stepped=True) is None:
            raise Refused("refused", Message("no machine is to move here"))
        await self._abandon()
        self._go_on(opened, stepped=True, number=asked.id)

    async def _machine_moved(self, opened: OpenGame, task: AnyTask, turn: list[MoveComment]) -> None:
        """The turn of a machine is on the board; the next one follows by itself if it is a machine's, too."""
        if opened.auto and opened.follows_a_machine:
            await asyncio.sleep(self._moved_at + max(opened.pace, QUICKEST) - time.monotonic())
            await self._taken()
        async with self._lock:
            if not task.wanted:
                return
            self._thinker.task = None
            await self._tell(lambda: opened.played(turn, task.number))
            self._moved_at = time.monotonic()
            self._go_on(opened)

    async def _hint(self, opened: OpenGame, asked: m.Hint) -> None:
        limit = limit_of(asked.limit)

        def work(task: AnyTask) -> m.Found:
            return thought(task.at, ask(task.player, task.at, limit, task.control()))

        async def tell(found: m.Found) -> None:
            self._send(m.HintTold(re=asked.id, ply=task.ply, found=found))

        who = asked.player or adviser(opened.board.game)
        task = await self._question("hint", opened, who, asked.id, work)
        self._begin(task, tell)

    async def _analyse(self, opened: OpenGame, asked: m.Analyse) -> None:
        async def tell(analysis: Analysis) -> None:
            ended: Any = "finished" if analysis.finished else "time" if task.timed_out else "stopped"
            self._send(m.AnalysisTold(re=asked.id, ply=task.ply, found=analysis.found, ended=ended))

        task = await self._question(
            "analysis", opened, asked.player, asked.id, lambda task: Analysis(task, asked.depth).run(), asked.seconds
        )
        self._begin(task, tell)

    async def _review(self, opened: OpenGame, asked: m.Review) -> None:
        def judged(ply: int, found: m.Found) -> None:
            if task.wanted:
                told = m.Progress(re=asked.id, task="review", ply=ply, found=found)
                self._thinker.soon(self._send, told.model_dump_json())
                with contextlib.suppress(TimeoutError, RuntimeError):  # a page that is behind is waited for
                    taken = asyncio.run_coroutine_threadsafe(self._until_taken(), self._loop)
                    taken.result(self._shared.bounds.send_seconds)

        def work(task: AnyTask) -> GameReview:
            return GameReview(task, positions, asked.seconds, judged, asked.since).run()

        async def tell(review: GameReview) -> None:
            ended: Any = "finished" if review.finished else "time" if task.timed_out else "stopped"
            async with self._lock:
                if task.wanted:
                    self._send(m.ReviewTold(re=asked.id, ended=ended))
                    self._thinker.task = None
                    self._go_on(opened)  # who waited for the review at the end of the game moves now

        positions = tuple(opened.board.positions)
        seconds = asked.seconds + m.LONGEST_THINK  # a look is a little longer than its limit says
        task = await self._question("review", opened, asked.player, asked.id, work, seconds, opened.board.positions[0])
        self._begin(task, tell)

    async def _xray(self, opened: OpenGame, asked: m.Xray) -> None:
        def work(task: AnyTask) -> str:
            picture = xray(task.at, task.player, asked.most, task.control(), task.ply)
            return picture.model_copy(update={"re": asked.id}).model_dump_json()

        async def tell(picture: str) -> None:
            self._send(picture)

        self._begin(await self._question("xray", opened, asked.player, asked.id, work), tell)

    async def _question(
        self, kind: Kind, opened: OpenGame, spec: str, number: int | None, work: Callable[[AnyTask], T],
        seconds: float = m.LONGEST_THINK, at: Position | None = None,
    ) -> Task[T]:  # fmt: skip
        """A task about the shown position, or another; a machine that thinks about its move is not disturbed."""
        at, ply = opened.question() if at is None else at, opened.board.ply
        if self._thinker.task is not None and self._thinker.task.kind == "move":
            raise Refused("refused", Message("a machine is thinking"))
        await self._abandon()
        player = await self._in_pool(lambda: opened.seats.helper(spec.strip()))
        return Task(kind, player, at, work, seconds=seconds, ply=ply, number=number, client=self._client)

    # Tasks.

    def _begin(self, task: Task[T], then: Callable[[T], Awaitable[None]]) -> None:
        self._thinker.begin(task, lambda: self._guarded(task, then))

    async def _guarded(self, task: Task[T], then: Callable[[T], Awaitable[None]]) -> None:
        """Do something with the answer of a task, if it is still wanted. Whatever was raised is told; the session
        lives on."""
        code, what, hint = "", "", ""
        try:
            answer = await self._thinker.think(task)
            if task.wanted:
                await then(answer)
            return
        except Dropped:
            code, what, hint = "stopped", Message("stopped before it began"), ""
        except HansuError as error:
            code, what, hint = _code(error), error.what, error.hint
        except Exception as error:
            log.exception("%s failed", task.player.name)
            what = f"{task.player.name}: {type(error).__name__}: {error}"
            code, hint = "player", ""
        async with self._lock:
            if not task.wanted:
                return
            if task.kind == "move" and code in ("refused", "stopped"):
                code = "player"
            self._trouble(code, what, hint, task.number)
            opened = self._opened
            if task.kind == "move" and opened is not None:  # it waits until it is told to move
                opened.auto = False
                await self._tell(lambda: opened.state(None))

    async def _abandon(self) -> None:
        """End the task at hand; a player that does not let go is replaced."""
        lost = await self._thinker.abandon()
        if lost is not None and self._opened is not None:
            player, seats = lost.player, self._opened.seats
            await self._in_pool(lambda: seats.renew(player))
            await self._in_pool(player.close)

    def _prepare(self, opened: OpenGame) -> None:
        """Begin to compile what the machines at the board need, while a person thinks."""
        preparations, game = self._shared.preparations, opened.board.game
        if preparations is not None:
            for one in opened.seats.seated:
                if one.player is not None:
                    self._loop.run_in_executor(self._shared.pool, preparations.of, game, one.player)

    # The rest.

    async def _tell(self, work: Callable[[], m.Told], before: Callable[[], None] | None = None) -> None:
        """Make a message in the pool and hand it to the page. (In one go: threads cost time.)"""
        text = await self._in_pool(lambda: work().model_dump_json())
        if before is not None:
            before()
        self._send(text, False)

    def _trouble(self, code: Any, what: str, hint: str, number: int | None) -> None:
        self._send(m.Trouble(re=number, code=code, text=words(what), hint=words(hint) if hint else None), False)

    async def _until_taken(self) -> None:
        await self._taken()

    async def _in_pool(self, work: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._shared.pool, work)

    async def close(self) -> None:
        """The page is gone: end its search at once, give everything back."""
        self._thinker.close()
        self._opened = None
        await self._in_pool(self._players.close)


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
