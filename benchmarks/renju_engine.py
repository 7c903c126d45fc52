"""Claim: the Renju engine searches 300,000 nodes a second and more in the middle game, on one core, by each rule; its
peer is the general `iterative` search over the same rules, whose nodes know nothing of threats."""

from __future__ import annotations

import time

from measure import claim

from hansu import games
from hansu.core import Control, Limit
from hansu.games.renju.engine.searcher import Searcher
from hansu.games.renju.state import colour
from hansu.games.renju.tactics import stones_of
from hansu.search.players import Iterative

NODES, PEER_NODES = 1_000_000, 200_000
WANTED = 300_000
MIDDLE_GAMES = (
    "h8 i9 i8 g8 j7 h9 g9 g10 j10 f7 h7 i6 f8 e7",
    "h8 g9 i7 j6 g7 h7 i9 g8 g10 h9 f10 e11 i8 i10 j8",
    "h8 h9 j8 i8 i7 j6 k7 h10 g9 j9 k8 i10 g10 l9 f8 h6 g7 i6",
    "h8 i8 h10 h9 g9 f10 i11 j12 g11 f12 i9 j10 f8 e7 g7 g6 i7 j6",
)


def main() -> None:
    for rule in ("renju", "standard", "freestyle"):
        game = games.game("renju").with_settings({"rule": rule})
        positions = [game.position(moves) for moves in MIDDLE_GAMES]
        general = Iterative()
        general.decide(positions[0], Limit(nodes=1000))
        searcher = Searcher(rule, 15, 32)
        searcher.prepare()
        spent, nodes, depths = [0.0, 0.0], [0, 0], []
        for position in positions:
            began = time.process_time()
            nodes[0] += general.decide(position, Limit(nodes=PEER_NODES)).nodes
            spent[0] += time.process_time() - began
            searcher.new_game()
            began = time.process_time()
            report = searcher.search(stones_of(position), colour(position.state), Limit(nodes=NODES), Control())
            spent[1] += time.process_time() - began
            nodes[1] += report.nodes
            depths.append(report.depth)
        theirs, ours = (n / s for n, s in zip(nodes, spent, strict=True))
        claim(f"{rule}, depths {depths}", ours, theirs, "general iterative search", WANTED / theirs)


if __name__ == "__main__":
    main()
