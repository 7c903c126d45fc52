"""The tree game: somebody drew a tree; MAX and MIN (and chance) choose branches, a leaf is the result.

The lecture's tree is built in; any other is read from a file (`tree:file=my_tree.txt`), text or JSON. Text, one node
a line, children indented below their parent; what stands before the colon is the branch's name:

    A max
      a1: B min
        b1: -50
        b2: 50
      a2: C chance
        c1 (0.3): 1        the branch's probability; all equal where none is given
        c2 (0.7): 3

JSON: {"name": "A", "player": "max", "children": [{"action": "a1", "probability": 0.3, "value": 1}, ...]}.
A player is `max`, `min`, `chance`, or the number of an agent (0 maximises, all others minimise).

Where every agent plays for the own good, a leaf has a number for each, agent 0's first: `b1: 1 2 6`, in JSON
"value": [1, 2, 6]. `maxn` plays so; to all others agent 0's number is the result.

The tree lies in a table of words (see `core.tables`), node after node, after one word with the number of agents:

    1 + 4 * node:  who moves | first child | number of children | value (in millionths; for a child of a chance
                                                                  node that is no leaf, see `1 + 4 * nodes + node`)
    1 + 4 * nodes + node:  the probability of reaching it from its parent, in billionths
    1 + 5 * nodes + agents * node + i:  the value to agent i, in millionths; only where leaves have several numbers
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from hansu.core import CHANCE, Game, HansuError, Lesson, Message, Option, Position, Table, labels, rules, table
from hansu.core.errors import shortened
from hansu.core.reading import read_whole, whole_number
from hansu.scene import Scene
from hansu.scene.tree import Twig, arrange, tree_scene

LECTURE = """
A max
  a1: B min
    b1: -50
    b2: 50
  a2: C min
    c1: 1
    c2: 3
  a3: D min
    d1: -5
    d2: 15
