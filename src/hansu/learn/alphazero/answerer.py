"""The network that plays: batches of planes in, policies and values out.

On the processor it answers at once, in bfloat16 where that is faster, and remembers what it answered until its weights
change: trees meet the same positions again and again. On a graphics card it is a copy in half precision, recorded as a
CUDA graph: `ask` sends a batch off and comes back at once, `answer` waits for what came of it. Weights are overwritten
in place (`Playing.take`), so the recorded graph stays good.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hansu.learn.networks import fold, plain_copy, torch

WARM_UPS = 3  # runs before a graph is recorded
REMEMBERED_BYTES = 64 << 20  # of answers, by one who asks a processor


class Playing:
    """Weights that play, shared by those who ask them. The learner offers newer ones at any time; they are taken
    between two batches."""

    def __init__(self, network: Any, device: str, kind: Any) -> None:
        """`kind`: of the numbers, as `number_kind` chose it."""
        self.device, self.shape, self.kind = device, network.shape, kind
        self.plain, self._offered = (
            plain_copy(network).to(device, kind).to(memory_format=torch.channels_last) for _ in range(2)
        )
        self._ours, self._theirs = list(self.plain.parameters()), list(self._offered.parameters())
        self._lock = threading.Lock()
        self._waiting = False
        self.version = 0  # how often the weights have changed
        self._copied: Any = torch.cuda.Event() if device == "cuda" else None  # the offered weights are complete
        self._taken: Any = torch.cuda.Event() if device == "cuda" else None  # and have been taken

    def offer(self, network: Any) -> None:
        """Newer weights, from the thread (and stream) that made them."""
        with self._lock:
            if self.device == "cuda":
                self._taken.synchronize()
            fold(network, self._offered)
            if self.device == "cuda":
                self._copied.record()
            self._waiting = True

    def take(self, users: tuple[Answerer, ...]) -> bool:
        """Use what was offered, from the thread that asks. `users` are all who ask these weights: on a graphics card
        they may be at work, and the copy waits for them as they wait for the copy. False: nothing new."""
        if not self._waiting or not self._lock.acquire(blocking=False):
            return False
        try:
            with torch.no_grad():
                if self.device != "cuda":
                    torch._foreach_copy_(self._ours, self._theirs)
                else:
                    self._take_on_card(users)
            self._waiting = False
            self.version += 1
        finally:
            self._lock.release()
        return True

    def _take_on_card(self, users: tuple[Answerer, ...]) -> None:
        stream = users[0].stream
        stream.wait_event(self._copied)
        for user in users:
            stream.wait_event(user.ready)
        with torch.cuda.stream(stream):
            torch._foreach_copy_(self._ours, self._theirs)
        self._taken.record(stream)
        for user in users:
            user.stream.wait_event(self._taken)


class Answerer:
    """Asks a playing network, batches of at most `rows`. One thread uses it. `inputs` is where batches should lie."""

    def __init__(self, playing: Playing, rows: int, whole: bool, compiling: bool = False) -> None:
        """`whole`: planes are bytes."""
        self._playing, self._network = playing, playing.plain
        self._cuda = playing.device == "cuda"
        shape = playing.shape
        self._dark = shape.dark
        kind = torch.uint8 if whole else torch.float32
        self._room = torch.zeros(rows, shape.planes, shape.height, shape.width, dtype=kind, pin_memory=self._cuda)
        self.inputs: Any = self._room.numpy()
        self._answered: tuple[Any, ...] = ()
        self.waited = 0.0  # seconds that the asking thread spent on the network
        if self._cuda:
            self._record(rows, compiling)
        else:
            self._known = Known(shape.actions)

    def _record(self, rows: int, compiling: bool) -> None:
        if compiling:
            self._network = torch.compile(self._network, mode="max-autotune-no-cudagraphs", dynamic=False)
        self.stream, self.ready = torch.cuda.Stream(priority=-1), torch.cuda.Event()
        self._x = self._room.to("cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(self.stream), torch.no_grad():
            for _ in range(WARM_UPS):
                self._answer_to(self._x)
        torch.cuda.synchronize()
        self._graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(self._graph, stream=self.stream):
            self._y = self._answer_to(self._x)
        torch.cuda.synchronize()
        self._outputs = [torch.zeros(part.shape, pin_memory=True) for part in self._y]
        self._arrays = [part.numpy() for part in self._outputs]
        self.ready.record(self.stream)

    def _answer_to(self, x: Any) -> tuple[Any, Any]:
        planes = x.to(self._playing.kind, memory_format=torch.channels_last, copy=bool(self._dark))
        for plane in self._dark:
            planes[:, plane] = 0
        policy, value, *_ = self._network(planes)
        return policy.float(), value.float().softmax(1)

    def _compute(self, batch: Any) -> tuple[Any, ...]:
        with torch.inference_mode():
            return tuple(part.numpy() for part in self._answer_to(torch.from_numpy(batch)))

    def ask(self, batch: Any) -> None:
        """A part of `inputs`, from its first row on."""
        count = len(batch)
        if not self._cuda:
            began = time.perf_counter()
            self._answered = self._known.answer(batch, self._playing.version, self._compute)
            self.waited += time.perf_counter() - began
            return
        with torch.cuda.stream(self.stream):
            self._x[:count].copy_(self._room[:count], non_blocking=True)
            self._graph.replay()
            for there, here in zip(self._outputs, self._y, strict=True):
                there[:count].copy_(here[:count], non_blocking=True)
            self.ready.record(self.stream)
        self._answered = tuple(array[:count] for array in self._arrays)

    def answer(self) -> tuple[Any, ...]:
        """float32[rows, actions] and float32[rows, 3] for the last batch; good until the next is asked."""
        if self._cuda:
            began = time.perf_counter()
            self.ready.synchronize()
            self.waited += time.perf_counter() - began
        return self._answered


class Known:
    """Answers to positions that were asked about since the weights last changed."""

    def __init__(self, actions: int) -> None:
        self._room = REMEMBERED_BYTES // (4 * (actions + 3))
        self._policy = np.zeros((self._room, actions), np.float32)
        self._value = np.zeros((self._room, 3), np.float32)
        self._place: dict[bytes, int] = {}
        self._version = 0

    def answer(self, batch: Any, version: int, compute: Callable[[Any], tuple[Any, ...]]) -> tuple[Any, Any]:
        """Policies and values for a batch; `compute` is asked for those that are new."""
        place = self._place
        if version != self._version or len(place) + len(batch) > self._room:
            place.clear()
            self._version = version
        new: list[int] = []
        places = np.empty(len(batch), np.int64)
        for i, row in enumerate(batch):
            key = row.tobytes()
            found = place.get(key)
            if found is None:
                found = place[key] = len(place)
                new.append(i)
            places[i] = found
        if new:
            self._policy[places[new]], self._value[places[new]] = compute(batch[new])
        return self._policy[places], self._value[places]


def number_kind(network: Any, device: str, rows: int) -> Any:
    """The kind of numbers to play with: half floats on a graphics card; on a processor bfloat16, if it is one of those
    that are made for it, which a quick trial tells."""
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
