"""`hansu solve triangles`: exact values of boards."""

from __future__ import annotations

import json
import sys
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.game_extensions import Commands
from hansu.core.message import Message
from hansu.core.reading import lines_of
from hansu.core.terminal_language import localize

BOARD = '{"points": [[0, 0], [3, 1], [1, 4]]}'
HINT = Message("a board is {example}", example=BOARD)


def add_to(commands: Commands) -> None:
    commands.add("solve triangles", solve)


def solve() -> None:
    """Exact values of boards, from standard input, a JSON line each.

    [dim]In:[/dim]  {"points": [[0, 0], [3, 1], [1, 4]], "drawn": [[[0, 0], [3, 1]]]}

    (what is drawn was played in turn; it may be left out)

    [dim]Out:[/dim] {"value": 1, "line": [[[0, 0], [1, 4]], ...], "nodes": 3}

    The value is the first player's triangles less the second's over the whole game. 9 points take seconds, 10 may take
    half a minute, and each point more about ten times as long.
    """
    from hansu.compile.notices import announce_compiling
    from hansu.games.triangles.solver import TrianglesSolver

    if sys.stdin.isatty():
        text = Message("reading boards, a JSON line each, as {example}; Ctrl-D ends", example=BOARD)
        print(localize(text), file=sys.stderr)
    announce_compiling()
    solver = TrianglesSolver()
    for number, line in enumerate(lines_of(sys.stdin), 1):
        if line.strip():
            print(json.dumps(answer(line, Message("line {number}", number=number), solver)), flush=True)


def answer(line: str, where: str, solver: Any) -> dict[str, Any]:
    """The answer to one line of input."""
    from hansu.games.triangles.boards import checked, first_state, table_of
    from hansu.games.triangles.notation import board_points, ends, segment_number
    from hansu.games.triangles.rules import legal, play

    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        raise HansuError("{where}: not JSON", "a board is {example}", where=where, example=BOARD) from None
    if not isinstance(asked, dict) or not isinstance(asked.get("points"), list):
        raise HansuError("{where}: no list of points", "a board is {example}", where=where, example=BOARD)
    unknown = set(asked) - {"points", "drawn"}
    if unknown:
        raise HansuError(f"{where}: unknown key {min(unknown)!r}", "known: points, drawn")
    drawn = asked.get("drawn") or []
    if not isinstance(drawn, list):
        raise HansuError(f"{where}: drawn is not a list of segments", "a segment is [[0, 0], [3, 1]]")
    given = [_point(point, where) for point in asked["points"]]
    try:
        points = checked(given)
    except HansuError as error:
        raise HansuError(f"{where}: {error.what.removeprefix('triangles: ')}", error.hint) from None
    board = table_of(points)
    state = first_state(board)
    for segment in drawn:
        if not isinstance(segment, list) or len(segment) != 2:
            raise HansuError(f"{where}: {segment!r} is not a segment", "a segment is [[0, 0], [3, 1]]")
        numbers = [points.index(p) if p in points else -1 for p in (_point(p, where) for p in segment)]
        e = segment_number(state, *numbers) if min(numbers) >= 0 else -1
        if e < 0 or not legal(state, e):
            raise HansuError(f"{where}: {segment} cannot be drawn there", "see the rules in docs/games/triangles.md")
        state = play(state, e)
    found = solver.solve(state)
    named = board_points(state)
    shown = [[list(named[i]) for i in ends(state, e)] for e in found.line]
    return {"value": found.value, "line": shown, "nodes": found.nodes}


def _point(point: Any, where: str) -> tuple[int, int]:
    if isinstance(point, list) and len(point) == 2 and all(type(c) is int for c in point):
        return point[0], point[1]
    raise HansuError(f"{where}: {point!r} is not a point", "a point is two whole numbers, [3, 1]")
