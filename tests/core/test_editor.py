"""Positions that are set up with the editor."""

from __future__ import annotations

import random

import pytest

import hansu
from hansu.core import registry

EDITED = [name for name in registry.names() if hansu.game(name).controls.editor is not None]


def test_some_games_can_be_edited() -> None:
    assert {"tictactoe", "ataxx"} <= set(EDITED)


@pytest.mark.parametrize("name", EDITED)
def test_the_squares_of_a_position_restore_it(name: str) -> None:
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
        squares = editor.squares(at.state)
        letters = "".join(letter for _, _, letter in squares)
        assert set(letters) <= set(editor.pieces)
        again = game.position(editor.text(letters, at.mover))
        assert editor.squares(again.state) == squares
        assert again.mover == at.mover
        assert set(again.actions) == set(at.actions)
        # Squares do not overlap and are on the sheet.
        assert len({(x, y) for x, y, _ in squares}) == len(squares)
        assert all(0 < x < at.scene.width and 0 < y < at.scene.height for x, y, _ in squares)
