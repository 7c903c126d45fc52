"""Claims: the common rules run 1,000,000 random playouts of Connect Four a second on one core, more than 5 times as
many as OpenSpiel's C++ rollouts. UCT runs at least 5 times as many simulations as OpenSpiel's C++ MCTSBot."""

from __future__ import annotations

import numpy as np
from measure import claim, seconds, spiel

from hansu.compile import compiled
from hansu.core import Control
from hansu.games.connect_four.rules import ConnectFour, start
from hansu.search.mcts import mcts, new_tree
from hansu.search.playout import playouts

PLAYOUTS = 300_000
THEIR_PLAYOUTS = 60_000
SIMULATIONS = 100_000


def main() -> None:
    pyspiel = spiel()
    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()

    # OpenSpiel's rollouts run in C++ only inside its search: one simulation, evaluated by many rollouts.
    def their_playouts() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(THEIR_PLAYOUTS, 1)
        selection = pyspiel.ChildSelectionPolicy.UCT
        pyspiel.MCTSBot(game, evaluator, 1.4, 1, 1000, False, 1, False, selection).mcts_search(state)

    seed, run_playouts = np.array([1]), compiled(playouts, ConnectFour)
    run_playouts(start(), 1, seed, 100)
    ours = PLAYOUTS / seconds(lambda: run_playouts(start(), PLAYOUTS, seed, 100))
    theirs = THEIR_PLAYOUTS / seconds(their_playouts)
    claim("playouts", ours, theirs, "OpenSpiel's C++ rollouts", 5)
    claim("playouts", ours, 1_000_000, "the goal", 1)

    def their_search() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
        selection = pyspiel.ChildSelectionPolicy.UCT
        pyspiel.MCTSBot(game, evaluator, 1.4, SIMULATIONS, 1000, False, 1, False, selection).mcts_search(state)

    control = Control()
    run, tree = compiled(mcts, ConnectFour), new_tree(1 << 20)

    def our_search() -> None:
        tree.clear()
        run(start(), tree.handle, SIMULATIONS, 1.4, 1.0, 100, np.array([1]), control.address)

    our_search()
    ours, theirs = SIMULATIONS / seconds(our_search, 9), SIMULATIONS / seconds(their_search, 5)
    claim("UCT simulations", ours, theirs, "OpenSpiel's C++ MCTSBot", 5)


if __name__ == "__main__":
    main()
