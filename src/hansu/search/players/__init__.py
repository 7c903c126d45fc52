"""The general players: every algorithm of `hansu.search` as a `Player` for any game, one file each."""

from __future__ import annotations

from hansu.core.player import Player
from hansu.search.players.alphabeta import AlphaBeta
from hansu.search.players.casual import Casual
from hansu.search.players.expectimax import Expectimax
from hansu.search.players.iterative import Iterative
from hansu.search.players.level import Level
from hansu.search.players.maxn import Maxn
from hansu.search.players.mcts import Mcts
from hansu.search.players.minimax import Minimax
from hansu.search.players.policy import Policy
from hansu.search.players.puct import Puct
from hansu.search.players.random import Random
from hansu.search.players.tree_search import TreeSearch

__all__ = [
    "GENERAL",
    "AlphaBeta",
    "Casual",
    "Expectimax",
    "Iterative",
    "Level",
    "Maxn",
    "Mcts",
    "Minimax",
    "Policy",
    "Puct",
    "Random",
    "TreeSearch",
]

GENERAL: dict[str, type[Player]] = {
    player.kind: player
    for player in (Level, Random, Casual, Minimax, Expectimax, AlphaBeta, Iterative, Maxn, Mcts, Policy, Puct)
}
