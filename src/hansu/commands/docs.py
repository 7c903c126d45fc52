"""`hansu docs`: the guides and the examples, wherever hansu was installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    app.command("docs")(run)


def run(
    page: Annotated[str, typer.Argument(help="A guide or an example by its name: your_own_game, othello.")] = "",
) -> None:
    """List the guides and the example games with where they lie, or print one.

    [dim]For example:[/dim] hansu docs your_own_game

    [dim]An example to play:[/dim] hansu docs othello > othello.py
    """
    from hansu.core import HansuError
    from hansu.core.options import did_you_mean
    from hansu.ui.console import out

    pages = _pages()
    if not page:
        for name, file in pages.items():
            out().print(f"[bold]{name}[/bold]  {_title(file)}  [dim]{file}[/dim]")
        return
    name = page.removesuffix(".md").removesuffix(".py")
    name = name if name in pages else Path(page).stem
    if name not in pages:
        raise HansuError("there is no page {page!r}", did_you_mean(name, pages, "pages"), page=page)
    print(pages[name].read_text(encoding="utf-8"), end="")


def _pages() -> dict[str, Path]:
    from hansu.core.installed_docs import folder

    found = {}
    for kind, pattern in (("docs", "**/*.md"), ("examples", "*.py"), ("examples", "games/*.py")):
        home = folder(kind)
        for file in sorted(home.glob(pattern)) if home else ():
            twice = file.stem in found  # then it is named with its folder, as `lab/renju_engine`
            found[f"{file.parent.name}/{file.stem}" if twice else file.stem] = file
    return found


def _title(file: Path) -> str:
    """The heading of a guide, or the beginning of an example's docstring."""
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    return first.strip('# "').partition(":")[0]
