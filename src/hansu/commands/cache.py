"""`hansu cache`: the cache of compiled code."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson
from hansu.commands._panels import OTHER
from hansu.core.message import Message


def add_to(app: typer.Typer) -> None:
    app.command("cache", rich_help_panel=OTHER)(run)


def run(
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete the cache; code is compiled again when needed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the cache of compiled code, or delete it.

    [dim]For example:[/dim] hansu cache --clear
    """
    from hansu.compile.cache import clear_all, kept, own_folder
    from hansu.core.errors import HansuError
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    folder = own_folder()
    if folder is None:
        raise HansuError("compiled code is not cached here", "set HANSU_CACHE to a folder that you can write to")
    cached = kept(folder)
    size = sum(one.bytes for one in cached)
    if clear:
        clear_all(folder)
    if as_json:
        modules = [one._asdict() for one in cached]
        print(json.dumps({"folder": str(folder), "bytes": size, "cleared": clear, "modules": modules}))
        return
    if not clear:
        for one in cached:
            out().print(f"{one.bytes / 1e6:8.1f} MB  {one.module}", markup=False)
    where = Message("removed from {folder}", folder=folder) if clear else Message("in {folder}", folder=folder)
    out().print(f"{size / 1e6:8.1f} MB  {localize(where)}", markup=False)
