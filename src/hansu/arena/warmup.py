"""Warm-up: compile what a player needs in a process of its own, once per machine.

The first search of a player on a new machine must be compiled, which takes some seconds, for an engine up to half a
minute. Interactive programs should not freeze for that long. They ask a `WarmupQueue` before they let a player search.
The queue starts `python -m hansu.arena.warmup GAME PLAYER`, which fills the cache of compiled code, and estimates the
time left. Meanwhile a `FallbackPlayer` moves: a search in plain Python, which needs no compilation. Commands that need
one particular player (`hansu match`, `hansu analyze`) wait for it (`ui/warmup_progress.py`).

A marker file in the folder of the compiled code records that a player is ready. It disappears with the code: when the
rules, the searches or Numba change.
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
from hansu.arena.roster import player as player_named
from hansu.compile.cache import folder_for, own_folder
from hansu.core import registry
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

FALLBACK_SECONDS = 0.7
PACE_FILE = "pace.txt"  # the measured time of the last warm-up on this machine, relative to the expected time


def marker_file(game: Game, player: Player) -> Path | None:
    """The file that marks a player as ready for a game; None if nothing is compiled or nothing can be cached."""
    player = player.acting(game)
    runs_elsewhere = player.starts_programs() or path_of(player.name)
    if runs_elsewhere or not player.compile_seconds or needs_object_state(game.first.state):
        return None
    module = type(game.first.state).__module__
    source = getattr(sys.modules.get(module), "__file__", None)
    folder = folder_for(module, Path(source)) if source and module != "__main__" else None
    if folder is None:
        return None
    # Numeric settings change what is searched, but not what is compiled.
    settings = [
        (o.name, getattr(player, o.name)) for o in player.options()
        if o.kind in (bool, str) and getattr(player, o.name) != o.default
    ]  # fmt: skip
    suffix = hashlib.sha256(repr(settings).encode()).hexdigest()[:8] if settings else "plain"
    return folder / f"ready-{player.kind}-{suffix}"


def is_ready(game: Game, player: Player) -> bool:
    """Whether the player can search without compiling, as far as the marker files tell."""
    marker = marker_file(game, player)
    return marker is None or marker.exists()


def warm_up(game: Game, player: Player) -> None:
    """Let a player search once, which compiles what it needs, and mark it as ready."""
    position = step_chance(game.first, random.Random(0))
    if not position.over:
        player.decide(position, Limit(time=0.01))
    marker = marker_file(game, player)
    if marker is not None:
        with contextlib.suppress(OSError):
            marker.touch()


def pace() -> float:
    """Warm-up time on this machine relative to the machine on which `compile_seconds` were measured."""
    folder = own_folder()
    try:
        return min(max(float((folder / PACE_FILE).read_text(encoding="ascii")), 0.1), 50.0) if folder else 1.0
    except (OSError, ValueError):
        return 1.0


class Warmup:
    """The warm-up of one player, running or queued."""

    def __init__(self, game: Game, player: Player) -> None:
        self.game = game
        self.player = player
        self._usual = player.acting(game).compile_seconds
        self.expected = self._usual * pace()  # seconds
        self.predecessor: Warmup | None = None  # a running warm-up that must finish first
        self.started: float | None = None  # time.monotonic()
        self.seconds = 0.0  # time it took
        self.failed = False  # the player itself reports the reason when it is to move
        self.finished = threading.Event()  # with or without success
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def progress(self) -> float:
        """Estimated share that is done, from 0 to 1."""
        if self.finished.is_set():
            return 1.0
        spent = 0.0 if self.started is None else time.monotonic() - self.started
        return min(spent / self.expected, 0.97)

    @property
    def seconds_left(self) -> float:
        """Estimated time left; if the warm-up takes longer than expected, a tenth of the time spent."""
        if self.finished.is_set():
            return 0.0
        if self.started is None:
            return self._usual * pace() + (0.0 if self.predecessor is None else self.predecessor.seconds_left)
        spent = time.monotonic() - self.started
        return max(self.expected - spent, 0.1 * spent, 1.0)

    def run(self) -> None:
        """Compile in a process. Its standard input closes when this process ends, and it ends then."""
        self.expected = self._usual * pace()  # earlier warm-ups may have updated the pace
        self.started = time.monotonic()
        command = [sys.executable, "-m", "hansu.arena.warmup", self.game.spec, self.player.name]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
            self.failed = self._process.wait() != 0
        except OSError:
            self.failed = True  # the code will be compiled at the first search
        self.seconds = time.monotonic() - self.started
        if not self.failed:
            self._save_pace(self.seconds)
        self.finished.set()

    def _save_pace(self, seconds: float) -> None:
        folder = own_folder()
        if folder is not None and seconds > 2.0:  # if less, the code came from the cache
            with contextlib.suppress(OSError):
                (folder / PACE_FILE).write_text(f"{seconds / self._usual:.2f}\n", encoding="ascii")

    def stop(self) -> None:
        """Kill the process."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.kill()


