"""`hansu store`: what is in a store of games."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hansu.commands._arguments import AsJson
from hansu.core.file_errors import not_written
from hansu.core.message import Message

if TYPE_CHECKING:
    from hansu.arena.store import GameFilter, Store
    from hansu.core import Game

SHOWN_GAMES = 40
ENDS = {
    "over": Message("over"),
    "fault": Message("fault"),
    "resigned": Message("resigned"),
    "unfinished": Message("unfinished"),
    "proved": Message("proved"),
    "values": Message("values"),
    "length": Message("length"),
}
"""How a game ended, as it is kept and as people read it."""


def add_to(app: typer.Typer) -> None:
    app.command("store")(run)


def run(
    file: Annotated[Path, typer.Argument(help="The store, as `hansu tournament --store` makes it.")],
    show_list: Annotated[bool, typer.Option("--list", help="The games, one by one.")] = False,
    show: Annotated[int | None, typer.Option("--show", help="A game by its number, with what was said.")] = None,
    openings: Annotated[bool, typer.Option("--openings", help="Results from each opening.")] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the games to FILE.jsonl, .csv, or the game's own: .pgn, .sgf."),
    ] = None,
    format: Annotated[str, typer.Option("--format", help="How, where the file's ending does not say it.")] = "",
    bring_in: Annotated[
        Path | None, typer.Option("--import", help="Take in a file of `hansu match --save`, or another store.")
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Everything as one HTML file.")] = None,
    pictures: Annotated[Path | None, typer.Option("--pictures", help="A folder that gets the pictures as SVG.")] = None,
    game: Annotated[str, typer.Option("--game", help="Only this game; the path of its file, if it is your own.")] = "",
    event: Annotated[int | None, typer.Option("--event", help="Only the event of this number.")] = None,
    player: Annotated[str, typer.Option("--player", "-p", help="Only games of this player (a part of its name).")] = "",
    against: Annotated[str, typer.Option("--against", help="Only those against this one.")] = "",
    outcome: Annotated[str, typer.Option("--outcome", help="Only those that --player has won, drawn or lost.")] = "",
    ended: Annotated[
        str, typer.Option("--ended", help="Only those that ended so: over, fault, resigned, proved, values, length.")
    ] = "",
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only so many of the newest.")] = None,
    anchor: Annotated[str, typer.Option("--anchor", help="A player whose rating is known: random=0")] = "",
    as_json: AsJson = False,
) -> None:
    """Standings, games and pictures of a store. What is said to be `only` holds for everything that is asked.

    [dim]Standings, and who is likely better than whom:[/dim] hansu store games.db

    [dim]The games that somebody lost:[/dim] hansu store games.db --list -p engine --outcome lost

    [dim]One of them in full:[/dim] hansu store games.db --show 17

    [dim]Out, and in:[/dim] hansu store games.db --export games.csv  or  --import saved.jsonl

    [dim]A page with pictures:[/dim] hansu store games.db --report report.html
    """
    from hansu.arena.store import GameFilter, Store
    from hansu.core import HansuError

    if outcome not in ("", "won", "drawn", "lost"):
        raise HansuError(
            "{given} is unknown", "one of: {names}", given=f"--outcome {outcome}", names="won, drawn, lost"
        )
    if bring_in is not None:
        with Store(file, make=True) as store:
            _bring_in(store, bring_in, _given(game), as_json)
        return
    with Store(file, read_only=True) as store:
        wanted = GameFilter(_spec(store, game), event, player, against, outcome, ended, last=last)
        if show is not None:
            _show(store, show, as_json)
        elif export is not None:
            _export(store, wanted, export, format, _given(game), as_json)
        elif report is not None:
            _report(store, wanted, report)
        elif pictures is not None:
            _pictures(store, wanted, pictures)
        elif show_list:
            _list(store, wanted, as_json)
        elif openings:
            _openings(store, wanted, as_json)
        else:
            _standings(store, wanted, anchor, as_json)


def _given(game: str) -> Game | None:
    """The game that the command line names; only that may be a file."""
    from hansu.core import registry

    return registry.game(game) if game else None


def _spec(store: Store, game: str) -> str:
    """How the store calls the game that the command line names."""
    from hansu.core import HansuError
    from hansu.core.options import did_you_mean

    if not game:
        return ""
    known = store.counts()
    if game in known:
        return game
    given = _given(game)
    if given is not None and given.spec in known:
        return given.spec
    raise HansuError(
        "{path} has no games of {game}", did_you_mean(game, known, "games there"), path=store.path, game=game
    )


def _standings(store: Store, wanted: GameFilter, anchor: str, as_json: bool) -> None:
    from dataclasses import replace

    from hansu.arena.standings import anchor_of, shown_names, standings
    from hansu.core import HansuError
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out
    from hansu.ui.standings import cross_tables, seats_table, standings_table

    counts = store.counts()
    players = store.players()
    names = shown_names(players)
    answer: dict[str, Any] = {"store": str(store.path), "games": []}
    for spec in [wanted.game] if wanted.game else counts:
        chosen = replace(wanted, game=spec)
        results = store.results(chosen)
        playing = {id: names[id] for pair in results for id in pair}
        try:
            anchor_id, at = anchor_of(anchor, playing)
        except HansuError:
            if wanted.game or len(counts) == 1:
                raise
            anchor_id, at = None, 0.0  # it plays one of the other games
        found = standings(results, players, store.faults(chosen), anchor_id, at)
        if as_json:
            different = store.different(chosen)
            answer["games"].append({"game": spec, "different": different, **found.as_json(len(found.rows) <= 60)})
            continue
        out().print(spec, style="bold", markup=False)
        if not found.rows:
            out().print(localize(Message("no such games")))
            continue
        out().print(standings_table(found))
        out().print(localize(found.seat_summary), markup=False)
        for table in (seats_table(found), *(cross_tables(found) if len(found.rows) > 2 else ())):
            out().print()
            out().print(table)
        different = store.different(chosen)
        text = Message("{games:,} games, {different:,} of them different", games=found.games, different=different)
        out().print(localize(text), style="dim")
    if as_json:
        answer["events"] = [asdict(one) for one in store.events().values()]
        print(json.dumps(answer, ensure_ascii=False))
    elif not counts:
        out().print(localize(Message("no games yet")))


def _list(store: Store, wanted: GameFilter, as_json: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from hansu.arena.standings import shown_names
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    names = shown_names(store.players())
    if as_json:
        for one in store.games(wanted):
            print(
                json.dumps({**asdict(one), "first": names[one.first], "second": names[one.second]}, ensure_ascii=False)
            )
        return
    found = list(store.games(wanted))
    heads = [Message("game"), Message("finished"), Message("first"), Message("second"), Message("result")]
    heads += [Message("ended"), Message("plies"), Message("seconds")]
    table = Table(*map(localize, heads), box=None, header_style="dim")
    for one in found[-SHOWN_GAMES:]:
        result = {1: "1-0", 0: "½-½", -1: "0-1", None: "*"}[one.outcome]
        when = datetime.fromtimestamp(one.finished).strftime("%Y-%m-%d %H:%M")
        seconds = f"{one.first_seconds:.2f} {one.second_seconds:.2f}"
        first, second = escape(names[one.first]), escape(names[one.second])
        ended = escape(localize(ENDS.get(one.ended, one.ended)))
        table.add_row(str(one.id), when, first, second, result, ended, str(one.plies), seconds)
    out().print(table)
    if len(found) > SHOWN_GAMES:
        text = Message("the last {shown} of {count:,} games; --json has them all", shown=SHOWN_GAMES, count=len(found))
        out().print(localize(text), style="dim", markup=False)


def _show(store: Store, number: int, as_json: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from hansu.core.terminal_language import localize
    from hansu.ui.console import number as plain
    from hansu.ui.console import out

    record = store.record(number)
    if as_json:
        print(json.dumps(record, ensure_ascii=False))
        return
    out().print(f"{record['game']}: {record['first']} - {record['second']}", style="bold", markup=False)
    opening = [*([record["start"]] if record["start"] != "start" else []), *record["opening"]]
    if opening:
        out().print(localize(Message("opening: {moves}", moves=" ".join(opening))), markup=False)
    heads = [Message("ply"), Message("move"), Message("value"), Message("depth"), Message("nodes")]
    table = Table(*map(localize, [*heads, Message("seconds"), Message("why")]), box=None, header_style="dim")
    thoughts = record.get("thoughts") or []
    for ply, move in enumerate(record["moves"]):
        said = (thoughts[ply] if ply < len(thoughts) else None) or {}
        why = said.get("why") or ""
        why = localize(Message(dict(why))) if isinstance(why, dict) else why
        cells = [
            plain(said.get("value")),
            *(f"{said[name]:,}" if said.get(name) else "" for name in ("depth", "nodes")),
        ]
        seconds = f"{said['seconds']:.2f}" if said.get("seconds") else ""
        table.add_row(str(len(record["opening"]) + ply + 1), escape(move), *cells, seconds, escape(why))
    out().print(table)
    result = {1: "1-0", 0: "½-½", -1: "0-1", None: "*"}[record["outcome"]]
    how = record.get("fault") or record.get("adjudicated") or ""
    out().print(f"{result} {localize(ENDS.get(how, how))}", markup=False)


def _openings(store: Store, wanted: GameFilter, as_json: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from hansu.arena.standings import points
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    known, results = store.openings(), store.by_opening(wanted)
    if as_json:
        for id, row in results.items():
            one = known[id]
            answer = {"start": one.start, "moves": one.moves, "won": row[0], "drawn": row[1], "lost": row[2]}
            print(json.dumps(answer, ensure_ascii=False))
        return
    heads = [Message("opening"), Message("games"), Message("won"), Message("drawn"), Message("lost")]
    heads.append(Message("points of {who}", who=wanted.player or Message("first seat")))
    table = Table(*(escape(localize(head)) for head in heads), box=None, header_style="dim")
    for id in sorted(results, key=lambda id: -sum(results[id])):
        one, row = known[id], results[id]
        text = " ".join(filter(None, ("" if one.start == "start" else one.start, *one.moves))) or localize(
            Message("start")
        )
        table.add_row(escape(text), str(sum(row)), *map(str, row), f"{points(row) / sum(row):.1%}")
    out().print(table)


def _export(store: Store, wanted: GameFilter, path: Path, format: str, given: Game | None, as_json: bool) -> None:
    from hansu.arena.import_export import export
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    count = export(store, wanted, path, format, given)
    if as_json:
        print(json.dumps({"exported": count, "to": str(path)}))
    else:
        err().print(localize(Message("{count:,} games written to {path}", count=count, path=path)), markup=False)


def _bring_in(store: Store, path: Path, given: Game | None, as_json: bool) -> None:
    from hansu.arena.import_export import bring_in
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    fresh, known = bring_in(store, path, given)
    if as_json:
        print(json.dumps({"imported": fresh, "known": known}))
    else:
        text = Message("{count:,} games taken in", count=fresh)
        if known:
            text = Message("{count:,} games taken in, {known:,} were there already", count=fresh, known=known)
        err().print(localize(text))


def _report(store: Store, wanted: GameFilter, path: Path) -> None:
    from hansu.arena.store_page import page

    _write(path, page(store, wanted))


def _pictures(store: Store, wanted: GameFilter, folder: Path) -> None:
    from dataclasses import replace

    from hansu.arena.pictures import pictures
    from hansu.arena.standings import standings
    from hansu.core import HansuError

    if not folder.is_dir():
        raise HansuError("there is no folder {folder}", folder=folder)
    for spec in [wanted.game] if wanted.game else store.counts():
        chosen = replace(wanted, game=spec)
        found = standings(store.results(chosen), store.players(), store.faults(chosen))
        if found.rows:
            prefix = (
                ""
                if wanted.game or len(store.counts()) == 1
                else "".join(c if c.isalnum() else "_" for c in spec) + "_"
            )
            for name, chart in pictures(store, chosen, found).items():
                _write(folder / f"{prefix}{name}.svg", chart.svg())


def _write(path: Path, text: str) -> None:
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise not_written(path, error) from None
    err().print(localize(Message("{path} written", path=path)), markup=False)
