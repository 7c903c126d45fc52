"""Connect Four for Kaggle's ConnectX: one file of plain Python and NumPy, made by hansu. A network and a search that it
guides.

    the network     a residual tower (planes in, a policy and the chances to win, draw and lose out), in NumPy
    the search      PUCT: wherever the policy and the values so far point to, a few positions at a time, so that the
                    network answers them together; wins and losses at the next move are seen without it
"""

from __future__ import annotations

import base64
import io
import math
import time
from typing import Any

import numpy as np

from hansu.games.connect_four.kaggle.board import (
    BOARD,
    BOTTOM,
    SECONDS,
    at_once,
    column_of,
    safe_moves,
    stones_shown,
    wins,
)

WEIGHTS = ""  # base64 of a NumPy archive of arrays by name; an exported file has it at its end
TOGETHER = 8  # positions that the network answers at a time
EXPLORATION = 1.5
FIRST_PLAY = 0.2  # how much worse than its parent a move that was not tried yet is taken to be
SQUARES = [column * 7 + row for row in range(6) for column in range(7)]  # as planes have them

Array = Any  # float32


class Network:
    """The forward pass."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self._of = {name: array.astype(np.float32) for name, array in arrays.items()}
        self._blocks = sum(name.endswith(".first.weight") for name in arrays if name.startswith("blocks."))
        for name, array in self._of.items():
            if array.ndim == 4:  # out, in, 3, 3 -> 3 * 3 * in, out
                self._of[name] = np.ascontiguousarray(array.transpose(2, 3, 1, 0)).reshape(-1, array.shape[0])

    def __call__(self, planes: Array) -> tuple[Array, Array]:
        """float32[rows, 2, 6, 7] -> logits[rows, 7], chances to win, draw and lose [rows, 3]."""
        x = np.maximum(self._conv(planes.transpose(0, 2, 3, 1), "first"), 0)
        for block in range(self._blocks):
            inner = np.maximum(self._conv(x, f"blocks.{block}.first"), 0)
            x = np.maximum(x + self._conv(inner, f"blocks.{block}.second"), 0)
        policy = self._dense(self._head(x, "policy.inner"), "policy.dense")
        hidden = np.maximum(self._dense(self._head(x, "value.inner"), "value.dense"), 0)
        results = self._dense(hidden, "value.results")
        results = np.exp(results - results.max(axis=1, keepdims=True))
        return policy, results / results.sum(axis=1, keepdims=True)

    def _conv(self, x: Array, name: str) -> Array:
        """3 x 3, the channels last."""
        rows, height, width, channels = x.shape
        padded = np.zeros((rows, height + 2, width + 2, channels), np.float32)
        padded[:, 1:-1, 1:-1] = x
        around = [padded[:, i : i + height, j : j + width] for i in range(3) for j in range(3)]
        laid = np.concatenate(around, axis=3).reshape(-1, 9 * channels)
        return (laid @ self._of[f"{name}.weight"] + self._of[f"{name}.bias"]).reshape(rows, height, width, -1)

    def _head(self, x: Array, name: str) -> Array:
        """1 x 1, the channels first again."""
        made = np.maximum(x @ self._of[f"{name}.weight"] + self._of[f"{name}.bias"], 0)
        return made.transpose(0, 3, 1, 2).reshape(len(x), -1)

    def _dense(self, x: Array, name: str) -> Array:
        return x @ self._of[f"{name}.weight"].T + self._of[f"{name}.bias"]


class Node:
    """A position of the tree; values are the mover's."""

    __slots__ = ("children", "mask", "mover", "moves", "priors", "sure", "totals", "visits")

    def __init__(self, mover: int, mask: int) -> None:
        self.mover, self.mask = mover, mask
        self.sure: float | None = None  # what it is worth without a look by the network
        self.moves: list[int] = []
        self.priors: list[float] = []  # empty: the network has not been asked yet
        threats = wins(mover ^ mask)
        free = BOARD & ~mask
        if free == 0:
            self.sure = 0.0
        elif (mask + BOTTOM & BOARD) & wins(mover):
            self.sure = 1.0
        else:
            safe = safe_moves(mask, threats)
            if safe == 0:
                self.sure = -1.0 if free & free - 1 or free & threats else 0.0
            while safe:
                self.moves.append(safe & -safe)
                safe &= safe - 1
        self.children: list[Node | None] = [None] * len(self.moves)
        self.visits = [0] * len(self.moves)
        self.totals = [0.0] * len(self.moves)

    def chosen(self) -> int:
        """The number of the move to look at next."""
        tried = sum(self.visits)
        mean = sum(self.totals) / tried if tried else 0.0
        push = EXPLORATION * math.sqrt(tried + 1)
        best, found = -math.inf, 0
        for number, visits in enumerate(self.visits):
            value = self.totals[number] / visits if visits else mean - FIRST_PLAY
            value += push * self.priors[number] / (1 + visits)
            if value > best:
                best, found = value, number
        return found


