"""Distillation: a large teacher network evaluates positions, and an engine's small network learns these evaluations.

A game records who won and what its searches returned. Both are noisy, and each position has only one such label. So a
residual tower, the *teacher*, is fitted to the games first. It then evaluates as many positions as needed, including
those that occur only inside searches. The *student*, the engine's network, is trained on these evaluations (Hinton,
Vinyals and Dean 2015).

A game subclasses `Teacher` and `Student`. Samples are a NamedTuple of arrays with one row per position.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from hansu.learn.engine_training.array_files import write_arrays
from hansu.learn.engine_training.optimization import minimize
from hansu.learn.networks import Shape, Size, build, nn, plain_copy, torch

functional: Any = torch.nn.functional
TEACHER_RATE = 1e-3  # learning rate of a teacher with random weights
TEACHER_CLIP = 2.0  # the largest norm of its gradient
HELD_OUT_BATCH = 16384  # positions per batch when the student is measured

Report = Callable[[int, list[float], list[float]], None]  # an epoch, its training losses, its held-out losses
Samples = TypeVar("Samples", bound=tuple[Any, ...])


@dataclass(frozen=True)
class DistillationSettings:
    epochs: int  # of the student in each round
    batch: int
    channels: int  # of the teacher; 0: no teacher
    blocks: int
    teacher_epochs: int
    extra_positions: int  # that the teacher evaluates for each position of the games
    seed: int
    device: str
    plies: int = 1  # most plies between a game and an extra position
    rounds: int = 1  # new extra positions are drawn in each round
    learning_rate: float = 2e-3
    averaging: float = 0.0  # weight-averaging window as a fraction of the steps; 0: no averaging
    teacher_rate: float = TEACHER_RATE


class Teacher(nn.Module):  # type: ignore[misc]
    """A large network that evaluates positions; subclasses encode the positions of a game."""

    shape: ClassVar[Shape]  # of a new teacher's network
    largest_batch: ClassVar[int]  # positions per training step
    evaluation_batch: ClassVar[int]

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def evaluate(self, planes: Any) -> tuple[Any, Any]:
        """Policy logits, [n, actions], and the mover's expected score, float32[n], of float32[n, planes, height,
        width]."""
        with torch.autocast(planes.device.type, torch.bfloat16, enabled=planes.is_cuda):
            policy, results, *_ = self.network(planes.to(memory_format=torch.channels_last))
        return policy, win_probability(results)

    def loss(self, samples: Any, rows: Any) -> Any:
        """The training loss on some rows of the games' samples."""
        raise NotImplementedError

    def targets(self, samples: Any, rows: Any) -> Any:
        """What the student learns about some rows."""
        raise NotImplementedError


class Student(nn.Module):  # type: ignore[misc]
    """An engine's network in floats, as it is trained."""

    loss_weights: ClassVar[tuple[float, ...]] = (1.0,)

    def losses(self, samples: Any, rows: Any) -> Any:
        """float32[n] for some rows: losses in the order of `loss_weights`, then other measures."""
        raise NotImplementedError

    def held_out_losses(self, samples: Any, rows: Any) -> Any:
        """The same without data augmentation."""
        return self.losses(samples, rows)

    def clamp(self) -> None:
        """Called after each step: keep weights within the range of the file's integers."""

    def arrays(self) -> dict[str, Any]:
        """The integers that the engine's file holds."""
        raise NotImplementedError


def split_held_out(samples: Samples, held_out: Any, device: str) -> tuple[Samples, Samples]:
    """The rows to train on and the held-out ones, as tensors; `held_out` is bool[n]."""
    first, second = (
        type(samples)(*(torch.as_tensor(column[part]).to(device) for column in samples))
        for part in (~held_out, held_out)
    )
    return first, second


def on_device(teacher: Any, device: str) -> Any:
    return teacher.to(device).to(memory_format=torch.channels_last)


