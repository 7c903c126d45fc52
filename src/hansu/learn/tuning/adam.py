"""Adam (Kingma and Ba 2015) over arrays that compiled code has found the gradients of: no torch is needed for these."""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.core import kernel

MEAN, SQUARE = 0.1, 0.001  # how fast the running means follow


@kernel
def step(parameters: Any, gradients: Any, means: Any, squares: Any, rate: float) -> None:
    """One step for flat float32 arrays, in place."""
    slow, slower = np.float32(MEAN), np.float32(SQUARE)
    for i in range(len(parameters)):
        means[i] += slow * (gradients[i] - means[i])
        squares[i] += slower * (gradients[i] * gradients[i] - squares[i])
        parameters[i] -= np.float32(rate) * means[i] / (np.sqrt(squares[i]) + np.float32(1e-8))


class Adam:
    def __init__(self, parameters: list[Any]) -> None:
        """Of float32 arrays, which change in place."""
        self.parameters = parameters
        self.means = [np.zeros_like(array) for array in parameters]
        self.squares = [np.zeros_like(array) for array in parameters]
        self.steps = 0

    def step(self, gradients: list[Any], rate: float) -> None:
        self.steps += 1
        rate *= np.sqrt(1 - (1 - SQUARE) ** self.steps) / (1 - (1 - MEAN) ** self.steps)
        for arrays in zip(self.parameters, gradients, self.means, self.squares, strict=True):
            step(*(np.ascontiguousarray(array).reshape(-1) for array in arrays), rate)
