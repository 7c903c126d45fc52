"""`hansu cache`: the compiled code that is kept between runs."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson
from hansu.core.message import Message


def add_to(app: typer.Typer) -> None:
    app.command("cache")(run)


def run(
    clear: Annotated[bool, typer.Option("--clear", help="Remove it all; it is compiled anew when needed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the compiled code that is kept between runs, or remove it.

    [dim]For example:[/dim] hansu cache --clear
    """
    from hansu.compile.cache import clear_all, kept, own_folder
    from hansu.core.errors import HansuError
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    folder = own_folder()
    if folder is None:
        hint = Message("set HANSU_CACHE to a folder that you can write")
        raise HansuError("compiled code is not kept here", hint)
    found = kept(folder)
    size = sum(one.bytes for one in found)
    if clear:
        clear_all(folder)
    if as_json:
        modules = [one._asdict() for one in found]
        print(json.dumps({"folder": str(folder), "bytes": size, "cleared": clear, "modules": modules}))
        return
    if not clear:
        for one in found:
            out().print(f"{one.bytes / 1e6:8.1f} MB  {one.module}", markup=False)
    where = Message("removed from {folder}", folder=folder) if clear else Message("in {folder}", folder=folder)
    out().print(f"{size / 1e6:8.1f} MB  {localize(where)}", markup=False)