"""

MILLION = 1_000_000
BILLION = 1_000_000_000
MOST_NODES = 100_000
MOST_LEVELS = 300  # searches recurse, and so does Python when it reads JSON
_PLAYERS = {"max": 0, "min": 1, "chance": CHANCE}


class TreeNode(NamedTuple):
    tree: int  # handle of the table
    nodes: int  # how many the whole tree has
    node: int  # where we are


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


LINE_HINT = "write `branch: NAME max|min|chance` or `branch: value`"
JSON_HINT = Message("a tree is {example}", example='{"player": "max", "children": [{"value": 3}, {"value": 5}]}')


@dataclass
class Sketch:
    """A node as it was read."""

    line: int
    name: str = ""
    player: int = 0
    action: str = ""
    probability: float | None = None
    values: tuple[float, ...] = ()  # of a leaf: one, or one for each agent
    children: list[Sketch] = field(default_factory=list)


def start(file: str) -> tuple[TreeNode, Table]:
    return _root_of(read_tree(file))


def read_position(game: Game, text: str) -> tuple[TreeNode, Table] | None:
    """The root of a tree that is written as JSON."""
    return _root_of(_read_json_text(text, "the tree")) if text.startswith("{") else None


def _root_of(tree: Sketch) -> tuple[TreeNode, Table]:
    table, count = pack(tree)
    return TreeNode(table.handle, count, 0), table


def read_tree(file: str) -> Sketch:
    if not file:
        return read_text(LECTURE, "the built-in tree")
    text = read_whole(Path(file).expanduser(), "utf-8-sig")
    return _read_json_text(text, file) if text.lstrip().startswith("{") else read_text(text, file)


def _read_json_text(text: str, where: str) -> Sketch:
    try:
        return read_json(json.loads(text), where, "the root")
    except json.JSONDecodeError as error:
        raise HansuError(
            "{where}, line {line}: not JSON: {text}", JSON_HINT, where=where, line=error.lineno, text=error.msg
        ) from None
    except RecursionError:
        raise HansuError(f"{where}: the tree is nested too deeply", JSON_HINT) from None
    except ValueError as error:  # a number of thousands of digits
        raise HansuError(f"{where}: {error}") from None


_LINE = re.compile(
    r"(?:(?P<action>[^\s:()]+)?\s*(?:\((?P<probability>[^)]*)\))?\s*:)?\s*(?P<what>\S+)?(?:\s+(?P<more>\S.*))?\s*$"
)


def read_text(text: str, where: str) -> Sketch:
    """Children are the lines that are indented more than their parent, equally among themselves."""
    root: Sketch | None = None
    open_nodes: list[tuple[int, Sketch]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#")[0].rstrip().expandtabs(4)
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        node = _read_line(line.strip(), f"{where}, line {number}", number)
        while open_nodes and open_nodes[-1][0] >= indent:
            open_nodes.pop()
        if not open_nodes:
            if root is not None:
                raise HansuError(f"{where}, line {number}: a second root", "indent every line but the first")
            root = node
        else:
            parent = open_nodes[-1][1]
            if parent.values:
                raise HansuError(f"{where}, line {number}: its parent is a leaf with a value", LINE_HINT)
            parent.children.append(node)
        open_nodes.append((indent, node))
    if root is None:
        raise HansuError(f"{where} holds no tree", LINE_HINT)
    return root


def _read_line(line: str, where: str, number: int) -> Sketch:
    parts = _LINE.match(line)
    if parts is None or not parts["what"]:
        raise HansuError(f"{where}: cannot read {shortened(line)}", LINE_HINT)
    node = Sketch(number, action=parts["action"] or "")
    if parts["probability"] is not None:
        node.probability = _number(parts["probability"], where, "a probability")
    more = (parts["more"] or "").split()
    if re.match(r"[-+.\d]", parts["what"]) and not (len(more) == 1 and more[0].lower() in _PLAYERS):
        node.values = tuple(_number(text, where, "a value") for text in (parts["what"], *more))
        return node
    if not more and parts["what"].lower() in _PLAYERS:
        node.player = _PLAYERS[parts["what"].lower()]
        return node
    node.name = parts["what"]
    node.player = _player(" ".join(more), where)
    return node


def _player(text: Any, where: str) -> int:
    if isinstance(text, str) and text.lower() in _PLAYERS:
        return _PLAYERS[text.lower()]
    number = whole_number(str(text))
    if number is not None and 0 <= number < 100:
        return number
    raise HansuError(f"{where}: {shortened(text)} is no player", "max, min, chance or the number of an agent")


def _number(text: Any, where: str, what: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError, OverflowError):
        raise HansuError(f"{where}: {shortened(text)} is not {what}") from None
    if not math.isfinite(value) or abs(value) > 1e12:
        raise HansuError(f"{where}: {shortened(text)} is too large for {what}")
    return value


def read_json(data: Any, file: str, where: str) -> Sketch:
    if not isinstance(data, dict):
        raise HansuError(f"{file}: {where} is not an object", JSON_HINT)
    at = f"{file}: {where}"
    node = Sketch(0, str(data.get("name", "")), action=str(data.get("action", "")))
    if data.get("probability") is not None:
        node.probability = _number(data["probability"], at, "a probability")
    if "value" in data:
        given = data["value"] if isinstance(data["value"], list) else [data["value"]]
        node.values = tuple(_number(value, at, "a value") for value in given)
        return node
    children = data.get("children")
    if not isinstance(children, list) or not children:
        raise HansuError(f"{at} has neither a value nor children", JSON_HINT)
    node.player = _player(data.get("player", "max"), at)
    for i, child in enumerate(children, 1):
        node.children.append(read_json(child, file, f"child {i} of {node.name or where}"))
    return node


def pack(root: Sketch) -> tuple[Table, int]:
    """The words and names of a tree: breadth first, so that a node's children are neighbours."""
    order = [root]
    levels = [0]
    for at, node in enumerate(order):  # grows while it is walked
        if not node.values and not node.children:
            raise HansuError(f"line {node.line}: {node.name or 'a node'} has neither a value nor children")
        if levels[at] > MOST_LEVELS:
            raise HansuError(f"the tree is deeper than {MOST_LEVELS} levels")
        order.extend(node.children)
        levels.extend(levels[at] + 1 for _ in node.children)
        if len(order) > MOST_NODES:
            raise HansuError(f"the tree has more than {MOST_NODES} nodes")
    count = max(2, 1 + max(node.player for node in order), *(len(node.values) for node in order))
    words: list[int] = [count]
    several = any(len(node.values) > 1 for node in order)
    shares: list[int] = []
    chances: list[int] = [BILLION]
    names: list[str] = []
    first = 1
    for node in order:
        if several and node.values and len(node.values) != count:
            where = f"line {node.line}" if node.line else "a leaf"
            raise HansuError(f"{where}: {len(node.values)} values for {count} agents", "give every leaf as many")
        values = [round(value * MILLION) for value in node.values] or [0]
        words += [node.player, first, len(node.children), values[0]]
        shares += (values * count)[:count] if several else []
        first += len(node.children)
        chances += _chances(node)
        letter = node.name[:1].lower() or "m"
        for i, child in enumerate(node.children, 1):
            child.action = child.action or f"{letter}{i}"
        if len({child.action for child in node.children}) < len(node.children):
            raise HansuError(f"two branches of {node.name or f'line {node.line}'} have the same name")
        names += [node.action, node.name]
    return Table(words + chances + shares, names), len(order)


