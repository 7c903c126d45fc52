"""Claim: the Renju engine searches at least 300,000 nodes a second in the middle game, on one core, by each rule. Its
peer is the general `iterative` search over the same rules, whose nodes search no threats."""

from __future__ import annotations

import time

from measure import claim

from hansu.core import Control, Limit, registry
from hansu.games.renju.engine.searcher import RenjuSearcher
from hansu.games.renju.state import colour
from hansu.games.renju.tactics import played_stones
from hansu.search.players import Iterative

NODES, PEER_NODES = 1_000_000, 200_000
GOAL = 300_000
MIDDLE_GAMES = (  # quiet ones, from self-play of the engine; no search ends early with a win
    "g7 g9 e6 h8 e7 h7 h6 i7 f10 i8 f8 e9 f9 f7 g6 f6 g4 g5",
    "g7 i8 j6 h7 i5 h6 g5 g6 f5 h5 h4 h9 h8 k7 i7 k5 i4 f6",
    "h6 i5 h8 g5 j6 h5 j5 j7 i6 k6 i7 g9 g8 h7 i8 e5 f5 f8",
    "g11 f10 h7 f12 g9 g10 f9 e10 d10 e9 f11 e11 e12 e7 e8 d8 g6 f7",
    "h9 h6 e5 g5 f4 h4 f6 g7 f5 f7 g3 d6 f3 f2 h2 i1 e3 h3",
)


def main() -> None:
    for rule in ("renju", "standard", "freestyle"):
        game = registry.game("renju").with_settings({"rule": rule})
        positions = [game.position(moves) for moves in MIDDLE_GAMES]
        general = Iterative()
        general.decide(positions[0], Limit(nodes=1000))
        searcher = RenjuSearcher(rule, 15, 32)
        searcher.precompile()
        spent, nodes, depths = [0.0, 0.0], [0, 0], []
        for position in positions:
            began = time.process_time()
            nodes[0] += general.decide(position, Limit(nodes=PEER_NODES)).report.nodes
            spent[0] += time.process_time() - began
            searcher.new_game()
            began = time.process_time()
            report = searcher.search(played_stones(position), colour(position.state), Limit(nodes=NODES), Control())
            spent[1] += time.process_time() - began
            nodes[1] += report.nodes
            depths.append(report.depth)
        theirs, ours = (n / s for n, s in zip(nodes, spent, strict=True))
        claim(f"{rule}, depths {depths}", ours, theirs, "general iterative search", GOAL / theirs)


if __name__ == "__main__":
    main()