def fitted_teacher(
    kind: type[Teacher], network: Any, samples: Any, settings: DistillationSettings, log: Callable[[str], None]
) -> Any:
    """A teacher that was trained on the games' samples for `teacher_epochs`: a known network, or a new one (None)."""
    if network is None:
        network = build("tower", kind.shape, Size(settings.channels, settings.blocks, pooling=2))
    teacher = on_device(kind(network), settings.device).eval()
    if settings.teacher_epochs:
        teacher.train()
        rows, batch = torch.arange(len(samples[0]), device=settings.device), min(settings.batch, kind.largest_batch)
        losses = minimize(
            teacher, lambda some: teacher.loss(samples, some), rows, settings.teacher_epochs, batch,
            settings.teacher_rate, clip=TEACHER_CLIP,
        )  # fmt: skip
        for epoch, loss in enumerate(losses, 1):
            log(f"teacher, epoch {epoch} of {settings.teacher_epochs}: loss {loss:.4f}")
        teacher.eval()
    return on_device(kind(plain_copy(teacher.network)), settings.device)  # faster, and no longer trained


def teacher_targets(teacher: Teacher, samples: Any, device: str) -> Any:
    """The teacher's targets for all rows of some samples, without gradients."""
    rows = torch.arange(len(samples[0]), device=device)
    return in_batches(lambda some: teacher.targets(samples, some), rows, teacher.evaluation_batch)


def in_batches(function: Callable[[Any], Any], rows: Any, size: int) -> Any:
    """The function's results for all rows, computed batch by batch without gradients."""
    with torch.no_grad():
        return torch.cat([function(part) for part in rows.split(size)])


def fit_student(
    student: Student, path: Path, samples_of: Callable[[int, Student], Any], held_out: Any,
    settings: DistillationSettings, report: Report,
) -> None:  # fmt: skip
    """Train a student, and write its file and report its losses after each epoch. `samples_of(round, average)` returns
    a round's samples; the learning rate halves from round to round."""
    average = copy.deepcopy(student) if settings.averaging else student
    held_out_rows = torch.arange(len(held_out[0]), device=settings.device)
    totals: Any = 0.0

    def loss(some: Any) -> Any:
        nonlocal totals
        losses = student.losses(samples, some)
        totals = totals + losses.detach()
        return sum(weight * part for weight, part in zip(student.loss_weights, losses, strict=False))

    def held_out_part(some: Any) -> Any:
        return len(some) * average.held_out_losses(held_out, some)[None]

    epoch = 0
    for number in range(settings.rounds):
        samples = samples_of(number, average)
        rows = torch.arange(len(samples[0]), device=settings.device)
        epochs = minimize(
            student, loss, rows, settings.epochs, settings.batch, settings.learning_rate / 2**number, student.clamp,
            average=average if settings.averaging else None, averaging=settings.averaging or 1.0,
        )  # fmt: skip
        for _ in epochs:
            epoch += 1
            measured = in_batches(held_out_part, held_out_rows, HELD_OUT_BATCH).sum(0) / len(held_out_rows)
            write_arrays(path, average.arrays())
            report(epoch, (totals / max(len(rows) // settings.batch, 1)).tolist(), measured.tolist())
            totals = 0.0


def win_probability(results: Any) -> Any:
    """The mover's expected score, from a tower's logits of win, draw and loss."""
    chances = results.float().softmax(1)
    return chances[:, 0] + chances[:, 1] / 2


def value_loss(chance: Any, target: Any, reduction: str = "mean") -> Any:
    """The binary cross entropy of win probabilities."""
    return functional.binary_cross_entropy(chance.clamp(1e-6, 1 - 1e-6), target, reduction=reduction)


def to_integers(array: Any, scale: int, kind: Any, limit: int | None = None) -> Any:
    """`array * scale`, rounded to an integer type; values beyond `limit` (or the type's range) are clipped."""
    limit = limit or np.iinfo(kind).max
    return np.clip(np.rint(np.asarray(array, float) * scale), -limit, limit).astype(kind)
