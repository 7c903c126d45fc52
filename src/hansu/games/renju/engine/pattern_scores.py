"""Hand-made scores of line classes. A move scores the sum over its four lines. The threat searches order moves by it,
and the player `rule` chooses by it. (The main search uses the network instead.)"""

from __future__ import annotations

import numpy as np

CLASS_SCORES = np.array([0, 1, 3, 6, 14, 17, 20, 24, 60, 75, 85, 400, 1500, 0, 0])
