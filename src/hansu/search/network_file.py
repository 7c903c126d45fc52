"""Reads the weights of an ONNX file, to continue training or to write another file format.

    name_half         half-precision floats
    name_quantized    int8; the DequantizeLinear that reads them has their scales, one per channel
    name              float32

In files written by `hansu train`, the names of the network's own weights start with `plain.`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

HALF = "_half"
WHOLE = "_quantized"
LINEAR = ("QuantizeLinear", "DequantizeLinear")


def weights(model: Any) -> dict[str, Any]:
    """The weights of an ONNX model by name. Quantized weights become float32; float16 stays float16."""
    from onnx import numpy_helper

    stored = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    readers = {node.input[0]: node for node in model.graph.node if node.op_type in LINEAR}
    beside = beside_whole_numbers(model.graph)
    arrays: dict[str, Any] = {}
    for name, values in stored.items():
        if name in beside:
            continue
        if name in readers:
            scales, zeros = (stored[one] for one in readers[name].input[1:])
            values = dequantized(values, scales, zeros, axis_of(readers[name]))
        arrays[name.removeprefix("plain.").removesuffix(HALF).removesuffix(WHOLE)] = values
    return arrays


def dequantized(values: Any, scales: Any, zeros: Any, axis: int) -> Any:
    """Quantized integers as float32. `scales` and `zeros` have one number for each index of an axis, or one for all."""
    along = [-1 if i == axis else 1 for i in range(values.ndim)] if scales.ndim else []
    steps = values.astype(np.int64) - zeros.reshape(along)
    return (steps * scales.reshape(along)).astype(np.float32)


def axis_of(node: Any) -> int:
    """The axis of a DequantizeLinear node."""
    return next((int(one.i) for one in node.attribute if one.name == "axis"), 1)


def beside_whole_numbers(graph: Any) -> set[str]:
    """The names of the scales and zero points of quantized weights."""
    return {name for node in graph.node if node.op_type in LINEAR for name in node.input[1:]}
