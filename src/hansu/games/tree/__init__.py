"""The tree game: MAX, MIN and chance choose branches of a given tree, and the leaf they reach is the result.

The lecture's tree is built in. `tree:file=my_tree.txt` reads another one; `tree_file` describes the formats.
"""

from __future__ import annotations

from hansu.core import Game, Lesson, Message, Option
from hansu.games.tree.drawing import look, touch
from hansu.games.tree.rules import TreeNode, move_text, score_text
from hansu.games.tree.tree_file import read_position, start

GAME = Game(
    name="tree",
    title=Message("The tree game"),
    about=Message("choose branches of a small tree, and see at a glance how a search works"),
    state=TreeNode,
    start=start,
    options=(
        Option(
            "file",
            str,
            "",
            Message("a text or JSON file with a tree; empty: the built-in tree"),
            title=Message("file"),
        ),
    ),
    move_text=move_text,
    read_position=read_position,
    look=look,
    touch=touch,
    seats=("MAX", "MIN"),
    score_text=score_text,
    score_range=50.0,
    levels=(
        "casual:plies=1,temperature=4",
        "casual:plies=1,temperature=0.2",
        "casual:plies=2,temperature=4",
        "casual:plies=2,temperature=2",
        "casual:plies=2,temperature=1",
        "casual:plies=2,temperature=0.5",
        *("minimax",) * 4,  # two plies are the whole tree: nothing plays better
    ),
    lessons=(
        Lesson(Message("Starting at the root, MAX and MIN take turns to choose a branch, down to a leaf."), moves="a2"),
        Lesson(Message("The leaf's number is the result: MAX wants it large, MIN wants it small."), moves="a2 c1"),
    ),
    small=True,
)
