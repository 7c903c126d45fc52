"""CUDA streams and graphs, with the same interface on a processor, where they do nothing.

A `Stream` is a queue of work on the graphics card that runs in parallel with the program and with other streams.
`capture` turns a function over tensors at fixed addresses into a CUDA graph: one call instead of hundreds. It then
hardly needs the Python interpreter, which other threads need, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from hansu.learn.networks import plain_copy, torch

WARMUP_RUNS = 3  # before a graph is captured
TIMED_RUNS = 5
BFLOAT16_GAIN = 0.8  # bfloat16 must take less than this share of the time


class Stream:
    """A CUDA stream with one event. It belongs to one thread."""

    def __init__(self, device: str, high_priority: bool = False) -> None:
        on_card = device == "cuda"
        self._stream: Any = torch.cuda.Stream(priority=-1 if high_priority else 0) if on_card else None
        self._event: Any = torch.cuda.Event() if on_card else None
        self._entered: Any = None

    def __enter__(self) -> Stream:
        """Within the `with` block, the card's work goes into this stream."""
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

    def record_event(self) -> None:
        """Mark the current end of the queue."""
        if self._stream is not None:
            self._event.record(self._stream)

    def wait(self) -> None:
        """Block until everything before the event is done. Other threads run meanwhile."""
        if self._stream is not None:
            self._event.synchronize()

    def synchronize(self) -> None:
        """Block until the queue is empty."""
        if self._stream is not None:
            self._stream.synchronize()

    def wait_for(self, other: Stream) -> None:
        """Let later work of this stream wait for another stream's event."""
        if self._stream is not None:
            self._stream.wait_event(other._event)

    def capture(self, work: Callable[[], Any], log: Callable[[str], None]) -> tuple[Callable[[], None], Any]:
        """A function that repeats the work, and the work's result, which each call overwrites.

        The work runs a few times first; nothing else may use the card meanwhile. Work that cannot be captured is
        repeated step by step.
        """
        if self._stream is None:
            return _eager(work)
        torch.cuda.synchronize()
        with self:
            for _ in range(WARMUP_RUNS):
                work()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=self._stream):
                result = work()
        except RuntimeError as error:
            torch.cuda.synchronize()
            log(f"no CUDA graph could be captured, so this is slower: {str(error).splitlines()[0]}")
            return _eager(work)
        torch.cuda.synchronize()
        return graph.replay, result


def _eager(work: Callable[[], Any]) -> tuple[Callable[[], None], Any]:
    """The same without a graph: later results overwrite the first."""
    first = work()
    outputs = first if isinstance(first, tuple) else ()

    def repeat() -> None:
        result = work()
        for old, new in zip(outputs, result if isinstance(result, tuple) else (), strict=True):
            old.copy_(new)

    return repeat, first


def pinned_zeros(rows: int, axes: tuple[int, ...], dtype: Any, device: str) -> Any:
    """A tensor [rows, *axes] in memory that a card can read and write directly."""
    return torch.zeros(rows, *axes, dtype=dtype, pin_memory=device == "cuda")


def device_name(network: Any) -> str:
    """Where a network computes: `cpu`, or `cuda` and the card's name."""
    device = next(network.parameters()).device
    return f"cuda ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)


def fastest_dtype(network: Any, device: str, rows: int) -> Any:
    """float16 on a card; on a processor bfloat16 if a short measurement shows that it is faster than float32."""
    if device == "cuda":
        return torch.float16
    shape = network.shape
    seconds = {}
    for dtype in (torch.float32, torch.bfloat16):
        plain = plain_copy(network).to(dtype).to(memory_format=torch.channels_last)
        x = torch.zeros(rows, shape.planes, shape.height, shape.width, dtype=dtype)
        times = []
        with torch.inference_mode():
            for _ in range(TIMED_RUNS):
                began = time.perf_counter()
                plain(x)
                times.append(time.perf_counter() - began)
        seconds[dtype] = min(times)
    return torch.bfloat16 if seconds[torch.bfloat16] < BFLOAT16_GAIN * seconds[torch.float32] else torch.float32
