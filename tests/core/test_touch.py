"""The points that select a move are where the move appears."""

from __future__ import annotations

import pytest

from hansu.core import Position, registry
from hansu.scene import Group, Scene, Stone


def stones(scene: Scene) -> dict[tuple[float, float], str]:
    """The tone and glyph of the topmost piece at each point."""
    pieces: dict[tuple[float, float], str] = {}
    pending = list(scene.shapes)
    for shape in pending:  # grows during the loop
        if isinstance(shape, Group):
            pending += shape.shapes
        elif isinstance(shape, Stone):
            pieces[(round(shape.x, 3), round(shape.y, 3))] = shape.tone + shape.glyph
    return pieces


def positions(name: str, plies: int = 12) -> list[Position]:
    import random

    chance = random.Random(name)
    at = registry.game(name).first
    path = [at]
    for _ in range(plies):
        if at.over:
            break
        at = at.play(chance.choice(at.actions))
        path.append(at)
    return [at for at in path if not at.over]


BUILT_IN = [name for name in registry.names() if registry.built_in(name).touch is not None]


def test_every_built_in_game_can_be_played_by_touch() -> None:
    assert list(BUILT_IN) == list(registry.names())


@pytest.mark.parametrize("name", BUILT_IN)
def test_touches_are_on_the_picture_and_distinguish_moves(name: str) -> None:
    for at in positions(name):
        scene, touch = at.scene, at.game.touch
        assert touch is not None
        paths = [touch(at.state, a) for a in at.actions]
        assert len(set(paths)) == len(paths)
        for path in paths:
            assert all(0 <= x <= scene.width and 0 <= y <= scene.height for x, y in path)


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "ataxx"])
def test_a_piece_appears_at_the_last_touch(name: str) -> None:
    for at in positions(name):
        assert at.game.touch is not None
        before = stones(at.scene)
        for a in at.actions:
            path = at.game.touch(at.state, a)
            if not path:
                continue
            after = stones(at.play(a).scene)
            assert after.get(path[-1]) != before.get(path[-1])
            if len(path) == 2:  # the piece moved away
                assert path[0] in before and path[0] not in after


def test_a_column_has_one_point() -> None:
    for at in positions("connect_four"):
        assert at.game.touch is not None and at.game.controls.whole_columns
        assert len({at.game.touch(at.state, a)[0][0] for a in at.actions}) == len(at.actions)


def test_tree_moves_are_selected_at_nodes() -> None:
    at = registry.game("tree").first
    assert at.game.touch is not None
    for a in at.actions:
        assert at.game.touch(at.state, a)[0] in stones(at.scene)


def test_segments_are_selected_at_two_points() -> None:
    at = registry.game("triangles:points=0 0,3 1,5 6,size=9").first
    assert at.game.touch is not None
    for a in at.actions:
        first, second = at.game.touch(at.state, a)
        assert [stones(at.scene)[p][-1] for p in (first, second)] == at.move_text(a).split("-")


def test_pacman_moves_are_selected_at_the_next_cell() -> None:
    for at in positions("pacman", 40):
        assert at.game.touch is not None
        here = [p for p, piece in stones(at.scene).items() if piece.startswith("yellow")]
        for a in at.actions:
            x, y = at.game.touch(at.state, a)[0]
            if at.mover == 0:
                assert abs(x - here[0][0]) + abs(y - here[0][1]) == (0 if at.move_text(a) == "Stop" else 1)
