"""Trees as text and as JSON.

In a text file, every line is a node and children are indented below their parent. The name of the branch stands before
the colon:

    A max
      a1: B min
        b1: -50
        b2: 50
      a2: C chance
        c1 (0.3): 1        the probability of the branch; if none is given, all are equal
        c2 (0.7): 3

In JSON: {"name": "A", "player": "max", "children": [{"action": "a1", "probability": 0.3, "value": 1}, ...]}.

The player of a node is `max`, `min`, `chance`, or the number of an agent: agent 0 maximises, all others minimise. In
games with more than two sides a leaf has one value for each agent, agent 0's first: `b1: 1 2 6`, in JSON
"value": [1, 2, 6]. Only `maxn` uses all of them; for other players the result is agent 0's value.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hansu.core import CHANCE, Game, HansuError, Message, Table
from hansu.core.errors import shortened
from hansu.core.reading import read_whole, whole_number
from hansu.games.tree.rules import BILLION, MILLION, TreeNode

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

MOST_NODES = 100_000
MOST_LEVELS = 300  # searches are recursive, and so is Python's JSON parser
LINE_HINT = Message("write `branch: NAME max|min|chance` or `branch: value`")
JSON_HINT = Message("a tree is {example}", example='{"player": "max", "children": [{"value": 3}, {"value": 5}]}')
_PLAYERS = {"max": 0, "min": 1, "chance": CHANCE}
_LINE = re.compile(
    r"(?:(?P<action>[^\s:()]+)?\s*(?:\((?P<probability>[^)]*)\))?\s*:)?\s*(?P<word>\S+)?(?:\s+(?P<rest>\S.*))?\s*$"
)


@dataclass
class Node:
    """A node of a tree file."""

    line: int  # 0 in JSON
    name: str = ""
    player: int = 0
    action: str = ""  # the branch that leads to it
    probability: float | None = None
    values: tuple[float, ...] = ()  # of a leaf: one, or one for each agent
    children: list[Node] = field(default_factory=list)

    @property
    def label(self) -> str:
        """How error messages name the node."""
        return self.name or (Message("line {number}", number=self.line) if self.line else Message("a node"))


def start(file: str) -> tuple[TreeNode, Table]:
    """The root of the tree in a file; of the lecture's tree without one."""
    return _root_state(read_tree(file))


def read_position(game: Game, text: str) -> tuple[TreeNode, Table] | None:
    """The root of a tree in JSON; None if the text is not JSON."""
    return _root_state(_read_json_text(text, Message("the tree"))) if text.startswith("{") else None


def _root_state(root: Node) -> tuple[TreeNode, Table]:
    table, count = pack(root)
    return TreeNode(table.handle, count, 0), table


def read_tree(file: str) -> Node:
    """The root of the tree in a text or JSON file; of the lecture's tree without one."""
    if not file:
        return read_text(LECTURE, Message("the built-in tree"))
    text = read_whole(Path(file).expanduser(), "utf-8-sig")
    return _read_json_text(text, file) if text.lstrip().startswith("{") else read_text(text, file)


def _read_json_text(text: str, file: str) -> Node:
    try:
        return read_json(json.loads(text), Message("{file}: the root", file=file), file)
    except json.JSONDecodeError as error:
        raise HansuError(
            "{file}, line {line}: not JSON: {error}", JSON_HINT, file=file, line=error.lineno, error=error.msg
        ) from None
    except RecursionError:
        raise HansuError("{file}: the tree is nested too deeply", JSON_HINT, file=file) from None
    except ValueError as error:  # a number of thousands of digits
        raise HansuError("{file}: {error}", file=file, error=error) from None


def read_text(text: str, file: str) -> Node:
    """The root of a tree as text. Children have the same indentation, which is larger than their parent's."""
    root: Node | None = None
    open_nodes: list[tuple[int, Node]] = []  # the path to the last line, with indentations
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#")[0].rstrip().expandtabs(4)
        if not line.strip():
            continue
        place = Message("{file}, line {line}", file=file, line=number)
        indent = len(line) - len(line.lstrip())
        node = _read_line(line.strip(), place, number)
        while open_nodes and open_nodes[-1][0] >= indent:
            open_nodes.pop()
        if not open_nodes:
            if root is not None:
                raise HansuError("{place}: a second root", "indent every line except the first", place=place)
            root = node
        else:
            parent = open_nodes[-1][1]
            if parent.values:
                raise HansuError("{place}: the parent is a leaf with a value", LINE_HINT, place=place)
            parent.children.append(node)
        open_nodes.append((indent, node))
    if root is None:
        raise HansuError("{file} contains no tree", LINE_HINT, file=file)
    return root


