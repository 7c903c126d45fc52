"""int8 quantization of a network: inference takes a third of the time, and the file is half as large.

Nearly all of a network's time goes into its wide convolutions. Their weights become int8 with a scale per channel, and
their activations uint8 with a scale per tensor; processors add up several products of bytes at once (Jacob et al.,
"Quantization and training of neural networks for efficient integer-arithmetic-only inference", 2018). onnxruntime does
both the quantization (`quantize_static`) and the inference.

    activations     scale * (byte - zero point); their range is calibrated on some positions
    weights         -64 to 64 instead of -127 to 127: without VNNI, a processor adds two products in a signed 16-bit
                    integer; 2 * 255 * 64 = 32,640 fits, so nothing saturates
    stay floats     the first convolution, which takes little time, and everything after the last wide one: the heads.
                    Most of the error came from these (docs/tutorial/train_a_network.md has the figures).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.onnx_runtime import onnxruntime
from hansu.core.optional_imports import require
from hansu.learn.float16 import to_float16, to_float32

NOTE = "numbers"  # in a file's metadata: "whole" if it is quantized
CALIBRATION_BATCH = 32  # positions
FOLLOWING = ("Add", "Relu")  # operators that are quantized when they follow a quantized convolution
PREPARED = {
    "onnx.quant.pre_process": "onnxruntime.quant"
}  # otherwise onnxruntime recommends preprocessing, which is done already


def is_quantized(notes: dict[str, str]) -> bool:
    """Is the network with this metadata quantized?"""
    return notes.get(NOTE) == "whole"


def quantize(content: bytes, planes: Any) -> bytes:
    """The quantized version of a network's ONNX file. Activations are calibrated on `planes`, float32[n, planes,
    height, width]."""
    onnx = require("onnx")
    quantization = onnxruntime("onnxruntime.quantization")

    model = to_float32(onnx.load_model_from_string(content))
    notes = {entry.key: entry.value for entry in model.metadata_props}
    for i, node in enumerate(model.graph.node):
        node.name = node.name or f"node{i}"  # onnxruntime identifies nodes by name
    nodes = quantized_nodes(model.graph)
    if not nodes:
        raise HansuError(
            "this network has nothing to quantize",
            "quantization needs consecutive convolutions, as in a tower of several blocks",
        )
    onnx.helper.set_model_props(model, PREPARED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quantized.onnx"
        try:
            quantization.quantize_static(
                model, path, _CalibrationData(planes), quant_format=quantization.QuantFormat.QDQ,
                nodes_to_quantize=nodes, op_types_to_quantize=["Conv", *FOLLOWING],
                activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8,
                per_channel=True, reduce_range=True,
            )  # fmt: skip
        except Exception as error:  # it raises many kinds of exceptions for operators it does not know
            gist = (str(error).splitlines() or ["?"])[0]
            raise HansuError(
                "onnxruntime cannot quantize this network: {gist}",
                "give a file that hansu train has written",
                gist=gist,
            ) from None
        quantized = to_float16(onnx.load(str(path)))
    onnx.helper.set_model_props(quantized, {**notes, NOTE: "whole"})
    onnx.checker.check_model(quantized)
    return bytes(quantized.SerializeToString())


def quantized_nodes(graph: Any) -> list[str]:
    """The names of the nodes to quantize: convolutions wider than a cell, except the first ones, and sums and ReLUs of
    their outputs."""
    raw = {one.name for one in graph.input}  # tensors before the first convolution
    quantized: set[str] = set()
    chosen: list[str] = []
    for node in graph.node:
        if node.op_type == "Conv":
            sizes = next((one.ints for one in node.attribute if one.name == "kernel_shape"), ())
            wide = max(sizes, default=1) > 1 and node.input[0] not in raw
        else:
            wide = node.op_type in FOLLOWING and not quantized.isdisjoint(node.input)
            if not raw.isdisjoint(node.input):
                raw.update(node.output)
        if wide:
            quantized.update(node.output)
            chosen.append(node.name)
    return chosen


class _CalibrationData:
    """Batches of positions, in onnxruntime's interface."""

    def __init__(self, planes: Any) -> None:
        self._batches = self._all(planes)

    @staticmethod
    def _all(planes: Any) -> Iterator[dict[str, Any]]:
        for start in range(0, len(planes), CALIBRATION_BATCH):
            yield {"planes": planes[start : start + CALIBRATION_BATCH]}

    def get_next(self) -> dict[str, Any] | None:
        return next(self._batches, None)
