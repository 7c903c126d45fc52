"""Whole games in one call: what `hansu pacman -q` runs, compiled; interpreted, it is the same loop in plain Python.

Pacman's moves come from the general searches of `hansu.search`; depth is in rounds (Pacman and every ghost once), as
the course counts. The game's moves are written to `log`.
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

MOST_PLIES = 10_000  # a game that lasts longer is given up


def _begin_words(words: int) -> int:
    set_word(words, ROOT_MOVES, 0)
    return word(words, ROOT_MOVES)


@compiled_as(_begin_words)
def begin(watch: Watch) -> int:
    """Another search with the same watch: nodes add up, the root's moves begin anew. Gives the root's ply, 0."""
    watch.root_moves.clear()
    return 0


def _chosen_words(words: int) -> int:
    return word(words, LINES + 1)


@compiled_as(_chosen_words)
def chosen(watch: Watch) -> int:
    """The first move of the best line that was found; any number where a search that was stopped has found none."""
    return watch.lines[0][0] if watch.lines and watch.lines[0] else -1


def think(
    s: Pacman, by_minimax: int | None, by_alphabeta: int | None, by_expectimax: int | None, seed: int, watch: Any
) -> int:
    """The mover's action by the search that is given a depth, else by reflex. (What is None is not even compiled.)"""
    # The searches get variables, no constants: Numba's cache cannot keep a recursion that was entered with constants.
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
    """Play until the game is over, the log is full or somebody stops it; gives the number of moves, `last` gets the
    state. (A state is not returned: Numba makes one by calling its class, and crashes where Ctrl-C is raised there.)
    Ghosts look `hunters` rounds ahead; where that is None, they head for Pacman with a chance of attack / 2^31 (0: they
    are random)."""
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
        if halted(watch):  # the search may have found no move
            break
        log[ply] = a
        ply += 1
        s = play(s, a)
    pack(s, last)
    return ply


@dataclass(frozen=True)
class PacmanSearch:
    """How Pacman decides: by the search that has a depth (in rounds), else by reflex."""

    minimax: int | None = None
    alphabeta: int | None = None
    expectimax: int | None = None
    seed: int = 1  # chooses among the reflex agent's equals


@dataclass(frozen=True)
class Haunting:
    """What the ghosts are like: random, directional (attack above 0), or looking so many rounds ahead."""

    attack: float = 0.0
    flee: float = 0.0
    depth: int | None = None


@dataclass(frozen=True)
class QuickEnd:
    """How a quick game ended."""

    state: Pacman
    actions: tuple[int, ...]
    nodes: int
    seconds: float  # without what was spent on compiling

    @property
    def points(self) -> int:
        return self.state.points


def quick_games(
    s: Pacman, searcher: PacmanSearch, seeds: Iterable[int], ghosts: Haunting | None = None, interpreted: bool = False
) -> Iterator[QuickEnd]:
    """A game from `s` for each seed."""
    import numpy as np

    ghosts = ghosts or Haunting()
    play_one: Any = quick_game if interpreted else compiled(quick_game, Pacman)
    log, last = (np.zeros(count, np.int64) for count in (MOST_PLIES, len(flat(s))))
    chances = [round(share * CHANCES) for share in (ghosts.attack, ghosts.flee)]
    for seed in seeds:
        control = Control()
        watch: Any = Watch(control) if interpreted else control.address
        chance: Any = [stirred(seed)] if interpreted else np.array([stirred(seed)])
        given = (s, searcher.minimax, searcher.alphabeta, searcher.expectimax, searcher.seed, *chances, ghosts.depth,
                 chance, log, last, watch)  # fmt: skip
        if not interpreted:
            play_one.precompile(*given)
        started = time.perf_counter()
        plies = play_one(*given)
        seconds = time.perf_counter() - started
        if control.stopped:
            raise KeyboardInterrupt
        nodes = watch.nodes if interpreted else int(control.words[NODES])
        yield QuickEnd(unpack(s, last), tuple(log[:plies].tolist()), nodes, seconds)


def stirred(seed: int) -> int:
    """The word of chance a game starts with: seeds that are neighbours must not give games that are alike."""
    return mix((seed & MASK, 20))
