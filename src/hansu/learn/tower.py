"""A residual tower of convolutions for boards, trained in torch and written as ONNX.

    planes -> 5x5 convolution -> blocks of two 3x3 convolutions -> 1x1 convolution to few channels -> dense -> classes

Batch normalisations are folded into the convolutions when the network is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError
from hansu.learn.curves import Curve
from hansu.learn.onnx_file import Chain

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    raise HansuError("this recipe needs torch", "pip install 'hansu[train]'") from None


@dataclass(frozen=True)
class Shape:
    """How large a tower is."""

    planes: int
    columns: int
    rows: int
    classes: int
    channels: int = 64
    blocks: int = 4
    head: int = 16
    dense: int = 128


@dataclass(frozen=True)
class Schedule:
    """How it is trained: AdamW with one cycle of the learning rate."""

    epochs: int = 40
    batch: int = 1024
    rate: float = 3e-3
    decay: float = 0.05
    dropout: float = 0.15
    smoothing: float = 0.03
    seed: int = 1


def convolution(before: int, after: int, size: int) -> Any:
    """With its normalisation."""
    return nn.Sequential(
        nn.Conv2d(before, after, size, padding=size // 2, bias=False), nn.BatchNorm2d(after)
    )  # fmt: skip


class Block(nn.Module):  # type: ignore[misc]
    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        self.first, self.second = convolution(channels, channels, 3), convolution(channels, channels, 3)
        self.dropout = dropout

    def forward(self, x: Any) -> Any:
        inner = functional.dropout(functional.relu(self.first(x)), self.dropout, self.training)
        return functional.relu(x + self.second(inner))


class Tower(nn.Module):  # type: ignore[misc]
    """Takes rows of planes * columns * rows numbers, gives a number a class (before softmax)."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape, self.dropout = shape, dropout
        self.first = convolution(shape.planes, shape.channels, 5)
        self.blocks = nn.Sequential(*(Block(shape.channels, dropout) for _ in range(shape.blocks)))
        self.head = convolution(shape.channels, shape.head, 1)
        self.dense = nn.Linear(shape.head * shape.columns * shape.rows, shape.dense)
        self.last = nn.Linear(shape.dense, shape.classes)

    def forward(self, x: Any) -> Any:
        s = self.shape
        x = x.view(-1, s.planes, s.columns, s.rows).to(memory_format=torch.channels_last)
        x = functional.relu(self.head(self.blocks(functional.relu(self.first(x)))))
        x = functional.dropout(x.flatten(1), self.dropout, self.training)
        return self.last(functional.dropout(functional.relu(self.dense(x)), self.dropout, self.training))


def fit(
    shape: Shape, schedule: Schedule, inputs: Any, labels: Any, held_back: tuple[Any, Any], curve: Curve,
    tell: Callable[[str], None],
) -> Tower:  # fmt: skip
    """Train on rows of numbers; half-precision arithmetic, on the graphics card where there is one."""
    torch.manual_seed(schedule.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tower = Tower(shape, schedule.dropout)
    tower.to(device).to(memory_format=torch.channels_last)
    x, y = torch.tensor(inputs, device=device), torch.tensor(labels, device=device).long()
    steps = max(1, len(y) // schedule.batch)
    optimizer = torch.optim.AdamW(tower.parameters(), lr=schedule.rate, weight_decay=schedule.decay)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, schedule.rate, total_steps=schedule.epochs * steps + 1, pct_start=0.15
    )
    for epoch in range(schedule.epochs):
        tower.train()
        order = torch.randperm(len(y), device=device)
        right = seen = 0
        for step in range(steps):
            rows = order[step * schedule.batch : (step + 1) * schedule.batch]
            with torch.autocast(device, torch.bfloat16):
                answer = tower(x[rows])
            loss = functional.cross_entropy(answer.float(), y[rows], label_smoothing=schedule.smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            cycle.step()
            right += int((answer.argmax(1) == y[rows]).sum())
            seen += len(rows)
        there = (chances(tower, held_back[0]).argmax(1) == held_back[1]).mean()
        curve.add(epoch + 1, right / seen, float(there))
        tell(f"epoch {epoch + 1} of {schedule.epochs}: {right / seen:.4f} learnt from, {there:.4f} held back")
    return tower


def chances(tower: Tower, inputs: Any) -> Any:
    """Class probabilities of rows, as NumPy."""
    tower.eval()
    device = next(tower.parameters()).device
    with torch.no_grad():
        parts = [tower(part.to(device)).softmax(1).cpu() for part in torch.tensor(inputs).split(4096)]
    return torch.cat(parts).numpy()


def write(tower: Tower, path: Path, mirror: list[int], notes: dict[str, str]) -> None:
    """As ONNX with half floats; its answer is the mean of those for a row and for its mirror image."""
    tower.eval()
    shape = tower.shape
    chain = Chain(shape.planes * shape.columns * shape.rows, mirror, half=True)
    chain.then("Reshape", _array([-1, shape.planes, shape.columns, shape.rows]))
    chain.then("Conv", *_folded(tower.first), pads=[2, 2, 2, 2])
    chain.then("Relu")
    for block in tower.blocks:
        before = chain.last
        chain.then("Conv", *_folded(block.first), pads=[1, 1, 1, 1])
        chain.then("Relu")
        chain.then("Conv", *_folded(block.second), pads=[1, 1, 1, 1])
        chain.then("Add", also=before)
        chain.then("Relu")
    chain.then("Conv", *_folded(tower.head))
    chain.then("Relu")
    chain.then("Flatten")
    for layer in (tower.dense, tower.last):
        chain.dense(layer.weight.detach().cpu().numpy().T, layer.bias.detach().cpu().numpy())
        chain.then("Relu" if layer is tower.dense else "Softmax")
    chain.write(path, shape.classes, notes)


def _array(numbers: list[int]) -> Any:
    import numpy as np

    return np.array(numbers, np.int64)


def _folded(pair: Any) -> tuple[Any, Any]:
    """Weights and offsets of a convolution with its normalisation in them."""
    convolution, norm = pair
    scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
    weights = convolution.weight.detach() * scale[:, None, None, None]
    offsets = norm.bias.detach() - norm.running_mean * scale
    return weights.cpu().numpy(), offsets.cpu().numpy()
