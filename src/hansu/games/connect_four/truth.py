"""How often a player keeps what a position is worth: measured on positions that the solver knows.

The positions come from games of many kinds of players, weak ones too, one of each game at a random ply. Only those
count in which some move gives value away (turns a win into a draw or a loss, or a draw into a loss). A line of it:

    {"moves": "44325", "keep": "25", "value": 1}    columns 2 and 5 keep the mover's win
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hansu.core import Game, HansuError, Limit, Player, Position, popcount
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.book import SHIPPED, OpeningBook
from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.standard_board import CELLS, drop, key_of, stones_of

MEGABYTES = 256
LONGEST_OPENING = 12  # random plies that games begin with


class Known(NamedTuple):
    """A position by its moves; the columns (from 0) that keep its value, which is 1, 0 or -1 for the mover."""

    moves: str
    keep: frozenset[int]
    value: int


def sparring() -> list[Player]:
    """Players of all strengths, so that their games lead everywhere."""
    from hansu.games.connect_four.players import ConnectFourRulePlayer, Heuristic
    from hansu.search.players import AlphaBeta, Mcts, Random

    return [
        Random(seed=1), ConnectFourRulePlayer(), Heuristic(depth=2), Heuristic(depth=4), AlphaBeta(depth=3, seed=1),
        Mcts(simulations=30), Mcts(simulations=300), Mcts(simulations=3000),
    ]  # fmt: skip


def games(game: Game, seed: int) -> Iterator[Position]:
    """Finished games without an end, by two players drawn by chance from a random opening."""
    chance = random.Random(seed)
    players = sparring()
    while True:
        pair = chance.sample(players, 2)
        position = game.first
        for _ in range(chance.randrange(LONGEST_OPENING + 1)):
            if not position.over:
                position = position.play(chance.choice(position.actions))
        while not position.over:
            position = position.play(pair[position.mover].decide(position, Limit()).action)
        yield position


class ValueJudge:
    """Win, draw or loss of every move, by the book and the solver."""

    def __init__(self) -> None:
        self._searcher = SolverSearcher(new_table(MEGABYTES))
        self._searcher.precompile()
        self._book = OpeningBook() if SHIPPED.exists() else None

    def known(self, position: Position) -> Known | None:
        """What is true of an unfinished position; None where every move keeps its value."""
        mine, mask = stones_of(position.state)
        values = {a: self._after(mine, mask, drop(mask, a)) for a in position.actions}
        best = max(values.values())
        keep = frozenset(a for a, value in values.items() if value == best)
        if len(keep) == len(values):
            return None
        return Known("".join(position.moves), keep, best)

    def _after(self, mine: int, mask: int, cell: int) -> int:
        if four(mine | cell, 6):
            return 1
        mine, mask = mine ^ mask, mask | cell
        if popcount(mask) == CELLS:
            return 0
        found = None if self._book is None else self._book.look(mine, mask)
        score = self._searcher.score(mine, mask, weak=True) if found is None else found[0]
        return (score < 0) - (score > 0)


def draw(game: Game, count: int, seed: int = 1, tell: Callable[[int, int], None] | None = None) -> Iterator[Known]:
    """So many known positions, no two alike (nor each other's mirror image), from as many games."""
    chance, judge = random.Random(seed), ValueJudge()
    met: set[int] = set()
    found = 0
    for last in games(game, seed):
        at = chance.choice(last.way)
        key = key_of(*stones_of(at.state))
        if key in met:
            continue
        met.add(key)
        known = judge.known(at)
        if known is None:
            continue
        found += 1
        if tell is not None:
            tell(found, count)
        yield known
        if found == count:
            return


def write(path: Path, rows: Iterable[Known]) -> int:
    """One line a position, as they come."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            keep = "".join(str(a + 1) for a in sorted(row.keep))
            file.write(json.dumps({"moves": row.moves, "keep": keep, "value": row.value}) + "\n")
            count += 1
    return count


def read(path: Path) -> list[Known]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            told = json.loads(line)
            keep = frozenset(int(letter) - 1 for letter in told["keep"])
            rows.append(Known(str(told["moves"]), keep, int(told["value"])))
        except (ValueError, KeyError, TypeError):
            raise HansuError(f"{path}, line {number}: not a position with what keeps its value") from None
    return rows


def kept(player: Player, game: Game, rows: Iterable[Known], limit: Limit | None = None) -> Iterator[bool]:
    """For each position: did the player keep its value?"""
    for row in rows:
        player.new_game()
        yield player.decide(game.position(" ".join(row.moves) or "start"), limit).action in row.keep
