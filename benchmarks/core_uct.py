"""Claim: UCT on tic-tac-toe makes at least twice the simulations of OpenSpiel's C++ MCTSBot (2 million a second where
that makes 1 million)."""

from __future__ import annotations

import numpy as np
from measure import claim, seconds, spiel

from hansu.compile import compiled
from hansu.core import Control
from hansu.games.tictactoe import TicTacToe, start
from hansu.search.mcts import mcts, new_tree

SIMULATIONS = 100_000


def main() -> None:
    pyspiel = spiel()
    game = pyspiel.load_game("tic_tac_toe")
    state = game.new_initial_state()

    def their_search() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        selection = pyspiel.ChildSelectionPolicy.UCT
        bot = pyspiel.MCTSBot(game, evaluator, 1.4, SIMULATIONS, 1000, False, 1, False, selection)
        bot.mcts_search(state)

    control = Control()
    run, tree = compiled(mcts, TicTacToe), new_tree(1 << 19)

    def our_search() -> None:
        tree.clear()
        run(start(), tree.handle, SIMULATIONS, 1.4, 1.0, 100, np.array([1]), control.address)

    our_search()
    ours, theirs = SIMULATIONS / seconds(our_search, 9), SIMULATIONS / seconds(their_search, 5)
    claim("UCT simulations", ours, theirs, "OpenSpiel's C++ MCTSBot", 2)


if __name__ == "__main__":
    main()
