"""Where torch computes."""

from __future__ import annotations

from hansu.core.errors import HansuError
from hansu.core.optional_imports import require


def device_for(asked: str) -> str:
    """`cpu` or `cuda`. On the processor torch gets one thread: its own and compiled searches beside each other on few
    cores hold one another up a hundredfold."""
    torch = require("torch")
    if asked == "cuda" and not torch.cuda.is_available():
        raise HansuError("no graphics card is to be found here", "--device cpu, or a torch that knows CUDA")
    chosen = "cuda" if asked == "cuda" or (asked == "auto" and torch.cuda.is_available()) else "cpu"
    if chosen == "cpu":
        torch.set_num_threads(1)
    else:
        torch.backends.cudnn.benchmark = True
    return chosen
