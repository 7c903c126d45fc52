"""`sidus`: the network of the Ataxx player that hansu grew from, about 180,000 parameters on its board.

planes -> convolutions of 3, 5 and 7 side by side -> residual blocks of a 3 and a 5 -> two heads

value     1x1 convolution, two dense layers, tanh
policy    1x1 convolution, dense: a logit for each move; a pass, which is never a choice, has the logit 0
"""

from __future__ import annotations

from typing import Any

from hansu.core.errors import HansuError
from hansu.learn.networks import Normed, Shape, Size, nn, torch

SIDE_BY_SIDE = (3, 5, 7)
HEAD_CHANNELS = 2
HIDDEN = 64
NEVER = -30.0  # the logit of a draw: a value between -1 and 1 knows only wins and losses


class SidusBlock(nn.Module):  # type: ignore[misc]
    def __init__(self, channels: int, height: int) -> None:
        super().__init__()
        self.first, self.second = Normed(channels, channels, 3, height), Normed(channels, channels, 5, height)

    def forward(self, x: Any) -> Any:
        return torch.relu(x + self.second(torch.relu(self.first(x))))


class Sidus(nn.Module):  # type: ignore[misc]
    value_loss = "squared"
    extras: tuple[str, ...] = ()

    def __init__(self, shape: Shape, channels: int, blocks: int) -> None:
        super().__init__()
        self.unasked = shape.actions % shape.board if shape.cells else 0
        self.first = nn.ModuleList(Normed(shape.planes, channels, kernel, shape.height) for kernel in SIDE_BY_SIDE)
        width = channels * len(SIDE_BY_SIDE)
        self.blocks = nn.ModuleList(SidusBlock(width, shape.height) for _ in range(blocks))
        self.policy_inner, self.value_inner = Normed(width, HEAD_CHANNELS, 1), Normed(width, HEAD_CHANNELS, 1)
        self.policy = nn.Linear(HEAD_CHANNELS * shape.board, shape.actions - self.unasked)
        self.value_hidden = nn.Linear(HEAD_CHANNELS * shape.board, HIDDEN)
        self.value = nn.Linear(HIDDEN, 1)

    def forward(self, planes: Any) -> tuple[Any, ...]:
        x = torch.relu(torch.cat([convolution(planes) for convolution in self.first], 1))
        for block in self.blocks:
            x = block(x)
        policy = self.policy(torch.relu(self.policy_inner(x)).flatten(1))
        if self.unasked:
            policy = torch.nn.functional.pad(policy, (0, self.unasked))
        hidden = torch.relu(self.value_hidden(torch.relu(self.value_inner(x)).flatten(1)))
        return policy, as_logits(self.value(hidden))


def as_logits(u: Any) -> Any:
    """Logits of win, draw, loss such that P(win) - P(loss) = tanh(u)."""
    return torch.cat((u, torch.full_like(u, NEVER), -u), 1)


def build(shape: Shape, size: Size) -> Sidus:
    if size.extras:
        raise HansuError("sidus answers nothing but policy and value", "leave out the setting extras")
    return Sidus(shape, size.channels or 12, size.blocks or 2)
