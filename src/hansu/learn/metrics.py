"""Measures of a classifier: accuracy; precision, recall and F1, weighted by class frequency; and the confusion matrix
(a row per true class, a column per predicted class)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measures:
    accuracy: float
    precision: float
    recall: float
    f1: float
    confusion: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, truth: Any, predicted: Any, classes: int) -> Measures:
        """Of true and predicted labels, int[n]."""
        import numpy as np

        matrix = np.bincount(truth.astype(int) * classes + predicted, minlength=classes**2).reshape(classes, classes)
        correct = np.diag(matrix).astype(float)
        true_count, predicted_count = matrix.sum(1), matrix.sum(0)
        precision = correct / np.maximum(predicted_count, 1)
        recall = correct / np.maximum(true_count, 1)
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
        weight = true_count / true_count.sum()
        confusion = tuple(tuple(int(n) for n in row) for row in matrix)
        accuracy = float(correct.sum() / true_count.sum())
        return cls(accuracy, float(weight @ precision), float(weight @ recall), float(weight @ f1), confusion)
