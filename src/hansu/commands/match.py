"""`hansu match`: who is better, and how sure is that?"""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.reading import LONGEST_LINE
from hansu.core.record import Record


def add_to(app: typer.Typer) -> None:
    app.command("match")(run)


def run(
    game: GameName,
    a: Annotated[
        str, typer.Argument(help="A player: alphabeta:depth=4, my_agent.py:Name, ...", autocompletion=player_names)
    ],
    b: Annotated[str, typer.Argument(help="Its opponent.", autocompletion=player_names)],
    games: Annotated[
        int, typer.Option("--games", "-n", min=1, help="How many; each opening is played twice, seats swapped.")
    ] = 20,
    limit: LimitText = "",
    seed: Annotated[
        int, typer.Option("--seed", help="Chooses the openings. A player's own chance has its own: random:seed=1")
    ] = 1,
    plies: Annotated[int | None, typer.Option("--opening-plies", min=0, help="Random plies of an opening.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Append every game to this file, a JSON line each.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let two players play each other: both seats, varied openings, Elo with its 95 % interval.

    [dim]For example:[/dim] hansu match tictactoe alphabeta random --games 100

    [dim]Your own:[/dim] hansu match tictactoe ./my_agent.py:Agent minimax --limit time=0.5

    [dim]With limits of their own:[/dim] hansu match connect_four mcts@time=0.1 mcts@time=0.2

    [dim]More than two, on all cores, kept in a file:[/dim] hansu tournament
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hansu.arena.contestant import Contestant
    from hansu.arena.elo import estimate
    from hansu.arena.match import Tally, check, match
    from hansu.arena.roster import player
    from hansu.compile.notices import announce_compiling
    from hansu.core import Limit, Player, registry
    from hansu.core.terminal_language import localize
    from hansu.search.chance import step_chance
    from hansu.ui.console import err, out
    from hansu.ui.standings import faults_line
    from hansu.ui.warmup_progress import await_players

    announce_compiling()
    found = registry.game(game)
    bound = Limit.read(limit)
    who = [Contestant.read(text, found, bound) for text in (a, b)]
    names, limits = [one.name for one in who], (who[0].limit, who[1].limit)
    kept = _Kept(save, found) if save is not None else None
    made: list[Player] = []
    begun = step_chance(found.first, random.Random(seed))
    tally = Tally()
    stopped = False
    trouble: HansuError | None = None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        for one in who:
            made.append(player(one.spec, found))
        await_players(found, made)
        for one, each in zip(who, made, strict=True):
            check(each, begun, one.limit, one.name)
        with Progress(*columns, console=err(), transient=True, disable=as_json or not err().is_terminal) as bar:
            task = bar.add_task(f"{names[0]} - {names[1]}", total=games)
            for record, tally in match(found, made[0], made[1], games, limits, seed, plies):
                swapped = tally.games % 2 == 0
                record = replace(record, players=(names[swapped], names[not swapped]))
                if kept is not None:
                    kept.add(record)
                if record.fault:
                    fault = Message("game {game}: {fault}; it loses this game", game=tally.games, fault=record.fault)
                    err().print(localize(fault), style="yellow", markup=False)
                now = f"{names[0]} {tally.points:g} - {tally.games - tally.points:g} {names[1]}"
                bar.update(task, advance=1, description=now)
    except KeyboardInterrupt:
        stopped = True
    except HansuError as error:
        if not tally.games:
            raise
        stopped, trouble = True, error  # what was played until now is told all the same
    finally:
        for each in made:
            each.close()
    result = estimate(tally)
    if as_json:
        middle, low, high = (None if abs(x) == float("inf") else round(x, 1) for x in result.elo)
        answer = {
            "game": found.spec, "a": names[0], "b": names[1], "games": tally.games, "wins": tally.wins,
            "draws": tally.draws, "losses": tally.losses, "score": result.score if tally.games else None,
            "score_interval": [result.low, result.high] if tally.games else None,
            "elo": middle if tally.games else None, "elo_interval": [low, high] if tally.games else None,
            "faults": tally.faults, "seed": seed, "limit": str(bound), "finished": not stopped,
        }  # fmt: skip
        print(json.dumps(answer))
    else:
        if stopped:
            out().print(localize(Message("stopped after {done} of {games} games", done=tally.games, games=games)))
        about = Message(
            "{a} against {b}, {game}, limit {limit}, seed {seed}",
            a=names[0], b=names[1], game=found.spec, limit=Message("none") if bound == Limit() else bound, seed=seed,
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
    if trouble is not None:
        raise trouble
    if stopped:
        raise typer.Exit(130)


class _Kept:
    """The file of `--save`, opened before the first game: nothing is played for a file that cannot be written."""

    def __init__(self, path: Path, game: Game) -> None:
        self._path = path
        if not path.parent.is_dir():
            raise HansuError("{what}: there is no folder {folder}", what="--save", folder=path.parent)
        try:
            if path.is_file() and (line := _first_line(path)):
                _check_game(path, line, game)
            self._file = path.open("ab", buffering=0)  # what fails, fails at once
        except OSError as error:
            raise self._trouble(error) from None

    def add(self, record: Record) -> None:
        """A whole line, or nothing of it."""
        line = (json.dumps(record.as_json(), ensure_ascii=False) + "\n").encode("utf-8", "replace")
        before = os.fstat(self._file.fileno()).st_size
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            with suppress(OSError):
                os.truncate(self._path, before)
            raise self._trouble(error) from None

    def _trouble(self, error: OSError) -> HansuError:
        reason = error.strerror or error
        return HansuError(Message("--save: {path} cannot be written: {reason}", path=self._path, reason=reason))


def _first_line(path: Path) -> str:
    with path.open("rb") as file:
        return file.readline(LONGEST_LINE).decode("utf-8", "replace")


def _check_game(path: Path, line: str, game: Game) -> None:
    """More games are added to a file, but those of one game."""
    hint = Message("name another file: --save FILE")
    try:
        spec = json.loads(line)["game"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise HansuError("--save: {path} is no file of saved games", hint, path=path) from None
    name = game.path or game.name
    if spec != name and not str(spec).startswith(f"{name}:"):
        raise HansuError("--save: {path} holds games of {spec}", hint, path=path, spec=spec)
