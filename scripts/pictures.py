"""Draws the pictures of the README and the documents with hansu itself: python scripts/pictures.py"""

from __future__ import annotations

import random
import re
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
    most = max(move.visits or 0 for move in decision.report.moves)
    heat = [
        Heat(1 + move.action % 3, 1 + move.action // 3, (move.visits or 0) / most, f"{(move.value or 0):+.2f}")
        for move in decision.report.moves
    ]
    return svg(position.scene.with_shapes(*heat))


def games() -> str:
    """A position of each larger game, side by side."""
    shown = [
        hansu.game("connect_four").position("44536352"),
        random_play("ataxx", 9),
        random_play("triangles:points=12,seed=3", 14),
        hansu.game("pacman:layout=minimaxClassic").first,
    ]
    drawings, x, height = [], 0.0, 320
    for position in shown:
        scene = position.scene
        width = height * scene.width / scene.height
        inner = svg(scene).replace("<svg ", f'<svg x="{x:.0f}" y="0" preserveAspectRatio="xMidYMid" ', 1)
        inner = re.sub(
            r'width="[\d.]+" height="[\d.]+" role', f'width="{width:.0f}" height="{height}" role', inner, count=1
        )
        drawings.append(inner)
        x += width + 24
    size = f'width="{x - 24:.0f}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(drawings)}</svg>'


def random_play(spec: str, plies: int) -> hansu.Position:
    """A position after some random moves, always the same."""
    chance = random.Random(4)
    position = hansu.game(spec).first
    for _ in range(plies):
        position = position.play(chance.choice(position.actions))
    return position


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    tree = hansu.game("tree").first
    pictures = {
        "tree_search.svg": svg(traced(tree, AlphaBeta(), 100).scene),
        "tree.svg": svg(tree.scene),
        "tictactoe.svg": tictactoe_heat(),
        "games.svg": games(),
    }
    for name, picture in pictures.items():
        (FOLDER / name).write_text(picture + "\n", encoding="utf-8")
        print(FOLDER / name)


if __name__ == "__main__":
    main()
