"""The tree that a search of one position visits, drawn, with what happened at each step.

Minimax and its kin are traced by `ui.trace`: windows, values, cut branches. A Monte-Carlo tree is grown here one
simulation at a time, by the very function that the player runs; each step tells its path and the playout's result.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hansu.core import CHANCE, Control, HansuError, Phrase, Player, Position, mix, mover, over, play
from hansu.scene.tree import Twig
from hansu.search.foreign import Book, Numbered, is_foreign
from hansu.search.mcts import new_tree, simulate
from hansu.search.players import Mcts, TreeSearch
from hansu.search.tree import Tree
from hansu.ui.trace import Picture, traced
from hansu.ui.web.messages import XrayNode, XrayStep, XrayTold
from hansu.ui.web.words import Refused, words

MOST_SIMULATIONS = 300
DEEPEST = 12  # plies, where the player does not say how deep
ROOT = -1
_TONES = {0: "first", CHANCE: "chance"}


def xray(position: Position, player: Player, most: int, control: Control, ply: int) -> XrayTold:
    """The searched tree of a player that can be looked into."""
    if isinstance(player, TreeSearch):
        return _of_bounds(_traced(position, player, most, control), ply)
    if isinstance(player, Mcts):
        return _of_visits(VisitTree(position, player, min(most, MOST_SIMULATIONS), control), ply)
    raise Refused(
        "refused",
        Phrase("{name} cannot be looked into", name=player.name),
        Phrase("try minimax, expectimax, alphabeta or mcts"),
    )


def _traced(position: Position, player: TreeSearch, most: int, control: Control) -> Picture:
    """To the player's depth; where it names none, as deep as the picture has room for."""
    if player.depth is not None or player.rounds is not None:
        return traced(position, player, most, control=control)
    best: Picture | None = None
    for depth in range(1, DEEPEST + 1):
        try:
            picture = traced(position, player, most, depth, control)
        except HansuError:
            if best is None:
                raise
            break
        if control.stopped and best is not None:
            break
        if best is not None and picture.nodes == best.nodes:
            break
        best = picture
    assert best is not None
    return best


def _of_bounds(picture: Picture, ply: int) -> XrayTold:
    steps = [XrayStep(text=words(text), now=[n]) for text, n in zip(picture.steps, picture.lit, strict=True)]
    return _told("bounds", picture.root, steps, picture.summary, picture.nodes, picture.cut, ply)


def _told(kind: Any, root: Twig, steps: list[XrayStep], summary: str, nodes: int, cut: int, ply: int) -> XrayTold:
    return XrayTold(kind=kind, tree=_rows(root), steps=steps, summary=words(summary), nodes=nodes, cut=cut, ply=ply)


def _rows(root: Twig) -> list[XrayNode]:
    """The tree as a list, every node after its parent and its elder siblings' trees."""
    rows: list[XrayNode] = []
    stack = [(root, -1)]
    while stack:
        twig, parent = stack.pop()
        stack += [(child, len(rows)) for child in reversed(twig.children)]
        rows.append(XrayNode(parent=parent, born=twig.born, done=twig.done, move=twig.edge, value=twig.value,
                             note=twig.note, cut=twig.cut, tone=twig.tone, square=twig.square))  # fmt: skip
    return rows


@dataclass
class VisitedNode:
    """A node of the Monte-Carlo tree that was visited: the step at which it was, and how it is reached."""

    node: int
    born: int
    parent: VisitedNode | None
    move: str
    state: Any


class VisitTree:
    """A Monte-Carlo tree, simulation by simulation."""

    def __init__(self, position: Position, player: Mcts, simulations: int, control: Control) -> None:
        self.position = position
        self.player = player
        self.book = Book() if is_foreign(position.state) else None
        root = position.state if self.book is None else Numbered(position.state, self.book)
        self.tree: Tree = new_tree(min(player.room, 1 << 16))
        self.nodes: dict[int, VisitedNode] = {0: VisitedNode(0, ROOT, None, "", root)}
        self.steps: list[XrayStep] = []
        seed = [mix((player.seed, len(position.history)))]
        for number in range(min(simulations, player.simulations or simulations)):
            if control.stopped:
                break
            self._simulate(number, seed)

    def _simulate(self, number: int, seed: list[int]) -> None:
        tree, unit = self.tree, self.position.game.score_range
        before = float(tree.mean[0])
        root = self.nodes[0].state
        length = int(simulate(root, tree.handle, self.player.exploration, unit, self.player.playout_plies, seed))
        result = (float(tree.mean[0]) * (number + 1) - before * number) * unit
        path = [int(tree.path[i]) for i in range(length)]
        for above, node in pairwise(path):
            if node not in self.nodes:
                parent, action = self.nodes[above], int(tree.action[node])
                self.nodes[node] = VisitedNode(
                    node, number, parent, self._move(parent.state, action), play(parent.state, action)
                )
        walked = [self.nodes[node] for node in path]
        way = " ".join(one.move for one in walked[1:])
        text = Phrase(
            "simulation {number}: {way}, the playout ends with {result:+.3g}",
            number=number + 1,
            way=way or Phrase("the root"),
            result=result,
        )
        labels = [(one.born, *self._label(one)) for one in walked]
        self.steps.append(XrayStep(text=words(text), now=[one.born for one in walked], labels=labels))

    def _move(self, state: Any, action: int) -> str:
        if self.book is not None:
            return self.position.game.move_text(state.inner, self.book.actions[action])
        return self.position.game.move_text(state, action)

    def _label(self, one: VisitedNode) -> tuple[str, str]:
        """Visits, and the mean result for the first seat."""
        mean = float(self.tree.sign[one.node] * self.tree.mean[one.node]) * self.position.game.score_range
        return f"{int(self.tree.visits[one.node])}", f"{mean:.3g}"

    def twig(self) -> Twig:
        made: dict[int, Twig] = {}
        for node, one in self.nodes.items():
            value, note = self._label(one)
            end = over(one.state)
            who = -2 if end else mover(one.state)
            tone = "quiet" if end else _TONES.get(who, "second")
            made[node] = Twig("", tone, who != 0, value, note, one.move, born=one.born, done=one.born)
            if one.parent is not None:
                made[one.parent.node].children.append(made[node])
        return made[0]


def _of_visits(visits: VisitTree, ply: int) -> XrayTold:
    tree = visits.tree
    count = len(visits.steps)
    best = max((s for s in visits.nodes.values() if s.parent is visits.nodes[0]),
               key=lambda s: tree.visits[s.node], default=None)  # fmt: skip
    share = float(tree.visits[best.node]) / max(count, 1) if best is not None else 0.0
    move = best.move if best is not None else "-"
    nodes = len(visits.nodes)
    summary = Phrase(
        "{count} simulations, {nodes} nodes; {move} had {share:.0%} of the visits",
        count=count,
        nodes=nodes,
        move=move,
        share=share,
    )
    return _told("visits", visits.twig(), visits.steps, summary, len(visits.nodes), 0, ply)
