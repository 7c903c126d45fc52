"""ONNX Runtime without its telemetry.

Left alone, it writes a device identifier and a database into the user's cache folder and sends events to its vendor.
Whatever needs ONNX Runtime imports it from here.
"""

from __future__ import annotations

import os
from typing import Any

from hansu.core.optional_imports import require


def onnxruntime(module: str = "onnxruntime") -> Any:
    """The module, or one inside it such as `onnxruntime.quantization`."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library is loaded
    require("onnxruntime").disable_telemetry_events()
    return require(module)
