"""`hansu train`: learn a model for a game from data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def add_to(app: typer.Typer) -> None:
    app.command("train")(run)


def run(
    game: Annotated[str, typer.Argument(help="A game's name.")],
    recipe: Annotated[str, typer.Argument(help="What to train: mlp, svm or best for connect_four.")],
    data: Annotated[Path, typer.Option("--data", help="The rows to learn from.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The model; RECIPE.onnx if not given.")] = None,
    curves: Annotated[Path | None, typer.Option("--curves", help="A picture of the curves (.svg, .png).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the split and of the training.", min=0)] = 1,
    side: Annotated[bool, typer.Option("--side/--no-side", help="The report's side experiments too.")] = True,
    epochs: Annotated[int, typer.Option("--epochs", help="0 leaves it to the recipe.")] = 0,
) -> None:
    """Train a model, measure it on rows that it has not seen, and write it as ONNX.

    [dim]For example:[/dim] hansu train connect_four mlp --data connect-4.data.gz --curves curves.svg
    """
    from hansu.core import HansuError
    from hansu.core.options import did_you_mean
    from hansu.learn.recipes import recipes
    from hansu.ui.console import err, out

    found = recipes(game)
    known = found.RECIPES
    if recipe not in known:
        raise HansuError(f"{game} has no recipe {recipe!r}", did_you_mean(recipe, known, "recipes"))
    if output is None:
        output = Path(f"{recipe}.onnx")
    settings: dict[str, Any] = {"side": side}
    if epochs and recipe != "svm":
        settings["epochs"] = epochs
    outcome = known[recipe](found.read(data), output, seed, lambda text: err().print(f"[dim]{text}[/dim]"), **settings)
    from rich.table import Table

    table = Table("classifier", "accuracy", "precision", "recall", "F1", box=None, header_style="dim")
    for name, m in outcome.rows:
        table.add_row(name, *(f"{value:.4f}" for value in (m.accuracy, m.precision, m.recall, m.f1)))
    out().print(table)
    for name, m in outcome.rows:
        if m.confusion:
            classes = outcome.classes[name]
            table = Table(f"{name}: true", *classes, box=None, header_style="dim")
            for true, counts in zip(classes, m.confusion, strict=True):
                table.add_row(true, *(f"{count:,}" for count in counts))
            out().print(table)
    if curves is not None:
        from hansu.learn.curves import draw

        draw(outcome.curves, curves)
        out().print(f"learning curves in {curves}")
    out().print(f"{outcome.model}, {outcome.model.stat().st_size:,} bytes")
