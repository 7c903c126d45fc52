"""Games against a named player, to learn from, beside those of the network with itself.

The network's moves are samples as in self-play. Of the other's moves only the result is learnt: what a weaker player
chooses is no example.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from hansu.core.bits import flat
from hansu.core.game import Game
from hansu.core.generic import Action
from hansu.core.position import Position
from hansu.learn.alphazero.background_thread import Beside
from hansu.learn.alphazero.games import FinishedGame, sparse
from hansu.learn.alphazero.seats import Searching, SeatMove, Side, opening
from hansu.learn.samples import Samples
from hansu.search.chance import step_chance


class Sparring:
    """Some games at once; as one ends another begins, while `wanted` says that there should be more of them."""

    def __init__(self, game: Game, ours: Searching, theirs: Side, count: int, most_entries: int, temperature: float,
                 temperature_plies: int, random_plies: int, longest: int, seed: int, wanted: Callable[[], bool],
                 finished: Callable[[FinishedGame], None]) -> None:  # fmt: skip
        self._game, self._ours, self._theirs = game, ours, theirs
        self._count, self._most, self._longest = count, most_entries, longest
        self._temperature, self._temperature_plies, self._random_plies = temperature, temperature_plies, random_plies
        self._chance = random.Random(seed)
        self._wanted, self._finished = wanted, finished
        self._boards: list[_Board] = []
        self._begun = 0
        self.beside = Beside("sparring", self._work)

    def _work(self) -> bool:
        while len(self._boards) < self._count and self._wanted():
            plies = self._chance.randint(0, self._random_plies)
            self._boards.append(_Board(opening(self._game, plies, self._chance), self._begun % 2))
            self._begun += 1
        if not self._boards:
            return False
        mine = [board for board in self._boards if board.position.team == board.seat]
        others = [board for board in self._boards if board.position.team != board.seat]
        if mine:
            heat = [self._temperature if board.ply < self._temperature_plies else 0.0 for board in mine]
            chosen = self._ours.choose_with([board.position for board in mine], heat)
            for board, action, thought in zip(mine, chosen, self._ours.thoughts, strict=True):
                board.play(action, thought, self._chance)
        if others:
            for board, action in zip(others, self._theirs.choose([b.position for b in others]), strict=True):
                board.play(action, None, self._chance)
        self._end()
        return True

    def _end(self) -> None:
        done = [board for board in self._boards if board.position.over or board.ply >= self._longest]
        if not done:
            return
        self._boards = [board for board in self._boards if board not in done]
        scores = [board.position.score if board.position.over else 0.0 for board in done]
        samples = [
            board.samples(score, self._most, number)
            for number, (board, score) in enumerate(zip(done, scores, strict=True))
        ]
        results = np.sign(scores).astype(np.int8)
        lengths = np.array([board.ply for board in done], np.int32)
        self._finished(FinishedGame(Samples.join(samples), results, lengths))


class _Board:
    """One game: who we are, and what was known of each position."""

    def __init__(self, position: Position, seat: int) -> None:
        self.position, self.seat = position, seat
        self.ply = len(position.history)
        self._met: list[tuple[Position, SeatMove | None, int]] = []

    def play(self, action: Action, thought: SeatMove | None, chance: random.Random) -> None:
        self._met.append((self.position, thought, self.ply))
        self.position = step_chance(self.position.play(action), chance)
        self.ply += 1

    def samples(self, score: float, most: int, number: int) -> Samples:
        count = len(self._met)
        action, share = np.full((count, most), -1, np.int32), np.zeros((count, most), np.float32)
        value = np.full(count, np.nan, np.float32)
        for i, (_, thought, _) in enumerate(self._met):
            if thought is not None:
                sparse(thought.policy[None], action[i : i + 1], share[i : i + 1])
                value[i] = thought.value
        plies = np.array([ply for _, _, ply in self._met], np.int32)
        result: Any = np.sign(score)
        return Samples(
            np.array([flat(position.state) for position, _, _ in self._met], np.int64), action, share,
            np.full(count, result, np.int8), np.full(count, score, np.float32), value, plies, self.ply - plies,
            np.array([position.team for position, _, _ in self._met], np.int8), np.full(count, number, np.int64),
        )  # fmt: skip
