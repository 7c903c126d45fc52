"""Small ONNX networks for tests, with random weights or fixed outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def write_network(
    path: Path, shape: tuple[int, int, int], actions: int, *, seed: int = 1, notes: dict[str, str] | None = None,
    policy: Any = None, value: Any = None, names: tuple[str, str, str] = ("planes", "policy", "value"),
) -> Path:  # fmt: skip
    """Write a one-layer network from planes to policy and value.

    `policy` (logits) and `value` (probabilities) fix the outputs.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(seed)
    size = int(np.prod(shape))
    weights = {
        "policy_weights": np.zeros((size, actions)) if policy is not None else random.normal(0, 0.7, (size, actions)),
        "policy_offsets": np.zeros(actions) if policy is None else np.asarray(policy),
        "value_weights": np.zeros((size, 3)) if value is not None else random.normal(0, 0.5, (size, 3)),
        "value_offsets": np.zeros(3) if value is None else np.log(np.maximum(np.asarray(value), 1e-9)),
    }
    planes_name, policy_name, value_name = names
    nodes = [
        helper.make_node("Flatten", [planes_name], ["flat"]),
        helper.make_node("Gemm", ["flat", "policy_weights", "policy_offsets"], [policy_name]),
        helper.make_node("Gemm", ["flat", "value_weights", "value_offsets"], ["scores"]),
        helper.make_node("Softmax", ["scores"], [value_name], axis=1),
    ]
    number = TensorProto.FLOAT
    graph = helper.make_graph(
        nodes, "small",
        [helper.make_tensor_value_info(planes_name, number, ["rows", *shape])],
        [helper.make_tensor_value_info(policy_name, number, ["rows", actions]),
         helper.make_tensor_value_info(value_name, number, ["rows", 3])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, notes or {})
    onnx.save(model, str(path))
    return path
