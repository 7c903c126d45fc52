"""Networks: planes in, a policy and a value out. One file per architecture; `build` creates a network by name.

A network is a torch module that maps float[rows, planes, height, width] to a tuple:

    policy    float[rows, actions]   a logit per action
    value     float[rows, 3]         logits of win, draw and loss of the mover
    ...       float[rows]            one for each of its `extras`: `left` (plies to the end), `score`

A `ConvNorm` is a convolution with batch normalization. `plain_copy` and `fold` create the same network with the
normalizations folded into the convolutions; it plays faster, and its weights can be overwritten in place while it is in
use. `unfold` is the inverse, to continue training from the file of a plain network.
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

UNITS = {"left": 20.0, "score": 1.0}  # by which the loss divides the error of each extra


@dataclass(frozen=True)
class Shape:
    """The shapes of a network's input and output for a game."""

    planes: int
    height: int
    width: int
    actions: int
    cells: str = ""  # "rows" or "columns" if action d * height * width + i belongs to cell i, counted that way
    dark: tuple[int, ...] = ()  # masked planes

    @property
    def board(self) -> int:
        return self.height * self.width


@dataclass(frozen=True)
class Size:
    """The size of a network; 0: the architecture's default."""

    channels: int = 0
    blocks: int = 0
    pooling: int = 0  # every n-th block has global pooling
    extras: tuple[str, ...] = ()  # of UNITS


def names() -> list[str]:
    """The names of all architectures."""
    return sorted(_builders())


def _builders() -> dict[str, Callable[[Shape, Size], Any]]:
    """The architectures of this folder and of the games, by name."""
    builders = {}
    for module in pkgutil.iter_modules(__path__):
        builders[module.name] = importlib.import_module(f"{__name__}.{module.name}").build
    for game in registry.names():
        builders.update(registry.built_in(game).networks())
    return builders


def build(name: str, shape: Shape, size: Size) -> Any:
    """A network with random weights."""
    if name not in names():
        raise HansuError("there is no network {name!r}", did_you_mean(name, names(), "networks"), name=name)
    if unknown := [extra for extra in size.extras if extra not in UNITS]:
        output = unknown[0]
        raise HansuError(
            "no network has the output {output!r}", did_you_mean(unknown[0], UNITS, "extras"), output=output
        )
    network = _builders()[name](shape, size)
    network.named, network.shape, network.size = name, shape, size
    return network


def description(network: Any) -> dict[str, Any]:
    """What `from_description` needs to create the same architecture."""
    return {"network": network.named, "shape": asdict(network.shape), "size": asdict(network.size)}


def from_description(described: dict[str, Any]) -> Any:
    """A network with random weights, as described."""
    shape = dict(described["shape"], dark=tuple(described["shape"]["dark"]))
    size = dict(described["size"], extras=tuple(described["size"]["extras"]))
    return build(described["network"], Shape(**shape), Size(**size))


def parameter_count(network: Any) -> int:
    return sum(weights.numel() for weights in network.parameters())


class ConvNorm(nn.Module):  # type: ignore[misc]
    """A convolution with batch normalization."""

    def __init__(self, before: int, after: int, kernel: int, height: int = 0) -> None:
        super().__init__()
        # On a board of one row, the rows above and below the middle of a square kernel would see only padding.
        size = (1, kernel) if height == 1 else (kernel, kernel)
        padding = tuple(side // 2 for side in size)
        self.convolution = nn.Conv2d(before, after, size, padding=padding, bias=False)
        self.norm = nn.BatchNorm2d(after)

    def forward(self, x: Any) -> Any:
        return self.norm(self.convolution(x))

    def plain(self) -> Any:
        """A convolution of the same shape, with a bias, that can replace both."""
        convolution = self.convolution
        return nn.Conv2d(
            convolution.in_channels, convolution.out_channels, convolution.kernel_size, padding=convolution.padding
        )

    def fold_into(self, plain: Any) -> None:
        norm = self.norm
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        plain.weight.copy_(self.convolution.weight * scale[:, None, None, None])
        plain.bias.copy_(norm.bias - norm.running_mean * scale)

    def unfold_from(self, weight: Any, bias: Any) -> None:
        """Take the weights of a plain convolution; the normalization then only adds the bias."""
        norm = self.norm
        self.convolution.weight.copy_(weight)
        norm.bias.copy_(bias)
        norm.weight.fill_(1.0)
        norm.running_mean.zero_()
        norm.running_var.fill_(1.0 - norm.eps)

    def calibrate(self, convolution: Any, inputs: Any, output: Any) -> None:
        """A forward hook: set the running mean and variance to those of the convolution's output, and change weight and
        bias so that the result stays the same."""
        norm = self.norm
        variance, mean = torch.var_mean(output, (0, 2, 3), correction=0)
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        norm.bias.add_((mean - norm.running_mean) * scale)
        norm.weight.copy_(scale * torch.sqrt(variance + norm.eps))
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)


def plain_copy(network: Any) -> Any:
    """The same network without normalizations, for playing. It cannot be trained."""
    plain = _plain(copy.deepcopy(network)).eval().requires_grad_(False)
    fold(network, plain)
    return plain


def _plain(module: Any) -> Any:
    for name, child in module.named_children():
        setattr(module, name, child.plain() if isinstance(child, ConvNorm) else _plain(child))
    return module


def fold(network: Any, plain: Any) -> None:
    """Overwrite the weights of a plain copy with the network's current ones."""
    with torch.no_grad():
        _fold(network, plain)


def _fold(module: Any, plain: Any) -> None:
    if isinstance(module, ConvNorm):
        module.fold_into(plain)
        return
    for source, target in zip(module.parameters(recurse=False), plain.parameters(recurse=False), strict=True):
        target.copy_(source)
    for name, child in module.named_children():
        _fold(child, getattr(plain, name))


def unfold(network: Any, plain: Mapping[str, Any], planes: Any) -> None:
    """Copy the weights of a plain network, arrays by name, into a network with normalizations. Their running means and
    variances, which the plain network lacks, are calibrated on `planes`, so that training starts from the same
    function."""
    parts = {name: module for name, module in network.named_modules() if isinstance(module, ConvNorm)}
    with torch.no_grad():
        for name, part in parts.items():
            part.unfold_from(plain[f"{name}.weight"], plain[f"{name}.bias"])
        for name, weights in network.named_parameters():
            if not any(name.startswith(f"{part}.") for part in parts):
                weights.copy_(plain[name])
        hooks = [part.convolution.register_forward_hook(part.calibrate) for part in parts.values()]
        network.eval()(planes)
        for hook in hooks:
            hook.remove()
