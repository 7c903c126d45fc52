"""Many games at once; every game makes one move per round.

The ring buffer holds what was known about each position in the last rounds. When a game ends, its rows from the round
in which it began up to the last become samples.

    now      int64[games, words]          the positions
    ring     [rounds, games, ...]         state, action, share, value, team, full: as `samples.py` has them
    began    int64[games]                 the round of a game's first row in the ring
    ply      int32[games]                 plies played, including those of the opening

One game that starts in the first position is recorded move by move, as an example for the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hansu.compile import compiled, kernel
from hansu.core.bits import pack, unpack
from hansu.core.game import Game
from hansu.core.generic import State, over, play, random_action, score, team
from hansu.learn.alphazero.start_positions import StartPositions
from hansu.learn.samples import Board, Samples
from hansu.search.chance import after_chance

MAX_ENTRIES = 64  # of a policy
ROUNDS = 64  # in the ring at first; it grows if games are longer
PLAYED_ON = 0.1  # share of games without resignations, to measure how often a resignation would be wrong


@dataclass(frozen=True)
class Openings:
    """How games begin: in a random state, after random moves, or in a position of an earlier game."""

    states: Any  # int64[n, words]
    random_share: float  # of games that begin with random moves
    random_plies: int
    restart_share: float = 0.0  # of games that begin in one of the `StartPositions`


@dataclass
class FinishedGames:
    """The games that ended in a round."""

    samples: Samples  # their games are numbered from 0
    results: Any  # int8[n], of player 0
    lengths: Any  # int32[n], plies
    example: list[int] | None = None  # all actions of the recorded game, if it ended
    wrong_resignations: int = 0  # games that a resignation would have decided wrongly,
    checked_resignations: int = 0  # of the games that were played on after one

    @classmethod
    def join(cls, parts: Sequence[FinishedGames]) -> FinishedGames:
        """One after another, with consecutive numbers."""
        firsts = np.cumsum([0] + [len(part.results) for part in parts])
        numbered = [replace(p.samples, game=p.samples.game + n) for p, n in zip(parts, firsts, strict=False)]
        return cls(
            Samples.join(numbered), np.concatenate([part.results for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            next((part.example for part in parts if part.example is not None), None),
            sum(part.wrong_resignations for part in parts), sum(part.checked_resignations for part in parts),
        )  # fmt: skip


class Games:
    def __init__(self, game: Game, board: Board, count: int, actions: int, openings: Openings, max_plies: int,
                 resign: float, seed: int) -> None:  # fmt: skip
        self._board, self._like = board, board.first.state
        self._openings, self._max_plies, self._resign = openings, max_plies, resign
        self._unit = float(game.score_range)
        self._chance = np.random.default_rng(seed)
        self._seeds = self._chance.integers(1, 2**62, (count, 1))
        self._begin = compiled(begin, type(self._like))
        self._advance = compiled(advance, type(self._like))
        self._entries = min(actions, MAX_ENTRIES)
        self._start_positions = StartPositions(board.words)
        self.count = count
        self.now = np.zeros((count, board.words), np.int64)
        self.ply = np.zeros(count, np.int32)
        self.team = np.zeros(count, np.int8)
        self._began = np.zeros(count, np.int64)
        self._resigned = np.zeros(count, np.int8)  # the side that would have resigned, plus 1
        self._plays_on = np.zeros(count, bool)
        self._ended, self._scores = np.zeros(count, np.int8), np.zeros(count)
        self._round = 0
        self._example = -1  # the game that is recorded,
        self._example_actions: list[int] = []  # and its actions so far
        self._ring = self._new_ring(ROUNDS)
        self._new_games(np.arange(count))

    def _new_ring(self, rounds: int) -> dict[str, Any]:
        axes = (rounds, self.count)
        return {
            "state": np.zeros((*axes, self._board.words), np.int64),
            "action": np.full((*axes, self._entries), -1, np.int32),
            "share": np.zeros((*axes, self._entries), np.float32),
            "value": np.zeros(axes, np.float32),
            "team": np.zeros(axes, np.int8),
            "ply": np.zeros(axes, np.int32),
            "full": np.zeros(axes, bool),
        }

    def _new_games(self, numbers: Any) -> None:
        count = len(numbers)
        if not count:
            return
        openings = self._openings
        plies = self._chance.integers(1, max(openings.random_plies, 1) + 1, count)
        plies *= self._chance.random(count) < openings.random_share
        if not openings.random_plies:
            plies[:] = 0
        states = openings.states[self._chance.integers(0, len(openings.states), count)]
        before = np.zeros(count, np.int32)
        if len(self._start_positions):
            again = np.flatnonzero(self._chance.random(count) < openings.restart_share)
            states[again], before[again] = self._start_positions.draw(len(again), self._chance)
            plies[again] = 0
        self._begin(self._like, numbers, states, before, plies, self._seeds, self.now, self.ply, self.team)
        self._began[numbers] = self._round
        self._resigned[numbers] = 0
        self._plays_on[numbers] = self._chance.random(count) < PLAYED_ON
        from_first = numbers[self.ply[numbers] == 0]
        if self._example < 0 and len(openings.states) == 1 and len(from_first):
            self._example, self._example_actions = int(from_first[0]), []

    def move(self, chosen: Any, policy: Any, values: Any, full: bool) -> FinishedGames | None:
        """Play the actions `chosen`, int64[games]; returns the games that ended, if any.

        `policy`, float32[games, actions], and `values`, float32[games] (player 0's side), are the search's results;
        `full` says whether they become samples.
        """
        self._record(policy, values, full)
        if self._example >= 0:
            self._example_actions.append(int(chosen[self._example]))
        self._advance(self._like, chosen, self._seeds, self.now, self.ply, self.team, self._ended, self._scores)
        too_long = (self._ended == 0) & (self.ply >= self._max_plies)
        self._ended[too_long], self._scores[too_long] = 1, 0.0
        wrong = checked = 0
        if self._resign:
            wrong, checked = self._resignations(values)
        self._round += 1
        done = np.flatnonzero(self._ended)
        if not len(done):
            return None
        samples = self._samples_of(done)
        if self._openings.restart_share:
            self._start_positions.add(samples, self._chance)
        example = None
        if self._example >= 0 and self._ended[self._example]:
            self._example, example = -1, self._example_actions
        results, lengths = np.sign(self._scores[done]).astype(np.int8), self.ply[done].copy()
        self._new_games(done)
        return FinishedGames(samples, results, lengths, example, wrong, checked)

    def _record(self, policy: Any, values: Any, full: bool) -> None:
        ring = self._ring
        if self._round - int(self._began.min()) >= len(ring["value"]):
            ring = self._grow_ring()
        at = self._round % len(ring["value"])
        ring["state"][at] = self.now
        sparse_policy(policy, ring["action"][at], ring["share"][at])
        ring["value"][at], ring["team"][at], ring["ply"][at], ring["full"][at] = values, self.team, self.ply, full

    def _grow_ring(self) -> dict[str, Any]:
        """Double the number of rounds; each old round moves to its new place."""
        old, rounds = self._ring, len(self._ring["value"])
        self._ring = self._new_ring(2 * rounds)
        for number in range(self._round - rounds, self._round):
            for name, array in self._ring.items():
                array[number % (2 * rounds)] = old[name][number % rounds]
        return self._ring

    def _resignations(self, values: Any) -> tuple[int, int]:
        """End games in which the mover resigns, except those that are played on to check resignations."""
        mover = self._ring["team"][self._round % len(self._ring["value"])]  # the side that has just moved
        for_mover = np.where(mover == 0, values, -values)
        resigns = (for_mover < -self._resign) & (self._ended == 0) & (self._resigned == 0)
        self._resigned[resigns] = mover[resigns] + 1
        ends = resigns & ~self._plays_on
        self._ended[ends] = 1
        self._scores[ends] = np.where(mover[ends] == 0, -self._unit, self._unit)
        checked = (self._ended != 0) & self._plays_on & (self._resigned != 0)
        lost = np.where(self._resigned == 1, self._scores < 0, self._scores > 0)
        return int((checked & ~lost).sum()), int(checked.sum())

    def _samples_of(self, done: Any) -> Samples:
        """The rows of some games, one game after another."""
        rounds = len(self._ring["value"])
        lengths = self._round - self._began[done]
        number = np.repeat(np.arange(len(done)), lengths)
        game = done[number]
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        at = (np.repeat(self._began[done], lengths) + np.arange(len(game)) - starts) % rounds
        full = self._ring["full"][at, game]
        at, game, number = at[full], game[full], number[full]
        ring, scores = self._ring, self._scores[game]
        ply = ring["ply"][at, game]
        return Samples(
            ring["state"][at, game], ring["action"][at, game], ring["share"][at, game],
            np.sign(scores).astype(np.int8), scores.astype(np.float32), ring["value"][at, game], ply,
            self.ply[game] - ply, ring["team"][at, game], number,
        )  # fmt: skip


@kernel
def sparse_policy(policy: Any, action: Any, share: Any) -> None:
    """The largest entries of each row of float32[n, actions]: their actions, int32[n, entries] (-1: no more), and their
    shares, float32[n, entries], which add up to 1."""
    most = action.shape[1]
    for i in range(len(policy)):
        count = 0
        for a in range(policy.shape[1]):
            p = policy[i, a]
            if p <= 0.0:
                continue
            if count < most:
                j = count
                count += 1
            elif p > share[i, most - 1]:
                j = most - 1
            else:
                continue
            while j > 0 and share[i, j - 1] < p:  # sorted, the largest first
                share[i, j], action[i, j] = share[i, j - 1], action[i, j - 1]
                j -= 1
            share[i, j], action[i, j] = p, a
        total = 0.0
        for j in range(count):
            total += share[i, j]
        for j in range(most):
            if j < count:
                share[i, j] /= total
            else:
                share[i, j], action[i, j] = 0.0, -1


def begin(
    like: State, numbers: Any, states: Any, before: Any, plies: Any, seeds: Any, now: Any, ply: Any, teams: Any
) -> None:
    """Start new games, each from its own state, which is `before` plies into a game, with `plies` random moves that do
    not end it."""
    for j in range(len(numbers)):
        i = numbers[j]
        s = after_chance(unpack(like, states[j]), seeds[i])
        ply[i] = before[j]
        for _ in range(plies[j]):
            after = after_chance(play(s, random_action(s, seeds[i])), seeds[i])
            if over(after):
                break
            s = after
            ply[i] += 1
        pack(s, now[i])
        teams[i] = team(s)


def advance(like: State, chosen: Any, seeds: Any, now: Any, ply: Any, teams: Any, ended: Any, scores: Any) -> None:
    """Play an action in every game, and the chance events that follow."""
    for i in range(len(chosen)):
        s = after_chance(play(unpack(like, now[i]), int(chosen[i])), seeds[i])
        pack(s, now[i])
        ply[i] += 1
        ended[i] = over(s)
        scores[i] = float(score(s)) if ended[i] else 0.0
        teams[i] = 0 if ended[i] else team(s)
