"""`tower`: AlphaZero's residual tower with KataGo's global pooling, for any game.

    planes -> 3x3 convolution -> blocks of two 3x3 convolutions -> a policy head and a value head

If actions are cells of the board (`Shape.cells`), the policy head consists of 1x1 convolutions, and the value head uses
the means and maxima of its channels, so that no weight depends on the board's size. Every n-th block (`pooling`) adds
such means and maxima to all cells, which makes the whole board visible to each cell. Otherwise both heads are dense.
"""

from __future__ import annotations

from typing import Any

from hansu.learn.networks import UNITS, ConvNorm, Shape, Size, nn, torch

POLICY_CHANNELS = 16
VALUE_CHANNELS = 8
POOLED_CHANNELS = 32
HIDDEN = 64


def pooled(x: Any) -> Any:
    """The mean and the maximum of each channel: float[rows, 2 * channels]."""
    return torch.cat((x.mean((2, 3)), x.amax((2, 3))), 1)


class ResidualBlock(nn.Module):  # type: ignore[misc]
    def __init__(self, channels: int, height: int, pooling: bool) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, 3, height)
        self.second = ConvNorm(channels, channels, 3, height)
        self.everywhere = nn.Linear(2 * channels, channels) if pooling else None

    def forward(self, x: Any) -> Any:
        inner = torch.relu(self.first(x))
        if self.everywhere is not None:
            inner = inner + self.everywhere(pooled(inner))[:, :, None, None]
        return torch.relu(x + self.second(inner))


class CellPolicy(nn.Module):  # type: ignore[misc]
    """A logit for each cell and kind of move, and for actions that are not cells (a pass)."""

    def __init__(self, channels: int, shape: Shape) -> None:
        super().__init__()
        kinds, others = divmod(shape.actions, shape.board)
        self.by_columns = shape.cells == "columns"
        self.inner = ConvNorm(channels, POOLED_CHANNELS, 1)
        self.everywhere = nn.Linear(2 * POOLED_CHANNELS, POOLED_CHANNELS)
        self.cells = nn.Conv2d(POOLED_CHANNELS, kinds, 1)
        self.others = nn.Linear(2 * POOLED_CHANNELS, others) if others else None

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.inner(x))
        if not torch.is_autocast_enabled(x.device.type):
            return self.logits(x)
        # Logits may share a large constant; in half precision the differences between moves would be rounded away.
        with torch.autocast(x.device.type, enabled=False):
            return self.logits(x.float())

    def logits(self, x: Any) -> Any:
        whole = pooled(x)
        cells = self.cells(torch.relu(x + self.everywhere(whole)[:, :, None, None]))
        cells = (cells.transpose(2, 3) if self.by_columns else cells).flatten(1)
        return cells if self.others is None else torch.cat((cells, self.others(whole)), 1)


class DensePolicy(nn.Module):  # type: ignore[misc]
    def __init__(self, channels: int, shape: Shape) -> None:
        super().__init__()
        self.inner = ConvNorm(channels, POLICY_CHANNELS, 1)
        self.dense = nn.Linear(POLICY_CHANNELS * shape.board, shape.actions)

    def forward(self, x: Any) -> Any:
        return self.dense(torch.relu(self.inner(x)).flatten(1))


class ValueHead(nn.Module):  # type: ignore[misc]
    """Win, draw, loss, and the extra outputs."""

    def __init__(self, channels: int, shape: Shape, extras: tuple[str, ...]) -> None:
        super().__init__()
        self.pooling = bool(shape.cells)
        inner = POOLED_CHANNELS if shape.cells else VALUE_CHANNELS
        self.inner = ConvNorm(channels, inner, 1)
        self.dense = nn.Linear(2 * inner if shape.cells else inner * shape.board, HIDDEN)
        self.results = nn.Linear(HIDDEN, 3)
        self.extras = nn.Linear(HIDDEN, len(extras)) if extras else None
        self.units = [UNITS[extra] for extra in extras]

    def forward(self, x: Any) -> tuple[Any, ...]:
        x = torch.relu(self.inner(x))
        hidden = torch.relu(self.dense(pooled(x) if self.pooling else x.flatten(1)))
        others = () if self.extras is None else self.extras(hidden).unbind(1)
        return self.results(hidden), *(unit * raw for unit, raw in zip(self.units, others, strict=True))


class Tower(nn.Module):  # type: ignore[misc]
    value_loss = "cross_entropy"

    def __init__(self, shape: Shape, channels: int, blocks: int, pooling: int, extras: tuple[str, ...]) -> None:
        super().__init__()
        self.extras = extras
        self.first = ConvNorm(shape.planes, channels, 3, shape.height)
        self.blocks = nn.ModuleList(
            ResidualBlock(channels, shape.height, bool(pooling) and i % pooling == pooling - 1) for i in range(blocks)
        )
        self.policy = CellPolicy(channels, shape) if shape.cells else DensePolicy(channels, shape)
        self.value = ValueHead(channels, shape, extras)
        for block in self.blocks:  # a new block is the identity
            nn.init.zeros_(block.second.norm.weight)

    def forward(self, planes: Any) -> tuple[Any, ...]:
        x = torch.relu(self.first(planes))
        for block in self.blocks:
            x = block(x)
        return self.policy(x), *self.value(x)


def build(shape: Shape, size: Size) -> Tower:
    return Tower(shape, size.channels or 64, size.blocks or 6, size.pooling, size.extras)
