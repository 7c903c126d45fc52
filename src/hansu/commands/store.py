"""`hansu store`: standings and games of a store."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hansu.commands._arguments import AsJson
from hansu.commands._panels import COMPARE
from hansu.core.file_errors import not_written
from hansu.core.message import Message

if TYPE_CHECKING:
    from hansu.arena.store import GameFilter, Store
    from hansu.core import Game

MAX_LISTED_GAMES = 40
ENDS = {
    "over": Message("over"),
    "fault": Message("fault"),
    "resigned": Message("resigned"),
    "unfinished": Message("unfinished"),
    "proved": Message("proved"),
    "values": Message("values"),
    "length": Message("length"),
}
"""How a game ended: the stored word, and its text."""


def add_to(app: typer.Typer) -> None:
    app.command("store", rich_help_panel=COMPARE)(run)


def run(
    file: Annotated[Path, typer.Argument(help="The store that `hansu tournament --store` has written.")],
    show_list: Annotated[bool, typer.Option("--list", help="List the games.")] = False,
    show: Annotated[
        int | None, typer.Option("--show", help="Show the game of this number, with the evaluation of each move.")
    ] = None,
    openings: Annotated[bool, typer.Option("--openings", help="Show the results of each opening.")] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the games to a .jsonl or .csv file, or in the game's format: .pgn, .sgf."),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", help="Format of --export, if the file name has no extension for it.")
    ] = "",
    source: Annotated[
        Path | None, typer.Option("--import", help="Add the games of a `hansu match --save` file or another store.")
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Write everything as one HTML file.")] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Write the charts as SVG files to this folder.")
    ] = None,
    game: Annotated[str, typer.Option("--game", help="Only this game; for your own game the path of its file.")] = "",
    event: Annotated[int | None, typer.Option("--event", help="Only the event with this number.")] = None,
    player: Annotated[str, typer.Option("--player", "-p", help="Only games of this player (name or part of it).")] = "",
    against: Annotated[str, typer.Option("--against", help="Only games of --player against this player.")] = "",
    outcome: Annotated[str, typer.Option("--outcome", help="Only games that --player has won, drawn or lost.")] = "",
    ended: Annotated[
        str, typer.Option("--ended", help="Only games with this ending: over, fault, resigned, proved, values, length.")
    ] = "",
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only this many of the newest games.")] = None,
    anchor: Annotated[
        str, typer.Option("--anchor", help="A player with a known rating, which fixes the scale: random=0")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show standings, games and charts of a store. Filters (`Only ...`) apply to every output.

    [dim]Standings, with the probability that each player is the stronger:[/dim] hansu store games.db

    [dim]The games that a player lost:[/dim] hansu store games.db --list -p engine --outcome lost

    [dim]One game in full:[/dim] hansu store games.db --show 17

    [dim]Export and import:[/dim] hansu store games.db --export games.csv  or  --import saved.jsonl

    [dim]A page with charts:[/dim] hansu store games.db --report report.html
    """
    from hansu.arena.store import GameFilter, Store
    from hansu.core import HansuError

    if outcome not in ("", "won", "drawn", "lost"):
        raise HansuError(
            "{given} is unknown", "one of: {names}", given=f"--outcome {outcome}", names="won, drawn, lost"
        )
    if source is not None:
        with Store(file, make=True) as store:
            _import(store, source, _named_game(game), as_json)
        return
    with Store(file, read_only=True) as store:
        selection = GameFilter(_spec(store, game), event, player, against, outcome, ended, last=last)
        if show is not None:
            _show(store, show, as_json)
        elif export is not None:
            _export(store, selection, export, format, _named_game(game), as_json)
        elif report is not None:
            _report(store, selection, report)
        elif pictures is not None:
            _pictures(store, selection, pictures)
        elif show_list:
            _list(store, selection, as_json)
        elif openings:
            _openings(store, selection, as_json)
        else:
            _standings(store, selection, anchor, as_json)


def _named_game(game: str) -> Game | None:
    """The game of the command line, which may be a file. (Games that a store names may not.)"""
    from hansu.core import registry

    return registry.game(game) if game else None


def _spec(store: Store, game: str) -> str:
    """The store's name for the game of the command line."""
    from hansu.core import HansuError
    from hansu.core.options import did_you_mean

    if not game:
        return ""
    known = store.counts()
    if game in known:
        return game
    rules = _named_game(game)
    if rules is not None and rules.spec in known:
        return rules.spec
    raise HansuError(
        "{path} has no games of {game}", did_you_mean(game, known, "games there"), path=store.path, game=game
    )


def _standings(store: Store, selection: GameFilter, anchor: str, as_json: bool) -> None:
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
    for spec in [selection.game] if selection.game else counts:
        chosen = replace(selection, game=spec)
        results = store.results(chosen)
        playing = {id: names[id] for pair in results for id in pair}
        try:
            anchor_id, at = anchor_of(anchor, playing)
        except HansuError:
            if selection.game or len(counts) == 1:
                raise
            anchor_id, at = None, 0.0  # the anchor plays one of the other games
        table = standings(results, players, store.faults(chosen), anchor_id, at)
        if as_json:
            different = store.different(chosen)
            answer["games"].append({"game": spec, "different": different, **table.as_json(len(table.rows) <= 60)})
            continue
        out().print(spec, style="bold", markup=False)
        if not table.rows:
            out().print(localize(Message("no such games")))
            continue
        out().print(standings_table(table))
        out().print(localize(table.seat_summary), markup=False)
        for part in (seats_table(table), *(cross_tables(table) if len(table.rows) > 2 else ())):
            out().print()
            out().print(part)
        different = store.different(chosen)
        text = Message("{games:,} games, {different:,} of them different", games=table.games, different=different)
        out().print(localize(text), style="dim")
    if as_json:
        answer["events"] = [asdict(one) for one in store.events().values()]
        print(json.dumps(answer, ensure_ascii=False))
    elif not counts:
        out().print(localize(Message("no games yet")))


