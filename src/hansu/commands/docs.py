"""`hansu docs`: the guides and the examples of the installed version."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._panels import OTHER


def add_to(app: typer.Typer) -> None:
    app.command("docs", rich_help_panel=OTHER)(run)


def run(
    page: Annotated[str, typer.Argument(help="Name of a page or an example: your_own_game, othello.")] = "",
) -> None:
    """List the guides and example games with their paths, or print one.

    [dim]For example:[/dim] hansu docs your_own_game

    [dim]Save an example as a file:[/dim] hansu docs othello > othello.py
    """
    from hansu.core import HansuError
    from hansu.core.options import did_you_mean
    from hansu.ui.console import out

    pages = _pages()
    if not page:
        for folder, rows in groupby(pages.items(), key=lambda row: row[1].parent.name):
            out().print(f"[dim]{folder}[/dim]")
            for name, file in rows:
                out().print(f"  [bold]{name}[/bold]  {_title(file)}  [dim]{file}[/dim]")
        return
    name = page.removesuffix(".md").removesuffix(".py")
    name = name if name in pages else Path(page).stem
    if name not in pages:
        raise HansuError("there is no page {page!r}", did_you_mean(name, pages, "pages"), page=page)
    print(pages[name].read_text(encoding="utf-8"), end="")


def _pages() -> dict[str, Path]:
    """All pages and examples by name."""
    from hansu.core.installed_docs import folder

    pages: dict[str, Path] = {}
    for kind, pattern in (("docs", "**/*.md"), ("examples", "*.py"), ("examples", "games/*.py")):
        home = folder(kind)
        for file in sorted(home.glob(pattern)) if home else ():
            taken = file.stem in pages  # then the name includes the folder: `lab/renju_engine`
            pages[f"{file.parent.name}/{file.stem}" if taken else file.stem] = file
    return pages


def _title(file: Path) -> str:
    """The heading of a page, or the first words of an example's docstring."""
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    return first.strip('# "').partition(":")[0]
