"""`hansu engine ataxx`."""

from __future__ import annotations

import typer

from hansu.core.groups import group


def add_to(app: typer.Typer) -> None:
    group(app, "engine").command("ataxx")(engine)


def engine() -> None:
    """The Ataxx engine for tournament managers: speaks UAI on standard input and output.

    [dim]For example:[/dim] printf 'uai\\nposition startpos\\ngo movetime 500\\n' | hansu engine ataxx

    [dim]Its opponent may be any UAI engine:[/dim] hansu match ataxx engine "uai:cmd=./other" --limit time=0.1
    """
    from hansu.games import game
    from hansu.games.ataxx.mind import AtaxxMind
    from hansu.protocols.uai import serve

    serve(AtaxxMind(game("ataxx")))
