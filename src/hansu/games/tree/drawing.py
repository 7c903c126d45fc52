"""The whole tree as a picture, with a mark on the current node."""

from __future__ import annotations

from functools import lru_cache

from hansu.core import CHANCE, Position, labels, table
from hansu.games.tree.rules import MILLION, TreeNode, play
from hansu.scene import Scene
from hansu.scene.tree import Twig, arrange, tree_scene


def look(position: Position) -> Scene:
    s: TreeNode = position.state
    twigs = twigs_of(table(s.tree), labels(s.tree), s.nodes)
    twigs[s.node].marked = True
    return tree_scene(twigs[0], "tree game")


def touch(s: TreeNode, a: int) -> tuple[tuple[float, float], ...]:
    return (centres(table(s.tree), labels(s.tree), s.nodes)[play(s, a).node],)


@lru_cache(maxsize=8)
def centres(words: tuple[int, ...], names: tuple[str, ...], nodes: int) -> list[tuple[float, float]]:
    """The centre of each node in the picture."""
    twigs = twigs_of(words, names, nodes)
    arrange(twigs[0])
    return [(twig.x, twig.y) for twig in twigs]


def twigs_of(words: tuple[int, ...], names: tuple[str, ...], nodes: int) -> list[Twig]:
    """The nodes of a table as `tree_scene` draws them, the root first."""
    tones = {0: "first", CHANCE: "chance"}
    twigs = []
    leaf_values = words[1 + 5 * nodes :]
    for node in range(nodes):
        mover, _, count, value = words[1 + 4 * node : 5 + 4 * node]
        if count:
            twig = Twig(names[2 * node + 1] or "?", tones.get(mover, "second"), square=mover != 0)
        else:
            values = leaf_values[words[0] * node : words[0] * (node + 1)] or (value,)
            twig = Twig(" ".join(f"{number / MILLION:g}" for number in values), "quiet", square=True)
        twig.edge = names[2 * node]
        twigs.append(twig)
    for node in range(nodes):
        first, count = words[2 + 4 * node], words[3 + 4 * node]
        twigs[node].children = twigs[first : first + count]
    return twigs
