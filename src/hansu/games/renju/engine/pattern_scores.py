"""What a class is worth at a glance, by hand, and a move as much as its four lines: the searches for threats try points
in this order, `rule` plays by it. (What a position is worth, and which moves the engine's own search tries first, the
network knows.)"""

from __future__ import annotations

import numpy as np

CLASS_WORTH = np.array([0, 1, 3, 6, 14, 17, 20, 24, 60, 75, 85, 400, 1500, 0, 0])
