"""`hansu tournament`: many players, ratings with intervals, every game kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson, GameName, LimitText, player_names
from hansu.commands._events import Adjudicate, Cluster, Minutes, OpeningPlies, OpeningsFile, Seed, StoreFile, Workers
from hansu.core.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from hansu.arena.contestant import Contestant
    from hansu.arena.schedule import Schedule
    from hansu.arena.standings import Standings
    from hansu.commands._events import Pace


def add_to(app: typer.Typer) -> None:
    app.command("tournament")(run)


def run(
    game: GameName,
    players: Annotated[
        list[str],
        typer.Argument(
            help="Players, with a limit or a name of their own if you like: alphabeta:depth=4, mcts@time=0.1, "
            "my_agent.py:Name, old=alphabeta:depth=2",
            autocompletion=player_names,
        ),
    ],
    store: StoreFile = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games", "-n", min=1, help="For each pair of players (20; in a swiss event 2 a round), an even number: "
            "each opening is played twice, seats swapped."
        ),
    ] = None,
    gauntlet: Annotated[str, typer.Option("--gauntlet", help="Only this player against all the others.")] = "",
    ladder: Annotated[bool, typer.Option("--ladder", help="Each player only against the next one.")] = False,
    swiss: Annotated[bool, typer.Option("--swiss", help="Every round those who stand alike.")] = False,
    rounds: Annotated[int | None, typer.Option("--rounds", min=1, help="Of a swiss event.")] = None,
    minutes: Minutes = None,
    workers: Workers = None,
    cluster: Cluster = "",
    limit: LimitText = "",
    openings: OpeningsFile = None,
    opening_plies: OpeningPlies = None,
    adjudicate: Adjudicate = "",
    anchor: Annotated[str, typer.Option("--anchor", help="A player whose rating is known: random=0")] = "",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Let any number of players meet: everybody against everybody, one against all, neighbours, or swiss.

    Ratings are Elo by maximum likelihood over all games, with 95 % intervals; zero is their mean, or an --anchor.

    [dim]For example:[/dim] hansu tournament tictactoe random mcts:simulations=100 alphabeta --games 20

    [dim]Goes on where it stopped:[/dim] hansu tournament connect_four rule mcts@time=0.1 ./my.py:Agent --store games.db

    [dim]On many machines:[/dim] hansu tournament connect_four rule mcts --store games.db --cluster 10.0.0.1:6379

    [dim]What is in the store:[/dim] hansu store games.db
    """
    from hansu.arena.adjudication import Adjudication
    from hansu.arena.contestant import read_contestants
    from hansu.arena.standings import Results, anchor_of, standings
    from hansu.arena.tournament import Tournament
    from hansu.commands._events import chosen_openings, ends_gently, follow, opened, pool_for, tell_repeats
    from hansu.core import HansuError, Limit, registry
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err, out
    from hansu.ui.standings import standings_table

    found = registry.game(game)
    who = read_contestants(players, found, Limit.read(limit))
    if len(who) < 2:
        raise HansuError("a tournament needs two players or more")
    schedule = _schedule(who, games, gauntlet, ladder, swiss, rounds)
    rules = Adjudication.read(adjudicate)
    source = chosen_openings(found, openings, opening_plies, seed)
    names = {number: one.name for number, one in enumerate(who)}
    anchored, anchored_at = anchor_of(anchor, names)
    settings: dict[str, object] = {"runner": gauntlet} if gauntlet else {}
    if swiss:
        settings = {"players": [f"{one.name}#{one.version}" for one in who], "games": games}
    with ends_gently(), opened(store) as kept:
        event = Tournament(kept, found, who, schedule, source, seed, rules, settings)
        results, total = Results(), 2 * (schedule.total or 0)
        about = Message("{game}, {kind}, {count} players", game=found.spec, kind=schedule.kind, count=len(who))

        def table() -> Standings:
            anchor_id = None if anchored is None else event.ids[anchored]
            return standings(results.counts, kept.players(), results.faults, anchor_id, anchored_at)

        def picture(pace: Pace) -> RenderableType:
            from rich.console import Group

            return Group(standings_table(table()), pace.line(about, results.games, total))

        if not as_json:
            tell_repeats(source, schedule.slots)
            if games is not None and games % 2:
                text = Message(
                    "{played} games a pair, not {games}: each opening from both seats", played=games + 1, games=games
                )
                err().print(localize(text), style="dim")
        finished, trouble = False, None
        try:
            with pool_for(found, who, rules, workers, cluster) as pool:
                finished = follow(event, pool, results, picture, as_json, minutes)
        except HansuError as error:
            if not results.games:
                raise
            trouble = error  # what was played counts, and is shown
        whole = finished and not event.stopped
        if as_json:
            answer = {
                "game": found.spec, "event": schedule.kind, "openings": source.told, "adjudicate": str(rules),
                "seed": seed, "store": None if store is None else str(store), "finished": whole, **table().as_json(),
            }  # fmt: skip
            print(json.dumps(answer, ensure_ascii=False))
        else:
            if results.games:
                shown = table()
                if {row.player for row in shown.rows} - set(event.ids):
                    whose = Message("all players of this event in the store, not only those named here:")
                    out().print(localize(whose), style="dim", markup=False)
                out().print(standings_table(shown))
                out().print(localize(shown.seats_told), markup=False)
            done = results.games
            if done > total:  # the store had them
                state = Message(
                    "{about}: {new:,} new games, {done:,} of this event in the store",
                    about=about, new=done - results.earlier, done=done,
                )  # fmt: skip
            elif whole:
                state = Message("{about}: {done:,} of {total:,} games", about=about, done=done, total=total)
            else:
                state = Message(
                    "{about}: stopped after {done:,} of {total:,} games", about=about, done=done, total=total
                )
            out().print(localize(state), style="dim", markup=False)
            if store is None:
                out().print(localize(Message("(--store FILE keeps the games)")), style="dim", markup=False)
    if trouble is not None:
        raise trouble
    if not finished:
        raise typer.Exit(130)


def _schedule(
    who: Sequence[Contestant], games: int | None, gauntlet: str, ladder: bool, swiss: bool, rounds: int | None
) -> Schedule:  # fmt: skip
    from hansu.arena.schedule import Gauntlet, Ladder, RoundRobin, Swiss
    from hansu.arena.standings import called
    from hansu.core import HansuError

    if bool(gauntlet) + ladder + swiss > 1:
        raise HansuError("an event is either a --gauntlet, a --ladder or --swiss")
    if rounds is not None and not swiss:
        raise HansuError("--rounds are those of a --swiss event", "--games says how often each pair meets")
    pairs = ((games or (2 if swiss else 20)) + 1) // 2
    if swiss:
        return Swiss(len(who), rounds, pairs)
    if gauntlet:
        return Gauntlet(len(who), called(gauntlet, {number: one.name for number, one in enumerate(who)}), pairs)
    return Ladder(len(who), pairs) if ladder else RoundRobin(len(who), pairs)
