"""What the Renju engine's network learns from: positions of the engine's games (renju_games.py), or of a network's
games with itself (the shards of a run of `alphazero`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.compile import kernel
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.games.renju.engine.network import SCALE
from hansu.games.renju.training.games import CELLS, SIZE, VALIDATE, PlayedGame, is_kept, read_games
from hansu.learn.samples import SUFFIX, Board, read_all
from hansu.learn.samples import Samples as Shards
from hansu.search.pvs import SURE

BLACK, WHITE = 1, 2
WORDS, ROWS, ROW_BITS = 4, 4, 16  # of a colour's stones in a state; of a board in a word; of a row (renju/stones.py)
STAGES = (10, 14, 20, 30, 45, 70)  # stones on the board, where a stage of a game begins
ENOUGH = 2000  # positions, to fit what scores mean in a stage
NEWTON_STEPS = 20
TURN = 2 * WORDS + 1  # the state's word whose lowest bit is the colour to move


class RenjuSamples(NamedTuple):
    boards: Any  # int8[n, CELLS]: 0 empty, 1 black, 2 white
    side: Any  # int64[n]: who moves
    won: Any  # float32[n]: the mover's chance to win, by the result and the search
    move: Any  # int64[n]: the cell that was played, or that the search liked best
    kept: Any  # bool[n]: of a game that is kept back


def read_samples(files: list[Path], game: Game, rule: int, opinion: float) -> RenjuSamples:
    """Every position of the files, all of one kind; `opinion` is the share of what the search thought in `won`."""
    shards = [path for path in files if path.suffix == SUFFIX]
    if not shards:
        return of_games(files, rule, opinion)
    if len(shards) < len(files):
        raise HansuError(
            "games of the engine and shards of a run are learnt from one after the other", "name files of one kind"
        )
    parts, damages = read_all(shards, Board(game))
    if damages and not parts:
        raise HansuError(str(damages[0]))
    return of_shards(Shards.join(parts), opinion)


def of_games(files: list[Path], rule: int, opinion: float) -> RenjuSamples:
    """A game without scores counts by its result alone, one without a result by its scores; the latter are never kept
    back (renju_asides.py leaves out what is)."""
    in_files = list(read_games(files, rule))
    games = [game for part in in_files for game in part]
    meant = chances_of_scores([game for game in games if not np.isnan(game.result)])
    length, laid = (np.array(numbers) for numbers in zip(*((len(g.moves), g.laid) for g in games), strict=True))
    starts = np.cumsum(length) - length
    moves, scores = (np.concatenate(each) for each in ([g.moves for g in games], [g.scores for g in games]))
    boards = np.zeros((int((length - laid).sum()), CELLS), np.int8)
    lay_out(boards, moves, starts, laid, length)
    number = np.repeat(np.arange(len(games)), length - laid)  # the game of each row,
    stones = np.arange(len(number)) - np.repeat(np.cumsum(length - laid) - length, length - laid)  # and its stones
    at, side = starts[number] + stones, stones & 1
    black = np.array([game.result for game in games])[number]
    scored = np.array([game.scores.any() for game in games])[number]
    share = np.where(np.isnan(black), 1.0, opinion * scored)
    result = np.nan_to_num(np.where(side == 0, black, 1 - black))
    won = ((1 - share) * result + share * meant(stones, scores[at])).astype(np.float32)
    kept = np.concatenate([is_kept(np.arange(len(part))) for part in in_files])[number] & ~np.isnan(black)
    return RenjuSamples(boards, side, won, moves[at], kept)


@kernel
def lay_out(boards: Any, moves: Any, starts: Any, laid: Any, length: Any) -> None:
    """The boards before each move of games, from the end of their openings on."""
    row = 0
    for number in range(len(starts)):
        for count in range(laid[number], length[number]):
            for i in range(count):
                boards[row, moves[starts[number] + i]] = WHITE if i & 1 else BLACK
            row += 1


def chances_of_scores(games: list[PlayedGame]) -> Callable[[Any, Any], Any]:
    """What scores have meant in these games: a function of the stones on the board and the mover's score, fitted to
    results for each colour and each STAGE of a game. (A score says twice as much in the opening as late.)"""
    played = [np.arange(game.laid, len(game.moves)) for game in games]
    stones = np.concatenate([[], *played]).astype(int)
    scores = np.concatenate([[], *(game.scores[game.laid :] for game in games)])
    black = np.concatenate([[], *(np.full(len(part), game.result) for part, game in zip(played, games, strict=True))])
    results = np.where(stones & 1, 1 - black, black)
    fits = np.tile([1.0, 0.0], (2, len(STAGES) + 1, 1))  # a factor and what is added
    open_yet = np.abs(scores) < SURE
    for colour in range(2):
        for stage in range(len(STAGES) + 1):
            here = open_yet & (stones & 1 == colour) & (np.searchsorted(STAGES, stones, "right") == stage)
            if here.sum() >= ENOUGH:
                fits[colour, stage] = logistic_fit(logits(scores[here]), results[here])

    def chances(stones: Any, scores: Any) -> Any:
        factor, added = np.moveaxis(fits[stones & 1, np.searchsorted(STAGES, stones, "right")], -1, 0)
        logit = np.where(np.abs(scores) < SURE, factor * logits(scores) + added, logits(scores))
        return 1 / (1 + np.exp(-logit))

    return chances


def logits(scores: Any) -> Any:
    return np.clip(scores / SCALE, -10, 10)


def logistic_fit(x: Any, wanted: Any) -> Any:
    """The factor and what is added that turn x into the likeliest logits of what came (Newton's method; held a little
    to x itself, so that games which one side always wins have an answer, too)."""
    rows, plain = np.stack((x, np.ones_like(x)), 1), np.array([1.0, 0.0])
    found = plain
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-rows @ found))
        curvature = (rows * (chance * (1 - chance))[:, None]).T @ rows + np.eye(2)
        found = found - np.linalg.solve(curvature, rows.T @ (chance - wanted) + found - plain)
    return found


def of_shards(shards: Shards, opinion: float) -> RenjuSamples:
    """Positions where a stone is to be put, on the board of 15, with black as the first player."""
    move = shards.action[:, 0].astype(np.int64)
    shards = shards.take((move >= 0) & (move < CELLS))
    side = shards.state[:, TURN] & 1
    mine, theirs = (stones(shards.state[:, first : first + WORDS]) for first in (0, WORDS))
    black = (side == 0)[:, None]
    boards = np.where(black, mine, theirs) * BLACK + np.where(black, theirs, mine) * WHITE
    thought = np.where(np.isnan(shards.value), shards.result, shards.value)
    first_wins = ((1 - opinion) * shards.result + opinion * thought + 1) / 2
    won = np.where(shards.team == 0, first_wins, 1 - first_wins).astype(np.float32)
    kept = shards.game % VALIDATE == 0
    return RenjuSamples(boards.astype(np.int8), side, won, shards.action[:, 0].astype(np.int64), kept)


def stones(words: Any) -> Any:
    """The cells of a colour's words, int64[n, WORDS], as uint8[n, CELLS]."""
    bits = np.unpackbits(np.ascontiguousarray(words, "<i8").view(np.uint8), axis=1, bitorder="little")
    return bits.reshape(-1, WORDS * ROWS, ROW_BITS)[:, :SIZE, :SIZE].reshape(-1, CELLS)
