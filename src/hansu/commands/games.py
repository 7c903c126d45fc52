"""`hansu games` and `hansu players`: list games, players and their options."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from hansu.commands._arguments import AsJson, GameName
from hansu.commands._panels import PLAY
from hansu.core.message import Message, in_languages
from hansu.core.options import Option


def add_to(app: typer.Typer) -> None:
    app.command("games", rich_help_panel=PLAY)(show_games)
    app.command("players", rich_help_panel=PLAY)(show_players)


def show_games(
    only: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]...", help="Names or files of games; by default all games.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the games with their options.

    [dim]A file that defines a game works, too:[/dim] hansu games ./my_game.py
    """
    from hansu.core import registry
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    games = [registry.game(spec) for spec in only] if only else [registry.built_in(name) for name in registry.names()]
    if as_json:
        data = [
            {
                "name": g.name,
                "title": in_languages(g.title),
                "about": in_languages(g.about),
                "options": [_option_json(o) for o in g.options],
            }
            for g in games
        ]
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return
    for g in games:
        others = ", ".join(dict.fromkeys(text for text in in_languages(g.title).values() if text != localize(g.title)))
        out().print(
            f"[bold]{g.name}[/bold]  {localize(g.title)}{f' ({others})' if others else ''}: {localize(g.about)}"
        )
        print_options(g.options)


def show_players(
    game: GameName,
    as_json: AsJson = False,
) -> None:
    """List the players of a game with their options.

    [dim]Write a player as kind:key=value,key=value:[/dim] alphabeta:depth=4,ties=false
    """
    from hansu.arena.levels import strength
    from hansu.arena.roster import kinds
    from hansu.core import registry
    from hansu.core.terminal_language import localize
    from hansu.search.players.level import Level, ladder
    from hansu.ui.console import out

    rules = registry.game(game)
    players = kinds(rules)
    if as_json:
        data = [
            {"kind": kind, "about": cls.about, "options": [_option_json(o) for o in cls.options()]}
            for kind, cls in players.items()
        ]
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return
    out().print(f"[bold]human[/bold]  {localize(Message('you'))}")
    for kind, cls in players.items():
        out().print(f"[bold]{kind}[/bold]  {localize(cls.about)}")
        print_options(cls.options())
        if cls is Level:
            for level, spec in enumerate(ladder(rules), 1):
                measured = localize(strength(rules, level) or Message("not measured"))
                out().print(f"    level:{level}  [dim]{measured}: {spec}[/dim]")
    out().print(f"[bold]path/to/my_agent.py:Name[/bold]  {localize(Message('your own player'))}")


def print_options(options: Iterable[Option]) -> None:
    """Print one line per option: name, default, help and range."""
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    for o in options:
        out().print(f"    {o.name}={_default(o)}  [dim]{localize(o.help)} ({localize(o.range_text)})[/dim]")


def _option_json(o: Option) -> dict[str, Any]:
    return {"name": o.name, "type": o.kind.__name__, "default": o.default, "help": o.help, "range": o.range_text}


def _default(o: Option) -> str:
    if o.default is None:
        return "-"
    return str(o.default).lower() if o.kind is bool else str(o.default)
