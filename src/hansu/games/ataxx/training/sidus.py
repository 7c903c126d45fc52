"""`sidus`: the network of the Ataxx player that hansu started from, about 180,000 parameters on its board.

planes -> parallel convolutions of sizes 3, 5 and 7 -> residual blocks of sizes 3 and 5 -> two heads

value     1x1 convolution, two dense layers, tanh
policy    1x1 convolution, dense: a logit per move; a pass, which is always the only move, has the logit 0
"""

from __future__ import annotations

from typing import Any

from hansu.core.errors import HansuError
from hansu.learn.networks import ConvNorm, Shape, Size, nn, torch

FIRST_SIZES = (3, 5, 7)
HEAD_CHANNELS = 2
HIDDEN = 64
DRAW_LOGIT = -30.0  # a value between -1 and 1 has no probability of a draw


class SidusBlock(nn.Module):  # type: ignore[misc]
    def __init__(self, channels: int, height: int) -> None:
        super().__init__()
        self.first, self.second = ConvNorm(channels, channels, 3, height), ConvNorm(channels, channels, 5, height)

    def forward(self, x: Any) -> Any:
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class Sidus(nn.Module):  # type: ignore[misc]
    value_loss = "squared"
    extras: tuple[str, ...] = ()

    def __init__(self, shape: Shape, channels: int, blocks: int) -> None:
        super().__init__()
        self.passes = shape.actions % shape.board if shape.cells else 0
        self.first = nn.ModuleList(ConvNorm(shape.planes, channels, kernel, shape.height) for kernel in FIRST_SIZES)
        width = channels * len(FIRST_SIZES)
        self.blocks = nn.ModuleList(SidusBlock(width, shape.height) for _ in range(blocks))
        self.policy_inner, self.value_inner = ConvNorm(width, HEAD_CHANNELS, 1), ConvNorm(width, HEAD_CHANNELS, 1)
        self.policy = nn.Linear(HEAD_CHANNELS * shape.board, shape.actions - self.passes)
        self.value_hidden = nn.Linear(HEAD_CHANNELS * shape.board, HIDDEN)
        self.value = nn.Linear(HIDDEN, 1)

    def forward(self, planes: Any) -> tuple[Any, ...]:
        x = torch.relu(torch.cat([convolution(planes) for convolution in self.first], 1))
        for block in self.blocks:
            x = block(x)
        policy = self.policy(torch.relu(self.policy_inner(x)).flatten(1))
        if self.passes:
            policy = torch.nn.functional.pad(policy, (0, self.passes))
        hidden = torch.relu(self.value_hidden(torch.relu(self.value_inner(x)).flatten(1)))
        return policy, as_logits(self.value(hidden))


def as_logits(u: Any) -> Any:
    """Logits of win, draw and loss with P(win) - P(loss) = tanh(u)."""
    return torch.cat((u, torch.full_like(u, DRAW_LOGIT), -u), 1)


def build(shape: Shape, size: Size) -> Sidus:
    if size.extras:
        raise HansuError("sidus has no extra outputs", "leave out the option extras")
    return Sidus(shape, size.channels or 12, size.blocks or 2)
