"""What people see of a game: its notation, its picture, the points that they touch; symmetries and planes, which
networks see."""

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
from hansu.search.conformance.random_walk import Flaw, require, shown, wander
from hansu.search.object_state import needs_object_state


def notation(game: Game) -> None:
    """every move has a text of its own, which is read back; so has every position"""
    for position in wander(game, 6, 25):
        known: dict[str, object] = {}
        for a in position.actions:
            text = position.move_text(a)
            require(
                isinstance(text, str) and text.strip(), f"move_text(s, {a}) gave {text!r} in {shown(position.state)}"
            )
            other = known.setdefault(text.lower(), a)
            what = f"the actions {other} and {a} have one text, {text!r}, in {shown(position.state)}"
            require(other == a, what, "capital and small letters are one when moves are read")
            _read_back(game, position, a, text)
        require(game.position(position.text).state == position.state, f"{position.text!r} is read as another position")
    met = wander(game, 7, 12)
    if all(after.previous is before for before, after in itertools.pairwise(met)):  # without chance
        text = " ".join(met[-1].moves) or "start"
        require(game.position(text).state == met[-1].state, f"the moves {text!r} lead to another position")


def _read_back(game: Game, position: Position, a: object, text: str) -> None:
    try:
        found = game.action(position.state, text)
    except IllegalMove as error:
        raise Flaw(f"{text!r}, the text of action {a}, is not read: {error.what}") from error
    require(found == a, f"{text!r}, the text of action {a}, is read as {found} in {shown(position.state)}")
    if game.split_moves is None and re.search(r"[\s,]", text):
        hint = "no spaces or commas in a move, or Game(split_moves=...)"
        raise Flaw(f"{text!r}, the text of action {a}, has a space or a comma in it", hint)


def look(game: Game) -> None:
    """every position has a picture and a text, and a move has points of its own to touch"""
    for position in wander(game, 8, 12):
        scene = position.scene
        require(scene is not None, f"look() gave None in {shown(position.state)}", "does it end with a `return`?")
        require(
            isinstance(scene, Scene), f"look() gave {shortened(scene)}, not a Scene", "return Scene(width, height, ...)"
        )
        picture, text = svg(scene), ansi(scene, color=False)
        require("nan" not in picture, f"a shape has no number for a place in {shown(position.state)}")
        require(text.strip(), f"the picture is empty in {shown(position.state)}")
        if game.touch is None:
            continue
        ways: dict[object, object] = {}
        for a in position.actions:
            way = game.touch(position.state, a)
            hint = "the points to touch: ((x, y),); () where a move has none, and is offered as a button"
            require(isinstance(way, tuple), f"touch(s, {a}) gave {way!r} in {shown(position.state)}", hint)
            for x, y in way:
                inside = 0 <= x <= scene.width and 0 <= y <= scene.height
                require(inside, f"touch(s, {a}) is {(x, y)}, outside the picture of {scene.width} by {scene.height}")
            other = ways.setdefault(way, a) if way else a
            require(other == a, f"the actions {other} and {a} are touched alike, at {way}, in {shown(position.state)}")


def symmetries(game: Game) -> None:
    """a symmetry of the board keeps the moves, the result and whose turn it is"""
    for position in wander(game, 11, 20):
        if position.repeated is not None:
            continue  # which no state knows of
        require(position.symmetric(0) == position, f"symmetry 0 changes {shown(position.state)}", "0 is the identity")
        for k in range(game.symmetries):
            mirrored = position.symmetric(k)
            where = f"under symmetry {k} {shown(position.state)} becomes {shown(mirrored.state)}"
            require((mirrored.over, mirrored.mover) == (position.over, position.mover), f"{where}: another is to move")
            if position.over:
                require(mirrored.score == position.score, f"{where}: its score is another")
                continue
            images = {a: generic.symmetric_action(position.state, a, k) for a in position.actions}
            same = sorted(images.values()) == list(mirrored.actions)
            require(same, f"{where}: symmetric_action says {sorted(images.values())}, legal are {mirrored.actions}")
            for a in position.actions[::5]:
                after = generic.symmetric(position.play(a).state, k)
                what = f"{where}: playing {a} and then turning is not turning and then playing {images[a]}"
                require(mirrored.play(images[a]).state == after, what)


def planes(game: Game) -> None:
    """planes writes every cell of its array, and numbers only"""
    if needs_object_state(game.first.state):
        return
    shape = game.plane_shape or (len(flat(game.first.state)), 1, 63)
    for position in wander(game, 12, 10):
        made = np.full(shape, np.nan, np.float32)
        try:
            generic.planes(position.state, made)
        except IndexError as error:
            raise Flaw(f"planes writes outside Game(plane_shape={shape}): {error}") from error
        empty = int(np.isnan(made).sum())
        require(not empty, f"planes leaves {empty} of {made.size} cells of plane_shape {shape} empty", "write 0 there")
        require(np.isfinite(made).all(), f"planes writes a number that is not finite in {shown(position.state)}")
    if game.symmetries > 1:
        require(made.any(), "planes are all zeros after a few moves")
