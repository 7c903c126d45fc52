"""`hansu games` and `hansu players`: what there is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from hansu.commands._arguments import AsJson, GameName
from hansu.core.message import Message, in_languages
from hansu.core.options import Option


def add_to(app: typer.Typer) -> None:
    app.command("games")(show_games)
    app.command("players")(show_players)


def show_games(
    only: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="Only these: names, or files.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the games with their options.

    [dim]Any file that defines a game is one too:[/dim] hansu games ./my_game.py
    """
    from hansu.core import registry
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    found = [registry.game(spec) for spec in only] if only else [registry.built_in(name) for name in registry.names()]
    if as_json:
        data = [
            {
                "name": g.name,
                "title": in_languages(g.title),
                "about": in_languages(g.about),
                "options": [_described(o) for o in g.options],
            }
            for g in found
        ]
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return
    for g in found:
        others = ", ".join(dict.fromkeys(text for text in in_languages(g.title).values() if text != localize(g.title)))
        out().print(
            f"[bold]{g.name}[/bold]  {localize(g.title)}{f' ({others})' if others else ''}: {localize(g.about)}"
        )
        print_options(g.options)


def show_players(
    game: GameName,
    as_json: AsJson = False,
) -> None:
    """List who can play a game, with every option and what it means.

    [dim]Write a player as kind:key=value,key=value:[/dim] alphabeta:depth=4,ties=false
    """
    from hansu.arena.levels import strength
    from hansu.arena.roster import kinds
    from hansu.core import registry
    from hansu.core.terminal_language import localize
    from hansu.search.players.level import Level, ladder
    from hansu.ui.console import out

    playing = registry.game(game)
    found = kinds(playing)
    if as_json:
        data = [
            {"kind": kind, "about": cls.about, "options": [_described(o) for o in cls.options()]}
            for kind, cls in found.items()
        ]
        print(json.dumps(data, ensure_ascii=False, indent=1))
        return
    out().print(f"[bold]human[/bold]  {localize(Message('you'))}")
    for kind, cls in found.items():
        out().print(f"[bold]{kind}[/bold]  {localize(cls.about)}")
        print_options(cls.options())
        if cls is Level:
            for level, spec in enumerate(ladder(playing), 1):
                measured = localize(strength(playing, level) or Message("not measured"))
                out().print(f"    level:{level}  [dim]{measured}: {spec}[/dim]")
    out().print(f"[bold]path/to/my_agent.py:Name[/bold]  {localize(Message('a player of your own'))}")


def print_options(options: Iterable[Option]) -> None:
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    for o in options:
        out().print(f"    {o.name}={_default(o)}  [dim]{localize(o.help)} ({localize(o.range_text)})[/dim]")


def _described(o: Option) -> dict[str, Any]:
    return {"name": o.name, "type": o.kind.__name__, "default": o.default, "help": o.help, "range": o.range_text}


def _default(o: Option) -> str:
    if o.default is None:
        return "-"
    return str(o.default).lower() if o.kind is bool else str(o.default)