def _chances(node: Sketch) -> list[int]:
    given = [child.probability for child in node.children]
    if node.player != CHANCE or all(p is None for p in given):
        return [BILLION // len(given) for _ in given]
    total = sum(p or 0 for p in given)
    if any(p is None or p < 0 for p in given) or abs(total - 1) > 1e-6:
        raise HansuError(
            f"the probabilities below {node.name or f'line {node.line}'} are not given or do not add up to 1"
        )
    return [round((p or 0) * BILLION) for p in given]


def move_text(s: TreeNode, a: int) -> str:
    return labels(s.tree)[2 * play(s, a).node]


def look(position: Position) -> Scene:
    s: TreeNode = position.state
    twigs = drawn(table(s.tree), labels(s.tree), s.nodes)
    twigs[s.node].marked = True
    return tree_scene(twigs[0], "tree game")


def touch(s: TreeNode, a: int) -> tuple[tuple[float, float], ...]:
    return (places(table(s.tree), labels(s.tree), s.nodes)[play(s, a).node],)


@lru_cache(maxsize=8)
def places(words: tuple[int, ...], names: tuple[str, ...], nodes: int) -> list[tuple[float, float]]:
    """Where each node lies in the picture."""
    twigs = drawn(words, names, nodes)
    arrange(twigs[0])
    return [(twig.x, twig.y) for twig in twigs]


def drawn(words: tuple[int, ...], names: tuple[str, ...], nodes: int) -> list[Twig]:
    """The nodes as they are drawn, the root first."""
    tones = {0: "first", CHANCE: "chance"}
    twigs = []
    shares = words[1 + 5 * nodes :]
    for node in range(nodes):
        who, _, count, value = words[1 + 4 * node : 5 + 4 * node]
        if count:
            twig = Twig(names[2 * node + 1] or "?", tones.get(who, "second"), square=who != 0)
        else:
            numbers = shares[words[0] * node : words[0] * (node + 1)] or (value,)
            twig = Twig(" ".join(f"{number / MILLION:g}" for number in numbers), "quiet", square=True)
        twig.edge = names[2 * node]
        twigs.append(twig)
    for node in range(nodes):
        first, count = words[2 + 4 * node], words[3 + 4 * node]
        twigs[node].children = twigs[first : first + count]
    return twigs


def result_text(s: TreeNode) -> str:
    if len(table(s.tree)) > 1 + 5 * s.nodes:
        shares = ", ".join(f"{score_for(s, i):g}" for i in range(agents(s)))
        return Message("the result is {shares}, agent by agent", shares=shares)
    return Message("the result is {score:g} for MAX", score=score(s))


GAME = Game(
    name="tree",
    title=Message("The tree game"),
    about=Message("choose branches of a small tree: how a search thinks, at first sight"),
    state=TreeNode,
    start=start,
    options=(
        Option(
            "file",
            str,
            "",
            Message("a tree as text or JSON; the one that is built in if empty"),
            title=Message("file"),
        ),
    ),
    move_text=move_text,
    read_position=read_position,
    look=look,
    touch=touch,
    seats=("MAX", "MIN"),
    score_text=result_text,
    score_range=50.0,
    levels=(
        "casual:plies=1,temperature=4",
        "casual:plies=1,temperature=0.2",
        "casual:plies=2,temperature=4",
        "casual:plies=2,temperature=2",
        "casual:plies=2,temperature=1",
        "casual:plies=2,temperature=0.5",
        *("minimax",) * 4,  # a tree of two plies knows no more
    ),
    lessons=(
        Lesson(Message("From the top, MAX and MIN choose a branch in turn, until a number is reached."), moves="a2"),
        Lesson(Message("That number is the result: MAX wants it large, MIN wants it small."), moves="a2 c1"),
    ),
    small=True,
)
