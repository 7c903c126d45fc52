"""A classifier of board positions, trained with torch and exported as ONNX.

rows of numbers -> planes -> 5x5 convolution -> blocks of two 3x3 convolutions -> 1x1 convolution to few channels
-> dense -> classes
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansu.learn.curves import Curve
from hansu.learn.export import write as write_onnx
from hansu.learn.networks import ConvNorm, nn, plain_copy, torch

functional: Any = nn.functional


@dataclass(frozen=True)
class ClassifierShape:
    """Input, output and size of a classifier."""

    planes: int
    columns: int
    rows: int
    classes: int
    channels: int = 64
    blocks: int = 4
    head: int = 16
    dense: int = 128


@dataclass(frozen=True)
class ClassifierSchedule:
    """The settings of its training: AdamW with a one-cycle learning rate."""

    epochs: int = 40
    batch: int = 1024
    rate: float = 3e-3
    decay: float = 0.05
    dropout: float = 0.15
    smoothing: float = 0.03
    seed: int = 1


class ClassifierBlock(nn.Module):  # type: ignore[misc]
    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        self.first, self.second = ConvNorm(channels, channels, 3), ConvNorm(channels, channels, 3)
        self.dropout = dropout

    def forward(self, x: Any) -> Any:
        inner = functional.dropout(functional.relu(self.first(x)), self.dropout, self.training)
        return functional.relu(x + self.second(inner))


class Classifier(nn.Module):  # type: ignore[misc]
    """From float32[n, planes * columns * rows] to logits, [n, classes]."""

    def __init__(self, shape: ClassifierShape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape, self.dropout = shape, dropout
        self.first = ConvNorm(shape.planes, shape.channels, 5)
        self.blocks = nn.Sequential(*(ClassifierBlock(shape.channels, dropout) for _ in range(shape.blocks)))
        self.head = ConvNorm(shape.channels, shape.head, 1)
        self.dense = nn.Linear(shape.head * shape.columns * shape.rows, shape.dense)
        self.last = nn.Linear(shape.dense, shape.classes)

    def forward(self, x: Any) -> Any:
        s = self.shape
        x = x.view(-1, s.planes, s.columns, s.rows).to(memory_format=torch.channels_last)
        x = functional.relu(self.head(self.blocks(functional.relu(self.first(x)))))
        x = functional.dropout(x.flatten(1), self.dropout, self.training)
        return self.last(functional.dropout(functional.relu(self.dense(x)), self.dropout, self.training))


def fit(
    shape: ClassifierShape, schedule: ClassifierSchedule, inputs: Any, labels: Any, held_out: tuple[Any, Any], curve:
    Curve, log: Callable[[str], None],
) -> Classifier:  # fmt: skip
    """Train on float32[n, inputs] and labels, int[n], in bfloat16, on a graphics card if there is one. `held_out` has
    inputs and labels, too."""
    torch.manual_seed(schedule.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    classifier = Classifier(shape, schedule.dropout)
    classifier.to(device).to(memory_format=torch.channels_last)
    x, y = torch.tensor(inputs, device=device), torch.tensor(labels, device=device).long()
    steps = max(1, len(y) // schedule.batch)
    optimizer = torch.optim.AdamW(classifier.parameters(), lr=schedule.rate, weight_decay=schedule.decay)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, schedule.rate, total_steps=schedule.epochs * steps + 1, pct_start=0.15
    )
    for epoch in range(schedule.epochs):
        classifier.train()
        order = torch.randperm(len(y), device=device)
        correct = count = 0
        for step in range(steps):
            rows = order[step * schedule.batch : (step + 1) * schedule.batch]
            with torch.autocast(device, torch.bfloat16):
                logits = classifier(x[rows])
            loss = functional.cross_entropy(logits.float(), y[rows], label_smoothing=schedule.smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            cycle.step()
            correct += int((logits.argmax(1) == y[rows]).sum())
            count += len(rows)
        held_out_accuracy = float((chances(classifier, held_out[0]).argmax(1) == held_out[1]).mean())
        curve.add(epoch + 1, correct / count, held_out_accuracy)
        accuracies = f"{correct / count:.4f} training, {held_out_accuracy:.4f} held out"
        log(f"epoch {epoch + 1} of {schedule.epochs}: {accuracies}")
    return classifier


def chances(classifier: Classifier, inputs: Any) -> Any:
    """Class probabilities, float32[n, classes], of float32[n, inputs]."""
    classifier.eval()
    device = next(classifier.parameters()).device
    with torch.no_grad():
        parts = [classifier(part.to(device)).softmax(1).cpu() for part in torch.tensor(inputs).split(4096)]
    return torch.cat(parts).numpy()


class Mirrored(nn.Module):  # type: ignore[misc]
    """The mean of the probabilities for a row and for its mirror image."""

    def __init__(self, plain: Any, mirror: list[int]) -> None:
        super().__init__()
        self.plain = plain
        self.register_buffer("mirror", torch.tensor(mirror))

    def forward(self, x: Any) -> Any:
        here, there = (self.plain(rows).softmax(1) for rows in (x, x[:, self.mirror]))
        return (here + there) / 2


def write(classifier: Classifier, path: Path, mirror: list[int], notes: dict[str, str]) -> None:
    """Export as ONNX; `mirror` has, for each input, the number of the input at its place in the mirror image."""
    plain = plain_copy(classifier).float().cpu()
    write_onnx(Mirrored(plain, mirror), torch.zeros(2, len(mirror)), path, ("x",), ("chances",), notes)
