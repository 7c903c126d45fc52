"""Claim: AlphaBetaAgent finishes 20 games on smallClassic at depth 3 in seconds. It plays the same games as
MinimaxAgent with at most two thirds of the nodes."""

from __future__ import annotations

import sys

from measure import claim, seconds

from hansu.core import State, registry
from hansu.games.pacman.compiled_games import GameEnd, PacmanSearch, quick_games

CASES = (("smallClassic", 3, "score"), ("smallClassic", 3, "better"), ("minimaxClassic", 4, "score"))


def measured(s: State, searcher: PacmanSearch, what: str) -> list[GameEnd]:
    ends = list(quick_games(s, searcher, range(20)))
    time = seconds(lambda: list(quick_games(s, searcher, range(20))), 3)
    nodes, mean = sum(end.nodes for end in ends), sum(end.points for end in ends) / 20
    won = sum(end.state.ended == 1 for end in ends)
    print(f"{what}: {nodes:,} nodes, {time:.3f} s for 20 games, {won} won, average {mean:.1f}")
    if time > 10:
        sys.exit("20 games took more than 10 s")
    return ends


def main() -> None:
    for layout, depth, evaluation in CASES:
        s = registry.game(f"pacman:layout={layout},evaluation={evaluation}").first.state
        what = f"{layout}, depth {depth}, {evaluation}"
        plain = measured(s, PacmanSearch(minimax=depth), f"{what}, minimax")
        pruned = measured(s, PacmanSearch(alphabeta=depth), f"{what}, alphabeta")
        assert [end.actions for end in plain] == [end.actions for end in pruned]
        claim(f"{what}, nodes", sum(e.nodes for e in plain), sum(e.nodes for e in pruned), "alpha-beta", 1.5, "")


if __name__ == "__main__":
    main()
