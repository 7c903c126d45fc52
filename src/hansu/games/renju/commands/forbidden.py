"""`hansu forbidden`: where black may not play, in one position or in a stream of them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from hansu.core.errors import HansuError
from hansu.core.game_extensions import Commands
from hansu.core.message import Message
from hansu.core.reading import LONGEST_LINE
from hansu.core.terminal_language import localize

KINDS = {
    "double_three": Message("double three"),
    "double_four": Message("double four"),
    "overline": Message("overline"),
}
BOARD_HINT = '{"board": [15 strings of X, O and .]} or {"moves": ["h8", "i9"]}'


def add_to(commands: Commands) -> None:
    commands.add("forbidden", forbidden)


def forbidden(
    position: Annotated[
        str, typer.Argument(help="Moves (h8 i9 g7), or a board: rows of X, O and . with / between; - for JSON lines.")
    ] = "-",
    size: Annotated[int, typer.Option("--size", min=5, max=20, help="Rows and columns, where moves are given.")] = 15,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as a line of the stream.")] = False,
) -> None:
    """Black's forbidden points in Renju with their kinds, and the points where black wins with five.

    Without a position it reads JSON lines from standard input:

      {"board": [15 strings, the top row first, X black, O white, . empty]} or {"moves": ["h8", "i9", ...]}

    and answers each with one line:

      {"forbidden": [{"point": "h8", "kinds": ["double_three"]}, ...], "fives": ["g7", ...]}

    A line that cannot be read is answered with {"error": "..."} and told on standard error; the exit code is then 2.

    [dim]For example:[/dim] hansu forbidden "h8 a1 j8 a3 i9 a5 i7 a7"
    """
    from hansu.compile.notices import announce_compiling

    announce_compiling()
    if position == "-":
        answer_stream(size)
        return
    stones, last = read_text(position, size)
    kinds = judged(stones)
    print(json.dumps(answer_of(kinds)) if as_json else picture(stones, last, kinds))


def answer_stream(size: int) -> None:
    if sys.stdin.isatty():
        text = Message("reading positions, a JSON line each, as {example}; Ctrl-D ends", example=BOARD_HINT)
        print(localize(text), file=sys.stderr)
    failed = False
    number = 0
    for lines in as_they_come(sys.stdin.buffer):
        answers = []
        for line in lines:
            number += 1
            if not line.strip():
                continue
            try:
                answers.append(json.dumps(answer_of(judged(read_line(line, size)))))
            except HansuError as error:
                answers.append(json.dumps({"error": str(error)}))
                print(f"error: line {number}: {error}", file=sys.stderr)
                failed = True
        print("".join(f"{answer}\n" for answer in answers), end="", flush=True)
    if failed:
        raise typer.Exit(2)


def as_they_come(stream: Any) -> Iterator[list[bytes]]:
    """The lines of a stream, as many at once as have arrived: nobody waits, and a file is not answered in driblets."""
    rest = b""
    while chunk := stream.read1(1 << 16):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise HansuError(f"a line is longer than {LONGEST_LINE:,} bytes", BOARD_HINT)
        yield lines
    yield [rest]


def read_line(line: bytes, size: int) -> str:
    """The stones of one line of the stream: X, O and dots from the top left."""
    from hansu.games.renju.notation import read_rows

    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        raise HansuError("not JSON", BOARD_HINT) from None
    keys = {"board", "moves"} & set(asked) if isinstance(asked, dict) else ()
    if len(keys) != 1:
        raise HansuError("both a board and moves" if keys else "neither a board nor moves", BOARD_HINT)
    key = min(keys)
    if not isinstance(asked[key], list) or not all(isinstance(text, str) for text in asked[key]):
        raise HansuError(f"{key} is not a list of strings", BOARD_HINT)
    return "".join(read_rows(asked[key])) if key == "board" else after_moves(asked[key], size)[0]


def read_text(text: str, size: int) -> tuple[str, int | None]:
    """The stones of a position as people write it, and the last one put where moves tell it."""
    from hansu.games.renju.notation import board_rows, match_board, split_moves

    found = match_board(text)
    if found is not None:
        return "".join(board_rows(found)), None
    return after_moves([] if text.strip() == "start" else split_moves(text), size)


def after_moves(moves: list[str], size: int) -> tuple[str, int | None]:
    """Stones put in turn, black first. Whether each move was allowed is not asked: records hold mistakes too."""
    from hansu.games.renju.notation import FREE, no_cell, read_cell

    stones = ["."] * (size * size)
    last = None
    for turn, move in enumerate(moves):
        if move.lower() == "pass":
            continue
        last = read_cell(move, size)
        if last is None:
            raise no_cell(move, size)
        if stones[last] != ".":
            taken = Message("{move}: a stone lies there already", move=move)
            raise HansuError("move {number}: {what}", FREE, number=turn + 1, what=taken)
        stones[last] = "XO"[turn % 2]
    return "".join(stones), last


def judged(stones: str) -> Any:
    """Of each cell: FIVE, or the kinds for which black may not play there."""
    import numpy as np

    from hansu.games.renju.forbidden import judge_board

    size = int(len(stones) ** 0.5)
    board = np.frombuffer(stones.translate({46: 0, 88: 1, 79: 2}).encode(), np.int8)
    out = np.zeros(size * size, np.int8)
    judge_board(board, size, out)
    return out


def answer_of(kinds: Any) -> dict[str, Any]:
    from hansu.games.renju.forbidden import FIVE, kind_names
    from hansu.games.renju.notation import cell_text

    size = int(len(kinds) ** 0.5)
    found = [(cell_text(cell, size), int(kinds[cell])) for cell in kinds.nonzero()[0].tolist()]
    return {
        "forbidden": [{"point": point, "kinds": kind_names(kind)} for point, kind in found if kind != FIVE],
        "fives": [point for point, kind in found if kind == FIVE],
    }


def picture(stones: str, last: int | None, kinds: Any) -> str:
    """The board with its marks, and the points in words."""
    from hansu.games.renju.drawing import board_scene
    from hansu.games.renju.forbidden import FIVE
    from hansu.scene.ansi import ansi

    size = int(len(stones) ** 0.5)
    cells = {cell: int(kinds[cell]) for cell in kinds.nonzero()[0].tolist()}
    shown = {cell: kind for cell, kind in cells.items() if kind != FIVE}
    scene = board_scene(size, stones, shown, (), last, fives=[cell for cell in cells if cell not in shown])
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    answer = answer_of(kinds)
    lines = [
        f"{entry['point']}: {', '.join(localize(KINDS[kind]) for kind in entry['kinds'])}"
        for entry in answer["forbidden"]
    ]
    if answer["fives"]:
        lines.append(localize(Message("black wins with five at {points}", points=", ".join(answer["fives"]))))
    return "\n".join([ansi(scene, color=color), *(lines or [localize(Message("nothing is forbidden"))])])
