"""Boards in a terminal with colours: everything is visible."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from support.commands import ROOT

from hansu.core import registry
from hansu.scene.ansi import ansi

SHEET = (22, 24, 29)  # a dark terminal
EXAMPLES = sorted(str(path) for path in (ROOT / "examples" / "games").glob("*.py"))
Colour = tuple[int, int, int]


def characters(text: str) -> Iterator[list[tuple[str, Colour | None, Colour]]]:
    """Per line: each character, its colour (None: the terminal's own) and its background."""
    for line in text.splitlines():
        row = []
        for codes, written in re.findall(r"(?:\x1b\[([0-9;]+)m)?([^\x1b]+)(?:\x1b\[0m)?", line):
            ink, ground = (re.search(rf"{kind};2;(\d+);(\d+);(\d+)", codes) for kind in (38, 48))
            row += [(char, ink and numbers(ink), numbers(ground) if ground else SHEET) for char in written]
        yield row


def numbers(match: re.Match[str]) -> Colour:
    return int(match[1]), int(match[2]), int(match[3])


def contrast(a: Colour, b: Colour) -> float:
    """As defined in https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio."""

    def luminance(colour: Colour) -> float:
        r, g, b = (c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    return (max(luminance(a), luminance(b)) + 0.05) / (min(luminance(a), luminance(b)) + 0.05)


@pytest.mark.parametrize("spec", [*registry.names(), *EXAMPLES])
def test_letters_and_marks_are_readable(spec: str) -> None:
    game = registry.game(spec)
    for plies in (0, 1, 4, 9):
        for row in characters(ansi(game.random_position(plies, seed=plies).scene)):
            for char, ink, ground in row:
                if char == " " or ink is None or ink == ground:  # a wall is background only
                    continue
                least = 4.5 if char.isalnum() else 2.0 if char in "─│┼" else 3.0
                assert contrast(ink, ground) >= least, (char, ink, ground)


@pytest.mark.parametrize(("spec", "moves"), [("renju", "h8 i9"), (f"{ROOT}/examples/games/othello.py", "start")])
def test_black_and_white_stay_distinct(spec: str, moves: str) -> None:
    """Colours are adjusted for contrast, but a black stone never looks like a white one."""
    rows = characters(ansi(registry.game(spec).position(moves).scene))
    stones = {char: ink for row in rows for char, ink, ground in row if char in "XO" and ground != SHEET}
    assert stones["X"] and stones["O"] and contrast(stones["X"], stones["O"]) > 15


@pytest.mark.parametrize(("spec", "square", "beyond"), [("tictactoe", "[1-9]", (1, 2)), ("renju", "[┼XO]", (0, None))])
def test_a_board_has_the_same_edge_on_both_sides(spec: str, square: str, beyond: tuple[int | None, ...]) -> None:
    """Rows and columns of background beyond the first and the last square."""
    rows = list(characters(ansi(registry.game(spec).first.scene)))
    ground = [(y, x) for y, row in enumerate(rows) for x, (_, _, under) in enumerate(row) if under != SHEET]
    squares = [(y, x) for y, x in ground if re.fullmatch(square, rows[y][x][0])]
    for axis, margin in enumerate(beyond):
        low, high = (edge(at[axis] for at in squares) - edge(at[axis] for at in ground) for edge in (min, max))
        assert margin is None or (low, -high) == (margin, margin)
