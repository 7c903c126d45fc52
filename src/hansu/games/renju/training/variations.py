"""Variations: positions a few plies off the Renju engine's games, with the result of a short search.

In the engine's games both sides play well. A network that learns only from them does not learn what a bad move costs,
but most moves that a search visits are bad. So some likely moves are played from a position of a game, and the position
there is searched. It is stored as a game without a result (games.py): its opening is the stones on the board, its only
move and score are the search's."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import Control, HansuError, Limit
from hansu.games.renju.engine.board import cell_of, forbidden
from hansu.games.renju.engine.network import ORDER_SCALE, network_order, network_value, refresh
from hansu.games.renju.engine.patterns import K_FIVE, K_FORBIDDEN, K_OPEN_FOUR, K_RISKY
from hansu.games.renju.engine.search import is_idle
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.state import RULES
from hansu.games.renju.training.games import SIZE, PlayedGame, is_held_out, read_games, save
from hansu.learn.engine_training.worker_processes import Gathered, gather
from hansu.learn.recipe import Job

LIKELY, TEMPERATURE = 10, 1.5  # moves are sampled from the 10 likeliest, at this temperature
EXCLUDED = -(1 << 30)


@kernel
def list_orders(mem: Any, side: int, orders: Any) -> None:
    """Fill the ordering score of each point for `side`, int64[points], or EXCLUDED, on the board that is set."""
    refresh(mem)
    network_value(mem, side)
    for point in range(len(orders)):
        orders[point] = EXCLUDED
        if mem.stones[point] or is_idle(mem, point):
            continue
        if side == 0 and mem.restricted and mem.kinds[0, point] in (K_FORBIDDEN, K_RISKY) and forbidden(mem, point):
            continue
        orders[point] = network_order(mem, side, point)


def undecided(searcher: RenjuSearcher, side: int) -> bool:
    """Can neither side make five, and the mover no open four?"""
    totals = searcher.memory["totals"]
    return not (totals[:, K_FIVE].any() or totals[side, K_OPEN_FOUR])


def add_variation(searcher: RenjuSearcher, stones: list[tuple[int, int]], plies: int, chance: random.Random) -> bool:
    """Append some likely moves to the stones; False if the position is decided on the way."""
    orders = np.zeros(len(searcher.memory["stones"]), np.int64)
    for _ in range(plies):
        side = len(stones) & 1
        searcher.set_board(stones)
        if not undecided(searcher, side):
            return False
        list_orders(searcher.memory, side, orders)
        likely = np.argsort(orders)[-LIKELY:]
        weights = np.exp((orders[likely] - orders.max()) / (ORDER_SCALE * TEMPERATURE))
        if not (orders[likely] > EXCLUDED).any():
            return False
        stones.append((cell_of(chance.choices(likely.tolist(), weights.tolist())[0], SIZE), side))
    searcher.set_board(stones)
    return undecided(searcher, len(stones) & 1)


def variation_source(task: tuple[int, int, int, list[PlayedGame]]) -> Callable[[], PlayedGame | None]:
    seed, nodes, plies, games = task
    chance, searcher = random.Random(seed), RenjuSearcher(RULES[games[0].rule], SIZE, 8)
    prepare(searcher)

    def variation() -> PlayedGame | None:
        game = chance.choice(games)
        count = chance.randrange(game.laid, len(game.moves))
        stones = [(int(cell), i & 1) for i, cell in enumerate(game.moves[:count])]
        if not add_variation(searcher, stones, chance.randint(1, plies), chance):
            return None
        searcher.new_game()
        report = searcher.search(stones, len(stones) & 1, Limit(nodes=nodes), Control())
        moves = [*(cell for cell, _ in stones), report.line[0]]
        return PlayedGame(game.rule, len(stones), np.nan, moves, [0] * len(stones) + [searcher.score_of(report)])

    return variation


def prepare(searcher: RenjuSearcher) -> None:
    searcher.precompile()
    list_orders.precompile(searcher.memory, 0, np.zeros(1, np.int64))


def search_variations(
    job: Job, rule: int, seconds: float, nodes: int, plies: int, processes: int, seed: int
) -> Gathered[PlayedGame]:
    """Search variations of the games in the job's files for some seconds, without held-out games, and write them."""
    games = [
        game for part in read_games(list(job.some_files), rule) for number, game in enumerate(part)
        if game.laid < len(game.moves) and not is_held_out(number) and not np.isnan(game.result)
    ]  # fmt: skip
    if not games:
        raise HansuError("these games contain no position to vary", "give other files of engine_games")
    prepare(RenjuSearcher(RULES[rule], SIZE, 1))  # compile once, before the worker processes start
    tasks = [(seed * 1000 + i, nodes, plies, games) for i in range(processes)]
    result = gather(job, variation_source, tasks, seconds, lambda part: {"positions": 1})
    save(job.target, result.parts)
    return result
