"""Warm up players while a person waits at the terminal: one line names the players, and a bar shows the progress."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hansu.arena.warmup import Warmup, WarmupQueue
from hansu.core.game import Game
from hansu.core.machine import cores
from hansu.core.message import Message, joined
from hansu.core.player import Player
from hansu.core.terminal_language import localize
from hansu.ui.console import err

AT_ONCE = 2  # warm-ups, where nothing else runs meanwhile
REFRESH = 0.1  # seconds


def warm_up_players(game: Game, players: Sequence[Player]) -> None:
    """Warm up the players that are not ready, and wait for them."""
    for player in players:
        player.find_files(game.first)
    with WarmupQueue(min(AT_ONCE, cores())) as queue:
        requests = [queue.request(game, player, urgent=False) for player in players]
        warmups = list(dict.fromkeys(one for one in requests if one is not None))
        if warmups:
            announce(queue, warmups)
            show_progress(queue, warmups)


def announce(queue: WarmupQueue, warmups: Sequence[Warmup]) -> None:
    """Print the line. It stays on standard error, where the bar is removed at the end."""
    text = Message(
        "compiling {players}: about {seconds} s, only this first time (`hansu warm` compiles everything)",
        players=joined(", ", [one.player.called for one in warmups]), seconds=round(queue.seconds_left),
    )  # fmt: skip
    err().print(localize(text), style="dim", markup=False)


def show_progress(queue: WarmupQueue, warmups: Sequence[Warmup]) -> None:
    """Show the bar until all warm-ups of the queue have finished."""
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[left]}")
    total = sum(one.expected for one in warmups)
    with Progress(*columns, console=err(), transient=True, disable=not (warmups and err().is_terminal)) as progress:
        bar = progress.add_task("", total=total, left="")
        while pending := queue.pending:
            names = joined(", ", [f"{one.game.name} {one.player.kind}" for one in pending if one.started is not None])
            left = Message("about {seconds} s left", seconds=round(queue.seconds_left))
            done = sum(one.progress * one.expected for one in warmups)
            progress.update(bar, completed=done, total=total, description=names, left=localize(left))
            time.sleep(REFRESH)
