"""Training games against a named player, in parallel with self-play.

The network's moves become samples as in self-play. Of the opponent's moves only the result is learned, because a weaker
player's choices are no example to follow.
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
from hansu.learn.alphazero.background_thread import BackgroundThread
from hansu.learn.alphazero.batch_players import BatchPlayer, NetworkPlayer, SearchResult, opening
from hansu.learn.alphazero.games import FinishedGames, sparse_policy
from hansu.learn.samples import Samples
from hansu.search.chance import step_chance


class Sparring:
    """Several games at once. A new game starts when one ends, while `needed()` says that more games are needed."""

    def __init__(self, game: Game, network: NetworkPlayer, opponent: BatchPlayer, count: int, entries: int,
                 temperature: float, temperature_plies: int, random_plies: int, max_plies: int, seed: int,
                 needed: Callable[[], bool], finished: Callable[[FinishedGames], None]) -> None:  # fmt: skip
        self._game, self._network, self._opponent = game, network, opponent
        self._count, self._entries, self._max_plies = count, entries, max_plies
        self._temperature, self._temperature_plies, self._random_plies = temperature, temperature_plies, random_plies
        self._chance = random.Random(seed)
        self._needed, self._finished = needed, finished
        self._games: list[_SparringGame] = []
        self._started = 0
        self.thread = BackgroundThread("sparring", self._work)

    def _work(self) -> bool:
        while len(self._games) < self._count and self._needed():
            plies = self._chance.randint(0, self._random_plies)
            self._games.append(_SparringGame(opening(self._game, plies, self._chance), self._started % 2))
            self._started += 1
        if not self._games:
            return False
        network_moves = [game for game in self._games if game.position.team == game.seat]
        opponent_moves = [game for game in self._games if game.position.team != game.seat]
        if network_moves:
            temperatures = [self._temperature if game.ply < self._temperature_plies else 0.0 for game in network_moves]
            chosen = self._network.choose([game.position for game in network_moves], temperatures)
            for game, action, result in zip(network_moves, chosen, self._network.results, strict=True):
                game.play(action, result, self._chance)
        if opponent_moves:
            chosen = self._opponent.choose([game.position for game in opponent_moves])
            for game, action in zip(opponent_moves, chosen, strict=True):
                game.play(action, None, self._chance)
        self._finish_games()
        return True

    def _finish_games(self) -> None:
        done = [game for game in self._games if game.position.over or game.ply >= self._max_plies]
        if not done:
            return
        self._games = [game for game in self._games if game not in done]
        scores = [game.position.score if game.position.over else 0.0 for game in done]
        samples = [
            game.samples(score, self._entries, number)
            for number, (game, score) in enumerate(zip(done, scores, strict=True))
        ]
        results = np.sign(scores).astype(np.int8)
        lengths = np.array([game.ply for game in done], np.int32)
        self._finished(FinishedGames(Samples.join(samples), results, lengths))


class _SparringGame:
    """One game: the network's seat, and the positions with the network's search results."""

    def __init__(self, position: Position, seat: int) -> None:
        self.position, self.seat = position, seat
        self.ply = len(position.history)
        self._rows: list[tuple[Position, SearchResult | None, int]] = []

    def play(self, action: Action, result: SearchResult | None, chance: random.Random) -> None:
        self._rows.append((self.position, result, self.ply))
        self.position = step_chance(self.position.play(action), chance)
        self.ply += 1

    def samples(self, score: float, entries: int, number: int) -> Samples:
        count = len(self._rows)
        action, share = np.full((count, entries), -1, np.int32), np.zeros((count, entries), np.float32)
        value = np.full(count, np.nan, np.float32)
        for i, (_, result, _) in enumerate(self._rows):
            if result is not None:
                sparse_policy(result.policy[None], action[i : i + 1], share[i : i + 1])
                value[i] = result.value
        plies = np.array([ply for _, _, ply in self._rows], np.int32)
        outcome: Any = np.sign(score)
        return Samples(
            np.array([flat(position.state) for position, _, _ in self._rows], np.int64), action, share,
            np.full(count, outcome, np.int8), np.full(count, score, np.float32), value, plies, self.ply - plies,
            np.array([position.team for position, _, _ in self._rows], np.int8), np.full(count, number, np.int64),
        )  # fmt: skip
