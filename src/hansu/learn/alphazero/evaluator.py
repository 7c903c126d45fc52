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

from hansu.learn.cuda import Lane, shared_room
from hansu.learn.networks import fold, plain_copy, torch
from hansu.search.evaluation_cache import EvaluationCache

ROOM_BYTES = 64 << 20  # for answers, of one who asks a processor


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
        self._offering, self._taking = Lane(device), Lane(device, urgent=True)
        self._waiting = False
        self.version = 0  # how often the weights have changed

    def offer(self, network: Any, made_by: Lane) -> None:
        """Newer weights, whose making was marked in a lane."""
        with self._lock, self._offering as lane:
            lane.after(made_by)
            lane.after(self._taking)  # what was offered before has been taken, or never will be
            fold(network, self._offered)
            lane.mark()
            made_by.after(lane)
            self._waiting = True

    def take(self, users: tuple[Answerer, ...]) -> bool:
        """Use what was offered, from the thread that asks. `users` are all who ask these weights: on a card they may be
        at work, and the copy waits for them as they wait for the copy. False: nothing new."""
        if not self._waiting or not self._lock.acquire(blocking=False):
            return False
        try:
            with self._taking as lane, torch.no_grad():
                for before in (self._offering, *(user.lane for user in users)):
                    lane.after(before)
                torch._foreach_copy_(self._ours, self._theirs)
                lane.mark()
            for user in users:
                user.lane.after(self._taking)
            self._waiting = False
            self.version += 1
        finally:
            self._lock.release()
        return True


class Answerer:
    """Asks a playing network, batches of at most `rows`. One thread uses it. `inputs` is where batches should lie."""

    def __init__(self, playing: Playing, rows: int, whole: bool, compiling: bool = False,
                 tell: Callable[[str], None] = print) -> None:  # fmt: skip
        """`whole`: planes are bytes."""
        self._playing, self._network = playing, playing.plain
        shape = playing.shape
        self._dark = shape.dark
        kind = torch.uint8 if whole else torch.float32
        axes = (shape.planes, shape.height, shape.width)
        self._room = shared_room(rows, axes, kind, playing.device)
        self.inputs: Any = self._room.numpy()
        self._answered: tuple[Any, ...] = ()
        self.waited = 0.0  # seconds that the asking thread spent on the network
        self.lane = Lane(playing.device, urgent=True)
        self._remembered: EvaluationCache | None = None
        self._version = playing.version  # of the weights that gave those answers
        if playing.device == "cpu":
            self._remembered = EvaluationCache(shape.actions, self.inputs, ROOM_BYTES)
        else:
            self._record(rows, compiling, tell)

    def _record(self, rows: int, compiling: bool, tell: Callable[[str], None]) -> None:
        if compiling:
            self._network = torch.compile(self._network, mode="max-autotune-no-cudagraphs", dynamic=False)
        self._x = self._room.to(self._playing.device).clone()
        with torch.no_grad():
            self._again, self._y = self.lane.record(lambda: self._answer_to(self._x), tell)
        self._outputs = [shared_room(rows, part.shape[1:], part.dtype, self._playing.device) for part in self._y]
        self._arrays = [part.numpy() for part in self._outputs]

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
        if self._remembered is not None:
            began = time.perf_counter()
            if self._version != self._playing.version:
                self._remembered.forget()
                self._version = self._playing.version
            self._answered = self._remembered.answer(batch, self._compute)
            self.waited += time.perf_counter() - began
            return
        with self.lane as lane, torch.no_grad():
            self._x[:count].copy_(self._room[:count], non_blocking=True)
            self._again()
            for there, here in zip(self._outputs, self._y, strict=True):
                there[:count].copy_(here[:count], non_blocking=True)
            lane.mark()
        self._answered = tuple(array[:count] for array in self._arrays)

    def answer(self) -> tuple[Any, ...]:
        """float32[rows, actions] and float32[rows, 3] for the last batch; good until the next is asked."""
        began = time.perf_counter()
        self.lane.wait()
        self.waited += time.perf_counter() - began
        return self._answered
