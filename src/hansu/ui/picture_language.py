"""Pictures in the terminal's language (`core/terminal_language.py`)."""

from __future__ import annotations

from dataclasses import replace

from hansu.core.language import ENGLISH
from hansu.core.terminal_language import language, localize
from hansu.scene import Group, Scene, Text
from hansu.scene.scene import Shape


def spoken(scene: Scene) -> Scene:
    """A picture with its texts translated."""

    def shape(one: Shape) -> Shape:
        if isinstance(one, Group):
            return replace(one, shapes=tuple(map(shape, one.shapes)))
        return replace(one, text=localize(one.text)) if isinstance(one, Text) else one

    return scene if language() == ENGLISH else replace(scene, shapes=tuple(map(shape, scene.shapes)))
