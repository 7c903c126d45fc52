"""ONNX files of models that were not trained by torch: a chain of operators from `inputs` numbers to class
probabilities. (`export.py` exports torch models.)"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hansu.core.optional_imports import require
from hansu.learn.run import save


class Chain:
    """Operators that are applied in sequence to the input `x`, float32[rows, inputs]. With `mirror` (for each input,
    the number of the input at its place in the mirror image) the output is the mean for a row and its mirror image."""

    def __init__(self, inputs: int, mirror: list[int] | None = None) -> None:
        self._onnx = require("onnx")
        self._inputs = inputs
        self._nodes: list[Any] = []
        self._weights: list[Any] = []
        self.last = "x"
        self._mirrored = mirror is not None
        if mirror is not None:
            import numpy as np

            self.then("Gather", np.array(mirror, np.int64), axis=1)
            self.then("Concat", also="x", axis=0)

    def weight(self, values: Any) -> str:
        """Add a constant; returns its name."""
        import numpy as np

        values = np.asarray(values)
        name = f"w{len(self._weights)}"
        if values.dtype != np.int64:
            values = values.astype(np.float32)
        self._weights.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    def then(self, operator: str, *constants: Any, also: str = "", **settings: Any) -> str:
        """Apply an operator to the last result (and to `also`, an earlier one); returns the name of the output."""
        names = [self.last, *([also] if also else []), *(self.weight(values) for values in constants)]
        self.last = f"t{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, names, [self.last], **settings))
        return self.last

    def dense(self, weights: Any, offsets: Any) -> str:
        """A dense layer: rows @ weights + offsets."""
        return self.then("Gemm", weights, offsets)

    def write(self, path: Path, outputs: int, notes: dict[str, str]) -> None:
        """Check the chain and write its file."""
        onnx = self._onnx
        if self._mirrored:
            self._nodes.append(onnx.helper.make_node("Split", [self.last], ["there", "here"], axis=0))
            self._nodes.append(onnx.helper.make_node("Mean", ["here", "there"], ["mean"]))
        number = onnx.TensorProto.FLOAT
        self._nodes[-1].output[0] = "chances"
        graph = onnx.helper.make_graph(
            self._nodes, "hansu",
            [onnx.helper.make_tensor_value_info("x", number, ["rows", self._inputs])],
            [onnx.helper.make_tensor_value_info("chances", number, ["rows", outputs])],
            self._weights,
        )  # fmt: skip
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
        onnx.helper.set_model_props(model, notes)
        onnx.checker.check_model(model)
        save(path, model.SerializeToString())
