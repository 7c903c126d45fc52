"""A batch of games as arrays, for your own learning code.

    batch = hansu.batch("tictactoe", 4096)
    while True:
        planes, legal = batch.planes(), batch.legal_mask()
        batch.step(actions)                     # int64[games]
        batch.rewards, batch.over               # of this step
        batch.reset(batch.over)                 # restart finished games

All arrays are NumPy. The rules run compiled, on several threads if you like. Chance moves are played automatically.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.compile import compiled
from hansu.compile.columns import set_real, set_whole, whole, word, words_at
from hansu.core.bits import flat, in_parallel, mix, pack, prange, unpack
from hansu.core.errors import HansuError
from hansu.core.game import Game, illegal
from hansu.core.generic import (
    State,
    action_count,
    legal,
    legal_mask,
    mover,
    over,
    planes,
    play,
    random_action,
    score,
    team,
)
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.registry import game
from hansu.search.chance import after_chance
from hansu.search.network import plane_shape

# The words of a batch: sizes and the addresses of its columns.
STATES, STATE_WORDS, SEEDS, OVER, MOVER, TEAM, REWARD, ILLEGAL, BATCH_WORDS = range(9)


def settle(s: State, batch: int, g: int) -> None:
    """Play the chance moves that are due, then store the state, the mover and the result of a finished game."""
    seed = words_at(word(batch, SEEDS) + 8 * g, 1)
    s = after_chance(s, seed)
    pack(s, words_at(word(batch, STATES) + 8 * word(batch, STATE_WORDS) * g, word(batch, STATE_WORDS)))
    ended = over(s)
    set_whole(batch, OVER, g, 1 if ended else 0)
    set_whole(batch, MOVER, g, -1 if ended else mover(s))
    set_whole(batch, TEAM, g, -1 if ended else team(s))
    set_real(batch, REWARD, g, float(score(s)) if ended else 0.0)


def state_of(like: State, batch: int, g: int) -> State:
    """The state of game `g`."""
    return unpack(like, words_at(word(batch, STATES) + 8 * word(batch, STATE_WORDS) * g, word(batch, STATE_WORDS)))


def reset_games(first: State, batch: int, mask: Any, lo: int, hi: int) -> None:
    """Restart the games of a mask, bool[games]."""
    for g in range(lo, hi):
        if mask[g]:
            settle(first, batch, g)


def step_games(like: State, batch: int, chosen: Any, lo: int, hi: int) -> None:
    """Play an action, int64[games], in every game that is not over. An illegal action is not played; the number of its
    game + 1 is stored."""
    for g in range(lo, hi):
        set_real(batch, REWARD, g, 0.0)
        if whole(batch, OVER, g) == 0:
            s = state_of(like, batch, g)
            a = int(chosen[g])
            if legal(s, a):
                settle(play(s, a), batch, g)
            else:
                set_whole(batch, ILLEGAL, 0, g + 1)


def write_planes(like: State, batch: int, out: Any, lo: int, hi: int) -> None:
    """Write the planes of each game."""
    for g in range(lo, hi):
        planes(state_of(like, batch, g), out[g])


def write_masks(like: State, batch: int, out: Any, lo: int, hi: int) -> None:
    """Write the legal moves of each game as a mask."""
    for g in range(lo, hi):
        legal_mask(state_of(like, batch, g), out[g])


def sample_actions(like: State, batch: int, out: Any, lo: int, hi: int) -> None:
    """Write a random legal action of each game; 0 where it is over."""
    for g in range(lo, hi):
        out[g] = 0
        if whole(batch, OVER, g) == 0:
            out[g] = random_action(state_of(like, batch, g), words_at(word(batch, SEEDS) + 8 * g, 1))


@in_parallel
def reset_shares(first: State, batch: int, mask: Any, edges: Any) -> None:
    for k in prange(len(edges) - 1):
        reset_games(first, batch, mask, int(edges[k]), int(edges[k + 1]))


@in_parallel
def step_shares(like: State, batch: int, chosen: Any, edges: Any) -> None:
    for k in prange(len(edges) - 1):
        step_games(like, batch, chosen, int(edges[k]), int(edges[k + 1]))


@in_parallel
def planes_shares(like: State, batch: int, out: Any, edges: Any) -> None:
    for k in prange(len(edges) - 1):
        write_planes(like, batch, out, int(edges[k]), int(edges[k + 1]))


@in_parallel
def mask_shares(like: State, batch: int, out: Any, edges: Any) -> None:
    for k in prange(len(edges) - 1):
        write_masks(like, batch, out, int(edges[k]), int(edges[k + 1]))


@in_parallel
def sample_shares(like: State, batch: int, out: Any, edges: Any) -> None:
    for k in prange(len(edges) - 1):
        sample_actions(like, batch, out, int(edges[k]), int(edges[k + 1]))


SHARED = {
    reset_games: reset_shares, step_games: step_shares, write_planes: planes_shares, write_masks: mask_shares,
    sample_actions: sample_shares,
}  # fmt: skip


class Batch:
    """`games` games of one kind, all started. A step overwrites the arrays."""

    def __init__(self, game: Game | Position, games: int = 1, *, threads: int = 1, seed: int = 0) -> None:
        self.position = game if isinstance(game, Position) else game.first
        first = self.position.state
        if games < 1:
            raise HansuError("a batch of {games} games", "a batch has at least 1 game", games=games)
        self.game, self.games, self.threads = self.position.game, games, max(1, min(threads, games))
        self.actions = int(action_count(first))
        self.plane_shape = plane_shape(self.game, first)
        words = len(flat(first))
        self.states = np.zeros((games, words), np.int64)  # all integers of each state
        self._seeds = np.array([mix((seed, g)) for g in range(games)], np.int64)
        self._over, self._mover, self._team = (np.zeros(games, np.int32) for _ in range(3))
        self._score, self._illegal = np.zeros(games, np.float32), np.zeros(1, np.int32)
        columns = (
            self.states, words, self._seeds, self._over, self._mover, self._team, self._score, self._illegal,
        )  # fmt: skip
        self._words = np.array([c if isinstance(c, int) else c.ctypes.data for c in columns], np.int64)
        assert len(self._words) == BATCH_WORDS
        self._edges = np.array([games * i // self.threads for i in range(self.threads + 1)])
        self.reset()

    def _run(self, work: Any, argument: Any) -> None:
        first, batch = self.position.state, int(self._words.ctypes.data)
        if self.threads == 1:
            compiled(work, type(first))(first, batch, argument, 0, self.games)
        else:
            compiled(SHARED[work], type(first))(first, batch, argument, self._edges)

    def reset(self, mask: Any = None) -> None:
        """Restart the games of a mask, bool[games], or all games."""
        mask = np.ones(self.games, np.bool_) if mask is None else np.ascontiguousarray(mask, np.bool_)
        if mask.shape != (self.games,):
            raise HansuError(
                "the mask has the shape {shape}", "expected: ({games},)", shape=mask.shape, games=self.games
            )
        self._run(reset_games, mask)

    def step(self, chosen: Any) -> None:
        """Play an action, int[games], in every game. A finished game stays as it is.

        Raises IllegalMove for an illegal action; the other games have played theirs.
        """
        chosen = np.ascontiguousarray(chosen, np.int64)
        if chosen.shape != (self.games,):
            raise HansuError(
                "the actions have the shape {shape}", "expected: ({games},)", shape=chosen.shape, games=self.games
            )
        self._illegal[0] = 0
        self._run(step_games, chosen)
        if self._illegal[0]:
            g = int(self._illegal[0]) - 1
            error = illegal(int(chosen[g]), self.game.legal_text(self.state(g)))
            raise type(error)(Message("game {number}: {what}", number=g, what=error.what), error.hint)

    def planes(self, out: Any = None) -> Any:
        """The input planes of each game, float32[games, planes, height, width].

        `out` is an optional array to write to, of any dtype that can hold the game's planes.
        """
        out = np.empty((self.games, *self.plane_shape), np.float32) if out is None else out
        self._run(write_planes, out)
        return out

    def legal_mask(self, out: Any = None) -> Any:
        """Legal actions, bool[games, actions]; all False where a game is over."""
        out = np.empty((self.games, self.actions), np.bool_) if out is None else out
        self._run(write_masks, out)
        return out

    def random_actions(self) -> Any:
        """A random legal action of each game, int64[games]; 0 where it is over."""
        out = np.empty(self.games, np.int64)
        self._run(sample_actions, out)
        return out

    @property
    def over(self) -> Any:
        """Whether each game is over, bool[games]."""
        return self._over != 0

    @property
    def movers(self) -> Any:
        """The agent to move, int32[games]; -1 where the game is over."""
        return self._mover.copy()

    @property
    def teams(self) -> Any:
        """The team to move, int32[games]: 0 or 1; -1 where the game is over."""
        return self._team.copy()

    @property
    def rewards(self) -> Any:
        """Scores of both teams, float32[games, 2], in games that the last step ended; 0 in all others."""
        return np.stack((self._score, 0.0 - self._score), 1)

    def state(self, g: int) -> State:
        """The state of one game."""
        return unpack(self.position.state, self.states[g])


def batch(spec: str, games: int = 1, *, threads: int = 1, seed: int = 0) -> Batch:
    """Many games at once as arrays, for your own learning code.

    >>> import hansu
    >>> batch = hansu.batch("tictactoe", 3)
    >>> batch.step([3, 3, 0])
    >>> batch.planes().shape, batch.legal_mask().shape, batch.over.tolist()
    ((3, 2, 3, 3), (3, 9), [False, False, False])
    """
    return Batch(game(spec), games, threads=threads, seed=seed)
