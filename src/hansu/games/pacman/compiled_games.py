"""Whole games in one call: the compiled loop of `hansu pacman -q`. Interpreted, it is the same loop in plain Python.

Pacman's moves come from the general searches of `hansu.search`. Depth is in rounds (Pacman and every ghost once), as in
the course.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from hansu.compile import compiled
from hansu.core.bits import MASK, compiled_as, flat, mix, pack, unpack
from hansu.core.control import LINES, NODES, ROOT_MOVES, Control
from hansu.games.pacman.players import CHANCES, directional_action, reflex_action
from hansu.games.pacman.rules import over, play, random_action
from hansu.games.pacman.state import Pacman
from hansu.search.alphabeta import alphabeta
from hansu.search.expectimax import expectimax
from hansu.search.minimax import minimax
from hansu.search.watch import Watch, halted, set_word, word

MOST_PLIES = 10_000  # longer games are stopped


def _begin_words(words: int) -> int:
    set_word(words, ROOT_MOVES, 0)
    return word(words, ROOT_MOVES)


@compiled_as(_begin_words)
def begin(watch: Watch) -> int:
    """Starts another search with the same watch: nodes add up, the root's moves are cleared. Returns the root's ply,
    0."""
    watch.root_moves.clear()
    return 0


def _chosen_words(words: int) -> int:
    return word(words, LINES + 1)


@compiled_as(_chosen_words)
def chosen(watch: Watch) -> int:
    """The first move of the best line. Meaningless if a stopped search has no line."""
    return watch.lines[0][0] if watch.lines and watch.lines[0] else -1


def think(
    s: Pacman, by_minimax: int | None, by_alphabeta: int | None, by_expectimax: int | None, seed: int, watch: Any
) -> int:
    """The mover's action by the search with a depth, else by reflex. (A search whose depth is None is not compiled.)"""
    # The arguments must be variables: Numba cannot cache a recursion that is entered with constants.
    ply = begin(watch)
    rounds = ply == 0
    if by_minimax is not None:
        minimax(s, by_minimax, rounds, ply, watch)
        return chosen(watch)
    if by_alphabeta is not None:
        alphabeta(s, by_alphabeta, rounds, -inf, inf, rounds, ply, watch)
        return chosen(watch)
    if by_expectimax is not None:
        expectimax(s, by_expectimax, rounds, ply, watch)
        return chosen(watch)
    return reflex_action(s, seed)


def quick_game(
    s: Pacman, by_minimax: int | None, by_alphabeta: int | None, by_expectimax: int | None, own_seed: int,
    attack: int, flee: int, hunters: int | None, seed: Any, log: Any, last: Any, watch: Any,
) -> int:  # fmt: skip
    """Plays until the game is over, stopped or `log` is full; returns the number of moves.

    Writes the moves to log int64[plies] and the final state to last int64[words]. (Numba would build a returned state
    by calling its class, which crashes if Ctrl-C is raised there.) Ghosts search `hunters` rounds deep; if that is
    None, they head for Pacman with probability attack / 2^31, or move at random if attack is 0.
    """
    ply = 0
    while not over(s) and ply < len(log):
        if s.turn == 0:
            a = think(s, by_minimax, by_alphabeta, by_expectimax, own_seed, watch)
        elif hunters is not None:
            a = think(s, hunters, None, None, 0, watch)
        elif attack == 0:
            a = random_action(s, seed)
        else:
            a = directional_action(s, attack, flee, seed)
        if halted(watch):  # the search may have no move
            break
        log[ply] = a
        ply += 1
        s = play(s, a)
    pack(s, last)
    return ply


@dataclass(frozen=True)
class PacmanSearch:
    """How Pacman moves: by the search with a depth (in rounds), else by reflex."""

    minimax: int | None = None
    alphabeta: int | None = None
    expectimax: int | None = None
    seed: int = 1  # breaks ties of the reflex agent


@dataclass(frozen=True)
class GhostPolicy:
    """How the ghosts move: at random, directional (attack above 0), or by minimax to a depth in rounds."""

    attack: float = 0.0
    flee: float = 0.0
    depth: int | None = None


@dataclass(frozen=True)
class GameEnd:
    """The result of a compiled game."""

    state: Pacman
    actions: tuple[int, ...]
    nodes: int
    seconds: float  # without compilation

    @property
    def points(self) -> int:
        return self.state.points


def quick_games(
    s: Pacman,
    searcher: PacmanSearch,
    seeds: Iterable[int],
    ghosts: GhostPolicy | None = None,
    interpreted: bool = False,
) -> Iterator[GameEnd]:
    """Plays a game from `s` for each seed."""
    import numpy as np

    ghosts = ghosts or GhostPolicy()
    run: Any = quick_game if interpreted else compiled(quick_game, Pacman)
    log, last = (np.zeros(count, np.int64) for count in (MOST_PLIES, len(flat(s))))
    probabilities = [round(share * CHANCES) for share in (ghosts.attack, ghosts.flee)]
    for seed in seeds:
        control = Control()
        watch: Any = Watch(control) if interpreted else control.address
        rng: Any = [mixed_seed(seed)] if interpreted else np.array([mixed_seed(seed)])
        arguments = (s, searcher.minimax, searcher.alphabeta, searcher.expectimax, searcher.seed, *probabilities,
                     ghosts.depth, rng, log, last, watch)  # fmt: skip
        if not interpreted:
            run.precompile(*arguments)
        started = time.perf_counter()
        plies = run(*arguments)
        seconds = time.perf_counter() - started
        if control.stopped:
            raise KeyboardInterrupt
        nodes = watch.nodes if interpreted else int(control.words[NODES])
        yield GameEnd(unpack(s, last), tuple(log[:plies].tolist()), nodes, seconds)


def mixed_seed(seed: int) -> int:
    """The first random word of a game: neighbouring seeds must not give similar games."""
    return mix((seed & MASK, 20))
