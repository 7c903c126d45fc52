"""Weights of an ONNX model as half floats, which halves its file."""

from __future__ import annotations

from typing import Any

from hansu.core.optional_imports import require
from hansu.search.network_file import HALF, beside_whole_numbers

SMALL = 64  # weights of fewer numbers stay floats,
LARGEST = 60_000.0  # and those that a half float cannot hold


def halved(model: Any) -> Any:
    """Keep large weights as half floats; a Cast, done once when the file is loaded, gives them back. The scales of
    whole numbers stay what they are."""
    onnx = require("onnx")
    graph, casts = model.graph, []
    scales = beside_whole_numbers(graph)
    for weights in graph.initializer:
        values = onnx.numpy_helper.to_array(weights)
        if values.dtype != "float32" or values.size < SMALL or abs(values).max() > LARGEST or weights.name in scales:
            continue
        name = weights.name
        weights.CopyFrom(onnx.numpy_helper.from_array(values.astype("float16"), f"{name}{HALF}"))
        casts.append(onnx.helper.make_node("Cast", [f"{name}{HALF}"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def unhalved(model: Any) -> Any:
    """With floats in place of half floats and of the Casts that gave them back."""
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
