"""The device that torch runs on."""

from __future__ import annotations

from hansu.core.errors import HansuError
from hansu.core.optional_imports import require


def device_for(requested: str) -> str:
    """`cpu` or `cuda`, as requested or for `auto` as available. On the processor torch gets one thread: on few cores,
    its threads and those of compiled searches slow each other down a hundredfold."""
    torch = require("torch")
    if requested == "cuda" and not torch.cuda.is_available():
        raise HansuError("no CUDA device was found", "use --device cpu, or install torch with CUDA support")
    chosen = "cuda" if requested == "cuda" or (requested == "auto" and torch.cuda.is_available()) else "cpu"
    if chosen == "cpu":
        torch.set_num_threads(1)
    else:
        torch.backends.cudnn.benchmark = True
    return chosen
