"""How good a classifier is: accuracy, precision, recall and F1 weighted by how frequent the classes are, and the
confusion matrix (a row a true class, a column a predicted one)."""

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
        import numpy as np

        matrix = np.bincount(truth.astype(int) * classes + predicted, minlength=classes**2).reshape(classes, classes)
        right = np.diag(matrix).astype(float)
        true_count, said_count = matrix.sum(1), matrix.sum(0)
        precision = right / np.maximum(said_count, 1)
        recall = right / np.maximum(true_count, 1)
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
        weight = true_count / true_count.sum()
        confusion = tuple(tuple(int(n) for n in row) for row in matrix)
        accuracy = float(right.sum() / true_count.sum())
        return cls(accuracy, float(weight @ precision), float(weight @ recall), float(weight @ f1), confusion)