def _list(store: Store, selection: GameFilter, as_json: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from hansu.arena.standings import shown_names
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    names = shown_names(store.players())
    if as_json:
        for one in store.games(selection):
            print(
                json.dumps({**asdict(one), "first": names[one.first], "second": names[one.second]}, ensure_ascii=False)
            )
        return
    games = list(store.games(selection))
    heads = [Message("game"), Message("finished"), Message("first"), Message("second"), Message("result")]
    heads += [Message("ended"), Message("plies"), Message("seconds")]
    table = Table(*map(localize, heads), box=None, header_style="dim")
    for one in games[-MAX_LISTED_GAMES:]:
        result = {1: "1-0", 0: "½-½", -1: "0-1", None: "*"}[one.outcome]
        when = datetime.fromtimestamp(one.finished).strftime("%Y-%m-%d %H:%M")
        seconds = f"{one.first_seconds:.2f} {one.second_seconds:.2f}"
        first, second = escape(names[one.first]), escape(names[one.second])
        ended = escape(localize(ENDS.get(one.ended, one.ended)))
        table.add_row(str(one.id), when, first, second, result, ended, str(one.plies), seconds)
    out().print(table)
    if len(games) > MAX_LISTED_GAMES:
        text = Message(
            "the last {shown} of {count:,} games; --json lists all", shown=MAX_LISTED_GAMES, count=len(games)
        )
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
        thought = (thoughts[ply] if ply < len(thoughts) else None) or {}
        why = thought.get("why") or ""
        why = localize(Message(dict(why))) if isinstance(why, dict) else why
        cells = [
            plain(thought.get("value")),
            *(f"{thought[name]:,}" if thought.get(name) else "" for name in ("depth", "nodes")),
        ]
        seconds = f"{thought['seconds']:.2f}" if thought.get("seconds") else ""
        table.add_row(str(len(record["opening"]) + ply + 1), escape(move), *cells, seconds, escape(why))
    out().print(table)
    result = {1: "1-0", 0: "½-½", -1: "0-1", None: "*"}[record["outcome"]]
    how = record.get("fault") or record.get("adjudicated") or ""
    out().print(f"{result} {localize(ENDS.get(how, how))}", markup=False)


def _openings(store: Store, selection: GameFilter, as_json: bool) -> None:
    from rich.markup import escape
    from rich.table import Table

    from hansu.arena.standings import points
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    known, results = store.openings(), store.by_opening(selection)
    if as_json:
        for id, row in results.items():
            one = known[id]
            answer = {"start": one.start, "moves": one.moves, "won": row[0], "drawn": row[1], "lost": row[2]}
            print(json.dumps(answer, ensure_ascii=False))
        return
    heads = [Message("opening"), Message("games"), Message("won"), Message("drawn"), Message("lost")]
    heads.append(Message("points of {who}", who=selection.player or Message("first seat")))
    table = Table(*(escape(localize(head)) for head in heads), box=None, header_style="dim")
    for id in sorted(results, key=lambda id: -sum(results[id])):
        one, row = known[id], results[id]
        text = " ".join(filter(None, ("" if one.start == "start" else one.start, *one.moves))) or localize(
            Message("start")
        )
        table.add_row(escape(text), str(sum(row)), *map(str, row), f"{points(row) / sum(row):.1%}")
    out().print(table)


def _export(store: Store, selection: GameFilter, path: Path, format: str, rules: Game | None, as_json: bool) -> None:
    from hansu.arena.import_export import export
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    count = export(store, selection, path, format, rules)
    if as_json:
        print(json.dumps({"exported": count, "to": str(path)}))
    else:
        err().print(localize(Message("{count:,} games written to {path}", count=count, path=path)), markup=False)


def _import(store: Store, path: Path, rules: Game | None, as_json: bool) -> None:
    from hansu.arena.import_export import import_games
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    new, known = import_games(store, path, rules)
    if as_json:
        print(json.dumps({"imported": new, "known": known}))
    else:
        text = Message("{count:,} games imported", count=new)
        if known:
            text = Message("{count:,} games imported, {known:,} were already in the store", count=new, known=known)
        err().print(localize(text))


def _report(store: Store, selection: GameFilter, path: Path) -> None:
    from hansu.arena.store_page import page

    _write(path, page(store, selection))


def _pictures(store: Store, selection: GameFilter, folder: Path) -> None:
    from dataclasses import replace

    from hansu.arena.pictures import pictures
    from hansu.arena.standings import standings
    from hansu.core import HansuError

    if not folder.is_dir():
        raise HansuError("there is no folder {folder}", folder=folder)
    for spec in [selection.game] if selection.game else store.counts():
        chosen = replace(selection, game=spec)
        table = standings(store.results(chosen), store.players(), store.faults(chosen))
        if table.rows:
            prefix = (
                ""
                if selection.game or len(store.counts()) == 1
                else "".join(c if c.isalnum() else "_" for c in spec) + "_"
            )
            for name, chart in pictures(store, chosen, table).items():
                _write(folder / f"{prefix}{name}.svg", chart.svg())


def _write(path: Path, text: str) -> None:
    from hansu.core.terminal_language import localize
    from hansu.ui.console import err

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise not_written(path, error) from None
    err().print(localize(Message("wrote {path}", path=path)), markup=False)
