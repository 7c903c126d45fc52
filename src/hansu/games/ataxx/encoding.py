"""Arrays for networks: input planes, policies, and both under the board's eight symmetries.

Planes are (3, 7, 7), indexed [plane, y, x]: own pieces, enemy pieces, turn number / 512. The policy index of a move is
its action number (see rules.py): 49*d + 7*x + y, where (x, y) is the target. The pass (833) has no index. Symmetries
are numbered as in rules.py; `INVERSE[k]` undoes symmetry k.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from hansu.games.ataxx.rules import DISPLACEMENTS, PASS, SQUARES, Ataxx, start, symmetric_action
from hansu.games.ataxx.rules import planes as write_planes

PLANES = (3, 7, 7)
POLICY = PASS  # number of entries
UNKNOWN_TURN = 0.5


def planes(s: Ataxx, turns_known: bool = True) -> Any:
    """A network's input, float32[3, 7, 7]. If the turn number is unknown, its plane is 0.5."""
    out = np.empty(PLANES, np.float32)
    write_planes(s, out)
    if not turns_known:
        out[2] = UNKNOWN_TURN
    return out


def policy_index(source: tuple[int, int], target: tuple[int, int]) -> int:
    """The index of the move from one (x, y) to another. All singles to a target have the same index."""
    step = target[0] - source[0], target[1] - source[1]
    d = 0 if max(abs(step[0]), abs(step[1])) <= 1 else DISPLACEMENTS.index(step)
    return SQUARES * d + 7 * target[0] + target[1]


@cache
def turned_actions(k: int) -> Any:
    """int64[833]: the image of each action under symmetry k."""
    s = start()
    return np.array([symmetric_action(s, a, k) for a in range(POLICY)])


def turned_policy(policy: Any, k: int) -> Any:
    """A policy of shape (..., 833) under symmetry k."""
    turned = np.empty_like(policy)
    turned[..., turned_actions(k)] = policy
    return turned


def turned_planes(planes: Any, k: int) -> Any:
    """Planes of shape (..., 7, 7) under symmetry k."""
    if k & 1:
        planes = planes[..., ::-1]
    if k & 2:
        planes = planes[..., ::-1, :]
    return np.ascontiguousarray(np.swapaxes(planes, -1, -2) if k & 4 else planes)


def swapped_colours(s: Ataxx) -> Ataxx:
    """The same board with colours swapped and the other side to move, so the mover's view is the same."""
    return s._replace(turns=s.turns ^ 1)
