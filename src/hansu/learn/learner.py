"""The learner: batches of samples in, better weights out, with their average over the last steps beside them.

    policy    cross entropy with the search's shares, over legal actions only
    value     cross entropy with win, draw, loss (or the squared error of P(win) - P(loss), as the network says)
    extras    a Huber loss each, with little weight

and very little that holds the policy's logits near 0 (`offset_loss`).

On a graphics card a whole step is recorded once (see `card.py`) and then repeated, so that learning does not hold up
the search in the other threads.
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
from hansu.learn.cuda import Lane, shared_room
from hansu.learn.networks import UNITS, torch

functional: Any = torch.nn.functional
OFFSET_WEIGHT = 1e-4
EXTRA_WEIGHT = 0.1
ILLEGAL = -1e4


@dataclass(frozen=True)
class LearningRateSchedule:
    """How weights change: AdamW, warmed up over some steps, its rate falling along a cosine."""

    rate: float = 2e-3
    lowest: float = 0.03  # share of the rate that is left at the end
    warmup: int = 100
    decay: float = 1e-4
    clip: float = 2.0
    average: float = 0.999

    def rate_at(self, step: int, share: float) -> float:
        """The rate of a step, `share` of the whole training being done."""
        falling = self.lowest + (1 - self.lowest) * (1 + math.cos(math.pi * min(share, 1.0))) / 2
        return self.rate * falling * min(1.0, (step + 1) / max(self.warmup, 1))

    def kept_at(self, step: int) -> float:
        """How much of the average stays in a step: little at first, so that it forgets the beginning."""
        return min(self.average, (step + 1) / (step + 20))


@dataclass
class TrainingBatch:
    """What one step learns from, as tensors."""

    planes: Any  # uint8 or float32[rows, planes, height, width]
    legal: Any  # uint8[rows, actions]
    policy: Any  # float32[rows, actions], all 0 where nothing is known
    value: Any  # float32[rows, 3]: win, draw, loss of the mover
    left: Any  # float32[rows]
    score: Any  # float32[rows], of the mover, in units of the game's range

    @classmethod
    def room(cls, rows: int, shape: Any, whole: bool, device: str = "cpu") -> TrainingBatch:
        """An empty one, to be filled for a device. `whole`: planes hold small whole numbers only."""

        def made(kind: Any, *axes: int) -> Any:
            return shared_room(rows, axes, kind, device)

        return cls(
            made(torch.uint8 if whole else torch.float32, shape.planes, shape.height, shape.width),
            made(torch.uint8, shape.actions), made(torch.float32, shape.actions), made(torch.float32, 3),
            made(torch.float32), made(torch.float32),
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

    def take(self, other: TrainingBatch) -> None:
        """The other's numbers."""
        for there, here in zip(self.tensors, other.tensors, strict=True):
            there.copy_(here, non_blocking=True)


