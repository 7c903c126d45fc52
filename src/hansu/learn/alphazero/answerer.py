"""The network that plays: batches of planes in, policies and values out.

On the processor it answers at once. On a graphics card it is a copy in half precision, recorded as a CUDA graph: `ask`
sends a batch off and comes back at once, `answer` waits for what came of it. Its weights are overwritten in place (by
`Playing.take`), so the recorded graph stays good.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from hansu.learn.networks import fold, plain_copy, torch


class Playing:
    """The weights that play, shared by everybody who asks them. The learner offers newer ones at any time; they are
    taken between two batches."""

    def __init__(self, network: Any, device: str) -> None:
        self.device, self.shape = device, network.shape
        self.kind = torch.float16 if device == "cuda" else torch.float32
        self.plain = plain_copy(network).to(device, self.kind).to(memory_format=torch.channels_last)
        self._offered = plain_copy(network).to(device, self.kind).to(memory_format=torch.channels_last)
        self._lock = threading.Lock()
        self._waiting = False
        self._copied: Any = None  # on a graphics card: when the offered weights are complete,
        self._taken: Any = None  # and when they have been taken
        if device == "cuda":
            self._copied, self._taken = torch.cuda.Event(), torch.cuda.Event()
        self._pairs = list(zip(self.plain.parameters(), self._offered.parameters(), strict=True))

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
        they may be at work, and wait for the copy as it waits for them. False: nothing new."""
        if not self._waiting or not self._lock.acquire(blocking=False):
            return False
        try:
            ours, theirs = [a for a, _ in self._pairs], [b for _, b in self._pairs]
            if self.device != "cuda":
                with torch.no_grad():
                    torch._foreach_copy_(ours, theirs)
            else:
                stream = users[0].stream
                stream.wait_event(self._copied)
                for user in users:
                    stream.wait_event(user.ready)
                with torch.cuda.stream(stream), torch.no_grad():
                    torch._foreach_copy_(ours, theirs)
                    self._taken.record(stream)
                for user in users:
                    user.stream.wait_event(self._taken)
            self._waiting = False
        finally:
            self._lock.release()
        return True


class Answerer:
    """Asks a playing network for one forest, batches of at most `rows`. One thread uses it."""

    def __init__(self, playing: Playing, rows: int, dark: tuple[int, ...] = (), compiling: bool = False) -> None:
        """`dark`: planes that are not to be seen (handles of boards)."""
        self._playing, self._rows, self._dark = playing, rows, list(dark)
        self._answered: tuple[Any, Any]
        if playing.device == "cuda":
            self._record(compiling)

    def _record(self, compiling: bool) -> None:
        shape = self._playing.shape
        self.stream, self.ready = torch.cuda.Stream(priority=-1), torch.cuda.Event()
        self._graphs: dict[Any, tuple[Any, Any]] = {}
        self._network = self._playing.plain
        if compiling:
            self._network = torch.compile(self._network, mode="max-autotune-no-cudagraphs", dynamic=False)
        outputs = ((self._rows, shape.actions), (self._rows, 3))
        self._policy, self._value = (torch.zeros(size, pin_memory=True) for size in outputs)
        self._on_host: Any = None
        self.ready.record(self.stream)

    def _graph_for(self, kind: Any) -> tuple[Any, Any]:
        """The input on the card, and the graph; recorded for the first batch of its kind."""
        if kind not in self._graphs:
            shape = self._playing.shape
            x = torch.zeros(self._rows, shape.planes, shape.height, shape.width, dtype=kind, device="cuda")
            torch.cuda.synchronize()
            with torch.cuda.stream(self.stream), torch.no_grad():
                for _ in range(3):
                    self._answer_to(x)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.no_grad(), torch.cuda.graph(graph, stream=self.stream, capture_error_mode="thread_local"):
                self._on_card = self._answer_to(x)
            self._graphs[kind] = x, graph
        return self._graphs[kind]

    def _answer_to(self, x: Any) -> tuple[Any, Any]:
        planes = x.to(self._playing.kind, memory_format=torch.channels_last)
        for plane in self._dark:
            planes[:, plane] = 0
        policy, value, *_ = self._network(planes)
        return policy.float(), value.float().softmax(1)

    def prepare(self, batch: Any) -> None:
        """Record what a batch of this kind needs, before other threads are at work."""
        if self._playing.device == "cuda":
            self._graph_for(torch.from_numpy(batch[:1]).dtype)

    def ask(self, batch: Any) -> None:
        """uint8 or float32[rows or fewer, planes, height, width]"""
        if self._playing.device != "cuda":
            with torch.inference_mode():
                x = torch.from_numpy(batch)
                policy, value, *_ = self._playing.plain(self._seen(x))
                self._answered = policy.numpy(), value.softmax(1).numpy()
            return
        x, graph = self._graph_for(torch.from_numpy(batch[:1]).dtype)
        count = len(batch)
        pin(batch)
        with torch.cuda.stream(self.stream):
            x[:count].copy_(torch.from_numpy(batch), non_blocking=True)
            graph.replay()
            policy, value = self._on_card
            self._policy[:count].copy_(policy[:count], non_blocking=True)
            self._value[:count].copy_(value[:count], non_blocking=True)
            self.ready.record(self.stream)
        self._answered = self._policy.numpy()[:count], self._value.numpy()[:count]

    def _seen(self, x: Any) -> Any:
        planes = x.to(torch.float32)
        if self._dark:
            planes = planes.clone() if planes is x else planes
            planes[:, self._dark] = 0
        return planes

    def answer(self) -> tuple[Any, Any]:
        """float32[rows, actions] and float32[rows, 3] for the last batch; good until the next is asked."""
        if self._playing.device == "cuda":
            self.ready.synchronize()
        return self._answered


_pinned: dict[int, Any] = {}


def pin(batch: Any) -> None:
    """Tell the driver that the memory of an array (of all it is a view of) stays where it is, so that copies from it
    run beside the program."""
    whole = batch
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    address = whole.ctypes.data
    if address not in _pinned:
        torch.cuda.cudart().cudaHostRegister(address, whole.nbytes, 0)
        _pinned[address] = whole  # held, so that the address is not used anew
