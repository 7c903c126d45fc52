"""`hansu train`: train a player, a network or a classifier with one of the game's recipes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hansu.commands._panels import LEARN
from hansu.core.message import Message

if TYPE_CHECKING:
    from hansu.core import Game
    from hansu.learn.recipe import Recipe, TrainingResult

# Every option of a recipe is also a flag, so this command passes on flags that it does not know.
LENIENT = {"allow_extra_args": True, "ignore_unknown_options": True}
HELP = {"-h", "--help"}


def add_to(app: typer.Typer) -> None:
    app.command("train", rich_help_panel=LEARN, context_settings=LENIENT, add_help_option=False)(run)


def run(
    context: typer.Context,
    game: Annotated[str, typer.Argument(help="Name of a game or path to its file, with options.")] = "",
    recipe: Annotated[str, typer.Argument(help="Recipe to run; without one, the recipes of the game are listed.")] = "",
    files: Annotated[
        list[Path] | None, typer.Option("--from", "--data", help="File of training data; can be repeated.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
    settings: Annotated[Path | None, typer.Option("--settings", help="TOML file with options of the recipe.")] = None,
    sets: Annotated[
        list[str] | None, typer.Option("--set", help="An option of the recipe: key=value; overrides --settings.")
    ] = None,
    curves: Annotated[
        Path | None, typer.Option("--curves", help="Draw the learning curves to this file (.svg, .png).")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", help="Write a report page of this run's folder (for your own game, name the game, too)."
        ),
    ] = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write the best network of this run's folder as ONNX.")
    ] = None,
) -> None:
    """Train a player, a network or a classifier for a game. Every option of a recipe is also a flag.

    [dim]List the recipes of a game:[/dim] hansu train connect_four

    [dim]By self-play:[/dim] hansu train connect_four alphazero --minutes 10

    [dim]From data:[/dim] hansu train connect_four mlp --data connect-4.data.gz --curves curves.svg
    """
    wants_help = bool(HELP & {game, recipe, *context.args})  # the recipe knows its options
    if wants_help and (not game or game in HELP):
        typer.echo(context.get_help())
        return
    from hansu.compile.notices import announce_compiling
    from hansu.core import HansuError, registry
    from hansu.learn.recipe import Job, flags, pairs, recipe_named, recipes, settings_file
    from hansu.ui.console import err, out

    if report is not None or export is not None:
        _report_or_export(report, export, registry.game(game) if game else None)
        return
    if not game:
        raise HansuError("name a game to train for", "hansu train connect_four lists its recipes")
    announce_compiling()
    rules = registry.game(game)
    if not recipe or recipe in HELP:
        _list(rules, recipes(rules))
        return
    recipe_class = recipe_named(recipe, rules)
    if wants_help:
        _help(rules, recipe_class)
        return
    from_flags, more = flags(context.args, recipe_class.options())
    from_file = settings_file(settings) if settings is not None else {}
    job = recipe_class.from_settings({**from_file, **from_flags, **pairs(sets or [])})
    from hansu.ui.training_display import Display

    with Display(err()) as display:
        paths = (*(files or []), *map(Path, more))
        result = job.carry_out(rules, Job(paths, output, display.tell, display.show))
    _print(result)
    if curves is not None:
        from hansu.learn.curves import draw

        draw(result.curves, curves)
        out().print(f"learning curves in {curves}")
    if result.stopped:
        raise KeyboardInterrupt


def _list(game: Game, known: Mapping[str, type[Recipe]]) -> None:
    for cls in known.values():
        _describe(cls)
    _say(Message("For example: {command}", command=_example(game, next(iter(known.values())))))
    _say(Message("Options of a recipe: {command}", command=f"hansu train {game.spec} {next(iter(known))} --help"))


def _help(game: Game, recipe: type[Recipe]) -> None:
    """Print the usage and the options of a recipe."""
    from hansu.learn.recipe import Job

    usual = recipe().usual_files(game, Job())
    files = " FILE..." if recipe.reads_files else ""
    _say(Message("Usage: {command}", command=f"hansu train {game.spec} {recipe.kind}{files} [--OPTION VALUE]..."))
    _say(Message("For example: {command}", command=_example(game, recipe)))
    _describe(recipe)
    lines = [("--settings FILE.toml", Message("file with these options, one per line: minutes = 5"))]
    lines.append(("--set KEY=VALUE", Message("one of these options; overrides the file")))
    if recipe.reads_files:
        lines.insert(0, ("--from FILE", Message("file of training data; --from can be left out, as above")))
    if usual:
        text = Message("file to write; by default {path}, unless that exists", path=usual[0])
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
    """Print a recipe with its options as flags."""
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


def _print(result: TrainingResult) -> None:
    from rich.table import Table

    from hansu.core.terminal_language import localize
    from hansu.ui.console import out

    for each in result.tables:
        table = Table(*map(localize, each.header), box=None, header_style="dim")
        for row in each.rows:
            table.add_row(*map(localize, row))
        out().print(table)
    for path in result.files:
        out().print(f"{path}, {path.stat().st_size:,} bytes", markup=False)
    for note in result.notes:
        out().print(localize(note), markup=False)


def _report_or_export(report: Path | None, export: Path | None, game: Game | None) -> None:
    from hansu.ui.console import out

    if report is not None:
        from hansu.learn.run_report import write_report

        out().print(f"{write_report(report, game)}", markup=False)
    if export is not None:
        from hansu.learn.champion import export_champion

        path = export_champion(export)
        out().print(f"{path}, {path.stat().st_size:,} bytes", markup=False)
