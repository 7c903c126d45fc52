"""Checks of what people see (notation, pictures, touch points) and of what networks see (symmetries, planes)."""

from __future__ import annotations

import itertools
import re

import numpy as np

from hansu.core import generic
from hansu.core.bits import flat
from hansu.core.errors import IllegalMove, shortened
from hansu.core.game import Game
from hansu.core.position import Position
from hansu.scene import Scene
from hansu.scene.ansi import ansi
from hansu.scene.svg import svg
from hansu.search.conformance.random_walk import Flaw, random_walk, require, state_text
from hansu.search.object_state import needs_object_state


def notation(game: Game) -> None:
    """every move and every position has a text of its own that can be read back"""
    for position in random_walk(game, 6, 25):
        actions_by_text: dict[str, object] = {}
        for a in position.actions:
            text = position.move_text(a)
            require(
                isinstance(text, str) and text.strip(),
                f"move_text(s, {a}) returned {text!r} in {state_text(position.state)}",
                "return a text that is not empty",
            )
            other = actions_by_text.setdefault(text.lower(), a)
            what = f"the actions {other} and {a} have the same text, {text!r}, in {state_text(position.state)}"
            require(other == a, what, "give each move its own text; upper and lower case count as the same")
            _read_back(game, position, a, text)
        require(
            game.position(position.text).state == position.state,
            f"{position.text!r}, the text of a position, is read as another position",
            "make the functions that write and read positions match",
        )
    positions = random_walk(game, 7, 12)
    if all(after.previous is before for before, after in itertools.pairwise(positions)):  # without chance
        text = " ".join(positions[-1].moves) or "start"
        require(
            game.position(text).state == positions[-1].state,
            f"reading the moves {text!r} leads to another position",
            "make the functions that write and read moves match",
        )


def _read_back(game: Game, position: Position, a: object, text: str) -> None:
    try:
        action = game.action(position.state, text)
    except IllegalMove as error:
        what = f"{text!r}, the text of action {a}, cannot be read: {error.what}"
        raise Flaw(what, "make the functions that write and read moves match") from error
    require(
        action == a,
        f"{text!r}, the text of action {a}, is read as action {action} in {state_text(position.state)}",
        "make the functions that write and read moves match",
    )
    if game.split_moves is None and re.search(r"[\s,]", text):
        hint = "use a text without spaces and commas, or set Game(split_moves=...)"
        raise Flaw(f"{text!r}, the text of action {a}, contains a space or a comma", hint)


def look(game: Game) -> None:
    """every position has a picture and a text, and every move its own points to touch"""
    for position in random_walk(game, 8, 12):
        scene = position.scene
        require(scene is not None, f"look() returned None in {state_text(position.state)}", "add the missing `return`")
        require(
            isinstance(scene, Scene),
            f"look() returned {shortened(scene)}, not a Scene",
            "return Scene(width, height, ...)",
        )
        picture, text = svg(scene), ansi(scene, color=False)
        require(
            "nan" not in picture,
            f"a coordinate of a shape is NaN in {state_text(position.state)}",
            "check the arithmetic in look()",
        )
        require(text.strip(), f"the picture is empty in {state_text(position.state)}", "add shapes to the Scene")
        if game.touch is None:
            continue
        actions_by_points: dict[object, object] = {}
        for a in position.actions:
            points = game.touch(position.state, a)
            hint = "return the points to touch, ((x, y),), or () for a move that is shown as a button"
            require(
                isinstance(points, tuple), f"touch(s, {a}) returned {points!r} in {state_text(position.state)}", hint
            )
            for x, y in points:
                inside = 0 <= x <= scene.width and 0 <= y <= scene.height
                what = f"touch(s, {a}) is {(x, y)}, outside the picture of {scene.width} by {scene.height}"
                require(inside, what, "use the coordinates of the Scene")
            other = actions_by_points.setdefault(points, a) if points else a
            what = f"the actions {other} and {a} have the same touch points, {points}, in {state_text(position.state)}"
            require(other == a, what, "give each move its own points")


def symmetries(game: Game) -> None:
    """symmetries preserve the legal moves, the result and the player to move"""
    for position in random_walk(game, 11, 20):
        if position.repeated is not None:
            continue  # a state does not know its history
        require(
            position.symmetric(0) == position,
            f"symmetry 0 changes {state_text(position.state)}",
            "symmetry 0 must be the identity",
        )
        for k in range(game.symmetries):
            mirrored = position.symmetric(k)
            where = f"under symmetry {k} {state_text(position.state)} becomes {state_text(mirrored.state)}"
            require(
                (mirrored.over, mirrored.mover) == (position.over, position.mover),
                f"{where}, where another player is to move",
                "a symmetry must keep the player to move",
            )
            if position.over:
                require(
                    mirrored.score == position.score,
                    f"{where}, which has another score",
                    "a symmetry must keep the result",
                )
                continue
            images = {a: generic.symmetric_action(position.state, a, k) for a in position.actions}
            same = sorted(images.values()) == list(mirrored.actions)
            what = f"{where}: symmetric_action returns {sorted(images.values())}, but legal are {mirrored.actions}"
            require(same, what, "symmetric_action must map moves exactly as symmetric maps the board")
            for a in position.actions[::5]:
                after = generic.symmetric(position.play(a).state, k)
                what = f"{where}: play({a}) then symmetric differs from symmetric then play({images[a]})"
                hint = "symmetric_action must map moves exactly as symmetric maps the board"
                require(mirrored.play(images[a]).state == after, what, hint)


def planes(game: Game) -> None:
    """planes fills its whole array with finite numbers"""
    if needs_object_state(game.first.state):
        return
    shape = game.plane_shape or (len(flat(game.first.state)), 1, 63)
    for position in random_walk(game, 12, 10):
        array = np.full(shape, np.nan, np.float32)
        try:
            generic.planes(position.state, array)
        except IndexError as error:
            what = f"planes writes outside Game(plane_shape={shape}): {error}"
            raise Flaw(what, "set plane_shape=(planes, height, width), or fix the indices in planes()") from error
        empty = int(np.isnan(array).sum())
        require(not empty, f"planes leaves {empty} of {array.size} cells of plane_shape {shape} empty", "write 0 there")
        require(
            np.isfinite(array).all(),
            f"planes writes a number that is not finite in {state_text(position.state)}",
            "write finite numbers only",
        )
    if game.symmetries > 1:
        require(array.any(), "planes are all 0 after a few moves", "write the pieces on the board to the planes")
