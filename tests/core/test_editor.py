"""Positions that are set up square by square."""

from __future__ import annotations

import random

import pytest

import hansu
from hansu.core import registry

EDITED = [name for name in registry.names() if hansu.game(name).controls.editor is not None]


def test_some_games_can_be_edited() -> None:
    assert {"tictactoe", "ataxx"} <= set(EDITED)


@pytest.mark.parametrize("name", EDITED)
def test_squares_make_the_position_that_they_show(name: str) -> None:
    game = hansu.game(name)
    editor = game.controls.editor
    assert editor is not None
    chance = random.Random(3)
    for _ in range(10):
        at = game.first
        for _ in range(chance.randrange(12)):
            if at.over:
                break
            at = at.play(chance.choice(at.actions))
        found = editor.squares(at.state)
        letters = "".join(letter for _, _, letter in found)
        assert set(letters) <= set(editor.pieces)
        again = game.position(editor.text(letters, at.mover))
        assert editor.squares(again.state) == found
        assert again.mover == at.mover
        assert set(again.actions) == set(at.actions)
        # Every square can be told from the others, and lies on the sheet.
        assert len({(x, y) for x, y, _ in found}) == len(found)
        assert all(0 < x < at.scene.width and 0 < y < at.scene.height for x, y, _ in found)
