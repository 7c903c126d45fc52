"""Draws the pictures of the README and the documents with hansu itself: python scripts/pictures.py"""

from __future__ import annotations

from pathlib import Path

import hansu
from hansu.scene import Heat
from hansu.scene.svg import svg
from hansu.search.players import AlphaBeta
from hansu.ui.trace import traced

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


def tictactoe_heat() -> str:
    """A position with what MCTS thinks of every reply."""
    position = hansu.game("tictactoe").position("1 5 9")
    decision = hansu.player("mcts", position.game).decide(position)
    most = max(move.visits or 0 for move in decision.moves)
    heat = [
        Heat(1 + move.action % 3, 1 + move.action // 3, (move.visits or 0) / most, f"{(move.value or 0):+.2f}")
        for move in decision.moves
    ]
    return svg(position.scene.with_shapes(*heat))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    tree = hansu.game("tree").first
    pictures = {
        "tree_search.svg": svg(traced(tree, AlphaBeta(), 100).scene),
        "tree.svg": svg(tree.scene),
        "tictactoe.svg": tictactoe_heat(),
    }
    for name, picture in pictures.items():
        (FOLDER / name).write_text(picture + "\n", encoding="utf-8")
        print(FOLDER / name)


if __name__ == "__main__":
    main()