def _read_line(line: str, place: str, number: int) -> Node:
    match = _LINE.match(line)
    if match is None or not match["word"]:
        raise HansuError("{place}: cannot read {line}", LINE_HINT, place=place, line=shortened(line))
    node = Node(number, action=match["action"] or "")
    if match["probability"] is not None:
        node.probability = _number(match["probability"], place)
    rest = (match["rest"] or "").split()
    if re.match(r"[-+.\d]", match["word"]) and not (len(rest) == 1 and rest[0].lower() in _PLAYERS):
        node.values = tuple(_number(text, place) for text in (match["word"], *rest))
        return node
    if not rest and match["word"].lower() in _PLAYERS:
        node.player = _PLAYERS[match["word"].lower()]
        return node
    node.name = match["word"]
    node.player = _player(" ".join(rest), place)
    return node


def _player(text: object, place: str) -> int:
    if isinstance(text, str) and text.lower() in _PLAYERS:
        return _PLAYERS[text.lower()]
    number = whole_number(str(text))
    if number is not None and 0 <= number < 100:
        return number
    raise HansuError(
        "{place}: {text} is not a player",
        "a player is max, min, chance or the number of an agent",
        place=place,
        text=shortened(text),
    )


def _number(text: Any, place: str) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError, OverflowError):
        raise HansuError("{place}: {text} is not a number", place=place, text=shortened(text)) from None
    if not math.isfinite(value) or abs(value) > 1e12:
        raise HansuError("{place}: {text} is too large", place=place, text=shortened(text))
    return value


def read_json(data: object, place: str, file: str) -> Node:
    """The root of a tree in parsed JSON. `place` names the node in error messages."""
    if not isinstance(data, dict):
        raise HansuError("{place} is not an object", JSON_HINT, place=place)
    node = Node(0, str(data.get("name", "")), action=str(data.get("action", "")))
    if data.get("probability") is not None:
        node.probability = _number(data["probability"], place)
    if "value" in data:
        values = data["value"] if isinstance(data["value"], list) else [data["value"]]
        node.values = tuple(_number(value, place) for value in values)
        return node
    children = data.get("children")
    if not isinstance(children, list) or not children:
        raise HansuError("{place} has neither a value nor children", JSON_HINT, place=place)
    node.player = _player(data.get("player", "max"), place)
    parent = Message("{file}: {node}", file=file, node=node.name) if node.name else place
    for i, child in enumerate(children, 1):
        node.children.append(read_json(child, Message("{parent}, child {number}", parent=parent, number=i), file))
    return node


def pack(root: Node) -> tuple[Table, int]:
    """The table of a tree and its number of nodes. Nodes are in breadth-first order, so siblings are neighbours."""
    order = [root]
    levels = [0]
    for i, node in enumerate(order):  # the list grows during the loop
        if not node.values and not node.children:
            raise HansuError("{node} has neither a value nor children", LINE_HINT, node=node.label)
        if levels[i] > MOST_LEVELS:
            raise HansuError("the tree is deeper than {most} levels", most=MOST_LEVELS)
        order.extend(node.children)
        levels.extend(levels[i] + 1 for _ in node.children)
        if len(order) > MOST_NODES:
            raise HansuError("the tree has more than {most} nodes", most=MOST_NODES)
    agents = max(2, 1 + max(node.player for node in order), *(len(node.values) for node in order))
    words: list[int] = [agents]
    several = any(len(node.values) > 1 for node in order)
    leaf_values: list[int] = []
    probabilities: list[int] = [BILLION]
    names: list[str] = []
    first = 1
    for node in order:
        if several and node.values and len(node.values) != agents:
            raise HansuError(
                "{node}: {count} values for {agents} agents",
                "give every leaf one value per agent",
                node=node.label,
                count=len(node.values),
                agents=agents,
            )
        values = [round(value * MILLION) for value in node.values] or [0]
        words += [node.player, first, len(node.children), values[0]]
        leaf_values += (values * agents)[:agents] if several else []
        first += len(node.children)
        probabilities += _probabilities(node)
        letter = node.name[:1].lower() or "m"
        for i, child in enumerate(node.children, 1):
            child.action = child.action or f"{letter}{i}"
        if len({child.action for child in node.children}) < len(node.children):
            raise HansuError("two branches of {node} have the same name", node=node.label)
        names += [node.action, node.name]
    return Table(words + probabilities + leaf_values, names), len(order)


def _probabilities(node: Node) -> list[int]:
    """The probabilities of a node's children, in billionths."""
    listed = [child.probability for child in node.children]
    if node.player != CHANCE or all(p is None for p in listed):
        return [BILLION // len(listed) for _ in listed]
    total = sum(p or 0 for p in listed)
    if any(p is None or p < 0 for p in listed) or abs(total - 1) > 1e-6:
        raise HansuError(
            "the probabilities below {node} do not add up to 1", "give every branch a probability", node=node.label
        )
    return [round((p or 0) * BILLION) for p in listed]
