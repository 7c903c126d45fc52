"""Progress of warm-ups in the terminal: a line with the players and the expected time, and a bar."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hansu.arena.warmup import Warmup, Warmups
from hansu.core.game import Game
from hansu.core.machine import cores
from hansu.core.message import Message, joined
from hansu.core.player import Player
from hansu.core.terminal_language import localize
from hansu.ui.console import err

AT_ONCE = 2  # players that are compiled at once while a command waits
UPDATE_EVERY = 0.1  # seconds


def await_players(game: Game, players: Sequence[Player]) -> None:
    """Compile the players that are not compiled yet, and wait."""
    for one in players:
        one.find_files(game.first)
    with Warmups(min(AT_ONCE, cores())) as preparations:
        started = (preparations.of(game, one, soon=False) for one in players)
        waits = list(dict.fromkeys(one for one in started if one is not None))
        if waits:
            announce(preparations, waits)
            follow(preparations, waits)


def announce(preparations: Warmups, waits: Sequence[Warmup]) -> None:
    """Print which players are compiled and how long it takes, on standard error."""
    text = Message(
        "compiling {players}: about {seconds} s, only this first time (`hansu warm` compiles everything)",
        players=joined(", ", [one.player.called for one in waits]), seconds=round(preparations.seconds_left),
    )  # fmt: skip
    err().print(localize(text), style="dim", markup=False)


def follow(preparations: Warmups, waits: Sequence[Warmup]) -> None:
    """Show a bar until all warm-ups have ended."""
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[left]}")
    total = sum(one.expected for one in waits)
    with Progress(*columns, console=err(), transient=True, disable=not (waits and err().is_terminal)) as progress:
        bar = progress.add_task("", total=total, left="")
        while going := preparations.going_on:
            names = joined(", ", [f"{one.game.name} {one.player.kind}" for one in going if one.began is not None])
            left = Message("about {seconds} s more", seconds=round(preparations.seconds_left))
            done = sum(one.share * one.expected for one in waits)
            progress.update(bar, completed=done, total=total, description=names, left=localize(left))
            time.sleep(UPDATE_EVERY)
