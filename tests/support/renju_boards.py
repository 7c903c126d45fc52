"""Renju positions and helpers for tests."""

from __future__ import annotations

import random

from hansu.core import Position, registry
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.notation import read_cell
from hansu.games.renju.state import BLACK, WHITE
from support.vcf_oracle import Board, bits_of, windows


def named(settings: str, position: str = "") -> Position:
    game = registry.game("renju").with_settings(dict(part.split("=") for part in settings.split(",") if part))
    return game.position(position) if position else game.first


STUCK = "XXX.XX/OOXXOO/XXOOXX/OOXXOO/XXOOXX/OOXXOO"  # the only empty cell would make six


Stones = list[tuple[int, int]]


def both_sides(stones: Stones, side: int) -> tuple[int, int]:
    """The oracle's (mine, theirs)."""
    mine, theirs = (bits_of(cell for cell, colour in stones if colour == c) for c in (side, 1 - side))
    return mine, theirs


def crowd(generator: random.Random, size: int = 15) -> Stones:
    """Random stones in a part of the board. Neither side has or can make five."""
    board = Board("freestyle", size)
    while True:
        reach = generator.randint(3, 5)
        x, y = generator.randrange(size), generator.randrange(size)
        field = [b * size + a for a in range(size) for b in range(size) if abs(a - x) <= reach and abs(b - y) <= reach]
        count = generator.randint(len(field) // 4, len(field) // 2)
        stones = [(cell, i & 1) for i, cell in enumerate(generator.sample(field, count))]
        black, white = both_sides(stones, BLACK)
        if not board.five_points(black, white, BLACK) and not board.five_points(white, black, WHITE):
            if not any(five & black == five or five & white == five for five, _ in windows(size)):
                return stones


def cells(text: str, size: int = 15) -> list[int]:
    numbers = [read_cell(word, size) for word in text.split()]
    assert None not in numbers
    return [cell for cell in numbers if cell is not None]


def stones_at(black: str, white: str = "") -> Stones:
    return [(cell, BLACK) for cell in cells(black)] + [(cell, WHITE) for cell in cells(white)]


def searcher(rule: str, size: int = 15) -> RenjuSearcher:
    return RenjuSearcher(rule, size, 1)
