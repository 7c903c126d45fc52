"""Options and progress that `match`, `sprt` and `tournament` share: all three are events, played by a runner."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hansu.core.machine import cores
from hansu.core.message import Message

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hansu.arena.adjudication import Adjudication
    from hansu.arena.contestant import Contestant
    from hansu.arena.openings import Openings
    from hansu.arena.runner import Runner
    from hansu.arena.standings import Results
    from hansu.arena.store import Store
    from hansu.arena.tournament import Tournament
    from hansu.core import Game

REFRESH = 0.5  # seconds between updates of the live display
MAX_COUNTED_OPENINGS = 1_000  # generated to check that there are enough of them
MAX_REPORTED_FAULTS = 10

StoreFile = Annotated[
    Path | None,
    typer.Option(
        "--store", "-s", help="File that keeps every game; the same command continues where it stopped."
    ),
]  # fmt: skip
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, help="Worker processes; by default one per core.")
]
Cluster = Annotated[
    str,
    typer.Option("--cluster", help="Play on a Ray cluster: local, auto, or the host:port of its head node."),
]
Minutes = Annotated[float | None, typer.Option("--minutes", min=0.0, help="Minutes after which no new game starts.")]
Seed = Annotated[
    int, typer.Option("--seed", help="Seed of the openings. Players have seeds of their own: random:seed=1")
]
OpeningPlies = Annotated[int | None, typer.Option("--opening-plies", min=0, help="Random plies in each opening.")]
OpeningsFile = Annotated[
    Path | None,
    typer.Option("--openings", help="File of openings; each line is a position, a list of moves or a saved game."),
]
Adjudicate = Annotated[
    str,
    typer.Option(
        "--adjudicate", help="Rules that end games early: win=0.9,plies=8 or draw=0.05 or proved=yes or length=200."
    ),
]


@contextmanager
def open_store(path: Path | None) -> Iterator[Store]:
    """The store in a file; without a file, a temporary store."""
    from hansu.arena.store import Store

    if path is not None:
        with Store(path, make=True) as store:
            yield store
    else:
        with tempfile.TemporaryDirectory(prefix="hansu-") as folder, Store(Path(folder) / "games", make=True) as store:
            yield store


@contextmanager
def runner_for(
    game: Game, who: Sequence[Contestant], rules: Adjudication, workers: int | None, cluster: str
) -> Iterator[Runner]:  # fmt: skip
    """The runner of an event: worker processes of this machine, or a cluster."""
    from hansu.arena.pool import Pool
    from hansu.compile.notices import tell_compiling
    from hansu.ui.warmup_progress import warm_up_players

    if not cluster:
        built = [one.player for one in who if one.player is not None]
        try:
            warm_up_players(game, built)  # once, instead of once in each worker
        finally:
            for player in built:
                player.close()
        with Pool(game, who, workers or cores(), rules, tell_compiling) as pool:
            yield pool
        return
    from hansu.arena.cluster_pool import ClusterPool
    from hansu.core.ray_session import joined

    with joined(cluster) as ray, ClusterPool(ray, game, who, workers, rules) as cluster_pool:
        yield cluster_pool


def choose_openings(game: Game, file: Path | None, plies: int | None, seed: int) -> Openings:
    """The openings of a file, or random ones."""
    from hansu.arena.openings import RandomOpenings, read_openings

    return RandomOpenings(game, plies, seed) if file is None else read_openings(file, game, plies)


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """SIGTERM, and SIGHUP from a closed terminal, end the command like an error, so that its resources are released.
    (Programs that players run end with their process in any case.)"""

    def exit_(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), exit_) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


class Pace:
    """How fast an event proceeds."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.games = 0

    def line(self, about: str, done: int, total: int | None) -> str:
        """Games played, games per hour, and time left."""
        from hansu.core.terminal_language import localize

        spent = time.monotonic() - self.started
        if total is not None and done <= total:
            parts = [Message("{about}: {done:,} of {total:,} games", about=about, done=done, total=total)]
        else:
            parts = [Message("{about}: {done:,} games", about=about, done=done)]
        if self.games and spent > 1:
            parts.append(Message("{count:,.0f} per hour", count=3600 * self.games / spent))
            if total is not None and total > done:
                left = int((total - done) * spent / self.games)
                clock = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
                parts.append(Message("{clock} left", clock=clock))
        return ", ".join(map(localize, parts))


def follow(
    event: Tournament, runner: Runner, results: Results, display: Callable[[Pace], RenderableType], quiet: bool,
    minutes: float | None = None, done: Callable[[], bool] = lambda: False, report_faults: bool = True,
) -> bool:  # fmt: skip
    """Play an event, count its games in `results` and update the live display. Returns False if Ctrl-C stopped it."""
    from rich.live import Live

    from hansu.ui.console import err

    live = not quiet and err().is_terminal
    pace, last, faults = Pace(), 0.0, 0
    for game in event.new_games():
        results.add(game)
    results.earlier = results.games
    with Live(console=err(), auto_refresh=False, transient=True) if live else nullcontext() as screen:
        try:
            if done():
                return True
            games = event.play(runner)
            for new in games:
                if new is not None:
                    results.add(new)
                    pace.games = results.games - results.earlier
                    if new.ended == "fault" and not quiet and report_faults:
                        faults += 1
                        _report_fault(event, new.id, faults)
                    if done():
                        break
                if minutes is not None and time.monotonic() - pace.started > 60 * minutes:
                    event.stopped = True
                if screen is not None and time.monotonic() - last > REFRESH:
                    screen.update(display(pace), refresh=True)
                    last = time.monotonic()
            games.close()
        except KeyboardInterrupt:
            return False
    return True


def fault_message(game: int, fault: str) -> Message:
    return Message("game {game}: {fault}; it loses this game", game=game, fault=fault)


def _report_fault(event: Tournament, game: int, count: int) -> None:
    from hansu.core.terminal_language import localize
    from hansu.ui.console import beside

    if count <= MAX_REPORTED_FAULTS:
        fault = event.store.record(game)["fault"]
        text = fault_message(game, fault)
        if count == MAX_REPORTED_FAULTS:
            text = Message(
                "game {game}: {fault}; it loses this game; further faults are only counted", game=game, fault=fault
            )
        beside(localize(text), "yellow")


def warn_of_repeats(openings: Openings, slots: int | None) -> None:
    """Warn if there are fewer openings than pairs of games: deterministic players would repeat games."""
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    needed = min(slots or 0, MAX_COUNTED_OPENINGS)
    if (count := openings.different(needed)) < needed:
        text = Message("there are only {count} different openings; they are repeated", count=count)
        err().print(localize(text), style="yellow")
