"""`omok`: the networks of the Renju player that hansu started from: policy and value for black, policy and value for
white (pb, vb, pw, vw), because forbidden moves make the two sides different.

    each      the two colours' stones -> six 3x3 convolutions of 96 -> 1x1 convolution
    policy    dense: a logit per cell
    value     dense 256, dense, tanh

They share no weights. The first two planes must be the mover's stones and the opponent's; the last one is all ones if
black, the first player, is to move. Actions that are not cells (steps of an opening rule) have the logit 0.
"""

from __future__ import annotations

from typing import Any

from hansu.core.errors import HansuError
from hansu.games.ataxx.training.sidus import as_logits
from hansu.learn.networks import Shape, Size, nn, torch

STONES = 2
HIDDEN = 256


def convolutions(channels: int, count: int, head: int) -> Any:
    layers: list[Any] = []
    before = STONES
    for _ in range(count):
        layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU()]
        before = channels
    for layer in layers[::2]:
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return nn.Sequential(*layers, nn.Conv2d(before, head, 1), nn.ReLU(), nn.Flatten())


class Colour(nn.Module):  # type: ignore[misc]
    """The two networks of one colour."""

    def __init__(self, shape: Shape, channels: int, count: int) -> None:
        super().__init__()
        self.policy = nn.Sequential(convolutions(channels, count, 2), nn.Linear(2 * shape.board, shape.board))
        self.value = nn.Sequential(
            convolutions(channels, count, 2), nn.Linear(2 * shape.board, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1)
        )

    def forward(self, stones: Any) -> tuple[Any, Any]:
        return self.policy(stones), self.value(stones)


class Omok(nn.Module):  # type: ignore[misc]
    value_loss = "squared"
    extras: tuple[str, ...] = ()

    def __init__(self, shape: Shape, channels: int, count: int) -> None:
        super().__init__()
        self.others = shape.actions - shape.board
        self.black, self.white = Colour(shape, channels, count), Colour(shape, channels, count)

    def forward(self, planes: Any) -> tuple[Any, ...]:
        stones = planes[:, :STONES]
        is_black = planes[:, -1, :1, 0] > 0
        black, white = self.black(stones), self.white(stones)
        policy, value = (torch.where(is_black, b, w) for b, w in zip(black, white, strict=True))
        return torch.nn.functional.pad(policy, (0, self.others)), as_logits(value)


def build(shape: Shape, size: Size) -> Omok:
    if shape.cells != "rows" or shape.actions // shape.board != 1 or shape.planes <= STONES:
        raise HansuError("omok needs a game in which a move is a stone on a cell", "use the network tower")
    if size.extras:
        raise HansuError("omok has no extra outputs", "leave out the option extras")
    return Omok(shape, size.channels or 96, size.blocks or 6)
