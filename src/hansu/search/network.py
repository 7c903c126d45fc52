"""A trained network, kept as an ONNX file and run by onnxruntime in batches. Torch and scikit-learn are not needed
to play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hansu.core.errors import HansuError


class Network:
    """Answers batches: float32[rows, inputs] in, float32[rows, outputs] out. `notes` are the file's own remarks."""

    def __init__(self, path: Path, inputs: int, outputs: int) -> None:
        import onnxruntime

        if not path.is_file():
            raise HansuError(f"there is no model file {path}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # small batches: threads would only wait for each other
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises classes of its own for every kind of damage
            raise HansuError(f"{path} is no ONNX model: {str(error).splitlines()[0]}") from None
        self.notes: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        takes, gives = self._session.get_inputs(), self._session.get_outputs()
        shape = takes[0].shape[1:], gives[0].shape[1:]
        if len(takes) != 1 or shape != ([inputs], [outputs]):
            raise HansuError(
                f"{path} is a model of another shape: it takes {shape[0]} and gives {shape[1]} for each position",
                f"wanted here: [{inputs}] and [{outputs}]",
            )
        self._input = takes[0].name

    def __call__(self, batch: Any) -> Any:
        return self._session.run(None, {self._input: batch})[0]
