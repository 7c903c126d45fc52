"""Claim: on one core, the Ataxx engine searches 3 million nodes a second with the hand-made evaluation and 1.5 million
with the learned one. The peer is the general `iterative` search over the plain rules. A node is a move made and
evaluated."""

from __future__ import annotations

import time

from measure import claim

from hansu.core import Control, Limit, registry
from hansu.games.ataxx.engine.searcher import AtaxxSearcher
from hansu.games.ataxx.notation import read_fen
from hansu.games.ataxx.uai.ataxx_engine import BENCH
from hansu.search.players import Iterative

NODES = 2_000_000


def main() -> None:
    game = registry.game("ataxx")
    general = Iterative()
    general.decide(game.first, Limit(nodes=1000))
    began, nodes = time.process_time(), 0
    for text in BENCH:
        nodes += general.decide(game.position(text), Limit(nodes=NODES)).report.nodes
    theirs = nodes / (time.process_time() - began)
    for learned, target in ((False, 3e6), (True, 1.5e6)):
        searcher = AtaxxSearcher(learned)
        searcher.precompile()
        nodes, spent, depths = 0, 0.0, []
        for text in BENCH:
            searcher.new_game()
            began = time.process_time()
            report = searcher.search(read_fen(text), Limit(nodes=NODES), Control())
            spent += time.process_time() - began
            nodes += report.nodes
            depths.append(report.depth)
        name = "learned evaluation" if learned else "hand-made evaluation"
        claim(f"{name}, depths {depths}", nodes / spent, theirs, "general iterative search", target / theirs)


if __name__ == "__main__":
    main()
