"""Claim: random playouts of tic-tac-toe through the common rules run at 20 times the speed of OpenSpiel's C++ states
driven from Python."""

from __future__ import annotations

import random

import numpy as np
from measure import claim, seconds, spiel

from hansu.compile import compiled
from hansu.games.tictactoe import TicTacToe, start
from hansu.search.playout import playouts

COUNT = 200_000
THEIRS = 3_000


def main() -> None:
    game = spiel().load_game("tic_tac_toe")

    def spiel_playouts() -> None:
        for _ in range(THEIRS):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(random.choice(state.legal_actions()))

    seed = np.array([1])
    ours = compiled(playouts, TicTacToe)
    ours(start(), 1, seed, 100)
    our_rate = COUNT / seconds(lambda: ours(start(), COUNT, seed, 100))
    claim("playouts", our_rate, THEIRS / seconds(spiel_playouts), "OpenSpiel C++ states from Python", 20)


if __name__ == "__main__":
    main()
