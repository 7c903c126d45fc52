"""Somebody at a terminal waits for players that are prepared: one line says for whom and about how long, and a bar
shows how far it is."""

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

AT_ONCE = 2  # players of a command that waits: nothing else runs meanwhile
LOOK_EVERY = 0.1  # seconds


def await_players(game: Game, players: Sequence[Player]) -> None:
    """Prepare whoever is not prepared yet, and wait for it."""
    for one in players:
        one.find_files(game.first)
    with Warmups(min(AT_ONCE, cores())) as preparations:
        begun = (preparations.of(game, one, soon=False) for one in players)
        waits = list(dict.fromkeys(one for one in begun if one is not None))
        if waits:
            announce(preparations, waits)
            follow(preparations, waits)


def announce(preparations: Warmups, waits: Sequence[Warmup]) -> None:
    """The line: it stays, on standard error, where the bar only comes and goes."""
    text = Message(
        "preparing {players}: about {seconds} s, only this first time (`hansu warm` prepares everything)",
        players=joined(", ", [one.player.called for one in waits]), seconds=round(preparations.seconds_left),
    )  # fmt: skip
    err().print(localize(text), style="dim", markup=False)


def follow(preparations: Warmups, waits: Sequence[Warmup]) -> None:
    """The bar, until all have ended."""
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
            time.sleep(LOOK_EVERY)
