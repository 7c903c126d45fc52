"""A network in whole numbers: its answers in a third of the time, its file half as large.

Nearly all of a network's time goes into its wide convolutions. Their weights become whole numbers of -64 to 64, with a
scale for each channel, and what flows through them bytes, with a scale for each place in the network; processors add
up products of bytes several at a time (Jacob et al., "Quantization and training of neural networks for efficient
integer-arithmetic-only inference", 2018). onnxruntime does both the rounding (`quantize_static`) and the counting.

    what flows      scale * (byte - offset); how far it reaches is seen on some positions
    weights         -64 to 64, not -127 to 127: where a processor has no VNNI, two products are added up in 16 bits
                    with a sign; 2 * 255 * 64 = 32,640 fits there, so that nothing is cut off
    stays floats    the first convolution, which takes little time, and whatever comes behind the last wide one: the
                    heads. Most of the error came from these (docs/tutorial/train_a_network.md has the figures).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError
from hansu.core.optional_imports import require
from hansu.learn.float16 import halved, unhalved

NOTE = "numbers"  # of a file: what it counts in
TOGETHER = 32  # positions that are shown at a time
BEHIND = ("Add", "Relu")  # what is counted in whole numbers right behind a convolution
PREPARED = {"onnx.quant.pre_process": "onnxruntime.quant"}  # else onnxruntime advises to fold what is folded already


def is_whole(notes: dict[str, str]) -> bool:
    """Do a network's notes say that it is in whole numbers?"""
    return notes.get(NOTE) == "whole"


def in_whole_numbers(content: bytes, planes: Any) -> bytes:
    """The file of a network in whole numbers, made of its file in floats. `planes`, float32[n, planes, height, width],
    are positions that show how large numbers become inside."""
    onnx = require("onnx")
    from onnxruntime import quantization

    model = unhalved(onnx.load_model_from_string(content))
    notes = {entry.key: entry.value for entry in model.metadata_props}
    for i, node in enumerate(model.graph.node):
        node.name = node.name or f"node{i}"  # onnxruntime is told the nodes by name
    nodes = wide_nodes(model.graph)
    if not nodes:
        raise HansuError(
            "this network has nothing to count in whole numbers",
            "it gains where convolutions follow each other: a tower of some blocks",
        )
    onnx.helper.set_model_props(model, PREPARED)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "whole.onnx"
        try:
            quantization.quantize_static(
                model, made, _Shown(planes), quant_format=quantization.QuantFormat.QDQ, nodes_to_quantize=nodes,
                op_types_to_quantize=["Conv", *BEHIND], activation_type=quantization.QuantType.QUInt8,
                weight_type=quantization.QuantType.QInt8, per_channel=True, reduce_range=True,
            )  # fmt: skip
        except Exception as error:  # it raises whatever an operator of somebody's own makes it stumble over
            gist = (str(error).splitlines() or ["?"])[0]
            raise HansuError(
                "onnxruntime cannot turn this network into whole numbers: {gist}",
                "give a file that a training of hansu wrote",
                gist=gist,
            ) from None
        whole = halved(onnx.load(str(made)))
    onnx.helper.set_model_props(whole, {**notes, NOTE: "whole"})
    onnx.checker.check_model(whole)
    return bytes(whole.SerializeToString())


def wide_nodes(graph: Any) -> list[str]:
    """The names of what is counted in whole numbers: convolutions that look at more than a cell, but for the first
    ones, and sums and ReLUs of what they give."""
    raw = {one.name for one in graph.input}  # no convolution has been there yet
    whole: set[str] = set()
    chosen: list[str] = []
    for node in graph.node:
        if node.op_type == "Conv":
            sizes = next((one.ints for one in node.attribute if one.name == "kernel_shape"), ())
            wide = max(sizes, default=1) > 1 and node.input[0] not in raw
        else:
            wide = node.op_type in BEHIND and not whole.isdisjoint(node.input)
            if not raw.isdisjoint(node.input):
                raw.update(node.output)
        if wide:
            whole.update(node.output)
            chosen.append(node.name)
    return chosen


class _Shown:
    """Positions, as onnxruntime asks for them."""

    def __init__(self, planes: Any) -> None:
        self._batches = self._all(planes)

    @staticmethod
    def _all(planes: Any) -> Iterator[dict[str, Any]]:
        for start in range(0, len(planes), TOGETHER):
            yield {"planes": planes[start : start + TOGETHER]}

    def get_next(self) -> dict[str, Any] | None:
        return next(self._batches, None)
