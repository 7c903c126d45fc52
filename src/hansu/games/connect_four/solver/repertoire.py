"""A repertoire: a best column for every position of up to 12 stones that can arise if one side always plays the
repertoire's columns and the other side plays anything. It has 15,589 positions of up to 12 stones; the book has 129,498
positions of up to 8 stones. The file is like the book's, without scores:

    keys     int64[n]   sorted; see `standard_board`
    moves    int8[n]    a best column of the position with that key (not of its mirror image)

The exported Kaggle player uses it. The book and the solver create it:

    python -m hansu.games.connect_four.solver.repertoire -o repertoire.npz
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.batch import solve_resumably
from hansu.games.connect_four.solver.book import OpeningBook
from hansu.games.connect_four.solver.standard_board import drop, key_of, wins_now

STONES = 12
SHIPPED = Path(__file__).parent / "repertoire.npz"

Stones = tuple[int, int]  # (mine, mask)


def after(position: Stones, column: int) -> Stones | None:
    """The position after a move; None if the move is illegal or ends the game."""
    mine, mask = position
    cell = drop(mask, column)
    if not cell or four(mine | cell, 6):
        return None
    return mine ^ mask, mask | cell


def layer_after(layer: Iterable[Stones], moves: dict[int, int]) -> Iterator[Stones]:
    """The positions after the repertoire's move and any reply: one of each mirror pair, without those where the mover
    wins at once."""
    seen = set()
    for position in layer:
        child = after(position, column_of(position, moves))
        if child is None:
            continue
        for column in range(7):
            reached = after(child, column)
            if reached is not None and not wins_now(*reached) and (key := key_of(*reached)) not in seen:
                seen.add(key)
                yield reached


def column_of(position: Stones, moves: dict[int, int]) -> int:
    """The column of a position in the repertoire."""
    key = key_of(*position)
    return moves[key] if key == sum(position) else 6 - moves[key]


def make(path: Path, stones: int, threads: int, megabytes: int) -> int:
    """Create a repertoire for both sides or resume its creation; returns the number of entries."""
    import numpy as np

    book, moves = OpeningBook(), dict[int, int]()
    layers: list[list[Stones]] = [[(0, 0)], [reached for column in range(4) if (reached := after((0, 0), column))]]
    part = path.with_name(path.name + ".part")
    for layer in layers:
        while layer and layer[0][1].bit_count() <= stones:
            unknown = [position for position in layer if book.look(*position) is None]
            print(f"{layer[0][1].bit_count()} stones: {len(layer):,} positions", flush=True)
            solved = solve_resumably(unknown, part, threads, megabytes, False, None) if unknown else {}
            for mine, mask in layer:
                key, known = key_of(mine, mask), book.look(mine, mask)
                if known is None:
                    moves[key] = solved[key][1]
                else:
                    moves[key] = known[1] if key == mine + mask else 6 - known[1]
            layer = list(layer_after(layer, moves))
    keys = np.array(sorted(moves), np.int64)
    with path.open("wb") as file:
        np.savez_compressed(file, keys=keys, moves=np.array([moves[key] for key in keys.tolist()], np.int8))
    part.unlink(missing_ok=True)
    return len(keys)


def main() -> None:
    parser = argparse.ArgumentParser(description="Create the repertoire of Connect Four.")
    parser.add_argument("-o", "--output", type=Path, default=Path("repertoire.npz"), help="output file")
    parser.add_argument("--stones", type=int, default=STONES, help="stones of the largest positions")
    parser.add_argument("--threads", type=int, default=1, help="search threads")
    parser.add_argument("--hash", "--megabytes", type=int, default=256, help="transposition table size in MB")
    arguments = parser.parse_args()
    count = make(arguments.output, arguments.stones, arguments.threads, arguments.hash)
    print(f"{count:,} positions in {arguments.output}, {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
