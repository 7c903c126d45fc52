"""Networks as ONNX files, which is all that playing reads.

    planes   float32[rows, planes, height, width]
    policy   float32[rows, actions]   logits
    value    float32[rows, 3]         probabilities of win, draw and loss of the mover
    ...      float32[rows]            one for each of the network's `extras`

Normalizations are folded in. Weights are stored as float16, which halves the file, and converted to float32 when it is
loaded. `notes` are stored as metadata.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hansu.core.optional_imports import require
from hansu.learn.float16 import to_float16
from hansu.learn.networks import Shape, nn, plain_copy, torch
from hansu.learn.run import save


class PlayableNetwork(nn.Module):  # type: ignore[misc]
    """The network as it is exported: masked planes set to 0, the value as probabilities."""

    def __init__(self, plain: Any, shape: Shape) -> None:
        super().__init__()
        self.plain = plain
        light = torch.ones(1, shape.planes, 1, 1)
        light[:, list(shape.dark)] = 0
        self.register_buffer("light", light if shape.dark else None)

    def forward(self, planes: Any) -> tuple[Any, ...]:
        if self.light is not None:
            planes = planes * self.light
        policy, value, *others = self.plain(planes)
        return policy, value.softmax(1), *others


def write_network(network: Any, path: Path, notes: Mapping[str, str]) -> None:
    """A policy and value network."""
    shape = network.shape
    plain = plain_copy(network).float().cpu()
    example = torch.zeros(2, shape.planes, shape.height, shape.width)
    write(PlayableNetwork(plain, shape), example, path, ("planes",), ("policy", "value", *network.extras), notes)


def write(module: Any, example: Any, path: Path, inputs: Sequence[str], outputs: Sequence[str],
          notes: Mapping[str, str]) -> None:  # fmt: skip
    """Any module that takes one batch, by torch's own exporter."""
    onnx = require("onnx")
    names = [*inputs, *outputs]
    written = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the newer exporter, which it recommends, needs another library
        torch.onnx.export(
            module.eval(), (example,), written, input_names=list(inputs), output_names=list(outputs),
            dynamic_axes={name: {0: "rows"} for name in names}, opset_version=17, dynamo=False,
        )  # fmt: skip
    model = to_float16(onnx.load_model_from_string(written.getvalue()))
    onnx.helper.set_model_props(model, dict(notes))
    onnx.checker.check_model(model)
    save(path, model.SerializeToString())