class WarmupQueue:
    """Runs a few warm-ups at a time, urgent ones first. Close it."""

    def __init__(self, at_once: int | None = None) -> None:
        self._at_once = at_once or max(1, min(4, (os.cpu_count() or 2) // 2))
        self._known: dict[tuple[str, Path | None], Warmup] = {}
        self._queued: deque[Warmup] = deque()
        self._running: set[Warmup] = set()
        self._lock = threading.Lock()
        self._closed = False

    def request(self, game: Game, player: Player, urgent: bool = True) -> Warmup | None:
        """Start or queue the warm-up of a player (`urgent`: before all others). None: the player is ready."""
        key = (game.spec, marker_file(game, player))  # players with the same compiled code share a warm-up
        with self._lock:
            warmup = self._known.get(key)
            if warmup is None:
                if is_ready(game, player):
                    return None
                warmup = self._known[key] = Warmup(game, player)
                self._queued.append(warmup)
            if warmup.finished.is_set():
                return None
            if urgent and warmup in self._queued:
                self._queued.remove(warmup)
                self._queued.appendleft(warmup)
            self._start()
            if warmup in self._queued:
                warmup.predecessor = min(self._running, key=lambda one: one.seconds_left, default=None)
        return warmup

    @property
    def pending(self) -> list[Warmup]:
        """Warm-ups that have not finished."""
        with self._lock:
            return [*self._running, *self._queued]

    @property
    def seconds_left(self) -> float:
        """Estimated time until all have finished."""
        with self._lock:
            running = [one.seconds_left for one in self._running]
            queued = sum(one.expected for one in self._queued)
        return max([*running, (sum(running) + queued) / self._at_once])

    def __enter__(self) -> WarmupQueue:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._queued.clear()
            running = list(self._running)
        for warmup in running:
            warmup.stop()

    def _start(self) -> None:
        while self._queued and len(self._running) < self._at_once and not self._closed:
            warmup = self._queued.popleft()
            self._running.add(warmup)
            threading.Thread(target=self._run, args=(warmup,), daemon=True).start()

    def _run(self, warmup: Warmup) -> None:
        warmup.run()
        with self._lock:
            self._running.discard(warmup)
            self._start()


@dataclass
class FallbackPlayer(Player):
    """Moves for a player until the warm-up of that player has finished."""

    kind: ClassVar[str] = "fallback"
    about: ClassVar[str] = Message("a simple search that moves for a player until that player is compiled")
    real: Player
    warmup: Warmup
    _search: Iterative = field(default_factory=lambda: Iterative(interpreted=True, slots=1 << 12), init=False)

    @property
    def name(self) -> str:
        return self.real.name

    @property
    def called(self) -> str:
        return self.real.called

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        if self.warmup.finished.is_set():
            return self.real.decide(position, limit, control)
        decision = self.quick_search(position, limit, control)
        why = Message(
            "{name} is being compiled for its first game here (about {seconds} s left), so a simple search moved for"
            " it. {why}",
            name=self.real.called, seconds=round(self.warmup.seconds_left), why=decision.why,
        )  # fmt: skip
        return replace(decision, why=why)

    def quick_search(
        self, position: Position, limit: Limit | None = None, control: Control | None = None
    ) -> Decision:  # fmt: skip
        """The decision of the simple search itself."""
        limit = limit or Limit()
        seconds = min(limit.time or FALLBACK_SECONDS, FALLBACK_SECONDS)
        return self._search.decide(position, replace(limit, time=seconds), control)

    def new_game(self) -> None:
        self.real.new_game()

    def close(self) -> None:
        self.real.close()


def all_players(game: Game) -> list[Player]:
    """All players that can play a game with its settings; the players of the game itself first, as the strongest."""
    own = [kind for kind in kinds(game) if kind not in GENERAL]
    players: list[Player] = []
    for kind in [*own, *GENERAL]:
        with contextlib.suppress(HansuError):
            if kinds(game)[kind].ready_for(game):
                players.append(kinds(game)[kind]())
    return players


def main(game_spec: str, player_spec: str) -> int:
    """The process that warms up one player. It ends when its standard input closes."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        game = registry.game(game_spec)
        player = player_named(player_spec, game)
    except HansuError:
        return 2  # the command that lets the player move reports the error
    try:
        warm_up(game, player)
    except HansuError:
        return 2
    finally:
        player.close()
    return 0


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
