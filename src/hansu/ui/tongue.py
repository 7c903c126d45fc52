"""The language that a terminal speaks (`core/tongue.py`), for whoever is at the terminal, and pictures in it."""

from __future__ import annotations

from dataclasses import replace

from hansu.core.language import ENGLISH
from hansu.core.tongue import choose, chosen_from, language, told
from hansu.scene import Group, Scene, Text
from hansu.scene.scene import Shape

__all__ = ["choose", "chosen_from", "language", "spoken", "told"]


def spoken(scene: Scene) -> Scene:
    """A picture whose words are in that language."""

    def shape(one: Shape) -> Shape:
        if isinstance(one, Group):
            return replace(one, shapes=tuple(map(shape, one.shapes)))
        return replace(one, text=told(one.text)) if isinstance(one, Text) else one

    return scene if language() == ENGLISH else replace(scene, shapes=tuple(map(shape, scene.shapes)))
