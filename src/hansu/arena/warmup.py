"""Players made ready: what a player needs is compiled in a process of its own, once on a machine.

The first search of a player on a machine that has never run it is compiled: some seconds, for an engine up to half a
minute. Nobody should look at a still board for that long. So interfaces for people ask `Warmups` before they let
a player think: it compiles in another process, which fills the cache of compiled code, and says when that is done (and
about how long it will take). Until then a `StandIn` moves: a search that runs as plain Python and needs no preparation.
Commands that ask for one player's word (`hansu match`, `hansu analyze`) wait for it (`ui/preparing.py`).

What is prepared is marked in the folder that holds the compiled code (`core/cache.py`), so the mark goes when the code
goes: with another version of the rules, of the searches or of Numba.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from hansu.arena.roster import path_of
from hansu.compile.cache import folder_for, own_folder
from hansu.core.control import Control
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.limit import Limit
from hansu.core.message import Message
from hansu.core.player import Decision, Player
from hansu.core.position import Position
from hansu.search.chance import step_chance
from hansu.search.object_state import needs_object_state
from hansu.search.players import GENERAL
from hansu.search.players.iterative import Iterative
from hansu.search.players.named import kinds

STAND_IN_SECONDS = 0.7
PACE_FILE = "pace.txt"  # how much longer than expected preparing took on this machine, the last time


def mark_of(game: Game, player: Player) -> Path | None:
    """The file that says that a player is prepared for a game; None where there is nothing to prepare (nothing of it is
    compiled, or nothing can be kept)."""
    player = player.acting(game)
    outside = player.starts_programs() or path_of(player.name)
    if outside or not player.compile_seconds or needs_object_state(game.first.state):
        return None
    module = type(game.first.state).__module__
    source = getattr(sys.modules.get(module), "__file__", None)
    folder = folder_for(module, Path(source)) if source and module != "__main__" else None
    if folder is None:
        return None
    # Numbers change what is searched, not what is compiled.
    settings = [
        (o.name, getattr(player, o.name)) for o in player.options()
        if o.kind in (bool, str) and getattr(player, o.name) != o.default
    ]  # fmt: skip
    told = hashlib.sha256(repr(settings).encode()).hexdigest()[:8] if settings else "plain"
    return folder / f"prepared-{player.kind}-{told}"


def is_prepared(game: Game, player: Player) -> bool:
    """Can the player answer without compiling (as far as one knows)?"""
    mark = mark_of(game, player)
    return mark is None or mark.exists()


def prepare(game: Game, player: Player) -> None:
    """Let a player decide once, which compiles what it needs, and mark it."""
    position = step_chance(game.first, random.Random(0))
    if not position.over:
        player.decide(position, Limit(time=0.01))
    mark = mark_of(game, player)
    if mark is not None:
        with contextlib.suppress(OSError):
            mark.touch()


def pace() -> float:
    """How much longer preparing takes here than where `compile_seconds` were measured."""
    folder = own_folder()
    try:
        return min(max(float((folder / PACE_FILE).read_text(encoding="ascii")), 0.1), 50.0) if folder else 1.0
    except (OSError, ValueError):
        return 1.0


class Warmup:
    """One player that is being prepared, or waits for it."""

    def __init__(self, game: Game, player: Player) -> None:
        self.game = game
        self.player = player
        self._usual = player.acting(game).compile_seconds
        self.expected = self._usual * pace()
        self.behind: Warmup | None = None  # whose end it waits for
        self.began: float | None = None
        self.seconds = 0.0  # that it took
        self.failed = False  # a player that cannot be prepared says why itself, when it is to move
        self.ended = threading.Event()  # with success or without
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1, as far as one can tell."""
        if self.ended.is_set():
            return 1.0
        spent = 0.0 if self.began is None else time.monotonic() - self.began
        return min(spent / self.expected, 0.97)

    @property
    def seconds_left(self) -> float:
        """About how long it will still take; where it takes longer than expected, a tenth more of what it took."""
        if self.ended.is_set():
            return 0.0
        if self.began is None:
            return self._usual * pace() + (0.0 if self.behind is None else self.behind.seconds_left)
        spent = time.monotonic() - self.began
        return max(self.expected - spent, 0.1 * spent, 1.0)

    def run(self) -> None:
        """Compile in a process that ends with this one (its input is closed then), however this one ends."""
        self.expected = self._usual * pace()  # which others have shown by now
        self.began = time.monotonic()
        command = [sys.executable, "-m", "hansu.arena.warmup_process", self.game.spec, self.player.name]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
            self.failed = self._process.wait() != 0
        except OSError:
            self.failed = True  # then it is compiled where it is needed
        self.seconds = time.monotonic() - self.began
        if not self.failed:
            self._keep_pace(self.seconds)
        self.ended.set()

    def _keep_pace(self, seconds: float) -> None:
        folder = own_folder()
        if folder is not None and seconds > 2.0:  # less: it was found in the cache
            with contextlib.suppress(OSError):
                (folder / PACE_FILE).write_text(f"{seconds / self._usual:.2f}\n", encoding="ascii")

    def stop(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.kill()


class Warmups:
    """All that is being prepared: a few at a time, those that somebody waits for first. Close it."""

    def __init__(self, at_once: int | None = None) -> None:
        self._at_once = at_once or max(1, min(4, (os.cpu_count() or 2) // 2))
        self._known: dict[tuple[str, Path | None], Warmup] = {}
        self._waiting: deque[Warmup] = deque()
        self._running: set[Warmup] = set()
        self._lock = threading.Lock()
        self._closed = False

    def of(self, game: Game, player: Player, soon: bool = True) -> Warmup | None:
        """What a player waits for, begun or queued (`soon`: before all others); None: it is prepared."""
        name = (game.spec, mark_of(game, player))  # two whose compiled code is the same wait for one
        with self._lock:
            known = self._known.get(name)
            if known is None:
                if is_prepared(game, player):
                    return None
                known = self._known[name] = Warmup(game, player)
                self._waiting.append(known)
            if known.ended.is_set():
                return None
            if soon and known in self._waiting:
                self._waiting.remove(known)
                self._waiting.appendleft(known)
            self._start()
            if known in self._waiting:
                known.behind = min(self._running, key=lambda one: one.seconds_left, default=None)
        return known

    @property
    def going_on(self) -> list[Warmup]:
        """Those that have not ended."""
        with self._lock:
            return [*self._running, *self._waiting]

    @property
    def seconds_left(self) -> float:
        """About how long until all have ended."""
        with self._lock:
            running = [one.seconds_left for one in self._running]
            queued = sum(one.expected for one in self._waiting)
        return max([*running, (sum(running) + queued) / self._at_once])

    def __enter__(self) -> Warmups:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._waiting.clear()
            running = list(self._running)
        for one in running:
            one.stop()

    def _start(self) -> None:
        while self._waiting and len(self._running) < self._at_once and not self._closed:
            one = self._waiting.popleft()
            self._running.add(one)
            threading.Thread(target=self._run, args=(one,), daemon=True).start()

    def _run(self, one: Warmup) -> None:
        one.run()
        with self._lock:
            self._running.discard(one)
            self._start()


@dataclass
class StandIn(Player):
    """Moves for a player that is being prepared."""

    kind: ClassVar[str] = "stand_in"
    about: ClassVar[str] = Message("moves for a player until that is prepared")
    real: Player
    preparation: Warmup
    _search: Iterative = field(default_factory=lambda: Iterative(interpreted=True, slots=1 << 12), init=False)

    @property
    def name(self) -> str:
        return self.real.name

    @property
    def called(self) -> str:
        return self.real.called

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        if self.preparation.ended.is_set():
            return self.real.decide(position, limit, control)
        decision = self.look(position, limit, control)
        why = Message(
            "{name} is being prepared for its first game here (about {seconds} s more): a simple search moved for it."
            " {why}",
            name=self.real.called, seconds=round(self.preparation.seconds_left), why=decision.why,
        )  # fmt: skip
        return replace(decision, why=why)

    def look(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        """What the simple search itself finds, at once."""
        limit = limit or Limit()
        seconds = min(limit.time or STAND_IN_SECONDS, STAND_IN_SECONDS)
        return self._search.decide(position, replace(limit, time=seconds), control)

    def new_game(self) -> None:
        self.real.new_game()

    def close(self) -> None:
        self.real.close()


def everyone(game: Game) -> list[Player]:
    """All players of a game that can play it as it stands, its own first (they are the strongest)."""
    own = [kind for kind in kinds(game) if kind not in GENERAL]
    made: list[Player] = []
    for kind in [*own, *GENERAL]:
        with contextlib.suppress(HansuError):
            if kinds(game)[kind].ready_for(game):
                made.append(kinds(game)[kind]())
    return made
