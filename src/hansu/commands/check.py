"""`hansu check`: what is wrong with a game, in words, and how fast it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._arguments import AsJson
from hansu.core.message import Message

if TYPE_CHECKING:
    from hansu.search.conformance.checkup import CheckResult, Checkup


MARK = 9  # columns of the word before what was looked at


def add_to(app: typer.Typer) -> None:
    app.command("check")(run)


def run(
    game: Annotated[str, typer.Argument(help="A game's file, with options: ./my_game.py:size=5 (or a game's name).")],
    players: Annotated[bool, typer.Option("--players", help="Let every general player play it, too (slower).")] = False,
    speed: Annotated[bool, typer.Option("--speed/--no-speed", help="Measure how fast it is.")] = True,
    as_json: AsJson = False,
) -> None:
    """Look a game over: rules, notation, picture, symmetries, compiled against interpreted; and its speed, with advice.

    [dim]For example:[/dim] hansu check ./my_game.py

    [dim]Exit code 2 says that something is wrong.[/dim]
    """
    from hansu.search.conformance.checkup import check

    if as_json:
        found = check(game, players=players, speed=speed)
        print(json.dumps(found.as_json(), ensure_ascii=False, indent=1))
    else:
        from hansu.compile.notices import announce_compiling

        announce_compiling()
        found = check(game, players=players, speed=speed, on_outcome=_tell)
        _sum_up(found)
    if found.flaws:
        raise typer.Exit(2)


def _tell(outcome: CheckResult) -> None:
    from rich.markup import escape

    from hansu.core.installed_docs import located
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    if outcome.passed:
        out().print(
            f"[green]{_mark(Message('good'))}[/green]{outcome.check}: [dim]{escape(localize(outcome.about))}[/dim]"
        )
    elif outcome.skipped:
        out().print(f"[dim]{_mark(Message('skipped'))}{outcome.check}: {escape(localize(outcome.skipped))}[/dim]")
    else:
        out().print(
            f"[red]{_mark(Message('wrong'))}[/red][bold]{outcome.check}[/bold]: {escape(localize(outcome.what))}"
        )
        if outcome.hint:
            out().print(f"{' ' * MARK}{escape(located(localize(outcome.hint)))}")


def _mark(word: Message) -> str:
    from rich.cells import set_cell_size

    from hansu.core.terminal_language import localize

    return set_cell_size(localize(word), MARK)


def _sum_up(found: Checkup) -> None:
    from hansu.core.installed_docs import located
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    if found.outcomes[0].check == "file":
        _tell(found.outcomes[0])
    if found.speed is not None:
        spent = found.speed.nanoseconds
        words = ", ".join(f"{word} {spent[word]:,.0f}" for word in ("over", "random_action", "play"))
        speed = Message(
            "{playouts:,.0f} random games a second on one core, {plies:.1f} plies each; "
            "nanoseconds a ply: {words}; all moves of a node: {actions:,.0f}",
            playouts=found.speed.playouts, plies=found.speed.plies, words=words, actions=spent["actions"],
        )  # fmt: skip
        out().print(f"\n{localize(speed)}", markup=False)
    for each in found.advice:
        out().print(f"- {located(localize(each))}", markup=False)
    if found.flaws:
        guide = localize(Message("{path} tells what each word means", path=located("docs/tutorial/your_own_game.md")))
        out().print(
            f"\n[bold red]{localize(Message('{count} to mend', count=len(found.flaws)))}[/bold red]  [dim]{guide}[/dim]"
        )
    else:
        out().print(f"\n[bold green]{localize(Message('nothing is wrong'))}[/bold green]")
