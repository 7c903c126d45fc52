"""Networks: planes in, a policy and a value out. A file each; `build` makes one by its name.

A network is a torch module whose answer to float[rows, planes, height, width] is a tuple:

    policy    float[rows, actions]   a logit an action
    value     float[rows, 3]         logits of win, draw and loss of the mover
    ...       float[rows]            what its `extras` name: `left` (plies to the end), `score`

Convolutions with a normalisation behind them are `Normed`; `plain_copy` and `fold` make the same network without
normalisations, which plays faster and can be overwritten in place while somebody is asking it. `unfold` is the way
back, for a network that goes on learning from what a file of a plain one holds.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hansu.core import registry
from hansu.core.errors import HansuError
from hansu.core.optional_imports import require
from hansu.core.options import did_you_mean

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
    return sorted(_builders())


def _builders() -> dict[str, Callable[[Shape, Size], Any]]:
    """The architectures of this folder and those that games bring, by name."""
    builders = {}
    for module in pkgutil.iter_modules(__path__):
        builders[module.name] = importlib.import_module(f"{__name__}.{module.name}").build
    for game in registry.names():
        builders.update(registry.built_in(game).networks())
    return builders


def build(name: str, shape: Shape, size: Size) -> Any:
    """A network with fresh weights."""
    if name not in names():
        raise HansuError("there is no network {name!r}", did_you_mean(name, names(), "networks"), name=name)
    if unknown := [extra for extra in size.extras if extra not in UNITS]:
        output = unknown[0]
        raise HansuError("no network answers {output!r}", did_you_mean(unknown[0], UNITS, "extras"), output=output)
    made = _builders()[name](shape, size)
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

    def unfold_from(self, weight: Any, bias: Any) -> None:
        """The weights of a plain convolution, and a normalisation that does nothing but add the bias."""
        norm = self.norm
        self.convolution.weight.copy_(weight)
        norm.bias.copy_(bias)
        norm.weight.fill_(1.0)
        norm.running_mean.zero_()
        norm.running_var.fill_(1.0 - norm.eps)

    def settled(self, convolution: Any, given: Any, found: Any) -> None:
        """A hook that normalises by the mean and variance of what the convolution has found, without a change of the
        answer."""
        norm = self.norm
        variance, mean = torch.var_mean(found, (0, 2, 3), correction=0)
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        norm.bias.add_((mean - norm.running_mean) * scale)
        norm.weight.copy_(scale * torch.sqrt(variance + norm.eps))
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)


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


def unfold(network: Any, plain: Mapping[str, Any], planes: Any) -> None:
    """Take over the weights of a plain copy, by their names in it. A plain network knows nothing of what its
    normalisations saw; so they are settled on some planes: learning then begins with the answers of the plain one."""
    parts = {name: module for name, module in network.named_modules() if isinstance(module, Normed)}
    with torch.no_grad():
        for name, part in parts.items():
            part.unfold_from(plain[f"{name}.weight"], plain[f"{name}.bias"])
        for name, weights in network.named_parameters():
            if not any(name.startswith(f"{part}.") for part in parts):
                weights.copy_(plain[name])
        hooks = [part.convolution.register_forward_hook(part.settled) for part in parts.values()]
        network.eval()(planes)
        for hook in hooks:
            hook.remove()
