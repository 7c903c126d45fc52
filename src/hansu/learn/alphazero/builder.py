"""What makes the searches of a run: trees, groups of games, a network with its search, all as the settings say.

A run on one machine makes its own; on a cluster every actor makes its own of the same settings.
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
from hansu.learn.alphazero.evaluator import Answerer, Playing
from hansu.learn.alphazero.games import Beginnings, FinishedGame, Games
from hansu.learn.alphazero.seats import Searching, opening
from hansu.learn.alphazero.self_play import Effort, GameGroup, PhaseTimer
from hansu.learn.alphazero.settings import AlphaZeroSettings, simulations_of
from hansu.learn.encoding import Encoding
from hansu.learn.samples import Board
from hansu.search.forest import Forest, TreeSettings

NOISE = 0.25  # share of Dirichlet noise at the roots of self-play with puct
OPENINGS = 500  # drawn at the start where a game names its own opening moves


class Builder:
    def __init__(
        self, game: Game, settings: AlphaZeroSettings, share: Callable[[], float], tell: Callable[[str], None]
    ) -> None:
        """`share` says how much of the run is over, `tell` hears what is worth saying."""
        self._game, self._settings, self._share, self._tell = game, settings, share, tell
        self.view, self.board = Encoding(game), Board(game)

    @property
    def simulations(self) -> int:
        """Of a move now: few at first, more as the network knows more."""
        first, last = simulations_of(self._settings)
        return round(first + self._share() * (last - first))

    def _effort(self, chance: np.random.Generator) -> Effort:
        """Some moves are only played."""
        s = self._settings
        if s.fast_share and chance.random() < s.fast_share:
            return Effort(s.fast_simulations, False)
        return Effort(self.simulations)

    def forest(self, trees: int, simulations: int, answerer: Answerer, noise: float, seed: int) -> Forest:
        settings = TreeSettings(algorithm=self._settings.algorithm, noise=noise, prune=self._settings.prune)
        threads = min(self._settings.threads or 1, max(1, trees // 64))
        return Forest(
            self.board.first, trees, simulations, settings, threads=threads, seed=seed, inputs=answerer.inputs
        )

    def group(self, playing: Playing, beginnings: Beginnings, seed: int) -> GameGroup:
        """One of self-play."""
        s = self._settings
        assert s.games and s.temperature_plies is not None
        answerer = Answerer(playing, s.games, self.view.whole, s.compile, self._tell)
        most = max(*simulations_of(s), s.fast_simulations if s.fast_share else 0)
        forest = self.forest(s.games, most, answerer, NOISE, seed)
        games = Games(self._game, self.board, s.games, self.view.shape.actions, beginnings, s.max_plies, s.resign, seed)
        chance = np.random.default_rng(seed)
        return GameGroup(games, forest, answerer, lambda: self._effort(chance), s.temperature, s.temperature_plies)

    def searching(self, playing: Playing, trees: int, simulations: int, seed: int) -> Searching:
        answerer = Answerer(playing, trees, self.view.whole, tell=self._tell)
        return Searching(playing, self.forest(trees, simulations, answerer, 0.0, seed), answerer, simulations)

    def some_games(self, playing: Playing) -> FinishedGame:
        """Very short ones, so that everything is compiled before a clock starts."""
        beginnings = Beginnings(np.array([flat(self.board.first.state)], np.int64), 1.0, 1)
        count = 16  # a forest of very few trees is read by other code
        answerer = Answerer(playing, count, self.view.whole, tell=self._tell)
        games = Games(self._game, self.board, count, self.view.shape.actions, beginnings, 2, 0.0, 1)
        group = GameGroup(games, self.forest(count, 2, answerer, NOISE, 1), answerer, lambda: Effort(2), 1.0, 1)
        group.start()
        done = None
        while done is None:
            done = group.turn(PhaseTimer())
        return done

    def beginnings(self) -> Beginnings:
        """Where games begin: at the start, in the positions of a file, or after opening moves that the game names."""
        s = self._settings
        states = [self.board.first.state]
        if s.openings:
            states = [self._game.position(line).state for line in _lines(Path(s.openings))]
        elif self._game.opening_actions is not None and self._game.opening_plies:
            chance = random.Random(s.seed)
            plies = self._game.opening_plies
            states += [opening(self._game, chance.randint(1, plies), chance).state for _ in range(OPENINGS)]
        first = np.array([flat(state) for state in states], np.int64)
        return Beginnings(first, s.random_share, s.random_plies or 0, s.restart_share)


def _lines(path: Path) -> list[str]:
    found = [text for line in read_whole(path).splitlines() if (text := line.partition("#")[0].strip())]
    if not found:
        raise HansuError(f"{path} holds no positions", "one a line")
    return found
