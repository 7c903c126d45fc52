"""The learner: it trains a network on batches of samples and keeps an average of its weights over the last steps.

    policy    cross entropy with the search's shares, over legal actions only
    value     cross entropy with win, draw, loss (or the squared error of P(win) - P(loss), as the network says)
    extras    a Huber loss each, with a small weight

A very small loss keeps the policy's logits near 0 (`offset_loss`).

On a graphics card a whole step is captured as a CUDA graph (see `cuda.py`) and then repeated, so that training does not
slow down the search in the other threads.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.learn.cuda import Stream, pinned_zeros
from hansu.learn.networks import UNITS, torch

functional: Any = torch.nn.functional
OFFSET_WEIGHT = 1e-4
EXTRA_WEIGHT = 0.1
ILLEGAL = -1e4


@dataclass(frozen=True)
class LearningRateSchedule:
    """AdamW's settings: the learning rate warms up over some steps and falls along a cosine."""

    rate: float = 2e-3
    lowest: float = 0.03  # share of the learning rate at the end
    warmup: int = 100
    decay: float = 1e-4
    clip: float = 2.0
    average: float = 0.999

    def rate_at(self, step: int, share: float) -> float:
        """The learning rate of a step, when `share` of the training is done."""
        falling = self.lowest + (1 - self.lowest) * (1 + math.cos(math.pi * min(share, 1.0))) / 2
        return self.rate * falling * min(1.0, (step + 1) / max(self.warmup, 1))

    def ema_decay_at(self, step: int) -> float:
        """The decay of the averaged weights in a step: small at first, so that the initial weights are forgotten."""
        return min(self.average, (step + 1) / (step + 20))


@dataclass
class TrainingBatch:
    """The tensors of one training step."""

    planes: Any  # uint8 or float32[rows, planes, height, width]
    legal: Any  # uint8[rows, actions]
    policy: Any  # float32[rows, actions], all 0 if the policy is unknown
    value: Any  # float32[rows, 3]: win, draw and loss of the mover
    left: Any  # float32[rows], plies to the end
    score: Any  # float32[rows], the mover's, as a share of the game's score range

    @classmethod
    def empty(cls, rows: int, shape: Any, whole: bool, device: str = "cpu") -> TrainingBatch:
        """Zeros, to be filled for a device. `whole`: planes hold only small integers."""

        def zeros(dtype: Any, *axes: int) -> Any:
            return pinned_zeros(rows, axes, dtype, device)

        return cls(
            zeros(torch.uint8 if whole else torch.float32, shape.planes, shape.height, shape.width),
            zeros(torch.uint8, shape.actions), zeros(torch.float32, shape.actions), zeros(torch.float32, 3),
            zeros(torch.float32), zeros(torch.float32),
        )  # fmt: skip

    @property
    def tensors(self) -> tuple[Any, ...]:
        return self.planes, self.legal, self.policy, self.value, self.left, self.score

    def __len__(self) -> int:
        return len(self.planes)

    def to(self, device: str) -> TrainingBatch:
        return TrainingBatch(*(tensor.to(device, non_blocking=True) for tensor in self.tensors))

    def clone(self) -> TrainingBatch:
        return TrainingBatch(*(tensor.clone() for tensor in self.tensors))

    def copy_from(self, other: TrainingBatch) -> None:
        for target, source in zip(self.tensors, other.tensors, strict=True):
            target.copy_(source, non_blocking=True)


