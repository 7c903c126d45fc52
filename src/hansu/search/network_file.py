"""The weights in a network's file, for whoever reads them instead of asking the network: to train on, to write them
into a file of another kind.

    name_half         half floats
    name_quantized    whole numbers; the DequantizeLinear that reads them knows their scales, one a channel
    name              as it is

A file that `hansu train` wrote calls everything of the network itself `plain.`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

HALF = "_half"
WHOLE = "_quantized"
LINEAR = ("QuantizeLinear", "DequantizeLinear")


def weights(model: Any) -> dict[str, Any]:
    """The arrays of an ONNX model by their names in the network: in half precision where the file has them so, floats
    where it has whole numbers."""
    from onnx import numpy_helper

    stored = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    readers = {node.input[0]: node for node in model.graph.node if node.op_type in LINEAR}
    beside = beside_whole_numbers(model.graph)
    found: dict[str, Any] = {}
    for name, values in stored.items():
        if name in beside:
            continue
        if name in readers:
            scales, zeros = (stored[one] for one in readers[name].input[1:])
            values = floats(values, scales, zeros, axis_of(readers[name]))
        found[name.removeprefix("plain.").removesuffix(HALF).removesuffix(WHOLE)] = values
    return found


def floats(values: Any, scales: Any, zeros: Any, axis: int) -> Any:
    """What whole numbers stand for; their scales lie along an axis, or there is one for all."""
    along = [-1 if i == axis else 1 for i in range(values.ndim)] if scales.ndim else []
    steps = values.astype(np.int64) - zeros.reshape(along)
    return (steps * scales.reshape(along)).astype(np.float32)


def axis_of(node: Any) -> int:
    return next((int(one.i) for one in node.attribute if one.name == "axis"), 1)


def beside_whole_numbers(graph: Any) -> set[str]:
    """The names of scales and offsets."""
    return {name for node in graph.node if node.op_type in LINEAR for name in node.input[1:]}
