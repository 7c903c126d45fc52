"""`hansu check`: find mistakes in the definition of a game, and measure its speed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson
from hansu.commands._panels import BUILD
from hansu.core.message import Message

if TYPE_CHECKING:
    from hansu.search.conformance.checkup import CheckResult, Checkup


MARK_WIDTH = 9  # columns of the word before the name of a check


def add_to(app: typer.Typer) -> None:
    app.command("check", rich_help_panel=BUILD)(run)


def run(
    game: Annotated[
        str, typer.Argument(help="Path to a game's file, or name of a game, with options: ./my_game.py:size=5")
    ],
    players: Annotated[
        bool, typer.Option("--players", help="Also let every general player play the game (slower).")
    ] = False,
    speed: Annotated[bool, typer.Option("--speed/--no-speed", help="Measure the speed of the rules.")] = True,
    as_json: AsJson = False,
) -> None:
    """Check a game: rules, notation, picture, symmetries, compiled against interpreted; measure its speed.

    [dim]For example:[/dim] hansu check ./my_game.py

    [dim]The exit code is 2 if a check fails.[/dim]
    """
    from hansu.search.conformance.checkup import check

    if as_json:
        checkup = check(game, players=players, speed=speed)
        print(json.dumps(checkup.as_json(), ensure_ascii=False, indent=1))
    else:
        from hansu.compile.notices import announce_compiling

        announce_compiling()
        checkup = check(game, players=players, speed=speed, on_outcome=_print_result)
        _print_summary(checkup)
    if checkup.flaws:
        raise typer.Exit(2)


def _print_result(result: CheckResult) -> None:
    from rich.markup import escape

    from hansu.core.installed_docs import located
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    if result.passed:
        out().print(
            f"[green]{_mark(Message('good'))}[/green]{result.check}: [dim]{escape(localize(result.about))}[/dim]"
        )
    elif result.skipped:
        out().print(f"[dim]{_mark(Message('skipped'))}{result.check}: {escape(localize(result.skipped))}[/dim]")
    else:
        out().print(f"[red]{_mark(Message('wrong'))}[/red][bold]{result.check}[/bold]: {escape(localize(result.what))}")
        if result.hint:
            out().print(f"{' ' * MARK_WIDTH}{escape(located(localize(result.hint)))}")


def _mark(word: Message) -> str:
    from rich.cells import set_cell_size

    from hansu.core.terminal_language import localize

    return set_cell_size(localize(word), MARK_WIDTH)


def _print_summary(checkup: Checkup) -> None:
    from hansu.core.installed_docs import located
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    if checkup.outcomes[0].check == "file":
        _print_result(checkup.outcomes[0])
    if checkup.speed is not None:
        spent = checkup.speed.nanoseconds
        words = ", ".join(f"{word} {spent[word]:,.0f}" for word in ("over", "random_action", "play"))
        speed = Message(
            "{playouts:,.0f} random games a second on one core, {plies:.1f} plies each; "
            "nanoseconds a ply: {words}; all moves of a node: {actions:,.0f}",
            playouts=checkup.speed.playouts, plies=checkup.speed.plies, words=words, actions=spent["actions"],
        )  # fmt: skip
        out().print(f"\n{localize(speed)}", markup=False)
    for each in checkup.advice:
        out().print(f"- {located(localize(each))}", markup=False)
    if checkup.flaws:
        flaws = localize(Message("{count} to fix", count=len(checkup.flaws)))
        guide = localize(Message("{path} explains each check", path=located("docs/tutorial/your_own_game.md")))
        out().print(f"\n[bold red]{flaws}[/bold red]  [dim]{guide}[/dim]")
    else:
        out().print(f"\n[bold green]{localize(Message('no mistakes found'))}[/bold green]")
