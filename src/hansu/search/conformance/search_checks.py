"""Checks of the general players on a game: legal moves, exact values, the same nodes compiled and interpreted."""

from __future__ import annotations

import random
from dataclasses import replace

from hansu.core import generic
from hansu.core.game import Game
from hansu.core.generic import CHANCE, State
from hansu.core.limit import Limit
from hansu.search.chance import step_chance
from hansu.search.conformance.random_walk import random_walk, require, state_text
from hansu.search.players.named import player_named

PLAYERS = ("random:seed=1", "minimax", "expectimax", "alphabeta", "iterative", "mcts")
EXACT = ("minimax", "alphabeta", "iterative")


def plays_to_the_end(game: Game, spec: str) -> None:
    """Check that a player makes legal moves and explains them."""
    chance = random.Random(9)
    who = player_named(spec, game)
    position = step_chance(game.first, chance)
    while not position.over and len(position.history) < 24:
        decision = who.decide(position, Limit(nodes=150))
        legal = decision.action in position.actions
        require(legal, f"{spec} chose {decision.action!r}, which is not legal in {state_text(position.state)}")
        require(decision.why, f"{spec} does not explain its move in {state_text(position.state)}")
        line = decision.report.line
        require(
            position.line_text(line) or not line,
            f"{spec} reports a line that is not legal in {state_text(position.state)}",
        )
        position = step_chance(position.play(decision.action), chance)


def general_players(game: Game) -> None:
    """the general players play legal moves to the end of the game"""
    for spec in PLAYERS:
        plays_to_the_end(game, spec)


def plain_minimax(s: State, depth: int) -> float:
    """Minimax in plain Python."""
    if generic.over(s):
        return float(generic.score(s))
    if depth == 0:
        return float(generic.evaluate(s))
    values = [(a, plain_minimax(generic.play(s, a), depth - 1)) for a in generic.actions(s)]
    if generic.mover(s) == CHANCE:
        return sum(generic.probability(s, a) * v for a, v in values)
    return (max if generic.team(s) == 0 else min)(v for _, v in values)


def values(game: Game) -> None:
    """compiled searches return the values of plain minimax"""
    positions = random_walk(game, 10, 60)
    for position in (positions[i] for i in (0, -1, -2, -3) if len(positions) > 3):
        if position.over:
            continue
        depth = 3 if len(position.actions) < 12 else 2 if len(position.actions) < 60 else 1
        expected = plain_minimax(position.state, depth)
        for kind in EXACT:
            value = player_named(f"{kind}:depth={depth}", game).decide(position).report.value
            close = value is not None and abs(value - expected) <= 1e-6 * max(1.0, abs(expected))
            require(
                close,
                f"{kind} to depth {depth} returns {value}, but minimax {expected:g}, in {state_text(position.state)}",
            )


def nodes(game: Game) -> None:
    """compiled and interpreted searches visit the same nodes"""
    depth = 2 if len(game.first.actions) < 100 else 1  # in plain Python
    first = step_chance(game.first, random.Random(9))
    for kind in (*EXACT, "expectimax"):
        fast = player_named(f"{kind}:depth={depth}", game).decide(first)
        slow = player_named(f"{kind}:depth={depth},interpreted=true", game).decide(first)
        require(fast.action == slow.action, f"{kind} plays {slow.action} interpreted, but {fast.action} compiled")
        same = replace(fast.report, seconds=0) == replace(slow.report, seconds=0)
        require(same, f"{kind} reports {slow.report} interpreted, but {fast.report} compiled")
