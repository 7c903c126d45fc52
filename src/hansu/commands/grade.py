"""`hansu grade`: grade a student's search functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hansu.commands._arguments import AsJson
from hansu.commands._panels import LEARN
from hansu.core.file_errors import not_there
from hansu.core.message import Message


def add_to(app: typer.Typer) -> None:
    app.command("grade", rich_help_panel=LEARN)(run)


def run(
    file: Annotated[Path, typer.Argument(help="The student's Python file.")],
    cut: Annotated[
        str,
        typer.Option("--cut", help="The expected alpha-beta: `tie` cuts at beta <= alpha, `strict` at beta < alpha."),
    ] = "tie",
    as_json: AsJson = False,
) -> None:
    """Grade a file with minimax, expectimax, alphabeta, depth_limited and an agent: values, actions, visited nodes.

    [dim]See[/dim] docs/guide/grading.md [dim]for the functions to define. A missing function gets no points.[/dim]

    [dim]For example:[/dim] hansu grade my_agent.py --cut strict
    """
    from hansu.arena.grader import Grader
    from hansu.core import HansuError
    from hansu.core.terminal_language import localize
    from hansu.protocols.program import closed_to_others
    from hansu.ui.console import out

    if not file.is_file():
        raise not_there(file)
    if cut not in ("tie", "strict"):
        raise HansuError("{given} is unknown", "one of: {names}", given=f"--cut {cut}", names="tie, strict")
    closed_to_others()
    marks = [mark.as_json() for mark in Grader(file, cut == "tie").marks()]
    total, most = sum(m["points"] for m in marks), sum(m["out_of"] for m in marks)
    if as_json:
        print(json.dumps({"points": total, "out_of": most, "exercises": marks}, ensure_ascii=False))
        return
    from rich.table import Table

    heads = Message("exercise"), Message("points"), Message("expected"), Message("result")
    table = Table(*map(localize, heads), box=None, header_style="dim")
    for m in marks:
        color = "green" if m["points"] == m["out_of"] else "yellow" if m["points"] else "red"
        points = f"[{color}]{m['points']:g}[/{color}] / {m['out_of']:g}"
        table.add_row(
            localize(m["exercise"]), points, *(_truncated(localize(m[name])) for name in ("expected", "came"))
        )
    out().print(table)
    out().print(localize(Message("{points:g} of {most:g} points", points=total, most=most)), style="bold", markup=False)


def _truncated(text: str, most: int = 300) -> str:
    from rich.markup import escape

    return escape(text if len(text) <= most else text[:most] + " ...")
