"""Fitting a module's weights by Adam, with a learning rate that warms up and then falls along a cosine."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from hansu.learn.networks import torch

WARMUP = 0.03  # share of the steps in which the learning rate rises
FINAL_RATE = 0.01  # share of the learning rate that is left at the end
NO_MAPS, NO_TRIM = (-4, 0), (-1, 2**31 - 1)  # glibc's mallopt: M_MMAP_MAX, M_TRIM_THRESHOLD


def minimize(
    module: Any, loss_of: Callable[[Any], Any], rows: Any, epochs: int, batch: int, rate: float,
    after_step: Callable[[], None] = lambda: None, clip: float = math.inf, average: Any = None, averaging: float = 1.0,
) -> Iterator[float]:  # fmt: skip
    """Fit the parameters of a module; yields the mean loss of each epoch.

    `loss_of(batch_of_rows)` is the loss, `after_step` is called after each step, `clip` is the largest norm of a
    gradient. `average`, a copy of the module, becomes its moving average over the fraction `averaging` of all steps.
    """
    if rows.device.type == "cpu":
        keep_freed_memory()
    steps = max(len(rows) // batch, 1)
    step_share = min(1 / (averaging * epochs * steps), 1.0)
    optimizer = torch.optim.AdamW(module.parameters(), lr=rate, weight_decay=0.0)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, partial(rate_factor, steps=epochs * steps))
    for _ in range(epochs):
        order = rows[torch.randperm(len(rows), device=rows.device)]
        total = torch.zeros((), device=rows.device)
        for step in range(steps):
            loss = loss_of(order[step * batch : (step + 1) * batch])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            if clip < math.inf:
                torch.nn.utils.clip_grad_norm_(module.parameters(), clip)
            optimizer.step()
            scheduler.step()
            after_step()
            if average is not None:
                with torch.no_grad():
                    torch._foreach_lerp_(list(average.parameters()), list(module.parameters()), step_share)
            total += loss.detach()
        yield float(total) / steps


def keep_freed_memory() -> None:
    """Let glibc keep freed memory in this process. By default it returns large arrays to the system, which then clears
    every page of the next step's arrays; that takes longer than the step itself."""
    try:
        setting = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for number, value in (NO_MAPS, NO_TRIM):
        setting(number, value)


def rate_factor(step: int, steps: int) -> float:
    """The share of the learning rate that a step uses."""
    warmup = WARMUP * steps
    rising = min((step + 1) / max(warmup, 1), 1.0)
    falling = (1 + math.cos(math.pi * min(step / steps, 1.0))) / 2
    return rising * (FINAL_RATE + (1 - FINAL_RATE) * falling)
