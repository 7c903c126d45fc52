"""What fitting a network takes: gradients summed over the cores, Adam (Kingma and Ba 2015), whole numbers at the end.

Compiled code finds the gradients; no torch is needed for these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from hansu.core import kernel
from hansu.core.machine import cores

MEAN, SQUARE = 0.1, 0.001  # how fast the running means follow
LAST = 0.01  # of the rate, at the end


def summed(
    threads: Executor, part: Callable[..., Any], columns: Sequence[Any], network: Sequence[Any]
) -> tuple[Any, list[Any]]:
    """`part(*some_of_the_columns, slopes)` adds gradients to `slopes`, arrays like the network's, and returns a loss;
    it is called for a share of the rows on each core. The losses' sum, and the gradients'."""

    def share(some: Any) -> tuple[Any, list[Any]]:
        slopes = [np.zeros_like(array) for array in network]
        return part(*some, slopes), slopes

    shares = list(threads.map(share, zip(*(np.array_split(column, cores()) for column in columns), strict=True)))
    return sum(lost for lost, _ in shares), [sum(slopes) for slopes in zip(*(made for _, made in shares), strict=True)]


@kernel
def step(parameters: Any, gradients: Any, means: Any, squares: Any, rate: float) -> None:
    """One step for flat float32 arrays, in place."""
    slow, slower = np.float32(MEAN), np.float32(SQUARE)
    for i in range(len(parameters)):
        means[i] += slow * (gradients[i] - means[i])
        squares[i] += slower * (gradients[i] * gradients[i] - squares[i])
        parameters[i] -= np.float32(rate) * means[i] / (np.sqrt(squares[i]) + np.float32(1e-8))


class Adam:
    """Its rate falls from the given one to a hundredth, along half a cosine, in so many steps."""

    def __init__(self, parameters: list[Any], rate: float, steps: int) -> None:
        """Of float32 arrays, which change in place."""
        self.parameters, self.rate, self.steps = parameters, rate, steps
        self.means = [np.zeros_like(array) for array in parameters]
        self.squares = [np.zeros_like(array) for array in parameters]
        self.done = 0

    def step(self, gradients: list[Any]) -> None:
        rate = self.rate * (0.5 * (1 + np.cos(np.pi * self.done / self.steps)) + LAST)
        self.done += 1
        rate *= np.sqrt(1 - (1 - SQUARE) ** self.done) / (1 - (1 - MEAN) ** self.done)
        for arrays in zip(self.parameters, gradients, self.means, self.squares, strict=True):
            step(*(np.ascontiguousarray(array).reshape(-1) for array in arrays), rate)


def whole(array: Any, unit: int, kind: Any) -> Any:
    """In whole numbers, so many to the unit."""
    limit = np.iinfo(kind).max
    return np.clip(np.rint(np.asarray(array, float) * unit), -limit, limit).astype(kind)
