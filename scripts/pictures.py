"""Draws the pictures of the README and the documents with hansu itself: python scripts/pictures.py"""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path
from typing import Any

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


def training(game: str) -> str:
    """The losses of a game's trainings over time, from their log."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = game  # the same picture every time
    from matplotlib import pyplot

    log = FOLDER.parent / "training" / f"{game}.jsonl"
    runs: dict[str, list[dict[str, Any]]] = {}
    for row in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
        if "policy_loss" in row:
            runs.setdefault(row["run"], []).append(row)
    figure, panels = pyplot.subplots(1, 2, figsize=(10, 3.6))
    for panel, part in zip(panels, ("policy", "value"), strict=True):
        for run, rows in runs.items():
            panel.plot([row["seconds"] / 60 for row in rows], [row[f"{part}_loss"] for row in rows], label=run)
        panel.set(title=f"loss of the {part}", xlabel="minutes of self-play")
        panel.grid(alpha=0.3)
    panels[0].legend()
    figure.tight_layout()
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return drawn.getvalue()


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    tree = hansu.game("tree").first
    pictures = {
        "tree_search.svg": svg(traced(tree, AlphaBeta(), 100).scene),
        "tree.svg": svg(tree.scene),
        "tictactoe.svg": tictactoe_heat(),
        "games.svg": games(),
        "ataxx_training.svg": training("ataxx"),
        "renju_training.svg": training("renju"),
    }
    for name, picture in pictures.items():
        (FOLDER / name).write_text(picture + "\n", encoding="utf-8")
        print(FOLDER / name)


if __name__ == "__main__":
    main()
