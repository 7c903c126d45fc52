"""Where torch computes; and the graphics card, if there is one: everything that is CUDA's own lies here.

A *lane* is a queue of work. On a card its work runs beside the program and beside other lanes; `mark` notes how far the
queue has come, `wait` waits for that mark, `after` lets the queue wait for another's mark. `record` turns a function
over tensors that stay where they are into a CUDA graph: one call instead of hundreds, so that the interpreter, which
other threads want too, is hardly needed. On a processor work is done at once, and all of this is nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from hansu.learn.networks import plain_copy, torch

WARM_UPS = 3  # runs before a graph is recorded


class Lane:
    """One thread uses it."""

    def __init__(self, device: str, urgent: bool = False) -> None:
        """`urgent`: its work goes before that of other lanes."""
        self._stream: Any = torch.cuda.Stream(priority=-1 if urgent else 0) if device == "cuda" else None
        self._mark: Any = torch.cuda.Event() if device == "cuda" else None
        self._entered: Any = None

    def __enter__(self) -> Lane:
        """What the card is told from here on goes into this queue."""
        if self._stream is not None:
            self._entered = torch.cuda.stream(self._stream)
            self._entered.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._entered is not None:
            self._entered.__exit__(kind, error, trace)
            self._entered = None

    def mark(self) -> None:
        if self._stream is not None:
            self._mark.record(self._stream)

    def wait(self) -> None:
        """Until everything before the mark is done. Other threads run meanwhile."""
        if self._stream is not None:
            self._mark.synchronize()

    def finish(self) -> None:
        """Until the queue is empty."""
        if self._stream is not None:
            self._stream.synchronize()

    def after(self, other: Lane) -> None:
        """Let what follows in this queue wait for another's mark."""
        if self._stream is not None:
            self._stream.wait_event(other._mark)

    def record(self, work: Callable[[], Any], tell: Callable[[str], None]) -> tuple[Callable[[], None], Any]:
        """A function that does the work again, and what the work gives, which each call overwrites. The work is done
        some times first, and nothing else may use the card meanwhile. Where it cannot be recorded, it is done step by
        step."""
        if self._stream is None:
            return _at_once(work)
        torch.cuda.synchronize()
        with self:
            for _ in range(WARM_UPS):
                work()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=self._stream):
                made = work()
        except RuntimeError as error:
            torch.cuda.synchronize()
            tell(f"not recorded as a CUDA graph, which is slower: {str(error).splitlines()[0]}")
            return _at_once(work)
        torch.cuda.synchronize()
        return graph.replay, made


def _at_once(work: Callable[[], Any]) -> tuple[Callable[[], None], Any]:
    """The same without a graph: the first answer is overwritten by the later ones."""
    first = work()
    kept = first if isinstance(first, tuple) else ()

    def again() -> None:
        found = work()
        for there, here in zip(kept, found if isinstance(found, tuple) else (), strict=True):
            there.copy_(here)

    return again, first


def shared_room(rows: int, axes: tuple[int, ...], kind: Any, device: str) -> Any:
    """Memory of the program that a card reads and writes by itself."""
    return torch.zeros(rows, *axes, dtype=kind, pin_memory=device == "cuda")


def where(network: Any) -> str:
    """Where a network computes: `cpu`, or `cuda` and the card's name."""
    device = next(network.parameters()).device
    return f"cuda ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)


def number_kind(network: Any, device: str, rows: int) -> Any:
    """The kind of numbers to compute with: half floats on a card; on a processor bfloat16, if it is one of those that
    are made for it, which a quick trial tells."""
    if device == "cuda":
        return torch.float16
    shape = network.shape
    seconds = {}
    for kind in (torch.float32, torch.bfloat16):
        plain = plain_copy(network).to(kind).to(memory_format=torch.channels_last)
        x = torch.zeros(rows, shape.planes, shape.height, shape.width, dtype=kind)
        times = []
        with torch.inference_mode():
            for _ in range(5):
                began = time.perf_counter()
                plain(x)
                times.append(time.perf_counter() - began)
        seconds[kind] = min(times)
    return torch.bfloat16 if seconds[torch.bfloat16] < 0.8 * seconds[torch.float32] else torch.float32
