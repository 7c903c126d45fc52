"""Creates the parts of self-play from the settings: search trees, groups of games, a network with its search.

A run on one machine has one builder; on a cluster every actor has its own, with the same settings.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hansu.core.bits import flat
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.reading import read_whole
from hansu.learn.alphazero.batch_players import NetworkPlayer, opening
from hansu.learn.alphazero.evaluator import Evaluator, PlayingNetwork
from hansu.learn.alphazero.games import FinishedGames, Games, Openings
from hansu.learn.alphazero.self_play import GameGroup, PhaseTimer, SearchBudget
from hansu.learn.alphazero.settings import AlphaZeroSettings, simulations_of
from hansu.learn.encoding import Encoding
from hansu.learn.samples import Board
from hansu.search.forest import Forest, TreeSettings

NOISE = 0.25  # share of Dirichlet noise at the roots, in self-play with puct
OPENINGS = 500  # sampled at the start if a game defines its own opening moves
WARMUP_GAMES = 16  # a forest of very few trees is searched by other code


class Builder:
    def __init__(
        self, game: Game, settings: AlphaZeroSettings, share: Callable[[], float], log: Callable[[str], None]
    ) -> None:
        """`share` returns the share of the run that is done, `log` receives messages."""
        self._game, self._settings, self._share, self._log = game, settings, share, log
        self.view, self.board = Encoding(game), Board(game)

    @property
    def simulations(self) -> int:
        """Simulations per move at present; they rise during the run."""
        first, last = simulations_of(self._settings)
        return round(first + self._share() * (last - first))

    def _budget(self, chance: np.random.Generator) -> SearchBudget:
        s = self._settings
        if s.fast_share and chance.random() < s.fast_share:
            return SearchBudget(s.fast_simulations, False)
        return SearchBudget(self.simulations)

    def forest(self, trees: int, simulations: int, evaluator: Evaluator, noise: float, seed: int) -> Forest:
        settings = TreeSettings(algorithm=self._settings.algorithm, noise=noise, prune=self._settings.prune)
        threads = min(self._settings.threads or 1, max(1, trees // 64))
        return Forest(
            self.board.first, trees, simulations, settings, threads=threads, seed=seed, inputs=evaluator.inputs
        )

    def group(self, playing: PlayingNetwork, openings: Openings, seed: int) -> GameGroup:
        """A group of self-play games."""
        s = self._settings
        assert s.games and s.temperature_plies is not None
        evaluator = Evaluator(playing, s.games, self.view.whole, s.compile, self._log)
        most = max(*simulations_of(s), s.fast_simulations if s.fast_share else 0)
        forest = self.forest(s.games, most, evaluator, NOISE, seed)
        games = Games(self._game, self.board, s.games, self.view.shape.actions, openings, s.max_plies, s.resign, seed)
        chance = np.random.default_rng(seed)
        return GameGroup(games, forest, evaluator, lambda: self._budget(chance), s.temperature, s.temperature_plies)

    def network_player(self, playing: PlayingNetwork, trees: int, simulations: int, seed: int) -> NetworkPlayer:
        evaluator = Evaluator(playing, trees, self.view.whole, log=self._log)
        return NetworkPlayer(playing, self.forest(trees, simulations, evaluator, 0.0, seed), evaluator, simulations)

    def warmup_games(self, playing: PlayingNetwork) -> FinishedGames:
        """Very short games, so that everything is compiled before a clock starts."""
        openings = Openings(np.array([flat(self.board.first.state)], np.int64), 1.0, 1)
        evaluator = Evaluator(playing, WARMUP_GAMES, self.view.whole, log=self._log)
        games = Games(self._game, self.board, WARMUP_GAMES, self.view.shape.actions, openings, 2, 0.0, 1)
        forest = self.forest(WARMUP_GAMES, 2, evaluator, NOISE, 1)
        group = GameGroup(games, forest, evaluator, lambda: SearchBudget(2), 1.0, 1)
        group.start()
        done = None
        while done is None:
            done = group.step(PhaseTimer())
        return done

    def openings(self) -> Openings:
        """Where games begin: in the first position, in the positions of a file, or after the game's own openings."""
        s = self._settings
        states = [self.board.first.state]
        if s.openings:
            states = [self._game.position(line).state for line in _lines(Path(s.openings))]
        elif self._game.opening_actions is not None and self._game.opening_plies:
            chance = random.Random(s.seed)
            plies = self._game.opening_plies
            states += [opening(self._game, chance.randint(1, plies), chance).state for _ in range(OPENINGS)]
        first = np.array([flat(state) for state in states], np.int64)
        return Openings(first, s.random_share, s.random_plies or 0, s.restart_share)


def _lines(path: Path) -> list[str]:
    lines = [text for line in read_whole(path).splitlines() if (text := line.partition("#")[0].strip())]
    if not lines:
        raise HansuError("{path} contains no positions", "write one position per line", path=path)
    return lines
