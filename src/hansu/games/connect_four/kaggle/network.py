"""A player for Kaggle's ConnectX, exported by hansu: tree search guided by a network, in plain Python and NumPy.

network     a residual tower in NumPy, from planes to a policy and win, draw and loss probabilities
search      PUCT; the network evaluates leaves in batches, and wins and losses at the next move need no network
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
    column_of,
    forced_column,
    read_observation,
    safe_moves,
    wins,
)

WEIGHTS = ""  # base64 of an .npz archive; set at the end of an exported file
BATCH_SIZE = 8  # leaves per evaluation by the network
EXPLORATION = 1.5
FPU_REDUCTION = 0.2  # an unvisited move is assumed to be this much worse than its parent
SQUARES = [column * 7 + row for row in range(6) for column in range(7)]  # in the order of the planes

Array = Any  # float32


class Network:
    """The forward pass of the network."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self._arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
        self._blocks = sum(name.endswith(".first.weight") for name in arrays if name.startswith("blocks."))
        for name, array in self._arrays.items():
            if array.ndim == 4:  # out, in, 3, 3 -> 3 * 3 * in, out
                self._arrays[name] = np.ascontiguousarray(array.transpose(2, 3, 1, 0)).reshape(-1, array.shape[0])

    def __call__(self, planes: Array) -> tuple[Array, Array]:
        """float32[rows, 2, 6, 7] -> logits[rows, 7] and win, draw and loss probabilities [rows, 3]."""
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
        """A 3 x 3 convolution, channels last."""
        rows, height, width, channels = x.shape
        padded = np.zeros((rows, height + 2, width + 2, channels), np.float32)
        padded[:, 1:-1, 1:-1] = x
        patches = [padded[:, i : i + height, j : j + width] for i in range(3) for j in range(3)]
        columns = np.concatenate(patches, axis=3).reshape(-1, 9 * channels)
        return (columns @ self._arrays[f"{name}.weight"] + self._arrays[f"{name}.bias"]).reshape(
            rows, height, width, -1
        )

    def _head(self, x: Array, name: str) -> Array:
        """A 1 x 1 convolution, flattened with channels first."""
        features = np.maximum(x @ self._arrays[f"{name}.weight"] + self._arrays[f"{name}.bias"], 0)
        return features.transpose(0, 3, 1, 2).reshape(len(x), -1)

    def _dense(self, x: Array, name: str) -> Array:
        return x @ self._arrays[f"{name}.weight"].T + self._arrays[f"{name}.bias"]


class Node:
    """A node of the tree. Values are for the mover."""

    __slots__ = ("children", "exact", "mask", "mover", "moves", "priors", "totals", "visits")

    def __init__(self, mover: int, mask: int) -> None:
        self.mover, self.mask = mover, mask
        self.exact: float | None = None  # the exact value, if known
        self.moves: list[int] = []
        self.priors: list[float] = []  # empty: not evaluated yet
        threats = wins(mover ^ mask)
        free = BOARD & ~mask
        if free == 0:
            self.exact = 0.0
        elif (mask + BOTTOM & BOARD) & wins(mover):
            self.exact = 1.0
        else:
            safe = safe_moves(mask, threats)
            if safe == 0:
                self.exact = -1.0 if free & free - 1 or free & threats else 0.0
            while safe:
                self.moves.append(safe & -safe)
                safe &= safe - 1
        self.children: list[Node | None] = [None] * len(self.moves)
        self.visits = [0] * len(self.moves)
        self.totals = [0.0] * len(self.moves)

    def select(self) -> int:
        """The number of the move to visit next (PUCT)."""
        total = sum(self.visits)
        mean = sum(self.totals) / total if total else 0.0
        exploration = EXPLORATION * math.sqrt(total + 1)
        best, selected = -math.inf, 0
        for number, visits in enumerate(self.visits):
            value = self.totals[number] / visits if visits else mean - FPU_REDUCTION
            value += exploration * self.priors[number] / (1 + visits)
            if value > best:
                best, selected = value, number
        return selected


Path = list[tuple[Node, int]]


class Search:
    """The search tree of one decision."""

    def __init__(self, network: Network, mover: int, mask: int) -> None:
        self._network = network
        self.root = Node(mover, mask)
        self._evaluate([self.root])

    def grow(self) -> None:
        """Expand a batch of leaves. Moves on the way to a leaf count as lost until it is evaluated (virtual loss), so
        that the other descents of the batch go elsewhere."""
        pending: dict[int, Node] = {}
        paths: list[tuple[Path, Node]] = []
        for _ in range(BATCH_SIZE):
            path, node = self._descend()
            paths.append((path, node))
            if node.exact is None:
                pending[id(node)] = node
        values = dict(zip(pending, self._evaluate(list(pending.values())), strict=True))
        for path, node in paths:
            value = node.exact if node.exact is not None else values[id(node)]
            for parent, number in reversed(path):
                value = -value
                parent.totals[number] += value + 1

    def _descend(self) -> tuple[Path, Node]:
        node, path = self.root, []
        while node.exact is None and node.priors:
            number = node.select()
            path.append((node, number))
            node.visits[number] += 1
            node.totals[number] -= 1
            move = node.moves[number]
            after = node.children[number]
            if after is None:
                after = node.children[number] = Node(node.mover ^ node.mask, node.mask | move)
            node = after
        return path, node

    def _evaluate(self, nodes: list[Node]) -> list[float]:
        """The values of the nodes. Sets their priors, too."""
        if not nodes:
            return []
        logits, probabilities = self._network(planes_of([(node.mover, node.mask) for node in nodes]))
        for node, row in zip(nodes, logits, strict=True):
            priors = np.array([row[column_of(move)] for move in node.moves], dtype=np.float64)
            priors = np.exp(priors - priors.max())
            node.priors = (priors / priors.sum()).tolist()
        return [float(win - loss) for win, _, loss in probabilities]

    def best(self) -> int:
        visits = self.root.visits
        return column_of(self.root.moves[visits.index(max(visits))])


def planes_of(positions: list[tuple[int, int]]) -> Array:
    """float32[positions, 2, 6, 7]: the mover's stones and the opponent's, rows from the bottom."""
    words = [
        [(word >> square & 1) for square in SQUARES] for mover, mask in positions for word in (mover, mover ^ mask)
    ]
    return np.array(words, dtype=np.float32).reshape(len(positions), 2, 6, 7)


_NETWORK: list[Network] = []  # loaded at the first move


def network() -> Network:
    """The network of this file."""
    if not _NETWORK:
        with np.load(io.BytesIO(base64.b64decode(WEIGHTS))) as arrays:
            _NETWORK.append(Network(dict(arrays)))
    return _NETWORK[0]


def chosen_column(mover: int, mask: int, seconds: float, most: int = 1 << 20) -> int:
    """The column to play in an unfinished position, within `seconds` and at most `most` batches."""
    began = time.perf_counter()
    column = forced_column(mover, mask)
    if column is not None:
        return column
    search = Search(network(), mover, mask)
    longest, batches = 0.0, 0
    while batches < most:
        now = time.perf_counter()
        if now - began + 2 * longest > seconds and batches:
            break
        search.grow()
        batches += 1
        longest = max(longest, time.perf_counter() - now)
    return search.best()


def agent(observation: Any, configuration: Any) -> int:
    """The function that Kaggle calls."""
    return chosen_column(*read_observation(observation), SECONDS)
