"""`hansu solve triangles`: exact values of boards."""

from __future__ import annotations

import json
import sys
from typing import Any

from hansu.core.errors import HansuError, shortened
from hansu.core.game_extensions import Commands
from hansu.core.message import Message
from hansu.core.reading import lines_of
from hansu.core.terminal_language import localize

BOARD = '{"points": [[0, 0], [3, 1], [1, 4]]}'
SEGMENT_HINT = Message("a segment is [[0, 0], [3, 1]]")


def add_to(commands: Commands) -> None:
    commands.add("solve triangles", solve)


def solve() -> None:
    """Compute exact values of boards. Reads one JSON line per board from standard input.

    [dim]In:[/dim]  {"points": [[0, 0], [3, 1], [1, 4]], "drawn": [[[0, 0], [3, 1]]]}

    (`drawn` lists the segments played so far, in turn; it is optional)

    [dim]Out:[/dim] {"value": 1, "line": [[[0, 0], [1, 4]], ...], "nodes": 3}

    The value is the first player's triangles minus the second's over the whole game. 9 points take seconds, 10 may take
    half a minute, and each further point about ten times as long.
    """
    from hansu.compile.notices import announce_compiling
    from hansu.games.triangles.solver import TrianglesSolver

    if sys.stdin.isatty():
        text = Message("reading one board per line as JSON, like {example}; Ctrl-D ends the input", example=BOARD)
        print(localize(text), file=sys.stderr)
    announce_compiling()
    solver = TrianglesSolver()
    for number, line in enumerate(lines_of(sys.stdin), 1):
        if line.strip():
            print(json.dumps(solve_line(line, Message("line {number}", number=number), solver)), flush=True)


def solve_line(line: str, where: str, solver: Any) -> dict[str, Any]:
    """The output for one line of input."""
    from hansu.games.triangles.boards import checked, first_state, table_of
    from hansu.games.triangles.notation import board_points, ends, segment_number
    from hansu.games.triangles.rules import legal, play

    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise HansuError("{where}: not JSON", "a board is {example}", where=where, example=BOARD) from None
    if not isinstance(data, dict) or not isinstance(data.get("points"), list):
        raise HansuError("{where}: no list of points", "a board is {example}", where=where, example=BOARD)
    unknown = set(data) - {"points", "drawn"}
    if unknown:
        raise HansuError("{where}: unknown key {key!r}", "known: points, drawn", where=where, key=min(unknown))
    drawn = data.get("drawn") or []
    if not isinstance(drawn, list):
        raise HansuError("{where}: drawn is not a list of segments", SEGMENT_HINT, where=where)
    listed = [_point(point, where) for point in data["points"]]
    try:
        points = checked(listed)
    except HansuError as error:
        raise HansuError("{where}: {error}", error.hint, where=where, error=error.what) from None
    board = table_of(points)
    state = first_state(board)
    for segment in drawn:
        if not isinstance(segment, list) or len(segment) != 2:
            raise HansuError(
                "{where}: {segment} is not a segment", SEGMENT_HINT, where=where, segment=shortened(segment)
            )
        numbers = [points.index(p) if p in points else -1 for p in (_point(p, where) for p in segment)]
        e = segment_number(state, *numbers) if min(numbers) >= 0 else -1
        if e < 0 or not legal(state, e):
            raise HansuError(
                "{where}: {segment} cannot be drawn there",
                "see the rules in docs/games/triangles.md",
                where=where,
                segment=segment,
            )
        state = play(state, e)
    solution = solver.solve(state)
    coordinates = board_points(state)
    segments = [[list(coordinates[i]) for i in ends(state, e)] for e in solution.line]
    return {"value": solution.value, "line": segments, "nodes": solution.nodes}


def _point(point: Any, where: str) -> tuple[int, int]:
    if isinstance(point, list) and len(point) == 2 and all(type(c) is int for c in point):
        return point[0], point[1]
    raise HansuError(
        "{where}: {point} is not a point", "a point is two integers: [3, 1]", where=where, point=shortened(point)
    )