class Learner:
    """A network in training. It belongs to one thread."""

    def __init__(self, network: Any, schedule: LearningRateSchedule, device: str, half: bool = False) -> None:
        """`half`: compute in bfloat16."""
        self.schedule, self.device, self._half = schedule, device, half
        self.network = network.to(device).to(memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.network).eval().requires_grad_(False)
        self.steps = 0
        self.stream = Stream(device)
        weights = list(self.network.parameters())
        groups = [
            {"params": [w for w in weights if w.ndim > 1], "weight_decay": schedule.decay},
            {"params": [w for w in weights if w.ndim <= 1], "weight_decay": 0.0},
        ]
        # A captured step reads its learning rate from the card.
        on_card: dict[str, Any] = {"fused": True, "capturable": True} if device == "cuda" else {}
        rate = torch.tensor(schedule.rate, device=device) if on_card else schedule.rate
        self.optimiser = torch.optim.AdamW(groups, lr=rate, **on_card)
        self._ema_decay = torch.tensor(0.0, device=device)
        self._totals = torch.zeros(2 + len(network.extras) + 1, device=device)  # sums of losses, number of steps
        self._captured_batch: TrainingBatch | None = None  # the input of a captured step
        self._replay: Callable[[], None] | None = None
        self._averages, self._sources = (
            [value for value in module.state_dict().values() if value.dtype.is_floating_point]
            for module in (self.average, self.network)
        )

    def step(self, batch: TrainingBatch, share: float) -> None:
        """Train on one batch, when `share` of the training is done. On a card the batch may be changed only after
        `stream.wait`."""
        with self.stream as stream:
            self._set_rates(share)
            if self._replay is None or self._captured_batch is None:
                self._train(batch.to(self.device))
            else:
                self._captured_batch.copy_from(batch)
                self._replay()
            stream.record_event()
        self.steps += 1

    def _set_rates(self, share: float) -> None:
        rate = self.schedule.rate_at(self.steps, share)
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], float):
                group["lr"] = rate
            else:
                group["lr"].fill_(rate)
        self._ema_decay.fill_(self.schedule.ema_decay_at(self.steps))

    def capture(self, batch: TrainingBatch, log: Callable[[str], None]) -> None:
        """Capture a step as a CUDA graph, before other threads use the card. This leaves the weights unchanged."""
        before, steps = {name: array.copy() for name, array in self.arrays().items()}, self.steps
        self._captured_batch = captured = batch.to(self.device).clone()
        self._replay, _ = self.stream.capture(lambda: self._train(captured), log)
        self.load_arrays(before)
        self.steps = steps
        self._totals.zero_()

    def _train(self, batch: TrainingBatch) -> None:
        self.network.train()
        with torch.autocast(self.device, torch.bfloat16, enabled=self._half, cache_enabled=False):
            planes = batch.planes.to(torch.float32, memory_format=torch.channels_last)
            policy, value, *extras = self.network(planes)
        losses = [policy_loss(policy, batch), value_loss(value, batch, self.network.value_loss)]
        offset = offset_loss(legal_logits(policy, batch))
        for name, output in zip(self.network.extras, extras, strict=True):
            losses.append(EXTRA_WEIGHT * extra_loss(output, getattr(batch, name), UNITS[name]))
        self.optimiser.zero_grad(set_to_none=True)
        sum(losses, offset).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.schedule.clip)
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_mul_(self._averages, self._ema_decay)
            torch._foreach_add_(self._averages, torch._foreach_mul(self._sources, 1 - self._ema_decay))
            self._totals += torch.stack([*(loss.detach() for loss in losses), torch.ones_like(losses[0].detach())])

    def losses(self) -> dict[str, float]:
        """The mean losses since the last call; raises `Diverged` if they are infinite or NaN."""
        self.stream.synchronize()
        *sums, count = self._totals.tolist()
        with self.stream:
            self._totals.zero_()
        if not count:
            return {}
        if not all(math.isfinite(total) for total in sums):
            raise Diverged(self.steps)
        names = ("policy_loss", "value_loss", *(f"{name}_loss" for name in self.network.extras))
        return {name: total / count for name, total in zip(names, sums, strict=True)}

    def arrays(self) -> dict[str, Any]:
        """The contents of a checkpoint, as NumPy arrays; raises `Diverged` if a weight is infinite or NaN."""
        self.stream.synchronize()
        arrays = {f"network/{name}": _array(value) for name, value in self.network.state_dict().items()}
        arrays |= {f"average/{name}": _array(value) for name, value in self.average.state_dict().items()}
        for number, state in self.optimiser.state_dict()["state"].items():
            arrays |= {f"optimiser/{number}/{name}": _array(value) for name, value in state.items()}
        if not all(np.isfinite(array).all() for name, array in arrays.items() if name.startswith("network/")):
            raise Diverged(self.steps)
        return arrays

    def load_arrays(self, arrays: dict[str, Any]) -> None:
        """Continue from a checkpoint. Tensors keep their addresses, so that a captured step stays valid."""
        with self.stream, torch.no_grad():
            for part, module in (("network", self.network), ("average", self.average)):
                for name, value in module.state_dict().items():
                    value.copy_(torch.from_numpy(np.asarray(arrays[f"{part}/{name}"])))
            numbered = [w for group in self.optimiser.param_groups for w in group["params"]]
            for number, weights in enumerate(numbered):
                stored = {
                    name.rpartition("/")[2]: torch.from_numpy(np.asarray(value))
                    for name, value in arrays.items() if name.startswith(f"optimiser/{number}/")
                }  # fmt: skip
                self._load_state(weights, stored)
        self.stream.synchronize()

    def _load_state(self, weights: Any, stored: dict[str, Any]) -> None:
        state = self.optimiser.state[weights]
        for name, value in stored.items():
            if name in state:
                state[name].copy_(value)
            elif name == "step":
                state[name] = value.to(self.device).clone()
            else:
                state[name] = torch.empty_like(weights).copy_(value)
        if not stored:  # a checkpoint from before the first step
            for value in state.values():
                value.zero_()


class Diverged(HansuError):
    """A loss or a weight is infinite or NaN."""

    def __init__(self, step: int) -> None:
        super().__init__(
            Message("the loss became infinite or NaN at step {step:,}", step=step),
            Message("try a smaller learning rate: --learning-rate 0.0005"),
        )


def policy_loss(logits: Any, batch: TrainingBatch) -> Any:
    """The cross entropy over the rows whose policy is known."""
    known = batch.policy.sum(1)
    return -(batch.policy * legal_logits(logits, batch).log_softmax(1)).sum() / known.sum().clamp(min=1.0)


def legal_logits(logits: Any, batch: TrainingBatch) -> Any:
    return logits.float().masked_fill(batch.legal == 0, ILLEGAL)


def offset_loss(logits: Any) -> Any:
    """Keeps logits near 0. The other losses ignore a constant that is added to all logits; in half precision it drifts
    (to -13,000 in one network) until the differences between logits are rounded away."""
    return OFFSET_WEIGHT * logits.logsumexp(1).square().mean()


def value_loss(logits: Any, batch: TrainingBatch, kind: str) -> Any:
    if kind == "cross_entropy":
        return -(batch.value * logits.float().log_softmax(1)).sum(1).mean()
    chances = logits.float().softmax(1)
    error = (chances[:, 0] - chances[:, 2]) - (batch.value[:, 0] - batch.value[:, 2])
    return error.square().mean()


def extra_loss(output: Any, truth: Any, unit: float) -> Any:
    return functional.smooth_l1_loss(output.float() / unit, truth / unit)


def _array(value: Any) -> Any:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
