"""Games of the Renju engine against itself, as training data.

Each game begins with two to seven random stones after which a short search prefers neither side clearly, and ends when
a win is proved. A file holds arrays, one game after another:

    rule   int8[games]      number in RULES                laid    int16[games]   stones of the opening
    result float32[games]   black's: 1, 0.5, 0 or NaN      length  int16[games]   stones in total
    moves  int16[stones]    the cells, black first         scores  int16[stones]  the search's, mover's side; 0: opening

A game with the result NaN is a single searched position (variations.py).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.core import Control, HansuError, Limit
from hansu.games.renju.engine.patterns import K_FIVE, K_FOUR
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.state import RULES
from hansu.learn.engine_training.array_files import MADE_BY, read_arrays, write_arrays
from hansu.learn.engine_training.worker_processes import Gathered, gather
from hansu.learn.recipe import Job

SIZE = 15
CELLS = SIZE * SIZE
COLUMNS = ("rule", "laid", "result", "length", "moves", "scores")
OPENING_NODES = 6000
EVEN = (40, 120, 200)  # largest score of an opening: one of these at random
DULL_PLIES, DULL_SCORE = 120, 60  # after 120 plies, a game with scores below 60 is a draw
HELD_OUT_GAMES = 15  # one game in 15 is held out


class PlayedGame(NamedTuple):
    rule: int
    laid: int
    result: float
    moves: Any  # ints, as a list or an array
    scores: Any


def opening(chance: random.Random, searcher: RenjuSearcher) -> list[tuple[int, int]]:
    """Random stones, black first, after which neither side has a four or is much better."""
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


def _all_legal(searcher: RenjuSearcher, stones: list[tuple[int, int]]) -> bool:
    for i in range(0, len(stones), 2):
        searcher.set_board(stones[:i])
        if not searcher.legal(stones[i][0], 0):
            return False
    return True


def play_game(chance: random.Random, searcher: RenjuSearcher, nodes: int) -> PlayedGame:
    """A game with about `nodes` nodes per move."""
    searcher.new_game()
    stones = opening(chance, searcher)
    laid, side, result = len(stones), len(stones) & 1, 0.5
    scores = [0] * laid
    while len(stones) < CELLS:
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


def source_of_games(task: tuple[int, int, tuple[str, ...]]) -> Callable[[], PlayedGame]:
    seed, nodes, rules = task
    chance = random.Random(seed)
    searchers = [RenjuSearcher(rule, SIZE, 8) for rule in rules]
    searchers[0].precompile()
    return lambda: play_game(chance, chance.choice(searchers), nodes)


def save(path: Path, games: list[PlayedGame]) -> None:
    """Write a file of games."""
    arrays: dict[str, Any] = {
        "rule": np.array([game.rule for game in games], np.int8),
        "laid": np.array([game.laid for game in games], np.int16),
        "result": np.array([game.result for game in games], np.float32),
        "length": np.array([len(game.moves) for game in games], np.int16),
        "moves": np.concatenate([np.array(game.moves, np.int16) for game in games]),
        "scores": np.concatenate([np.array(game.scores, np.int16) for game in games]),
    }
    write_arrays(path, arrays)


def is_held_out(number: Any) -> Any:
    """Is the game with this number, among those of its rule in a file, held out?"""
    return number % HELD_OUT_GAMES == HELD_OUT_GAMES - 1


def read_games(files: list[Path], rule: int) -> Iterator[list[PlayedGame]]:
    """The games of a rule, file by file, with moves and scores as arrays; raises if there are none."""
    any_game = False
    for file in files:
        games = read_arrays(file, COLUMNS)
        check(file, games)
        length = games["length"].astype(int)
        ends, moves, scores = np.cumsum(length), games["moves"].astype(np.int64), games["scores"].astype(float)
        selected = []
        for i in np.flatnonzero(games["rule"] == rule):
            part = slice(ends[i] - length[i], ends[i])
            laid, result = int(games["laid"][i]), float(games["result"][i])
            selected.append(PlayedGame(rule, laid, result, moves[part], scores[part]))
        any_game = any_game or bool(selected)
        yield selected
    if not any_game:
        raise HansuError(
            "these files contain no game by the rule {rule}",
            "play some with: hansu train renju engine_games --rule {rule}",
            rule=RULES[rule],
        )


def check(file: Path, games: dict[str, Any]) -> None:
    """Check the arrays, because compiled code replays the games without checks: every move must be on an empty cell."""
    length, laid, moves = (games[name].astype(np.int64) for name in ("length", "laid", "moves"))
    valid = (
        all(column.ndim == 1 for column in games.values())
        and len({len(games[name]) for name in ("length", "laid", "rule", "result")}) == 1
        and bool(np.all((laid >= 0) & (laid <= length) & (length <= CELLS)) and np.all((moves >= 0) & (moves < CELLS)))
        and len(moves) == len(games["scores"]) == length.sum()
        and len(np.unique(np.repeat(np.arange(len(length)), length) * CELLS + moves)) == len(moves)
    )
    if not valid:
        raise HansuError("{path} does not contain games of the engine", MADE_BY, path=file)


def play_games(
    job: Job, seconds: float, nodes: int, processes: int, seed: int, rules: tuple[str, ...] = RULES
) -> Gathered[PlayedGame]:
    """Play by some rules for some seconds, and write the games."""
    RenjuSearcher(rules[0], SIZE, 1).precompile()  # compile once, before the worker processes start
    tasks = [(seed * 1000 + i, nodes, rules) for i in range(processes)]
    played = gather(job, source_of_games, tasks, seconds, game_counts)
    save(job.target, played.parts)
    return played


def game_counts(game: PlayedGame) -> dict[str, int]:
    return {"games": 1, "positions": len(game.moves) - game.laid}
