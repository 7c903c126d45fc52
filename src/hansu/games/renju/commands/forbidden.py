"""`hansu forbidden`: black's forbidden points in one position or in a stream of positions."""

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

EXAMPLE = '{"moves": ["h8", "i9"]}'
BOARD_HINT = Message("a line is {board} or {moves}", board='{"board": [15 strings of X, O and .]}', moves=EXAMPLE)


def add_to(commands: Commands) -> None:
    commands.add("forbidden", forbidden)


def forbidden(
    position: Annotated[
        str,
        typer.Argument(
            help="Moves (h8 i9 g7), or a board: rows of X, O and . separated by slashes; - reads JSON lines."
        ),
    ] = "-",
    size: Annotated[int, typer.Option("--size", min=5, max=20, help="Board size for a list of moves.")] = 15,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List black's forbidden points in Renju with their kinds, and the points where black wins with five.

    Without a position the command reads JSON lines from standard input:

      {"board": [15 strings, the top row first, X black, O white, . empty]} or {"moves": ["h8", "i9", ...]}

    and answers each with one line:

      {"forbidden": [{"point": "h8", "kinds": ["double_three"]}, ...], "fives": ["g7", ...]}

    An invalid line is answered with {"error": "..."} and reported on standard error. The exit code is then 2.

    [dim]For example:[/dim] hansu forbidden "h8 a1 j8 a3 i9 a5 i7 a7"
    """
    from hansu.compile.notices import announce_compiling

    announce_compiling()
    if position == "-":
        answer_stream(size)
        return
    stones, last = read_text(position, size)
    kinds = kinds_of(stones)
    print(json.dumps(as_dict(kinds)) if as_json else board_text(stones, last, kinds))


def answer_stream(size: int) -> None:
    """Answer the JSON lines of standard input."""
    if sys.stdin.isatty():
        text = Message("reading one JSON position per line, such as {example}; press Ctrl-D to end", example=EXAMPLE)
        print(localize(text), file=sys.stderr)
    failed = False
    number = 0
    for lines in available_lines(sys.stdin.buffer):
        answers = []
        for line in lines:
            number += 1
            if not line.strip():
                continue
            try:
                answers.append(json.dumps(as_dict(kinds_of(read_line(line, size)))))
            except HansuError as error:
                answers.append(json.dumps({"error": str(error)}))
                print(f"error: line {number}: {error}", file=sys.stderr)
                failed = True
        print("".join(f"{answer}\n" for answer in answers), end="", flush=True)
    if failed:
        raise typer.Exit(2)


def available_lines(stream: Any) -> Iterator[list[bytes]]:
    """Yield all lines that have arrived. A person gets each answer at once, and a file is answered in large batches."""
    rest = b""
    while chunk := stream.read1(1 << 16):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise HansuError("a line is longer than {limit:,} bytes", BOARD_HINT, limit=LONGEST_LINE)
        yield lines
    yield [rest]


def read_line(line: bytes, size: int) -> str:
    """The stones of one line of the stream, as X, O and dots from the top left."""
    from hansu.games.renju.notation import read_rows

    try:
        position = json.loads(line)
    except (ValueError, RecursionError):
        raise HansuError("not JSON", BOARD_HINT) from None
    keys = {"board", "moves"} & set(position) if isinstance(position, dict) else set()
    if not keys:
        raise HansuError("there is neither a board nor a list of moves", BOARD_HINT)
    if len(keys) > 1:
        raise HansuError("there are both a board and moves", BOARD_HINT)
    key = min(keys)
    value = position[key]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise HansuError("{key} is not a list of strings", BOARD_HINT, key=key)
    return "".join(read_rows(value)) if key == "board" else after_moves(value, size)[0]


def read_text(text: str, size: int) -> tuple[str, int | None]:
    """The stones of a position given on the command line, and the cell of the last move where moves are given."""
    from hansu.games.renju.notation import board_rows, match_board, split_moves

    match = match_board(text)
    if match is not None:
        return "".join(board_rows(match)), None
    return after_moves([] if text.strip() == "start" else split_moves(text), size)


def after_moves(moves: list[str], size: int) -> tuple[str, int | None]:
    """The stones after moves in turn, black first. Forbidden moves are accepted, because game records contain them."""
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
            taken = Message("{move} is already taken", move=move)
            raise HansuError("move {number}: {what}", FREE, number=turn + 1, what=taken)
        stones[last] = "XO"[turn % 2]
    return "".join(stones), last


def kinds_of(stones: str) -> Any:
    """int8[size * size]: for each cell FIVE, or the kinds for which black may not play there; 0 if black may."""
    import numpy as np

    from hansu.games.renju.forbidden import judge_board

    size = int(len(stones) ** 0.5)
    board = np.frombuffer(stones.translate({46: 0, 88: 1, 79: 2}).encode(), np.int8)
    out = np.zeros(size * size, np.int8)
    judge_board(board, size, out)
    return out


def as_dict(kinds: Any) -> dict[str, Any]:
    """The answer that is printed as JSON."""
    from hansu.games.renju.forbidden import FIVE, kind_names
    from hansu.games.renju.notation import cell_text

    size = int(len(kinds) ** 0.5)
    points = [(cell_text(cell, size), int(kinds[cell])) for cell in kinds.nonzero()[0].tolist()]
    return {
        "forbidden": [{"point": point, "kinds": kind_names(kind)} for point, kind in points if kind != FIVE],
        "fives": [point for point, kind in points if kind == FIVE],
    }


def board_text(stones: str, last: int | None, kinds: Any) -> str:
    """The board with its marks, followed by the list of marked points."""
    from hansu.games.renju.drawing import board_scene
    from hansu.games.renju.forbidden import FIVE
    from hansu.games.renju.notation import cell_text, kinds_text
    from hansu.scene.ansi import ansi

    size = int(len(stones) ** 0.5)
    cells = {cell: int(kinds[cell]) for cell in kinds.nonzero()[0].tolist()}
    forbidden_cells = {cell: kind for cell, kind in cells.items() if kind != FIVE}
    fives = [cell for cell in cells if cell not in forbidden_cells]
    scene = board_scene(size, stones, forbidden_cells, (), last, fives=fives)
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    answer = as_dict(kinds)
    lines = [f"{cell_text(cell, size)}: {localize(kinds_text(kind))}" for cell, kind in forbidden_cells.items()]
    if answer["fives"]:
        lines.append(localize(Message("black wins with five at {points}", points=", ".join(answer["fives"]))))
    return "\n".join([ansi(scene, color=color), *(lines or [localize(Message("black has no forbidden points"))])])
