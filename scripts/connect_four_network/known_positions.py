"""Positions with known values, to measure how often a player keeps the value of a position.

The positions come from games between players of many strengths, one from each game at a random ply. Only positions in
which some move loses value are used: it turns a win into a draw or a loss, or a draw into a loss. A line of a file:

    {"moves": "44325", "keep": "25", "value": 1}    columns 2 and 5 keep the mover's win
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hansu.core import Game, HansuError, Limit, Player, Position, popcount
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.book import SHIPPED, OpeningBook
from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.standard_board import CELLS, drop, key_of, stones_of

MEGABYTES = 256
LONGEST_OPENING = 12  # random plies


class KnownPosition(NamedTuple):
    """A position by its moves, the columns (from 0) that keep its value, and the value for the mover: 1, 0 or -1."""

    moves: str
    keep: frozenset[int]
    value: int


def sparring_players() -> list[Player]:
    """Players of all strengths, so that their games reach all kinds of positions."""
    from hansu.games.connect_four.players import ConnectFourRulePlayer, Heuristic
    from hansu.search.players import AlphaBeta, Mcts, Random

    return [
        Random(seed=1), ConnectFourRulePlayer(), Heuristic(depth=2), Heuristic(depth=4), AlphaBeta(depth=3, seed=1),
        Mcts(simulations=30), Mcts(simulations=300), Mcts(simulations=3000),
    ]  # fmt: skip


def games(game: Game, seed: int) -> Iterator[Position]:
    """The last positions of an endless series of games between two random players, from random openings."""
    chance = random.Random(seed)
    players = sparring_players()
    while True:
        pair = chance.sample(players, 2)
        position = game.first
        for _ in range(chance.randrange(LONGEST_OPENING + 1)):
            if not position.over:
                position = position.play(chance.choice(position.actions))
        while not position.over:
            position = position.play(pair[position.mover].decide(position, Limit()).action)
        yield position


class ExactValues:
    """Win, draw or loss after every move, from the opening book and the solver."""

    def __init__(self) -> None:
        self._searcher = SolverSearcher(new_table(MEGABYTES))
        self._searcher.precompile()
        self._book = OpeningBook() if SHIPPED.exists() else None

    def known(self, position: Position) -> KnownPosition | None:
        """The value of an unfinished position and the moves that keep it; None if every move keeps it."""
        mine, mask = stones_of(position.state)
        values = {a: self._after(mine, mask, drop(mask, a)) for a in position.actions}
        best = max(values.values())
        keep = frozenset(a for a, value in values.items() if value == best)
        if len(keep) == len(values):
            return None
        return KnownPosition("".join(position.moves), keep, best)

    def _after(self, mine: int, mask: int, cell: int) -> int:
        if four(mine | cell, 6):
            return 1
        mine, mask = mine ^ mask, mask | cell
        if popcount(mask) == CELLS:
            return 0
        entry = None if self._book is None else self._book.look(mine, mask)
        score = self._searcher.score(mine, mask, weak=True) if entry is None else entry[0]
        return (score < 0) - (score > 0)


def sample(game: Game, count: int, seed: int = 1) -> Iterator[KnownPosition]:
    """`count` known positions from as many games; no two are equal or mirror images."""
    chance, exact = random.Random(seed), ExactValues()
    keys: set[int] = set()
    sampled = 0
    for last in games(game, seed):
        position = chance.choice(last.way)
        key = key_of(*stones_of(position.state))
        if key in keys:
            continue
        keys.add(key)
        known = exact.known(position)
        if known is None:
            continue
        sampled += 1
        yield known
        if sampled == count:
            return


def write(path: Path, rows: Iterable[KnownPosition]) -> int:
    """Write one line per position; returns their number."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            keep = "".join(str(a + 1) for a in sorted(row.keep))
            file.write(json.dumps({"moves": row.moves, "keep": keep, "value": row.value}) + "\n")
            count += 1
    return count


def read(path: Path) -> list[KnownPosition]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
            keep = frozenset(int(letter) - 1 for letter in entry["keep"])
            rows.append(KnownPosition(str(entry["moves"]), keep, int(entry["value"])))
        except (ValueError, KeyError, TypeError):
            raise HansuError(f"{path}, line {number}: not a position with the moves that keep its value") from None
    return rows


def keeps_value(
    player: Player, game: Game, rows: Iterable[KnownPosition], limit: Limit | None = None
) -> Iterator[bool]:
    """For each position: does the player keep its value?"""
    for row in rows:
        player.new_game()
        yield player.decide(game.position(" ".join(row.moves) or "start"), limit).action in row.keep
