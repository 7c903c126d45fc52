"""Many games side by side, one move each at a time.

Every *round* all games make one move. What was known of each position then lies in a ring of rounds; when a game ends,
its rows are gathered from the round it began in to the last, and become samples.

    now      int64[games, words]          the positions
    ring     [rounds, games, ...]         state, action, share, value, team, full: as `samples.py` has them
    began    int64[games]                 the round of a game's first row in the ring
    ply      int32[games]                 plies played, those of its beginning counted in

One game that begins at the very start is watched, move by move, for people to look at.
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

MOST_ENTRIES = 64  # of a policy that are kept
ROUNDS = 64  # in the ring at first; it grows where games are longer
PLAYED_ON = 0.1  # of games in which nobody may resign, to see how often a resignation would have been wrong


@dataclass(frozen=True)
class Beginnings:
    """How games begin: from which positions, and with how many random moves; or where earlier ones surprised."""

    states: Any  # int64[n, words], one drawn by chance
    random_share: float
    random_plies: int
    restart_share: float = 0.0  # of games that begin in a position of the archive


@dataclass
class FinishedGame:
    """Games that ended in a round."""

    samples: Samples  # their games are numbered from 0
    results: Any  # int8[n], of player 0
    lengths: Any  # int32[n], plies
    watched: list[int] | None = None  # every action of one of them, if it was watched from the start
    wrong: int = 0  # games that a resignation would have decided wrongly
    checked: int = 0  # games played on after somebody would have resigned

    @classmethod
    def join(cls, parts: Sequence[FinishedGame]) -> FinishedGame:
        """One after the other, the games numbered on."""
        firsts = np.cumsum([0] + [len(part.results) for part in parts])
        numbered = [replace(p.samples, game=p.samples.game + n) for p, n in zip(parts, firsts, strict=False)]
        return cls(
            Samples.join(numbered), np.concatenate([part.results for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            next((part.watched for part in parts if part.watched is not None), None),
            sum(part.wrong for part in parts), sum(part.checked for part in parts),
        )  # fmt: skip


class Games:
    def __init__(self, game: Game, board: Board, count: int, actions: int, beginnings: Beginnings, longest: int,
                 resign: float, seed: int) -> None:  # fmt: skip
        self._board, self._like = board, board.first.state
        self._beginnings, self._longest, self._resign = beginnings, longest, resign
        self._unit = float(game.score_range)
        self._chance = np.random.default_rng(seed)
        self._seeds = self._chance.integers(1, 2**62, (count, 1))
        self._begin = compiled(begin, type(self._like))
        self._advance = compiled(advance, type(self._like))
        self._most = min(actions, MOST_ENTRIES)
        self._archive = StartPositions(board.words)
        self.count = count
        self.now = np.zeros((count, board.words), np.int64)
        self.ply = np.zeros(count, np.int32)
        self.team = np.zeros(count, np.int8)
        self._began = np.zeros(count, np.int64)
        self._given_up = np.zeros(count, np.int8)  # would have resigned: the side + 1
        self._plays_on = np.zeros(count, bool)
        self._ended, self._scores = np.zeros(count, np.int8), np.zeros(count)
        self._round = 0
        self._watched = -1  # the game that is watched
        self._way: list[int] = []  # and its actions so far
        self._ring = self._new_ring(ROUNDS)
        self._new_games(np.arange(count))

    def _new_ring(self, rounds: int) -> dict[str, Any]:
        axes = (rounds, self.count)
        return {
            "state": np.zeros((*axes, self._board.words), np.int64),
            "action": np.full((*axes, self._most), -1, np.int32),
            "share": np.zeros((*axes, self._most), np.float32),
            "value": np.zeros(axes, np.float32),
            "team": np.zeros(axes, np.int8),
            "ply": np.zeros(axes, np.int32),
            "full": np.zeros(axes, bool),
        }

    def _new_games(self, which: Any) -> None:
        count = len(which)
        if not count:
            return
        plies = self._chance.integers(1, max(self._beginnings.random_plies, 1) + 1, count)
        plies *= self._chance.random(count) < self._beginnings.random_share
        if not self._beginnings.random_plies:
            plies[:] = 0
        states = self._beginnings.states[self._chance.integers(0, len(self._beginnings.states), count)]
        before = np.zeros(count, np.int32)
        if len(self._archive):
            again = np.flatnonzero(self._chance.random(count) < self._beginnings.restart_share)
            states[again], before[again] = self._archive.draw(len(again), self._chance)
            plies[again] = 0
        self._begin(self._like, which, states, before, plies, self._seeds, self.now, self.ply, self.team)
        self._began[which] = self._round
        self._given_up[which] = 0
        self._plays_on[which] = self._chance.random(count) < PLAYED_ON
        plain = which[self.ply[which] == 0]
        if self._watched < 0 and len(self._beginnings.states) == 1 and len(plain):
            self._watched, self._way = int(plain[0]), []

    def move(self, chosen: Any, policy: Any, values: Any, full: bool) -> FinishedGame | None:
        """Make a move in every game. `chosen` int64[games] are the actions, `policy` float32[games, actions] and
        `values` float32[games] (player 0's side) what the search found, `full` whether that is worth learning from."""
        self._remember(policy, values, full)
        if self._watched >= 0:
            self._way.append(int(chosen[self._watched]))
        self._advance(self._like, chosen, self._seeds, self.now, self.ply, self.team, self._ended, self._scores)
        too_long = (self._ended == 0) & (self.ply >= self._longest)
        self._ended[too_long], self._scores[too_long] = 1, 0.0
        wrong = checked = 0
        if self._resign:
            wrong, checked = self._resignations(values)
        self._round += 1
        done = np.flatnonzero(self._ended)
        if not len(done):
            return None
        found = self._gathered(done)
        if self._beginnings.restart_share:
            self._archive.add(found, self._chance)
        way = None
        if self._watched >= 0 and self._ended[self._watched]:
            self._watched, way = -1, self._way
        results, lengths = np.sign(self._scores[done]).astype(np.int8), self.ply[done].copy()
        self._new_games(done)
        return FinishedGame(found, results, lengths, way, wrong, checked)

    def _remember(self, policy: Any, values: Any, full: bool) -> None:
        ring = self._ring
        if self._round - int(self._began.min()) >= len(ring["value"]):
            ring = self._grown()
        at = self._round % len(ring["value"])
        ring["state"][at] = self.now
        sparse(policy, ring["action"][at], ring["share"][at])
        ring["value"][at], ring["team"][at], ring["ply"][at], ring["full"][at] = values, self.team, self.ply, full

    def _grown(self) -> dict[str, Any]:
        """A ring of twice as many rounds, the old ones in their places."""
        old, rounds = self._ring, len(self._ring["value"])
        self._ring = self._new_ring(2 * rounds)
        for number in range(self._round - rounds, self._round):
            for name, array in self._ring.items():
                array[number % (2 * rounds)] = old[name][number % rounds]
        return self._ring

    def _resignations(self, values: Any) -> tuple[int, int]:
        """Who thinks the game lost gives up, but in some games only in thought."""
        before = self._ring["team"][self._round % len(self._ring["value"])]  # who has just moved
        for_mover = np.where(before == 0, values, -values)
        gives_up = (for_mover < -self._resign) & (self._ended == 0) & (self._given_up == 0)
        self._given_up[gives_up] = before[gives_up] + 1
        now = gives_up & ~self._plays_on
        self._ended[now] = 1
        self._scores[now] = np.where(before[now] == 0, -self._unit, self._unit)
        settled = (self._ended != 0) & self._plays_on & (self._given_up != 0)
        lost = np.where(self._given_up == 1, self._scores < 0, self._scores > 0)
        return int((settled & ~lost).sum()), int(settled.sum())

    def _gathered(self, done: Any) -> Samples:
        """The rows of some games, one game after the other."""
        rounds = len(self._ring["value"])
        lengths = self._round - self._began[done]
        number = np.repeat(np.arange(len(done)), lengths)
        game = done[number]
        starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        at = (np.repeat(self._began[done], lengths) + np.arange(len(game)) - starts) % rounds
        kept = self._ring["full"][at, game]
        at, game, number = at[kept], game[kept], number[kept]
        ring, scores = self._ring, self._scores[game]
        ply = ring["ply"][at, game]
        return Samples(
            ring["state"][at, game], ring["action"][at, game], ring["share"][at, game],
            np.sign(scores).astype(np.int8), scores.astype(np.float32), ring["value"][at, game], ply,
            self.ply[game] - ply, ring["team"][at, game], number,
        )  # fmt: skip


@kernel
def sparse(policy: Any, action: Any, share: Any) -> None:
    """float32[n, actions] as the largest entries of each row: action int32[n, most] (-1: no more) and their shares."""
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
            while j > 0 and share[i, j - 1] < p:  # kept in order, the largest first
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
    like: State, which: Any, states: Any, before: Any, plies: Any, seeds: Any, now: Any, ply: Any, teams: Any
) -> None:
    """New games, each from its own position, `before` plies into a game, with so many random moves that do not end
    it."""
    for j in range(len(which)):
        i = which[j]
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
    """Play an action in every game, and what chance adds."""
    for i in range(len(chosen)):
        s = after_chance(play(unpack(like, now[i]), int(chosen[i])), seeds[i])
        pack(s, now[i])
        ply[i] += 1
        ended[i] = over(s)
        scores[i] = float(score(s)) if ended[i] else 0.0
        teams[i] = 0 if ended[i] else team(s)
