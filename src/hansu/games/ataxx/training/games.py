"""Games of the Ataxx engine against itself, as training data: positions as rows (mine, theirs, gaps, score, result).

Openings are random moves after which neither side is clearly better; an eighth of the games have random gaps
(symmetric, as in tournaments). Score and result are the mover's. After the opening every move is the engine's: if one
move in sixteen is random, a result says almost nothing about much earlier positions. Games that end by the move clock
are left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import Control
from hansu.games.ataxx.engine.evaluation import read_weights
from hansu.games.ataxx.engine.search import new_memory, think
from hansu.games.ataxx.rules import (
    CLOCK_LIMIT,
    PASS,
    SQUARES,
    Ataxx,
    action_total,
    nth_action,
    over,
    play,
    score,
    start,
    turned_board,
)
from hansu.learn.engine_training.array_files import write_arrays
from hansu.learn.engine_training.worker_processes import Gathered, gather
from hansu.learn.recipe import Job
from hansu.search.pvs import SURE, new_table

COLUMNS = 5
LONGEST_GAME = 400
EVEN = 400  # points; openings with a larger score are not played
CORNERS = start().mine | start().theirs


def below(seed: int, n: int) -> tuple[int, int]:
    """A step of xorshift: the new seed, and a number in 0..n-1."""
    seed ^= seed << 13 & 0x7FFFFFFFFFFFFFFF
    seed ^= seed >> 7
    seed ^= seed << 17 & 0x7FFFFFFFFFFFFFFF
    return seed, (seed >> 20) % n


@kernel
def opening(seed: int, first: Ataxx) -> tuple[int, Ataxx]:
    """A position after some random moves, perhaps with gaps in up to three mirrored groups."""
    seed, groups = below(seed, 24)
    gaps = 0
    for _ in range(groups - 20):
        seed, square = below(seed, SQUARES)
        gaps |= 1 << square | turned_board(1 << square, 1)
        gaps |= turned_board(gaps, 2)
    s = Ataxx(first.mine, first.theirs, gaps & ~CORNERS, first.halfmove, first.turns, first.contest)
    seed, plies = below(seed, 10)
    for _ in range(plies + 3):
        if over(s):
            break
        seed, n = below(seed, action_total(s))
        s = play(s, nth_action(s, n))
    return seed, s


@kernel
def play_game(mem: Any, table: Any, first: Ataxx, seed: int, nodes: int, rows: Any) -> tuple[int, int]:
    """Play one game into `rows`, int64[n, COLUMNS]; returns the seed and the number of positions. It is 0 if the
    opening was not even or the move clock ended the game. A proved result ends a game."""
    seed, s = opening(seed, first)
    count, result = 0, 0
    while not over(s) and count < len(rows):
        mem.node_limit = nodes
        action = think(mem, table, s, 30)
        value = mem.score if mem.completed else 0
        if count == 0 and abs(value) > EVEN:
            return seed, 0
        if abs(value) > SURE:
            result = 1 if (value > 0) == (s.turns & 1 == 0) else -1
            break
        if mem.completed and action != PASS:
            rows[count, 0], rows[count, 1], rows[count, 2], rows[count, 3] = s.mine, s.theirs, s.gaps, value
            rows[count, 4] = s.turns & 1
            count += 1
        s = play(s, action)
    if over(s):
        result = score(s)
        if s.halfmove >= CLOCK_LIMIT:
            return seed, 0
    for i in range(count):
        rows[i, 4] = -result if rows[i, 4] else result
    return seed, count


def source_of_games(task: tuple[int, int, bool]) -> Callable[[], Any]:
    """A function that plays a game and returns its rows, or None if there are none."""
    seed, nodes, learned = task
    seed = (seed + 1) * 0x2545F4914F6CDD1D & 0x7FFFFFFFFFFFFFFF  # 0 is a fixed point of xorshift
    mem, table, control = new_memory(read_weights() if learned else None), new_table(4), Control()
    rows = np.zeros((LONGEST_GAME, COLUMNS), np.int64)
    play_game.precompile(mem, table, start(), seed, nodes, rows)

    def game() -> Any:
        nonlocal seed
        mem["flag"] = control.address
        seed, count = play_game(mem, table, start(), seed, nodes, rows)
        return rows[:count].copy() if count else None

    return game


def play_games(job: Job, seconds: float, nodes: int, learned: bool, processes: int, seed: int) -> Gathered[Any]:
    """Play in several processes and write the positions; returns them game by game."""
    source_of_games((seed, nodes, learned))  # compile once, before the worker processes start
    tasks = [(seed * 1000 + i, nodes, learned) for i in range(processes)]
    played = gather(job, source_of_games, tasks, seconds, lambda rows: {"games": 1, "positions": len(rows)})
    write_arrays(job.target, {"rows": np.concatenate(played.parts)})
    return played
