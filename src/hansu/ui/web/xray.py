"""The tree that a search of one position visits, drawn step by step.

Minimax and its variants are traced by `ui.trace`: windows, values, pruned branches. A visit tree is grown by its player
one simulation at a time; each step describes the path and the value of the leaf.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

from hansu.core import CHANCE, Control, HansuError, Message, Player, Position, mover, over
from hansu.scene.tree import Twig
from hansu.search.players import TreeSearch
from hansu.search.visit_tree import Growing, Visited
from hansu.ui.trace import TracePicture, traced
from hansu.ui.web.messages import XrayNode, XrayReply, XrayStep
from hansu.ui.web.translations import Refused, words

MOST_SIMULATIONS = 300
DEEPEST = 12  # plies, if the player sets no depth
ROOT = -1
_TONES = {0: "first", CHANCE: "chance"}


def xray(position: Position, player: Player, most: int, control: Control, ply: int) -> XrayReply:
    """The search tree of a player that supports it."""
    if player.traced_as == "bounds":
        return _of_bounds(*_traced(position, cast(TreeSearch, player), most, control), ply)
    if player.traced_as == "visits":
        return _of_visits(VisitTree(position, cast(Growing, player), min(most, MOST_SIMULATIONS), control), ply)
    raise Refused(
        "refused",
        Message("the search of {name} cannot be shown", name=player.name),
        Message("try minimax, expectimax, alphabeta, mcts or puct"),
    )


def _traced(position: Position, player: TreeSearch, most: int, control: Control) -> tuple[TracePicture, Message | None]:
    """To the player's depth. If it sets none, or if the tree is too large to be drawn, as deep as possible; in the
    latter case with a remark."""
    depth = player.depth or player.rounds
    if depth is not None:
        try:
            return traced(position, player, most, control=control), None
        except HansuError:
            pass
    picture, shown_depth = _as_deep_as_fits(position, player, most, control)
    remark = Message(
        "depth {depth} visits more than {most} nodes; the tree shows depth {shown_depth}",
        depth=depth, most=most, shown_depth=shown_depth,
    )  # fmt: skip
    return picture, None if depth is None else remark


def _as_deep_as_fits(position: Position, player: TreeSearch, most: int, control: Control) -> tuple[TracePicture, int]:
    best: tuple[TracePicture, int] | None = None
    for depth in range(1, DEEPEST + 1):
        try:
            picture = traced(position, player, most, depth, control)
        except HansuError as error:
            if best is None:  # its hint is about the command line
                raise Refused("too_large", error.what, Message("allow more nodes")) from None
            break
        if best is not None and (control.stopped or picture.nodes == best[0].nodes):
            break
        best = picture, depth
    assert best is not None
    return best


def _of_bounds(picture: TracePicture, remark: Message | None, ply: int) -> XrayReply:
    steps = [XrayStep(text=words(text), now=[n]) for text, n in zip(picture.steps, picture.lit, strict=True)]
    reply = _reply("bounds", picture.root, steps, picture.summary, picture.nodes, picture.cut, ply)
    return reply if remark is None else reply.model_copy(update={"remark": words(remark)})


def _reply(kind: Any, root: Twig, steps: list[XrayStep], summary: str, nodes: int, cut: int, ply: int) -> XrayReply:
    return XrayReply(kind=kind, tree=_rows(root), steps=steps, summary=words(summary), nodes=nodes, cut=cut, ply=ply)


def _rows(root: Twig) -> list[XrayNode]:
    """The tree as a list in depth-first order."""
    rows: list[XrayNode] = []
    stack = [(root, -1)]
    while stack:
        twig, parent = stack.pop()
        stack += [(child, len(rows)) for child in reversed(twig.children)]
        rows.append(XrayNode(parent=parent, born=twig.born, done=twig.done, move=twig.edge, value=twig.value,
                             note=twig.note, cut=twig.cut, tone=twig.tone, square=twig.square))  # fmt: skip
    return rows


class VisitTree:
    """A visit tree (MCTS, PUCT), simulation by simulation."""

    def __init__(self, position: Position, player: Growing, simulations: int, control: Control) -> None:
        self.unit = position.game.score_range
        self.paths: list[tuple[Visited, ...]] = []
        self.born: dict[int, int] = {0: ROOT}  # slot -> the simulation that first visited it
        for path in player.simulations_in(position, simulations, control):
            for one in path:
                self.born.setdefault(one.slot, len(self.paths))
            self.paths.append(path)

    def steps(self) -> list[XrayStep]:
        """One step per simulation: its path, its result, and the new labels."""
        steps = []
        before = 0.0
        for number, path in enumerate(self.paths, 1):
            total = (path[0].value or 0.0) * number
            moves = " ".join(one.move for one in path[1:])
            text = Message("simulation {number}: {path}, leaf value {result:+.3g}",
                          number=number, path=moves or Message("the root"), result=total - before)  # fmt: skip
            before = total
            labels = [(self.born[one.slot], *_label(one)) for one in path]
            steps.append(XrayStep(text=words(text), now=[self.born[one.slot] for one in path], labels=labels))
        return steps

    def last(self) -> dict[int, Visited]:
        """Every node as of its last visit."""
        return {one.slot: one for path in self.paths for one in path}

    def twig(self) -> Twig:
        """The tree as a drawing."""
        last, twigs = self.last(), {}
        for path in self.paths:
            for above, one in pairwise((None, *path)):
                if one is None or one.slot in twigs:
                    continue
                now, born, end = last[one.slot], self.born[one.slot], over(one.state)
                who = -2 if end else mover(one.state)
                tone = "quiet" if end else _TONES.get(who, "second")
                value, note = _label(now)
                twigs[one.slot] = Twig("", tone, who != 0, value, note, _edge(one), born=born, done=born)
                if above is not None:
                    twigs[above.slot].children.append(twigs[one.slot])
        return twigs.get(0) or Twig("", "quiet", False, "0", "", "", born=ROOT, done=ROOT)


def _label(one: Visited) -> tuple[str, str]:
    """The visit count and the mean result for the first seat."""
    return f"{one.visits}", "" if one.value is None else f"{one.value + 0.0:.3g}"  # there is no negative zero


def _edge(one: Visited) -> str:
    """The move and its prior."""
    return one.move if one.prior is None else f"{one.move} {one.prior:.0%}"


def _of_visits(visits: VisitTree, ply: int) -> XrayReply:
    count, last = len(visits.paths), visits.last()
    first = [last[slot] for slot in {path[1].slot for path in visits.paths if len(path) > 1}]
    best = max(first, key=lambda one: one.visits, default=None)
    share = best.visits / max(count, 1) if best is not None else 0.0
    move = best.move if best is not None else "-"
    nodes = len(last)
    summary = Message(
        "{count} simulations, {nodes} nodes; {move} has {share:.0%} of the visits",
        count=count,
        nodes=nodes,
        move=move,
        share=share,
    )
    return _reply("visits", visits.twig(), visits.steps(), summary, nodes, 0, ply)