Path = list[tuple[Node, int]]


class Search:
    """The tree of one decision."""

    def __init__(self, network: Network, mover: int, mask: int) -> None:
        self._network = network
        self.root = Node(mover, mask)
        self._answer([self.root])

    def grow(self) -> None:
        """Some more positions. A move on the way to one that is not answered yet counts as lost until it is, so that
        the others go elsewhere."""
        asked: dict[int, Node] = {}
        paths: list[tuple[Path, Node]] = []
        for _ in range(TOGETHER):
            path, node = self._descend()
            paths.append((path, node))
            if node.sure is None:
                asked[id(node)] = node
        values = dict(zip(asked, self._answer(list(asked.values())), strict=True))
        for path, node in paths:
            value = node.sure if node.sure is not None else values[id(node)]
            for parent, number in reversed(path):
                value = -value
                parent.totals[number] += value + 1

    def _descend(self) -> tuple[Path, Node]:
        node, path = self.root, []
        while node.sure is None and node.priors:
            number = node.chosen()
            path.append((node, number))
            node.visits[number] += 1
            node.totals[number] -= 1
            move = node.moves[number]
            after = node.children[number]
            if after is None:
                after = node.children[number] = Node(node.mover ^ node.mask, node.mask | move)
            node = after
        return path, node

    def _answer(self, nodes: list[Node]) -> list[float]:
        """Ask the network; the policy goes into the nodes."""
        if not nodes:
            return []
        logits, chances = self._network(planes_of([(node.mover, node.mask) for node in nodes]))
        for node, row in zip(nodes, logits, strict=True):
            of_moves = np.array([row[column_of(move)] for move in node.moves], dtype=np.float64)
            of_moves = np.exp(of_moves - of_moves.max())
            node.priors = (of_moves / of_moves.sum()).tolist()
        return [float(win - loss) for win, _, loss in chances]

    def best(self) -> int:
        visits = self.root.visits
        return column_of(self.root.moves[visits.index(max(visits))])


def planes_of(positions: list[tuple[int, int]]) -> Array:
    """The mover's stones and the other's, rows from the bottom."""
    words = [[(word >> square & 1) for square in SQUARES] for one in positions for word in (one[0], one[0] ^ one[1])]
    return np.array(words, dtype=np.float32).reshape(len(positions), 2, 6, 7)


_NETWORK: list[Network] = []  # unpacked at the first move


def network() -> Network:
    if not _NETWORK:
        with np.load(io.BytesIO(base64.b64decode(WEIGHTS))) as arrays:
            _NETWORK.append(Network(dict(arrays)))
    return _NETWORK[0]


def chosen_column(mover: int, mask: int, seconds: float, most: int = 1 << 20) -> int:
    """The column to play in an unfinished position, within seconds and rounds of the search."""
    began = time.perf_counter()
    column = at_once(mover, mask)
    if column is not None:
        return column
    search = Search(network(), mover, mask)
    longest, rounds = 0.0, 0
    while rounds < most:
        now = time.perf_counter()
        if now - began + 2 * longest > seconds and rounds:
            break
        search.grow()
        rounds += 1
        longest = max(longest, time.perf_counter() - now)
    return search.best()


def agent(observation: Any, configuration: Any) -> int:
    """What Kaggle asks."""
    return chosen_column(*stones_shown(observation), SECONDS)
