"""The stop flag and the words that a search shares with its Control."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hansu.arena.roster import player
from hansu.core import Control, Limit, registry
from hansu.core.control import STOP


def test_a_stop_is_never_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even if another thread requests it while the flag is being written."""
    control = Control()

    class Watched(np.ndarray):  # type: ignore[type-arg]
        stops = False

        def __setitem__(self, key: Any, value: Any) -> None:
            if self.stops and key == STOP:
                self.stops = False
                control.stop()
            super().__setitem__(key, value)

    empty = np.empty

    def watched(*args: Any, **more: Any) -> Watched:
        words = empty(*args, **more).view(Watched)
        words.stops = True
        return words

    monkeypatch.setattr(np, "empty", watched)
    assert control.words[STOP] == control.stopped
    with control.phase(1.0):
        control.words.stops = True
    assert control.stopped and control.words[STOP] == 1


@pytest.mark.parametrize("spec", ["minimax:interpreted=true", "alphabeta:depth=9,interpreted=true"])
def test_a_stopped_search_does_not_claim_its_full_depth(spec: str) -> None:
    game = registry.game("tictactoe")
    for bound, words in ((Limit(), "after looking until it was stopped: "), (Limit(nodes=9), "one ply ahead: ")):
        control = Control()
        control.stop()
        decision = player(spec, game).decide(game.first, bound, control)
        assert words in decision.why and not decision.report.proved
