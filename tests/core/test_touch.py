"""The points that one touches to make a move lie where the move shows."""

from __future__ import annotations

import pytest

from hansu.core import Position, registry
from hansu.scene import Group, Scene, Stone


def stones(scene: Scene) -> dict[tuple[float, float], str]:
    """What lies where: tone and glyph of the uppermost piece."""
    found: dict[tuple[float, float], str] = {}
    waiting = list(scene.shapes)
    for shape in waiting:  # grows while it is walked
        if isinstance(shape, Group):
            waiting += shape.shapes
        elif isinstance(shape, Stone):
            found[(round(shape.x, 3), round(shape.y, 3))] = shape.tone + shape.glyph
    return found


def positions(name: str, plies: int = 12) -> list[Position]:
    import random

    chance = random.Random(name)
    at = registry.game(name).first
    found = [at]
    for _ in range(plies):
        if at.over:
            break
        at = at.play(chance.choice(at.actions))
        found.append(at)
    return [at for at in found if not at.over]


BUILT_IN = [name for name in registry.names() if registry.built_in(name).touch is not None]


def test_every_game_of_the_package_can_be_touched() -> None:
    assert list(BUILT_IN) == list(registry.names())


@pytest.mark.parametrize("name", BUILT_IN)
def test_touches_lie_on_the_picture_and_tell_the_moves_apart(name: str) -> None:
    for at in positions(name):
        scene, touch = at.scene, at.game.touch
        assert touch is not None
        ways = [touch(at.state, a) for a in at.actions]
        assert len(set(ways)) == len(ways)
        for way in ways:
            assert all(0 <= x <= scene.width and 0 <= y <= scene.height for x, y in way)


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "ataxx"])
def test_a_stone_appears_where_the_last_touch_was(name: str) -> None:
    for at in positions(name):
        assert at.game.touch is not None
        before = stones(at.scene)
        for a in at.actions:
            way = at.game.touch(at.state, a)
            if not way:
                continue
            after = stones(at.play(a).scene)
            assert after.get(way[-1]) != before.get(way[-1])
            if len(way) == 2:  # the piece left
                assert way[0] in before and way[0] not in after


def test_a_column_has_one_point() -> None:
    for at in positions("connect_four"):
        assert at.game.touch is not None and at.game.controls.whole_columns
        assert len({at.game.touch(at.state, a)[0][0] for a in at.actions}) == len(at.actions)


def test_the_tree_is_touched_at_its_nodes() -> None:
    at = registry.game("tree").first
    assert at.game.touch is not None
    for a in at.actions:
        assert at.game.touch(at.state, a)[0] in stones(at.scene)


def test_triangles_are_touched_at_two_points() -> None:
    at = registry.game("triangles:points=0 0,3 1,5 6,size=9").first
    assert at.game.touch is not None
    for a in at.actions:
        first, second = at.game.touch(at.state, a)
        assert [stones(at.scene)[p][-1] for p in (first, second)] == at.move_text(a).split("-")


def test_pacman_is_steered_by_the_next_cell() -> None:
    for at in positions("pacman", 40):
        assert at.game.touch is not None
        here = [p for p, what in stones(at.scene).items() if what.startswith("yellow")]
        for a in at.actions:
            x, y = at.game.touch(at.state, a)[0]
            if at.mover == 0:
                assert abs(x - here[0][0]) + abs(y - here[0][1]) == (0 if at.move_text(a) == "Stop" else 1)
