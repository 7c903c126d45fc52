"""What a shape is worth at a glance, by hand: the searches for threats try points in this order, `rule` plays by it.
(What a position is worth, and which moves the engine's own search tries first, the network knows.)"""

from __future__ import annotations

import numpy as np

from hansu.games.renju.engine.patterns import SHAPES

CLASS_WORTH = np.array([0, 1, 3, 6, 14, 17, 20, 24, 60, 75, 85, 400, 1500, 0, 0])
WORTH = CLASS_WORTH[np.array(SHAPES)].sum(axis=1)
