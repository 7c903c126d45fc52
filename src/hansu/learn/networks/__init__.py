"""Networks: planes in, a policy and a value out. A file each; `build` makes one by its name.

A network is a torch module whose answer to float[rows, planes, height, width] is a tuple:

    policy    float[rows, actions]   a logit an action
    value     float[rows, 3]         logits of win, draw and loss of the mover
    ...       float[rows]            what its `extras` name: `left` (plies to the end), `score`

Convolutions with a normalisation behind them are `Normed`; `plain_copy` and `fold` make the same network without
normalisations, which plays faster and can be overwritten in place while somebody is asking it.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
from dataclasses import asdict, dataclass
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.options import did_you_mean
from hansu.core.phrase import Phrase
from hansu.learn.require import require

torch = require("torch")
nn: Any = torch.nn

UNITS = {"left": 20.0, "score": 1.0}  # of each extra: errors are counted in it, and inner numbers stay small


@dataclass(frozen=True)
class Shape:
    """What a game gives to a network and wants from it."""

    planes: int
    height: int
    width: int
    actions: int
    cells: str = ""  # action d * height * width + i is about cell i, whatever d, counted by "rows" or by "columns"
    dark: tuple[int, ...] = ()  # planes that are not to be seen

    @property
    def board(self) -> int:
        return self.height * self.width


@dataclass(frozen=True)
class Size:
    """How large a network is; 0 leaves it to the network."""

    channels: int = 0
    blocks: int = 0
    pooling: int = 0  # every so many blocks one looks at the whole board
    extras: tuple[str, ...] = ()  # of UNITS


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def build(name: str, shape: Shape, size: Size) -> Any:
    """A network with fresh weights."""
    if name not in names():
        what = Phrase("there is no network {name!r}", name=name)
        raise HansuError(what, did_you_mean(name, names(), "networks"))
    if unknown := [extra for extra in size.extras if extra not in UNITS]:
        output = unknown[0]
        what = Phrase("no network answers {output!r}", output=output)
        raise HansuError(what, did_you_mean(unknown[0], UNITS, "extras"))
    made = importlib.import_module(f"{__name__}.{name}").build(shape, size)
    made.named, made.shape, made.size = name, shape, size
    return made


def description(network: Any) -> dict[str, Any]:
    """What `built_as` needs to make the same network again."""
    return {"network": network.named, "shape": asdict(network.shape), "size": asdict(network.size)}


def built_as(described: dict[str, Any]) -> Any:
    shape = dict(described["shape"], dark=tuple(described["shape"]["dark"]))
    size = dict(described["size"], extras=tuple(described["size"]["extras"]))
    return build(described["network"], Shape(**shape), Size(**size))


def parameter_count(network: Any) -> int:
    return sum(weights.numel() for weights in network.parameters())


class Normed(nn.Module):  # type: ignore[misc]
    """A convolution and its normalisation."""

    def __init__(self, before: int, after: int, kernel: int, height: int = 0) -> None:
        super().__init__()
        # On a board of one row a square kernel would look at nothing but padding above and below.
        size = (1, kernel) if height == 1 else (kernel, kernel)
        padding = tuple(side // 2 for side in size)
        self.convolution = nn.Conv2d(before, after, size, padding=padding, bias=False)
        self.norm = nn.BatchNorm2d(after)

    def forward(self, x: Any) -> Any:
        return self.norm(self.convolution(x))

    def plain(self) -> Any:
        """A convolution of the same shape that has room for both."""
        own = self.convolution
        return nn.Conv2d(own.in_channels, own.out_channels, own.kernel_size, padding=own.padding)

    def fold_into(self, plain: Any) -> None:
        norm = self.norm
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        plain.weight.copy_(self.convolution.weight * scale[:, None, None, None])
        plain.bias.copy_(norm.bias - norm.running_mean * scale)


def plain_copy(network: Any) -> Any:
    """The same network without normalisations, for playing: not to be trained."""
    made = _plain(copy.deepcopy(network)).eval().requires_grad_(False)
    fold(network, made)
    return made


def _plain(module: Any) -> Any:
    for name, child in module.named_children():
        setattr(module, name, child.plain() if isinstance(child, Normed) else _plain(child))
    return module


def fold(network: Any, plain: Any) -> None:
    """Overwrite the weights of a plain copy by what the network knows now."""
    with torch.no_grad():
        _fold(network, plain)


def _fold(module: Any, plain: Any) -> None:
    if isinstance(module, Normed):
        module.fold_into(plain)
        return
    for ours, theirs in zip(module.parameters(recurse=False), plain.parameters(recurse=False), strict=True):
        theirs.copy_(ours)
    for name, child in module.named_children():
        _fold(child, getattr(plain, name))
