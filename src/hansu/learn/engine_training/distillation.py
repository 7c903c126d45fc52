"""What fitting an engine's small network takes: a teacher that is large, a student that is quick, whole numbers at the
end.

Games tell only who won, and what a search thought on the way; both are noisy, and there is one opinion a position. So a
residual tower (the *teacher*) is fitted to the games first, and then asked for its opinion of as many positions as one
likes, also such as come up in a search and never in a game. The small network learns those (distillation: Hinton,
Vinyals and Dean 2015).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hansu.learn.networks import torch

functional: Any = torch.nn.functional
WARM = 0.03  # of the steps, in which the rate rises
LAST = 0.01  # of the rate, at the end
TEACHER_RATE = 1e-3  # of a teacher that begins by chance
TEACHER_CLIP = 2.0  # the largest norm of its gradient
ASKED = 8192  # positions that a teacher judges at a time
NO_MAPS, NO_TRIM = (-4, 0), (-1, 2**31 - 1)  # glibc's mallopt: M_MMAP_MAX, M_TRIM_THRESHOLD


@dataclass(frozen=True)
class DistillationSettings:
    """How to train: the small network's epochs and batch, the teacher's size (0 channels: none) and epochs, how many
    positions beyond each of the games' it judges, and the usual."""

    epochs: int
    batch: int
    channels: int
    blocks: int
    teacher_epochs: int
    extra_positions: int
    seed: int
    device: str
    plies: int = 1  # of the lines that lead there, at most
    rounds: int = 1  # how often such positions are drawn anew, and learnt
    learning_rate: float = 2e-3
    averaging: float = 0.3  # of the steps, over which the mean of the weights that is written forgets
    teacher_rate: float = TEACHER_RATE


def minimise(
    module: Any, loss_of: Callable[[Any], Any], rows: Any, epochs: int, batch: int, rate: float,
    after: Callable[[], None] = lambda: None, clip: float = math.inf, mean: Any = None, averaging: float = 1.0,
) -> Iterator[float]:  # fmt: skip
    """Fit the parameters of a module by Adam, its rate rising at first and then falling along half a cosine:
    `loss_of(some_of_the_rows)` is what is to be small, `after` is called after each step, `clip` is the largest norm of
    a gradient. `mean`, a copy of the module, is its moving average over the fraction `averaging` of all
    steps. Yields the mean loss of each epoch."""
    if rows.device.type == "cpu":
        keep_memory()
    steps = max(len(rows) // batch, 1)
    towards = min(1 / (averaging * epochs * steps), 1.0)
    optimiser = torch.optim.AdamW(module.parameters(), lr=rate, weight_decay=0.0)
    course = torch.optim.lr_scheduler.LambdaLR(optimiser, partial(share_of_rate, steps=epochs * steps))
    for _ in range(epochs):
        order = rows[torch.randperm(len(rows), device=rows.device)]
        total = torch.zeros((), device=rows.device)
        for step in range(steps):
            loss = loss_of(order[step * batch : (step + 1) * batch])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            if clip < math.inf:
                torch.nn.utils.clip_grad_norm_(module.parameters(), clip)
            optimiser.step()
            course.step()
            after()
            if mean is not None:
                with torch.no_grad():
                    torch._foreach_lerp_(list(mean.parameters()), list(module.parameters()), towards)
            total += loss.detach()
        yield float(total) / steps


def keep_memory() -> None:
    """Memory that was freed stays with this process, where the C library is GNU's. It would give large arrays back, and
    the next step's would be filled with zeros by the system page for page, which takes longer than all else."""
    try:
        setting = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for number, value in (NO_MAPS, NO_TRIM):
        setting(number, value)


def share_of_rate(step: int, steps: int) -> float:
    """How much of the rate a step is taken with."""
    warm = WARM * steps
    rising = min((step + 1) / max(warm, 1), 1.0)
    falling = (1 + math.cos(math.pi * min(step / steps, 1.0))) / 2
    return rising * (LAST + (1 - LAST) * falling)


def on_device(teacher: Any, device: str) -> Any:
    return teacher.to(device).to(memory_format=torch.channels_last)


def win_chance(results: Any) -> Any:
    """Of a tower's logits of win, draw and loss: the mover's expected score."""
    chances = results.float().softmax(1)
    return chances[:, 0] + chances[:, 1] / 2


def chance_loss(chance: Any, target: Any) -> Any:
    """The cross entropy of chances with what they should be."""
    return functional.binary_cross_entropy(chance.clamp(1e-6, 1 - 1e-6), target)


def in_parts(asked: Callable[[Any], Any], count: int, device: str, size: int = ASKED) -> Any:
    """What `asked` says of the rows 0..count-1, so many at a time, without a thought of gradients."""
    with torch.no_grad():
        numbers = torch.arange(count, device=device)
        return torch.cat([asked(part) for part in numbers.split(size)])


class SumOfRows(torch.autograd.Function):  # type: ignore[misc]
    """Of a table, the sum of several rows for each of many asked: float[n, width] of int[n, several]. As torch's
    `embedding_bag`; but what comes back is added where it belongs, which on a card is far quicker than to sort it."""

    @staticmethod
    def forward(ctx: Any, table: Any, asked: Any) -> Any:
        ctx.save_for_backward(asked)
        ctx.rows = len(table)
        return functional.embedding_bag(asked, table, mode="sum")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple[Any, None]:
        (asked,), (grad,) = ctx.saved_tensors, grads
        table = grad.new_zeros(ctx.rows, grad.shape[1])
        for column in asked.unbind(1):
            table.index_add_(0, column, grad)
        return table, None


def rounded(array: Any, unit: int, most: int) -> Any:
    """As whole numbers will have it, so many to the unit and none beyond `most`; gradients pass as if it were not."""
    made: Any = array + ((array * unit).round().clamp(-most, most) / unit - array).detach()
    return made


def whole(array: Any, unit: int, kind: Any, most: int | None = None) -> Any:
    """In whole numbers, so many to the unit, none beyond `most`."""
    limit = most or np.iinfo(kind).max
    return np.clip(np.rint(np.asarray(array, float) * unit), -limit, limit).astype(kind)
