"""Logistic regression, to turn a search's scores into win probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def logistic_fit(terms: Any, targets: Any, steps: int, prior: Any = None) -> Any:
    """Weights w such that sigmoid(terms @ w) predicts the targets 0..1 best, by Newton's method: float64[k] from
    float64[n, k] and float64[n]. A prior, float64[k], keeps them finite where all targets are alike."""
    weights = np.zeros(terms.shape[1]) if prior is None else prior
    for _ in range(steps):
        chance = sigmoid(terms @ weights)
        curvature = (terms * (chance * (1 - chance))[:, None]).T @ terms + np.eye(len(weights))
        gradient = terms.T @ (targets - chance)
        weights = weights + np.linalg.solve(curvature, gradient if prior is None else gradient - weights + prior)
    return weights
