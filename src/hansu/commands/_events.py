"""What commands that play many games share: their options, and following an event while it is played."""

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
    from hansu.arena.cluster_pool import ClusterPool
    from hansu.arena.contestant import Contestant
    from hansu.arena.openings import Openings
    from hansu.arena.pool import Pool
    from hansu.arena.standings import Results
    from hansu.arena.store import Store
    from hansu.arena.tournament import Tournament
    from hansu.core import Game

REFRESH = 0.5  # seconds between pictures of a live table
MOST_COUNTED = 1_000  # openings that are made only to see whether there are enough
MOST_FAULTS = 10  # that are told one by one

StoreFile = Annotated[
    Path | None,
    typer.Option("--store", "-s", help="Keeps every game in this file; the same command goes on where it stopped."),
]
Workers = Annotated[int | None, typer.Option("--workers", "-w", min=1, help="Processes; one for each core.")]
Cluster = Annotated[
    str,
    typer.Option("--cluster", help="Play on the machines of a Ray cluster: local, auto, or the host:port of its head."),
]
Minutes = Annotated[float | None, typer.Option("--minutes", min=0.0, help="No new games after so many minutes.")]
Seed = Annotated[
    int, typer.Option("--seed", help="Chooses the openings. A player's own chance has its own: random:seed=1")
]
OpeningPlies = Annotated[int | None, typer.Option("--opening-plies", min=0, help="Random plies of an opening.")]
OpeningsFile = Annotated[
    Path | None, typer.Option("--openings", help="A file of openings: positions, moves or games, a line each.")
]
Adjudicate = Annotated[
    str, typer.Option("--adjudicate", help="End games early: win=0.9,plies=8 or draw=0.05 or proved=yes or length=200.")
]


@contextmanager
def opened(path: Path | None) -> Iterator[Store]:
    """The store of a file; without one, a store that is gone afterwards."""
    from hansu.arena.store import Store

    if path is not None:
        with Store(path, make=True) as store:
            yield store
    else:
        with tempfile.TemporaryDirectory(prefix="hansu-") as folder, Store(Path(folder) / "games", make=True) as store:
            yield store


@contextmanager
def pool_for(
    game: Game, who: Sequence[Contestant], rules: Adjudication, workers: int | None, cluster: str
) -> Iterator[Pool | ClusterPool]:  # fmt: skip
    """Who plays an event's games: processes of this machine, or a cluster."""
    from hansu.arena.pool import Pool
    from hansu.arena.roster import player
    from hansu.compile.notices import tell_compiling
    from hansu.ui.warmup_progress import await_players

    if not cluster:
        made = [player(one.spec, game) for one in who]
        try:
            await_players(game, made)  # once, where each process would compile the same
        finally:
            for each in made:
                each.close()
        with Pool(game, who, workers or cores(), rules, tell_compiling) as pool:
            yield pool
        return
    from hansu.arena.cluster_pool import ClusterPool
    from hansu.core.ray_session import joined

    with joined(cluster) as ray, ClusterPool(ray, game, who, workers, rules) as elsewhere:
        yield elsewhere


def chosen_openings(game: Game, file: Path | None, plies: int | None, seed: int) -> Openings:
    from hansu.arena.openings import RandomOpenings, read_openings

    return RandomOpenings(game, plies, seed) if file is None else read_openings(file, game, plies)


@contextmanager
def ends_gently() -> Iterator[None]:
    """A request to end, or a terminal that is closed, ends the command as an error would: what it holds is given
    back. (Programs that players run end with their process in any case.)"""

    def end(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), end) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


class Pace:
    """How fast an event goes."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.games = 0

    def line(self, about: str, done: int, total: int | None) -> str:
        from hansu.core.terminal_language import localize

        spent = time.monotonic() - self.began
        if total is not None and done <= total:
            parts = [Message("{about}: {done:,} of {total:,} games", about=about, done=done, total=total)]
        else:
            parts = [Message("{about}: {done:,} games", about=about, done=done)]
        if self.games and spent > 1:
            parts.append(Message("{count:,.0f} an hour", count=3600 * self.games / spent))
            if total is not None and total > done:
                left = int((total - done) * spent / self.games)
                clock = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
                parts.append(Message("{clock} left", clock=clock))
        return ", ".join(map(localize, parts))


def follow(
    event: Tournament, pool: Pool | ClusterPool, results: Results, picture: Callable[[Pace], RenderableType],
    quiet: bool, minutes: float | None = None, done: Callable[[], bool] = lambda: False,
) -> bool:  # fmt: skip
    """Play an event, show its picture meanwhile and count its games in `results`. False where Ctrl-C stopped it."""
    from rich.live import Live

    from hansu.ui.console import err

    live = not quiet and err().is_terminal
    pace, last, faults = Pace(), 0.0, 0
    for played in event.known():
        results.add(played)
    results.earlier = results.games
    with Live(console=err(), auto_refresh=False, transient=True) if live else nullcontext() as shown:
        try:
            if done():
                return True
            games = event.play(pool)
            for one in games:
                if one is not None:
                    results.add(one)
                    pace.games = results.games - results.earlier
                    if one.ended == "fault" and not quiet:
                        faults += 1
                        _tell_fault(event, one.id, faults)
                    if done():
                        break
                if minutes is not None and time.monotonic() - pace.began > 60 * minutes:
                    event.stopped = True
                if shown is not None and time.monotonic() - last > REFRESH:
                    shown.update(picture(pace), refresh=True)
                    last = time.monotonic()
            games.close()
        except KeyboardInterrupt:
            return False
    return True


def _tell_fault(event: Tournament, game: int, count: int) -> None:
    from hansu.core.terminal_language import localize
    from hansu.ui.console import beside

    if count <= MOST_FAULTS:
        what = event.store.record(game)["fault"]
        if count < MOST_FAULTS:
            text = Message("game {game}: {fault}; it loses this game", game=game, fault=what)
        else:
            text = Message("game {game}: {fault}; it loses this game; others are only counted", game=game, fault=what)
        beside(localize(text), "yellow")


def tell_repeats(openings: Openings, slots: int | None) -> None:
    """A warning where there are fewer openings than pairs of games: deterministic players repeat themselves."""
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    asked = min(slots or 0, MOST_COUNTED)
    if (found := openings.different(asked)) < asked:
        text = Message("there are only {count} different openings; they come again", count=found)
        err().print(localize(text), style="yellow")
