"""`hansu match`: which of two players is stronger, and how certain is that?"""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names
from hansu.commands._events import OpeningPlies, OpeningsFile, Seed
from hansu.commands._panels import COMPARE
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.reading import LONGEST_LINE
from hansu.core.record import Record

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hansu.commands._events import Pace


def add_to(app: typer.Typer) -> None:
    app.command("match", rich_help_panel=COMPARE)(run)


def run(
    game: GameName,
    a: Annotated[
        str, typer.Argument(help="A player: alphabeta:depth=4, my_agent.py:Name, ...", autocompletion=player_names)
    ],
    b: Annotated[str, typer.Argument(help="Its opponent.", autocompletion=player_names)],
    games: Annotated[
        int,
        typer.Option("--games", "-n", min=1, help="Number of games; each opening is played twice, with seats swapped."),
    ] = 20,
    limit: LimitText = "",
    openings: OpeningsFile = None,
    plies: OpeningPlies = None,
    seed: Seed = 1,
    save: Annotated[
        Path | None, typer.Option("--save", help="Append every game to this file, one JSON line per game.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let two players play each other from both seats and varied openings. Prints Elo with its 95 % interval.

    [dim]For example:[/dim] hansu match tictactoe alphabeta random --games 100

    [dim]Your own player:[/dim] hansu match tictactoe ./my_agent.py:Agent minimax --limit time=0.5

    [dim]A limit for each player:[/dim] hansu match connect_four mcts@time=0.1 mcts@time=0.2

    [dim]For more than two players, on all cores, with a file of games:[/dim] hansu tournament
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hansu.arena.contestant import Contestant
    from hansu.arena.elo import estimate
    from hansu.arena.match import Tally
    from hansu.arena.openings import Opening
    from hansu.arena.runner import LocalRunner, PlayerSet
    from hansu.arena.schedule import Duel
    from hansu.arena.standings import Results
    from hansu.arena.store import Store
    from hansu.arena.tournament import Tournament
    from hansu.commands._events import choose_openings, exit_on_signals, fault_message, follow, warn_of_repeats
    from hansu.compile.notices import announce_compiling
    from hansu.core import Limit, registry
    from hansu.core.terminal_language import localize
    from hansu.search.chance import step_chance
    from hansu.ui.console import beside, err, out
    from hansu.ui.standings import faults_line
    from hansu.ui.warmup_progress import warm_up_players

    announce_compiling()
    rules = registry.game(game)
    bound = Limit.read(limit)
    who = [Contestant.read(text, rules, bound) for text in (a, b)]
    names = [one.name for one in who]
    if who[0] == who[1]:
        who[1] = replace(who[1], version=f"{who[1].version} again")  # a player of its own in the store
    save_file = _SaveFile(save, rules) if save is not None else None
    source = choose_openings(rules, openings, plies, seed)
    tally = Tally()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=err())
    task = bar.add_task(f"{names[0]} - {names[1]}", total=games)

    def count(seat: int, record: Record) -> None:
        tally.add_record(seat, record)
        if save_file is not None:
            save_file.add(record)
        if record.fault:
            beside(localize(fault_message(tally.games, record.fault)), "yellow")

    def display(pace: Pace) -> RenderableType:
        score = f"{names[0]} {tally.points:g} - {tally.games - tally.points:g} {names[1]}"
        bar.update(task, completed=tally.games, description=score)
        return bar

    finished, error = False, None
    players = PlayerSet(rules, who)
    try:
        with exit_on_signals(), LocalRunner(players, count) as runner:
            warm_up_players(rules, [players.player(number) for number in range(2)])
            runner.check(Opening.of(step_chance(rules.first, random.Random(seed))))
            if openings is not None:
                warn_of_repeats(source, (games + 1) // 2)
            with Store(":memory:", make=True) as store:
                event = Tournament(store, rules, who, Duel(games), source, seed)
                finished = follow(event, runner, Results(), display, as_json, report_faults=False)
    except KeyboardInterrupt:
        pass
    except HansuError as caught:
        if not tally.games:
            raise
        error = caught  # after the results of the games before it
    result = estimate(tally)
    if as_json:
        middle, low, high = (None if abs(x) == float("inf") else round(x, 1) for x in result.elo)
        answer = {
            "game": rules.spec, "a": names[0], "b": names[1], "games": tally.games, "wins": tally.wins,
            "draws": tally.draws, "losses": tally.losses, "score": result.score if tally.games else None,
            "score_interval": [result.low, result.high] if tally.games else None,
            "elo": middle if tally.games else None, "elo_interval": [low, high] if tally.games else None,
            "faults": tally.faults, "seed": seed, "limit": str(bound), "finished": finished,
        }  # fmt: skip
        print(json.dumps(answer))
    else:
        if not finished:
            out().print(localize(Message("stopped after {done} of {games} games", done=tally.games, games=games)))
        about = Message(
            "{a} against {b}, {game}, limit {limit}, seed {seed}",
            a=names[0], b=names[1], game=rules.spec, limit=Message("none") if bound == Limit() else bound, seed=seed,
        )  # fmt: skip
        out().print(localize(about), markup=False)
        if tally.games:
            share = localize(Message("{share:.1%} of the points", share=result.score))
            out().print(f"[bold]+{tally.wins} ={tally.draws} -{tally.losses}[/bold]  {share}")
            out().print(localize(result.elo_text))
        else:
            out().print(localize(Message("no game was finished")))
        if tally.faults:
            out().print(localize(faults_line(len(tally.faults))), style="yellow")
    if error is not None:
        raise error
    if not finished:
        raise typer.Exit(130)


class _SaveFile:
    """The file of `--save`, opened before the first game so that no game is lost to a file that cannot be written."""

    def __init__(self, path: Path, game: Game) -> None:
        self._path = path
        if not path.parent.is_dir():
            raise HansuError("{what}: there is no folder {folder}", what="--save", folder=path.parent)
        try:
            if path.is_file() and (line := _first_line(path)):
                _check_game(path, line, game)
            self._file = path.open("ab", buffering=0)  # unbuffered: errors appear at once
        except OSError as error:
            raise self._write_error(error) from None

    def add(self, record: Record) -> None:
        """Append a whole line, or nothing."""
        line = (json.dumps(record.as_json(), ensure_ascii=False) + "\n").encode("utf-8", "replace")
        before = os.fstat(self._file.fileno()).st_size
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._path, before)
            raise self._write_error(error) from None

    def _write_error(self, error: OSError) -> HansuError:
        reason = error.strerror or error
        return HansuError("--save: {path} cannot be written: {reason}", path=self._path, reason=reason)


def _first_line(path: Path) -> str:
    with path.open("rb") as file:
        return file.readline(LONGEST_LINE).decode("utf-8", "replace")


def _check_game(path: Path, line: str, game: Game) -> None:
    """A file may only grow by games of the same game."""
    hint = Message("name another file: --save FILE")
    try:
        spec = json.loads(line)["game"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise HansuError("--save: {path} is not a file of saved games", hint, path=path) from None
    name = game.path or game.name
    if spec != name and not str(spec).startswith(f"{name}:"):
        raise HansuError("--save: {path} holds games of {spec}", hint, path=path, spec=spec)
