"""The rules of the tree game. Every tree has the same state type: a table (see `core.tables`) holds the tree.

The table has one word with the number of agents, then four words for each node, then one probability for each node:

    1 + 4 * node               mover | first child | number of children | value in millionths
    1 + 4 * nodes + node       probability of reaching the node from its parent, in billionths
    1 + 5 * nodes + agents * node + i    value for agent i in millionths, only if leaves have one value per agent

The children of a node have consecutive numbers. The labels of the table are, for each node, the name of the branch
that leads to it and its own name.
"""

from __future__ import annotations

from typing import NamedTuple

from hansu.core import Message, labels, rules, table

MILLION = 1_000_000
BILLION = 1_000_000_000


class TreeNode(NamedTuple):
    tree: int  # handle of the table
    nodes: int  # number of nodes in the whole tree
    node: int  # the current node; the root is 0


def over(s: TreeNode) -> bool:
    return table(s.tree)[1 + 4 * s.node + 2] == 0


def mover(s: TreeNode) -> int:
    return table(s.tree)[1 + 4 * s.node]


def next_action(s: TreeNode, after: int) -> int:
    return after + 1 if after + 1 < table(s.tree)[1 + 4 * s.node + 2] else -1


def legal(s: TreeNode, a: int) -> bool:
    return 0 <= a < table(s.tree)[1 + 4 * s.node + 2]


def play(s: TreeNode, a: int) -> TreeNode:
    return TreeNode(s.tree, s.nodes, table(s.tree)[1 + 4 * s.node + 1] + a)


def score(s: TreeNode) -> float:
    return table(s.tree)[1 + 4 * s.node + 3] / MILLION


def score_for(s: TreeNode, i: int) -> float:
    words = table(s.tree)
    if len(words) > 1 + 5 * s.nodes:
        return words[1 + 5 * s.nodes + words[0] * s.node + i] / MILLION
    return score(s) if i == 0 else 0.0 - score(s)


def probability(s: TreeNode, a: int) -> float:
    return table(s.tree)[1 + 4 * s.nodes + play(s, a).node] / BILLION


def agents(s: TreeNode) -> int:
    return table(s.tree)[0]


def action_count(s: TreeNode) -> int:
    return s.nodes


def key(s: TreeNode) -> int:
    return s.node


rules(
    TreeNode, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover,
    probability=probability, agents=agents, key=key, action_count=action_count, score_for=score_for,
)  # fmt: skip


def move_text(s: TreeNode, a: int) -> str:
    """The name of the branch."""
    return labels(s.tree)[2 * play(s, a).node]


def score_text(s: TreeNode) -> str:
    """The result of a leaf in words."""
    if len(table(s.tree)) > 1 + 5 * s.nodes:
        scores = ", ".join(f"{score_for(s, i):g}" for i in range(agents(s)))
        return Message("the results of the agents, in order: {scores}", scores=scores)
    return Message("the result is {score:g} for MAX", score=score(s))
