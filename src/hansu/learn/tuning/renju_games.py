"""Games of the Renju engine with itself, to learn from.

Each game begins with two to seven stones laid by chance so that a short search finds neither side much better, and
ends when a win is proved. The file holds arrays, a game after the other:

    rule   int8[games]      its number in RULES            laid    int16[games]   stones of the opening
    result float32[games]   black's: 1, 0.5 or 0           length  int16[games]   stones in all
    moves  int16[stones]    the cells, black first         scores  int16[stones]  what the mover's search said; 0: laid
"""

from __future__ import annotations

import multiprocessing
import random
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.core import Control, Limit
from hansu.games.renju.engine.patterns import K_FIVE, K_FOUR
from hansu.games.renju.engine.searcher import Searcher
from hansu.games.renju.state import RULES

SIZE = 15
COLUMNS = ("rule", "laid", "result", "length", "moves", "scores")
OPENING_NODES = 6000
EVEN = (40, 120, 200)  # how far from even an opening may be: one of these, by chance
DULL_PLIES, DULL_SCORE = 120, 60  # a long game in which nobody gets anywhere is called a draw


class PlayedGame(NamedTuple):
    rule: int
    laid: int
    result: float
    moves: list[int]
    scores: list[int]


def opening(chance: random.Random, searcher: Searcher) -> list[tuple[int, int]]:
    """Stones laid by chance, black first, after which neither side has a four nor is much better."""
    while True:
        reach, x, y = chance.choice((2, 3, 4)), chance.randrange(5, 10), chance.randrange(5, 10)
        field = [
            row * SIZE + column
            for row in range(max(y - reach, 0), min(y + reach + 1, SIZE))
            for column in range(max(x - reach, 0), min(x + reach + 1, SIZE))
        ]
        stones = [(cell, i & 1) for i, cell in enumerate(chance.sample(field, chance.randint(2, 7)))]
        if searcher.rule == "renju" and not _all_legal(searcher, stones):
            continue
        searcher.set_board(stones)
        if searcher.memory["totals"][:, K_FOUR : K_FIVE + 1].any():
            continue
        report = searcher.search(stones, len(stones) & 1, Limit(nodes=OPENING_NODES), Control())
        if abs(searcher.score_of(report)) < chance.choice(EVEN):
            return stones


def _all_legal(searcher: Searcher, stones: list[tuple[int, int]]) -> bool:
    for i in range(0, len(stones), 2):
        searcher.set_board(stones[:i])
        if not searcher.legal(stones[i][0], 0):
            return False
    return True


def play_game(chance: random.Random, searcher: Searcher, nodes: int) -> PlayedGame:
    searcher.new_game()
    stones = opening(chance, searcher)
    laid, side, result = len(stones), len(stones) & 1, 0.5
    scores = [0] * laid
    while len(stones) < SIZE * SIZE:
        report = searcher.search(stones, side, Limit(nodes=int(nodes * chance.uniform(0.7, 1.3))), Control())
        scores.append(searcher.score_of(report))
        stones.append((report.line[0], side))
        if report.plies is not None:
            result = float((scores[-1] > 0) == (side == 0))
            break
        if len(stones) > DULL_PLIES and max(map(abs, scores[-6:])) < DULL_SCORE:
            break
        side = 1 - side
    return PlayedGame(RULES.index(searcher.rule), laid, result, [cell for cell, _ in stones], scores)


def play_for(job: tuple[int, float, int, tuple[str, ...]]) -> list[PlayedGame]:
    seed, seconds, nodes, rules = job
    chance = random.Random(seed)
    searchers = [Searcher(rule, SIZE, 8) for rule in rules]
    ends, games = time.monotonic() + seconds, []
    while time.monotonic() < ends:
        games.append(play_game(chance, chance.choice(searchers), nodes))
    return games


def save(path: Path, games: list[PlayedGame]) -> None:
    arrays: dict[str, Any] = {
        "rule": np.array([game.rule for game in games], np.int8),
        "laid": np.array([game.laid for game in games], np.int16),
        "result": np.array([game.result for game in games], np.float32),
        "length": np.array([len(game.moves) for game in games], np.int16),
        "moves": np.concatenate([np.array(game.moves, np.int16) for game in games]),
        "scores": np.concatenate([np.array(game.scores, np.int16) for game in games]),
    }
    np.savez_compressed(path, **arrays)


def play_games(
    path: Path, seconds: float, nodes: int, processes: int, seed: int, rules: tuple[str, ...] = RULES
) -> list[PlayedGame]:
    """Play for so long by some rules, and save."""
    Searcher(rules[0], SIZE, 1).prepare()  # compiled once, before the others start
    jobs = [(seed * 1000 + i, seconds, nodes, rules) for i in range(processes)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        games = [game for part in pool.map(play_for, jobs, chunksize=1) for game in part]
    save(path, games)
    return games
