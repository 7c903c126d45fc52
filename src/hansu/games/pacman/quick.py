"""Whole games in one call: what `hansu pacman -q` runs, compiled; interpreted, it is the same loop in plain Python.

Pacman's moves come from the general searches of `hansu.search`; depth is in rounds (Pacman and every ghost once), as
the course counts. The game's moves are written to `log`: their number, then each.
"""

from __future__ import annotations

from math import inf
from typing import Any

from hansu.core.bits import compiled_as
from hansu.core.control import LINES, ROOT_MOVES
from hansu.games.pacman.agents import directional_action, reflex_action
from hansu.games.pacman.rules import over, play, random_action
from hansu.games.pacman.state import Pacman
from hansu.search.alphabeta import alphabeta
from hansu.search.expectimax import expectimax
from hansu.search.minimax import minimax
from hansu.search.watch import Watch


def _begin_words(words: Any) -> None:
    words[ROOT_MOVES] = 0


@compiled_as(_begin_words)
def begin(watch: Watch) -> None:
    """Another search with the same watch: nodes add up, the root's moves begin anew."""
    watch.root_moves.clear()


def _chosen_words(words: Any) -> int:
    return words[LINES + 1]  # type: ignore[no-any-return]


@compiled_as(_chosen_words)
def chosen(watch: Watch) -> int:
    """The first move of the best line that was found."""
    return watch.lines[0][0]  # type: ignore[no-any-return]


def think(
    s: Pacman, by_minimax: int | None, by_alphabeta: int | None, by_expectimax: int | None, seed: int, watch: Any
) -> int:
    """The mover's action by the search that is given a depth, else by reflex. (What is None is not even compiled.)"""
    if by_minimax is not None:
        begin(watch)
        minimax(s, by_minimax, True, 0, watch)
        return chosen(watch)
    if by_alphabeta is not None:
        begin(watch)
        alphabeta(s, by_alphabeta, True, -inf, inf, True, 0, watch)
        return chosen(watch)
    if by_expectimax is not None:
        begin(watch)
        expectimax(s, by_expectimax, True, 0, watch)
        return chosen(watch)
    return reflex_action(s, seed)


def quick_game(
    s: Pacman, by_minimax: int | None, by_alphabeta: int | None, by_expectimax: int | None, own_seed: int,
    attack: int, flee: int, hunters: int | None, seed: Any, log: Any, watch: Any,
) -> Pacman:  # fmt: skip
    """The state at the end of a game, or when the log is full. Ghosts look `hunters` rounds ahead; where that is None,
    they head for Pacman with a chance of attack / 2^31 (0: they are random)."""
    ply = 0
    while not over(s) and ply + 1 < len(log):
        if s.turn == 0:
            a = think(s, by_minimax, by_alphabeta, by_expectimax, own_seed, watch)
        elif hunters is not None:
            a = think(s, hunters, None, None, 0, watch)
        elif attack == 0:
            a = random_action(s, seed)
        else:
            a = directional_action(s, attack, flee, seed)
        ply += 1
        log[ply] = a
        s = play(s, a)
    log[0] = ply
    return s
