"""`hansu train`: learn something for a game, by one of its recipes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.core.message import Message

if TYPE_CHECKING:
    from hansu.core import Game
    from hansu.learn.recipe import Recipe, TrainingResult

# Whatever option a recipe has can be given as a flag, so words that this command does not know are passed on.
LENIENT = {"allow_extra_args": True, "ignore_unknown_options": True}
HELP = {"-h", "--help"}


def add_to(app: typer.Typer) -> None:
    app.command("train", context_settings=LENIENT, add_help_option=False)(run)


def run(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="A game's name or path, with options.")] = "",
    recipe: Annotated[str, typer.Argument(help="What to train; left out, the game's recipes are listed.")] = "",
    files: Annotated[list[Path] | None, typer.Option("--from", "--data", help="Files to learn from.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")] = None,
    settings: Annotated[Path | None, typer.Option("--settings", help="A TOML file with the recipe's options.")] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="One of them: key=value. Goes before the file.")
    ] = None,
    curves: Annotated[Path | None, typer.Option("--curves", help="A picture of the curves (.svg, .png).")] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", help="Draw a page about a run's folder (of a game of your own: name that, too)."),
    ] = None,
    export: Annotated[Path | None, typer.Option("--export", help="Write the champion of a run as ONNX.")] = None,
) -> None:
    """Train a player, a network or a classifier for a game. Every option of a recipe can be given as a flag too.

    [dim]What there is:[/dim] hansu train connect_four

    [dim]From nothing:[/dim] hansu train connect_four alphazero --minutes 10

    [dim]From data:[/dim] hansu train connect_four mlp --data connect-4.data.gz --curves curves.svg
    """
    wants_help = bool(HELP & {game, recipe, *context.args})  # of a recipe: only it knows its options
    if wants_help and (not game or game in HELP):
        typer.echo(context.get_help())
        return
    from hansu.compile.notices import announce_compiling
    from hansu.core import HansuError, registry
    from hansu.learn.recipe import Job, flags, pairs, recipe_named, recipes, settings_file
    from hansu.ui.console import err, out

    if report is not None or export is not None:
        _about_a_run(report, export, registry.game(game) if game else None)
        return
    if not game:
        raise HansuError("say which game to train for", "hansu train connect_four lists what there is")
    announce_compiling()
    found = registry.game(game)
    if not recipe or recipe in HELP:
        _list(found, recipes(found))
        return
    chosen = recipe_named(recipe, found)
    if wants_help:
        _help(found, chosen)
        return
    given, more = flags(context.args, chosen.options())
    in_file = settings_file(settings) if settings is not None else {}
    made = chosen.from_settings({**in_file, **given, **pairs(sets or [])})
    from hansu.ui.training_display import Display

    with Display(err()) as display:
        paths = (*(files or []), *map(Path, more))
        outcome = made.carry_out(found, Job(paths, output, display.tell, display.show))
    _print(outcome)
    if curves is not None:
        from hansu.learn.curves import draw

        draw(outcome.curves, curves)
        out().print(f"learning curves in {curves}")
    if outcome.stopped:
        raise KeyboardInterrupt


def _list(game: Game, found: Mapping[str, type[Recipe]]) -> None:
    for cls in found.values():
        _describe(cls)
    _say(Message("For example: {command}", command=_example(game, next(iter(found.values())))))
    _say(Message("More about one of them: {command}", command=f"hansu train {game.spec} {next(iter(found))} --help"))


def _help(game: Game, recipe: type[Recipe]) -> None:
    """What of the command line means something to this recipe."""
    from hansu.learn.recipe import Job

    usual = recipe().usual_files(game, Job())
    files = " FILE..." if recipe.reads_files else ""
    _say(Message("Usage: {command}", command=f"hansu train {game.spec} {recipe.kind}{files} [--OPTION VALUE]..."))
    _say(Message("For example: {command}", command=_example(game, recipe)))
    _describe(recipe)
    lines = [("--settings FILE.toml", Message("these options from a file, a line each: minutes = 5"))]
    lines.append(("--set KEY=VALUE", Message("one of them; goes before the file")))
    if recipe.reads_files:
        lines.insert(0, ("--from FILE", Message("a file to learn from, which may also stand by itself, as above")))
    if usual:
        text = Message("the file to write; {path}, unless it is there already, where none is named", path=usual[0])
        lines.insert(0, ("-o FILE", text))
    for flag, text in lines:
        _say(f"    {flag}  ", text)


def _example(game: Game, recipe: type[Recipe]) -> str:
    from hansu.learn.recipe import Job

    words = ["hansu", "train", game.spec, recipe.kind, *(["FILE"] if recipe.reads_files else [])]
    number = next((o for o in recipe.options() if o.kind in (int, float) and o.default), None)
    if number is not None:
        words += [_flag(number.name), f"{number.default:g}"]
    usual = recipe().usual_files(game, Job())
    return " ".join([*words, *(["-o", str(usual[0])] if usual else [])])


def _describe(recipe: type[Recipe]) -> None:
    """A recipe with its options, as they are typed."""
    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    out().print(f"[bold]{recipe.kind}[/bold]  {localize(recipe.about)}")
    for o in recipe.options():
        if o.kind is bool:
            flag = f"--no-{_flag(o.name)[2:]}" if o.default else _flag(o.name)
        else:
            flag = f"{_flag(o.name)} {'...' if o.default in (None, '') else o.default}"
        _say(f"    {flag}  ", f"{localize(o.help)} ({localize(o.range_text)})")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _say(text: str, dim: str = "") -> None:
    from rich.text import Text

    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    out().print(Text.assemble(localize(text), (localize(dim), "dim")))


def _print(outcome: TrainingResult) -> None:
    from rich.table import Table

    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    for found in outcome.tables:
        table = Table(*map(localize, found.header), box=None, header_style="dim")
        for row in found.rows:
            table.add_row(*map(localize, row))
        out().print(table)
    for path in outcome.files:
        out().print(f"{path}, {path.stat().st_size:,} bytes", markup=False)
    for note in outcome.notes:
        out().print(localize(note), markup=False)


def _about_a_run(report: Path | None, export: Path | None, game: Game | None) -> None:
    from hansu.ui.console import out

    if report is not None:
        from hansu.learn.run_report import write_report

        out().print(f"{write_report(report, game)}", markup=False)
    if export is not None:
        from hansu.learn.champion import export_champion

        path = export_champion(export)
        out().print(f"{path}, {path.stat().st_size:,} bytes", markup=False)
