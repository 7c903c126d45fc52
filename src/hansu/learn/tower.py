"""A residual tower of convolutions for boards, trained in torch and written as ONNX.

    planes -> 5x5 convolution + a learnt number for every cell and channel -> blocks of two 3x3 convolutions
           -> 1x1 convolution to few channels -> dense -> classes

The numbers for each cell let the tower tell rows apart (in Connect Four odd and even rows mean different things),
which a convolution alone cannot. Batch normalisations are folded into the convolutions when the network is written.
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
    channels: int = 48
    blocks: int = 4
    head: int = 16
    dense: int = 192


@dataclass(frozen=True)
class Schedule:
    """How it is trained: AdamW with one cycle of the learning rate."""

    epochs: int = 20
    batch: int = 512
    rate: float = 3e-3
    decay: float = 0.05
    dropout: float = 0.3
    smoothing: float = 0.03
    seed: int = 1


class Block(nn.Module):  # type: ignore[misc]
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(channels)

    def forward(self, x: Any) -> Any:
        inner = functional.relu(self.first_norm(self.first(x)))
        return functional.relu(x + self.second_norm(self.second(inner)))


class Tower(nn.Module):  # type: ignore[misc]
    """Takes rows of planes * columns * rows numbers, gives a number a class (before softmax)."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.shape, self.dropout = shape, dropout
        self.first = nn.Conv2d(shape.planes, shape.channels, 5, padding=2, bias=False)
        self.first_norm = nn.BatchNorm2d(shape.channels)
        self.place = nn.Parameter(torch.randn(1, shape.channels, shape.columns, shape.rows) * 0.1)
        self.blocks = nn.Sequential(*(Block(shape.channels) for _ in range(shape.blocks)))
        self.head = nn.Conv2d(shape.channels, shape.head, 1)
        self.dense = nn.Linear(shape.head * shape.columns * shape.rows, shape.dense)
        self.last = nn.Linear(shape.dense, shape.classes)

    def forward(self, x: Any) -> Any:
        s = self.shape
        x = x.view(-1, s.planes, s.columns, s.rows).to(memory_format=torch.channels_last)
        x = self.blocks(functional.relu(self.first_norm(self.first(x)) + self.place))
        x = functional.dropout(functional.relu(self.head(x)).flatten(1), self.dropout, self.training)
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
        optimizer, schedule.rate, total_steps=schedule.epochs * steps + 1, pct_start=0.2
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


def mean_chances(towers: list[Tower], inputs: Any) -> Any:
    return sum(chances(tower, inputs) for tower in towers) / len(towers)


def chances(tower: Tower, inputs: Any) -> Any:
    """Class probabilities of rows, as NumPy."""
    tower.eval()
    device = next(tower.parameters()).device
    with torch.no_grad():
        parts = [tower(part.to(device)).softmax(1).cpu() for part in torch.tensor(inputs).split(4096)]
    return torch.cat(parts).numpy()


def write(towers: list[Tower], path: Path, notes: dict[str, str]) -> None:
    """The mean answer of several towers as one ONNX file with half floats."""
    shape = towers[0].shape
    chain = Chain(shape.planes * shape.columns * shape.rows, half=True)
    answers = [_add(chain, tower) for tower in towers]
    chain.mean(answers)
    chain.write(path, shape.classes, notes)


def _add(chain: Chain, tower: Tower) -> str:
    """The operators of one tower, from the input on; the name of its answer."""
    tower.eval()
    shape = tower.shape
    chain.last = "x"
    chain.then("Reshape", _array([-1, shape.planes, shape.columns, shape.rows]))
    chain.then("Conv", *_folded(tower.first, tower.first_norm), pads=[2, 2, 2, 2])
    chain.then("Add", tower.place.detach().cpu().numpy())
    chain.then("Relu")
    for block in tower.blocks:
        before = chain.last
        chain.then("Conv", *_folded(block.first, block.first_norm), pads=[1, 1, 1, 1])
        chain.then("Relu")
        chain.then("Conv", *_folded(block.second, block.second_norm), pads=[1, 1, 1, 1])
        chain.then("Add", also=before)
        chain.then("Relu")
    chain.then("Conv", *_weights(tower.head))
    chain.then("Relu")
    chain.then("Flatten")
    for layer in (tower.dense, tower.last):
        weights, offsets = _weights(layer)
        chain.dense(weights.T, offsets)
        chain.then("Relu" if layer is tower.dense else "Softmax")
    return chain.last


def _array(numbers: list[int]) -> Any:
    import numpy as np

    return np.array(numbers, np.int64)


def _weights(layer: Any) -> tuple[Any, Any]:
    return layer.weight.detach().cpu().numpy(), layer.bias.detach().cpu().numpy()


def _folded(convolution: Any, norm: Any) -> tuple[Any, Any]:
    """Weights and offsets of a convolution with its normalisation in them."""
    scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
    weights = convolution.weight.detach() * scale[:, None, None, None]
    offsets = norm.bias.detach() - norm.running_mean * scale
    return weights.cpu().numpy(), offsets.cpu().numpy()
