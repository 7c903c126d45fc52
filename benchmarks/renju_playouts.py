"""Claims: random playouts of 15×15 freestyle through the game's rules run at 200,000 a second on one core, 10 times as
fast as OpenSpiel's C++ rollouts of the same game; with Renju's exact forbidden moves still more than 3 times as
fast."""

from __future__ import annotations

import numpy as np
from measure import claim, seconds, spiel

from hansu.compile import compiled
from hansu.games.renju.rules import start
from hansu.search.playout import playouts

PLAYOUTS = 50_000
THEIR_PLAYOUTS = 3_000


def main() -> None:
    pyspiel = spiel()
    game = pyspiel.load_game("gomoku")  # 15×15, five or more win
    state = game.new_initial_state()

    # OpenSpiel's rollouts run in C++ inside its search: one simulation, evaluated by many rollouts.
    def their_playouts() -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(THEIR_PLAYOUTS, 1)
        selection = pyspiel.ChildSelectionPolicy.UCT
        pyspiel.MCTSBot(game, evaluator, 1.4, 1, 1000, False, 1, False, selection).mcts_search(state)

    def rate(rule: str) -> float:
        first, seed = start(rule), np.array([1])
        run = compiled(playouts, type(first))
        run(first, 1, seed, 1000)
        return PLAYOUTS / seconds(lambda: run(first, PLAYOUTS, seed, 1000), 7)

    theirs = THEIR_PLAYOUTS / seconds(their_playouts)
    freestyle = rate("freestyle")
    claim("freestyle playouts", freestyle, theirs, "OpenSpiel's C++ rollouts", 10)
    claim("freestyle playouts", freestyle, 200_000, "the goal", 1)
    claim("renju playouts", rate("renju"), theirs, "OpenSpiel's C++ rollouts of freestyle", 3)


if __name__ == "__main__":
    main()
