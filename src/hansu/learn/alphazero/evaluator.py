"""The network that plays: batches of planes in, policies and values out.

On the processor it evaluates at once, in bfloat16 where that is faster, and caches evaluations until its weights
change, because trees reach the same positions repeatedly. On a graphics card it is a copy in half precision, captured
as a CUDA graph: `submit` sends a batch and returns at once, `result` waits for the evaluations. Weights are overwritten
in place (`PlayingNetwork.refresh`), so the graph stays valid.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from hansu.learn.cuda import Stream, pinned_zeros
from hansu.learn.networks import fold, plain_copy, torch
from hansu.search.evaluation_cache import EvaluationCache

CACHE_BYTES = 64 << 20  # per evaluator, on a processor


class PlayingNetwork:
    """Weights that several evaluators share. The learner publishes newer weights at any time; they are used from the
    next batch on."""

    def __init__(self, network: Any, device: str, dtype: Any) -> None:
        """`dtype`: see `fastest_dtype`."""
        self.device, self.shape, self.dtype = device, network.shape, dtype
        self.network, self._published = (
            plain_copy(network).to(device, dtype).to(memory_format=torch.channels_last) for _ in range(2)
        )
        self._weights, self._new_weights = list(self.network.parameters()), list(self._published.parameters())
        self._lock = threading.Lock()
        self._publishing, self._refreshing = Stream(device), Stream(device, high_priority=True)
        self._waiting = False
        self.version = 0  # how often the weights have changed

    def publish(self, network: Any, source: Stream) -> None:
        """Provide newer weights; `source` is the stream that has computed them and recorded its event."""
        with self._lock, self._publishing as stream:
            stream.wait_for(source)
            stream.wait_for(self._refreshing)  # the weights published before may be in the middle of being copied
            fold(network, self._published)
            stream.record_event()
            source.wait_for(stream)
            self._waiting = True

    def refresh(self, users: tuple[Evaluator, ...]) -> bool:
        """Use the published weights; False if there are none. Called from the thread of the evaluators. `users` are all
        evaluators of this network: on a card, the copy and their batches wait for each other."""
        if not self._waiting or not self._lock.acquire(blocking=False):
            return False
        try:
            with self._refreshing as stream, torch.no_grad():
                for before in (self._publishing, *(user.stream for user in users)):
                    stream.wait_for(before)
                torch._foreach_copy_(self._weights, self._new_weights)
                stream.record_event()
            for user in users:
                user.stream.wait_for(self._refreshing)
            self._waiting = False
            self.version += 1
        finally:
            self._lock.release()
        return True


class Evaluator:
    """Evaluates batches of at most `rows` positions. It belongs to one thread; batches are written into `inputs`."""

    def __init__(self, playing: PlayingNetwork, rows: int, whole: bool, compiling: bool = False,
                 log: Callable[[str], None] = print) -> None:  # fmt: skip
        """`whole`: planes hold small integers, so they are sent as bytes. `compiling`: use torch.compile."""
        self._playing, self._network = playing, playing.network
        shape = playing.shape
        self._dark = shape.dark
        dtype = torch.uint8 if whole else torch.float32
        axes = (shape.planes, shape.height, shape.width)
        self._input = pinned_zeros(rows, axes, dtype, playing.device)
        self.inputs: Any = self._input.numpy()  # uint8 or float32[rows, planes, height, width]
        self._result: tuple[Any, ...] = ()
        self.waited = 0.0  # seconds that the thread spent waiting for the network
        self.stream = Stream(playing.device, high_priority=True)
        self._cache: EvaluationCache | None = None
        self._version = playing.version  # of the weights behind the cached evaluations
        if playing.device == "cpu":
            self._cache = EvaluationCache(shape.actions, self.inputs, CACHE_BYTES)
        else:
            self._capture(rows, compiling, log)

    def _capture(self, rows: int, compiling: bool, log: Callable[[str], None]) -> None:
        if compiling:
            self._network = torch.compile(self._network, mode="max-autotune-no-cudagraphs", dynamic=False)
        self._x = self._input.to(self._playing.device).clone()
        with torch.no_grad():
            self._replay, self._y = self.stream.capture(lambda: self._evaluate(self._x), log)
        self._outputs = [pinned_zeros(rows, part.shape[1:], part.dtype, self._playing.device) for part in self._y]
        self._arrays = [part.numpy() for part in self._outputs]

    def _evaluate(self, x: Any) -> tuple[Any, Any]:
        planes = x.to(self._playing.dtype, memory_format=torch.channels_last, copy=bool(self._dark))
        for plane in self._dark:
            planes[:, plane] = 0
        policy, value, *_ = self._network(planes)
        return policy.float(), value.float().softmax(1)

    def _compute(self, batch: Any) -> tuple[Any, ...]:
        with torch.inference_mode():
            return tuple(part.numpy() for part in self._evaluate(torch.from_numpy(batch)))

    def submit(self, batch: Any) -> None:
        """Start to evaluate a batch: the first rows of `inputs`."""
        count = len(batch)
        if self._cache is not None:
            began = time.perf_counter()
            if self._version != self._playing.version:
                self._cache.forget()
                self._version = self._playing.version
            self._result = self._cache.answer(batch, self._compute)
            self.waited += time.perf_counter() - began
            return
        with self.stream as stream, torch.no_grad():
            self._x[:count].copy_(self._input[:count], non_blocking=True)
            self._replay()
            for output, y in zip(self._outputs, self._y, strict=True):
                output[:count].copy_(y[:count], non_blocking=True)
            stream.record_event()
        self._result = tuple(array[:count] for array in self._arrays)

    def result(self) -> tuple[Any, ...]:
        """Policy logits, float32[rows, actions], and P(win, draw, loss), float32[rows, 3], of the last batch; valid
        until the next `submit`."""
        began = time.perf_counter()
        self.stream.wait()
        self.waited += time.perf_counter() - began
        return self._result
