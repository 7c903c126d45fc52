"""`hansu grade`: points for a student's own search."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hansu.commands._arguments import AsJson


def add_to(app: typer.Typer) -> None:
    app.command("grade")(run)


def run(
    file: Annotated[Path, typer.Argument(help="The student's Python file.")],
    cut: Annotated[
        str, typer.Option("--cut", help="Which alpha-beta is wanted: `tie` cuts at beta <= alpha, `strict` at <.")
    ] = "tie",
    as_json: AsJson = False,
) -> None:
    """Grade a file with minimax, expectimax, alphabeta, depth_limited and an agent: values, actions, exact visits.

    [dim]What to define is told by[/dim] docs/grading.md. [dim]What is missing gets no points.[/dim]

    [dim]For example:[/dim] hansu grade my_agent.py --cut strict
    """
    from hansu.arena.lesson import exercises
    from hansu.core import HansuError
    from hansu.core.errors import PlayerFault
    from hansu.protocols.process import Outside
    from hansu.ui.console import out

    if not file.is_file():
        raise HansuError(f"there is no file {file}")
    if cut not in ("tie", "strict"):
        raise HansuError(f"--cut {cut} is unknown", "tie or strict")
    worker: Outside | None = None
    marks: list[dict[str, Any]] = []
    try:
        for number, exercise in enumerate(exercises(cut == "tie")):
            try:
                if worker is None or not worker.alive:
                    command = [sys.executable, "-m", "hansu.arena.grade_worker", str(file.resolve()), cut]
                    worker = Outside(command, file.name)
                    ready = json.loads(worker.read(60))
                    if "error" in ready:
                        raise HansuError(ready["error"])
                worker.send(str(number))
                marks.append(json.loads(worker.read(exercise.seconds)))
            except PlayerFault as fault:
                lost = {"exercise": exercise.name, "points": 0, "out_of": exercise.out_of, "expected": ""}
                marks.append({**lost, "came": fault.what})
    finally:
        if worker is not None:
            worker.kill()
    total, most = sum(m["points"] for m in marks), sum(m["out_of"] for m in marks)
    if as_json:
        print(json.dumps({"points": total, "out_of": most, "exercises": marks}, ensure_ascii=False))
        return
    from rich.table import Table

    table = Table("exercise", "points", "expected", "came", box=None, header_style="dim")
    for m in marks:
        color = "green" if m["points"] == m["out_of"] else "yellow" if m["points"] else "red"
        points = f"[{color}]{m['points']:g}[/{color}] / {m['out_of']:g}"
        table.add_row(m["exercise"], points, _shortened(m["expected"]), _shortened(m["came"]))
    out().print(table)
    out().print(f"[bold]{total:g} of {most:g} points[/bold]")


def _shortened(text: str, most: int = 300) -> str:
    from rich.markup import escape

    return escape(text if len(text) <= most else text[:most] + " ...")