class Learner:
    """A network in training. One thread uses it."""

    def __init__(self, network: Any, schedule: LearningRateSchedule, device: str, half: bool = False) -> None:
        """`half`: multiply in bfloat16, where that is faster."""
        self.schedule, self.device, self._half = schedule, device, half
        self.network = network.to(device).to(memory_format=torch.channels_last)
        self.average = copy.deepcopy(self.network).eval().requires_grad_(False)
        self.steps = 0
        self.lane = Lane(device)
        weights = list(self.network.parameters())
        groups = [
            {"params": [w for w in weights if w.ndim > 1], "weight_decay": schedule.decay},
            {"params": [w for w in weights if w.ndim <= 1], "weight_decay": 0.0},
        ]
        # A recorded step reads its rate from the card.
        on_card: dict[str, Any] = {"fused": True, "capturable": True} if device == "cuda" else {}
        rate = torch.tensor(schedule.rate, device=device) if on_card else schedule.rate
        self.optimiser = torch.optim.AdamW(groups, lr=rate, **on_card)
        self._kept = torch.tensor(0.0, device=device)
        self._totals = torch.zeros(2 + len(network.extras) + 1, device=device)  # losses added up, steps in them
        self._room: TrainingBatch | None = None  # where a recorded step finds its batch
        self._again: Callable[[], None] | None = None
        self._averages, self._sources = (
            [value for value in module.state_dict().values() if value.dtype.is_floating_point]
            for module in (self.average, self.network)
        )

    def step(self, batch: TrainingBatch, share: float) -> None:
        """Learn from one batch, `share` of the whole training being done. On a card the batch may be changed when
        `lane.wait` says so."""
        with self.lane as lane:
            self._set_rates(share)
            if self._again is None or self._room is None:
                self._learn(batch.to(self.device))
            else:
                self._room.take(batch)
                self._again()
            lane.mark()
        self.steps += 1

    def _set_rates(self, share: float) -> None:
        rate = self.schedule.rate_at(self.steps, share)
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], float):
                group["lr"] = rate
            else:
                group["lr"].fill_(rate)
        self._kept.fill_(self.schedule.kept_at(self.steps))

    def record(self, batch: TrainingBatch, tell: Callable[[str], None]) -> None:
        """Record a step (see `card.py`), before other threads use the card. Nothing is learnt by it."""
        before, steps = {name: array.copy() for name, array in self.arrays().items()}, self.steps
        self._room = room = batch.to(self.device).clone()
        self._again, _ = self.lane.record(lambda: self._learn(room), tell)
        self.take_arrays(before)
        self.steps = steps
        self._totals.zero_()

    def _learn(self, batch: TrainingBatch) -> None:
        self.network.train()
        with torch.autocast(self.device, torch.bfloat16, enabled=self._half, cache_enabled=False):
            planes = batch.planes.to(torch.float32, memory_format=torch.channels_last)
            policy, value, *extras = self.network(planes)
        losses = [policy_loss(policy, batch), value_loss(value, batch, self.network.value_loss)]
        offset = offset_loss(legal_logits(policy, batch))
        for name, answer in zip(self.network.extras, extras, strict=True):
            losses.append(EXTRA_WEIGHT * extra_loss(answer, getattr(batch, name), UNITS[name]))
        self.optimiser.zero_grad(set_to_none=True)
        sum(losses, offset).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.schedule.clip)
        self.optimiser.step()
        with torch.no_grad():
            torch._foreach_mul_(self._averages, self._kept)
            torch._foreach_add_(self._averages, torch._foreach_mul(self._sources, 1 - self._kept))
            self._totals += torch.stack([*(loss.detach() for loss in losses), torch.ones_like(losses[0].detach())])

    def losses(self) -> dict[str, float]:
        """The mean losses since this was last asked; raises where they are no numbers any more."""
        self.lane.finish()
        *sums, count = self._totals.tolist()
        with self.lane:
            self._totals.zero_()
        if not count:
            return {}
        if not all(math.isfinite(total) for total in sums):
            raise NotANumber(self.steps)
        names = ("policy_loss", "value_loss", *(f"{name}_loss" for name in self.network.extras))
        return {name: total / count for name, total in zip(names, sums, strict=True)}

    def arrays(self) -> dict[str, Any]:
        """Everything that a checkpoint needs, as NumPy; raises where a weight is no number any more."""
        self.lane.finish()
        made = {f"network/{name}": _array(value) for name, value in self.network.state_dict().items()}
        made |= {f"average/{name}": _array(value) for name, value in self.average.state_dict().items()}
        for number, state in self.optimiser.state_dict()["state"].items():
            made |= {f"optimiser/{number}/{name}": _array(value) for name, value in state.items()}
        if not all(np.isfinite(array).all() for name, array in made.items() if name.startswith("network/")):
            raise NotANumber(self.steps)
        return made

    def take_arrays(self, arrays: dict[str, Any]) -> None:
        """Go on from a checkpoint. Tensors stay where they are, so that a recorded step stays good."""
        with self.lane, torch.no_grad():
            for part, module in (("network", self.network), ("average", self.average)):
                for name, value in module.state_dict().items():
                    value.copy_(torch.from_numpy(np.asarray(arrays[f"{part}/{name}"])))
            numbered = [w for group in self.optimiser.param_groups for w in group["params"]]
            for number, weights in enumerate(numbered):
                stored = {
                    name.rpartition("/")[2]: torch.from_numpy(np.asarray(value))
                    for name, value in arrays.items() if name.startswith(f"optimiser/{number}/")
                }  # fmt: skip
                self._take_state(weights, stored)
        self.lane.finish()

    def _take_state(self, weights: Any, stored: dict[str, Any]) -> None:
        state = self.optimiser.state[weights]
        for name, value in stored.items():
            if name in state:
                state[name].copy_(value)
            elif name == "step":
                state[name] = value.to(self.device).clone()
            else:
                state[name] = torch.empty_like(weights).copy_(value)
        if not stored:  # as it was before the first step
            for value in state.values():
                value.zero_()


class NotANumber(HansuError):
    """A loss or a weight is infinite or no number."""

    def __init__(self, step: int) -> None:
        super().__init__(
            Message("the loss is no number any more at step {step:,}", step=step),
            Message("a smaller rate may help: --set learning_rate=0.0005"),
        )


def policy_loss(logits: Any, batch: TrainingBatch) -> Any:
    """Over the rows that know a policy."""
    known = batch.policy.sum(1)
    return -(batch.policy * legal_logits(logits, batch).log_softmax(1)).sum() / known.sum().clamp(min=1.0)


def legal_logits(logits: Any, batch: TrainingBatch) -> Any:
    return logits.float().masked_fill(batch.legal == 0, ILLEGAL)


def offset_loss(logits: Any) -> Any:
    """Holds logits near 0. A policy does not change when all of them do, so nothing else would: in half precision
    their common part drifts off (to -13,000 in one network), and their differences are rounded away."""
    return OFFSET_WEIGHT * logits.logsumexp(1).square().mean()


def value_loss(logits: Any, batch: TrainingBatch, kind: str) -> Any:
    if kind == "cross_entropy":
        return -(batch.value * logits.float().log_softmax(1)).sum(1).mean()
    chances = logits.float().softmax(1)
    error = (chances[:, 0] - chances[:, 2]) - (batch.value[:, 0] - batch.value[:, 2])
    return error.square().mean()


def extra_loss(answer: Any, truth: Any, unit: float) -> Any:
    return functional.smooth_l1_loss(answer.float() / unit, truth / unit)


def _array(value: Any) -> Any:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
