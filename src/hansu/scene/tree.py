"""Pictures of trees: leaves side by side, each parent above the middle of its children."""

from __future__ import annotations

from dataclasses import dataclass, field

from hansu.scene.scene import Group, Line, Mark, Scene, Shape, Stone, Text

LEVEL = 1.9  # units between the rows of parent and children
MARGIN = 0.9


@dataclass
class Twig:
    """One node of a drawn tree. The node appears at step `born`, its value at step `done` (-1: at once)."""

    label: str
    tone: str = "quiet"
    square: bool = False
    value: str = ""
    note: str = ""  # small text right of the node: its window
    edge: str = ""  # text on the line from its parent
    cut: bool = False  # pruned
    marked: bool = False
    born: int = -1
    done: int = -1
    children: list[Twig] = field(default_factory=list)
    x: float = 0.0  # its centre, set by `arrange`
    y: float = 0.0


def tree_scene(root: Twig, title: str = "", spacing: float = 1.5) -> Scene:
    """The picture of a whole tree."""
    width, height = arrange(root, spacing)
    shapes: list[Shape] = []
    _draw(root, shapes)
    return Scene(width, height, tuple(shapes), title, grain=(5, 2))


def arrange(root: Twig, spacing: float = 1.5) -> tuple[float, float]:
    """Set the position of every node; returns the total width and height. (Explicit stack: trees may be deep.)"""
    deepest = leaves = 0
    nodes: list[Twig] = []
    stack: list[tuple[Twig, int, bool]] = [(root, 0, False)]
    while stack:
        node, level, placed = stack.pop()
        deepest = max(deepest, level)
        if placed:
            node.x = (node.children[0].x + node.children[-1].x) / 2
            continue
        nodes.append(node)
        node.y = MARGIN + level * LEVEL
        if node.children:
            stack.append((node, level, True))
            stack.extend((child, level + 1, False) for child in reversed(node.children))
        else:
            node.x = leaves * spacing
            leaves += 1
    width = max(leaves * spacing, 3.0) + 2 * MARGIN
    shift = MARGIN + (width - 2 * MARGIN - leaves * spacing) / 2 + spacing / 2
    for node in nodes:
        node.x += shift
    return width, deepest * LEVEL + 2 * MARGIN + 0.4


def _draw(root: Twig, shapes: list[Shape]) -> None:
    stack: list[tuple[Twig, Twig | None]] = [(root, None)]
    while stack:
        twig, parent = stack.pop()
        x, y = twig.x, twig.y
        drawn: list[Shape] = []
        if parent is not None:
            from_x, from_y = parent.x, parent.y
            drawn.append(Line(from_x, from_y + 0.4, x, y - 0.4, "faint" if twig.cut else "line", 0.04, twig.cut))
            if twig.edge:
                near = 0.62  # nearer to the child, where the edges are farther apart
                edge_x, edge_y = from_x + (x - from_x) * near, from_y + 0.4 + (LEVEL - 0.8) * near
                offset, anchor = (-0.14, "end") if x < from_x else (0.14, "start")
                tone = "faint" if twig.cut else "quiet"
                drawn.append(Text(edge_x + offset, edge_y, twig.edge, tone, 0.26, anchor=anchor))
        if twig.cut:
            if parent is not None:
                from_x, middle = parent.x, y - LEVEL / 2
                cross_x = (from_x + x) / 2
                drawn.append(Line(cross_x - 0.14, middle - 0.1, cross_x + 0.14, middle + 0.1, "bad", 0.05))
            drawn.append(Text(x, y - 0.2, "cut", "faint", 0.24))
        else:
            drawn.append(Stone(x, y, twig.tone, twig.label, 0.38, drawn=True, form="square" if twig.square else ""))
            if twig.marked:
                drawn.append(Mark(x, y, "last", 0.5))
        shapes.append(Group(f"born{twig.born}", tuple(drawn)))
        if twig.note:
            note = Text(x + 0.46, y, twig.note, "quiet", 0.2, anchor="start")
            shapes.append(Group(f"note{twig.born}", (note,)))
        if twig.value:
            size = min(0.32, 1.1 / len(twig.value))  # the value must fit into its node
            shapes.append(Group(f"done{twig.done}", (Text(x, y, twig.value, "white", size, bold=True),)))
        stack.extend((child, twig) for child in reversed(twig.children))
