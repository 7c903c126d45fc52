"""What the Renju engine's network learns from: positions of the engine's games (`training/games.py`), or shards of an
`alphazero` run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.compile import kernel
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.games.renju.engine.network import SCALE
from hansu.games.renju.training.games import CELLS, HELD_OUT_GAMES, SIZE, PlayedGame, is_held_out, read_games
from hansu.learn.engine_training.logistic import logistic_fit, sigmoid
from hansu.learn.samples import SUFFIX, Board, read_all
from hansu.learn.samples import Samples as Shards
from hansu.search.pvs import SURE

BLACK, WHITE = 1, 2
WORDS, ROWS, ROW_BITS = 4, 4, 16  # a colour's words in a state, a word's rows, a row's bits (renju/stones.py)
STAGES = (10, 14, 20, 30, 45, 70)  # stones on the board at which a new stage of the game begins
MIN_POSITIONS = 2000  # of a stage, to fit how its scores predict results
NEWTON_STEPS = 20
TURN = 2 * WORDS + 1  # the state's word whose lowest bit is the colour to move


class RenjuSamples(NamedTuple):
    boards: Any  # int8[n, CELLS]: 0 empty, 1 black, 2 white
    side: Any  # int64[n]: who moves
    won: Any  # float32[n]: the mover's win probability
    policy: Any  # int64[n]: the move that was played or searched; or float16[n, CELLS]: a teacher's probabilities


def read_samples(files: list[Path], game: Game, rule: int, search_weight: float) -> tuple[RenjuSamples, Any]:
    """Every position of the files, which are all of one kind, and which of them are held out, bool[n]. `search_weight`
    is the share of the search's value in `won`; the rest is the game's result."""
    shards = [path for path in files if path.suffix == SUFFIX]
    if not shards:
        return samples_of_games(files, rule, search_weight)
    if len(shards) < len(files):
        raise HansuError(
            "games of the engine and shards of a run cannot be combined in one training", "name files of one kind"
        )
    parts, damages = read_all(shards, Board(game))
    if damages and not parts:
        raise HansuError(str(damages[0]))
    return samples_of_shards(Shards.join(parts), search_weight)


def samples_of_games(files: list[Path], rule: int, search_weight: float) -> tuple[RenjuSamples, Any]:
    """A game without scores counts by its result alone, a game without a result by its scores. Games without a result
    are never held out (`training/variations.py` skips held-out games)."""
    in_files = list(read_games(files, rule))
    games = [game for part in in_files for game in part]
    win_chance = calibrate([game for game in games if not np.isnan(game.result)])
    length, laid = (np.array(numbers) for numbers in zip(*((len(g.moves), g.laid) for g in games), strict=True))
    starts = np.cumsum(length) - length
    moves, scores = (np.concatenate(each) for each in ([g.moves for g in games], [g.scores for g in games]))
    boards = np.zeros((int((length - laid).sum()), CELLS), np.int8)
    fill_boards(boards, moves, starts, laid, length)
    number = np.repeat(np.arange(len(games)), length - laid)  # the game of each row,
    stones = np.arange(len(number)) - np.repeat(np.cumsum(length - laid) - length, length - laid)  # and its stones
    at, side = starts[number] + stones, stones & 1
    black = np.array([game.result for game in games])[number]
    scored = np.array([game.scores.any() for game in games])[number]
    weight = np.where(np.isnan(black), 1.0, search_weight * scored)
    result = np.nan_to_num(np.where(side == 0, black, 1 - black))
    won = ((1 - weight) * result + weight * win_chance(stones, scores[at])).astype(np.float32)
    held_out = np.concatenate([is_held_out(np.arange(len(part))) for part in in_files])[number] & ~np.isnan(black)
    return RenjuSamples(boards, side, won, moves[at]), held_out


@kernel
def fill_boards(boards: Any, moves: Any, starts: Any, laid: Any, length: Any) -> None:
    """The boards before each move of the games, int8[n, CELLS], without the moves of their openings."""
    row = 0
    for number in range(len(starts)):
        for count in range(laid[number], length[number]):
            for i in range(count):
                boards[row, moves[starts[number] + i]] = WHITE if i & 1 else BLACK
            row += 1


def calibrate(games: list[PlayedGame]) -> Callable[[Any, Any], Any]:
    """A function from stones on the board and the mover's scores to win probabilities, fitted to the results of games
    for each colour and stage. (A score means twice as much in the opening as late in a game.)"""
    played = [np.arange(game.laid, len(game.moves)) for game in games]
    stones = np.concatenate([[], *played]).astype(int)
    scores = np.concatenate([[], *(game.scores[game.laid :] for game in games)])
    black = np.concatenate([[], *(np.full(len(part), game.result) for part, game in zip(played, games, strict=True))])
    results = np.where(stones & 1, 1 - black, black)
    fits = np.tile([1.0, 0.0], (2, len(STAGES) + 1, 1))  # slope and intercept
    undecided = np.abs(scores) < SURE
    for colour in range(2):
        for stage in range(len(STAGES) + 1):
            rows = undecided & (stones & 1 == colour) & (np.searchsorted(STAGES, stones, "right") == stage)
            if rows.sum() >= MIN_POSITIONS:
                terms = np.stack((logits(scores[rows]), np.ones(int(rows.sum()))), 1)
                fits[colour, stage] = logistic_fit(terms, results[rows], NEWTON_STEPS, np.array([1.0, 0.0]))

    def win_chance(stones: Any, scores: Any) -> Any:
        slope, intercept = np.moveaxis(fits[stones & 1, np.searchsorted(STAGES, stones, "right")], -1, 0)
        return sigmoid(np.where(np.abs(scores) < SURE, slope * logits(scores) + intercept, logits(scores)))

    return win_chance


def logits(scores: Any) -> Any:
    return np.clip(scores / SCALE, -10, 10)


def samples_of_shards(shards: Shards, search_weight: float) -> tuple[RenjuSamples, Any]:
    """Positions on the board of 15 in which a stone is placed, with black as the first player."""
    move = shards.action[:, 0].astype(np.int64)
    shards = shards.take((move >= 0) & (move < CELLS))
    side = shards.state[:, TURN] & 1
    mine, theirs = (stones(shards.state[:, first : first + WORDS]) for first in (0, WORDS))
    black = (side == 0)[:, None]
    boards = np.where(black, mine, theirs) * BLACK + np.where(black, theirs, mine) * WHITE
    searched = np.where(np.isnan(shards.value), shards.result, shards.value)
    first_wins = ((1 - search_weight) * shards.result + search_weight * searched + 1) / 2
    won = np.where(shards.team == 0, first_wins, 1 - first_wins).astype(np.float32)
    samples = RenjuSamples(boards.astype(np.int8), side, won, shards.action[:, 0].astype(np.int64))
    return samples, shards.game % HELD_OUT_GAMES == 0


def stones(words: Any) -> Any:
    """The cells of a colour's words, int64[n, WORDS], as uint8[n, CELLS]."""
    bits = np.unpackbits(np.ascontiguousarray(words, "<i8").view(np.uint8), axis=1, bitorder="little")
    return bits.reshape(-1, WORDS * ROWS, ROW_BITS)[:, :SIZE, :SIZE].reshape(-1, CELLS)
