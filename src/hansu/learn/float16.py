"""Weights of an ONNX model as float16, which halves its file."""

from __future__ import annotations

from typing import Any

from hansu.core.optional_imports import require
from hansu.search.network_file import HALF, beside_whole_numbers

MIN_SIZE = 64  # smaller weights stay float32,
MAX_VALUE = 60_000.0  # and those beyond the range of float16


def to_float16(model: Any) -> Any:
    """Store large weights as float16, in place. A Cast node, evaluated once when the file is loaded, converts them
    back. Scales of quantized weights stay float32."""
    onnx = require("onnx")
    graph, casts = model.graph, []
    scales = beside_whole_numbers(graph)
    for weights in graph.initializer:
        values = onnx.numpy_helper.to_array(weights)
        if (
            values.dtype != "float32"
            or values.size < MIN_SIZE
            or abs(values).max() > MAX_VALUE
            or weights.name in scales
        ):
            continue
        name = weights.name
        weights.CopyFrom(onnx.numpy_helper.from_array(values.astype("float16"), f"{name}{HALF}"))
        casts.append(onnx.helper.make_node("Cast", [f"{name}{HALF}"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def to_float32(model: Any) -> Any:
    """The inverse of `to_float16`, in place: without the Cast nodes."""
    onnx = require("onnx")
    graph = model.graph
    halves = {weights.name: weights for weights in graph.initializer if weights.data_type == onnx.TensorProto.FLOAT16}
    casts = [node for node in graph.node if node.op_type == "Cast" and node.input[0] in halves]
    for node in casts:
        weights = halves[node.input[0]]
        values = onnx.numpy_helper.to_array(weights).astype("float32")
        weights.CopyFrom(onnx.numpy_helper.from_array(values, node.output[0]))
        graph.node.remove(node)
    return model
