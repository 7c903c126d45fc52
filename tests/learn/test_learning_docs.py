"""docs/tutorial/train_a_network.md: its game is Hex, and its commands run with small settings."""

from __future__ import annotations

import random
import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.commands import ROOT, Run

from hansu.core.registry import from_file, load

pytest.importorskip("torch")
pytest.importorskip("onnx")

TEXT = (ROOT / "docs" / "tutorial" / "train_a_network.md").read_text(encoding="utf-8")
SMALL = (
    "--steps 3 --set channels=8 --set blocks=1 --set games=16 --set simulations=4 --set batch=16 --set min_window=16"
)
SMALLER = {
    "--minutes 5": f"--minutes 60 {SMALL} --set rating_opponents=random --set rating_games=2 "
    "--set rating_simulations=4",
    "--minutes 8": "--minutes 60 --steps 5",
    "simulations=1000": "simulations=10",
    "simulations=300": "simulations=20",
    "--games 20": "--games 2",
    "--games 40": "--games 12",
    "--player puct": "--player puct:simulations=20",
    "--channels 16": "--channels 8 --epochs 2",
}


@pytest.fixture
def hex_path(tmp_path: Path) -> Path:
    code = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert code is not None
    path = tmp_path / "hex.py"
    path.write_text(code[1], encoding="utf-8")
    return path


def test_hex_has_exactly_one_winner(hex_path: Path) -> None:
    """On any full board; a rotation by 180 degrees does not change the winner."""
    rules = load(hex_path)
    chance = random.Random(1)
    for _ in range(300):
        cells = chance.sample(range(25), 25)
        first = sum(1 << cell for cell in cells[:13])
        second = rules.FULL & ~first
        assert rules.joined(first, True) != rules.joined(second, False)
        assert rules.joined(first, True) == rules.joined(rules.turned(first), True)
    assert from_file(hex_path).position("c1 a1 c2 a2 c3").mover == 1


def test_from_a_rules_file_to_a_network_that_plays(hex_path: Path, hansu: Run) -> None:
    folder = hex_path.parent
    lines = [line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()]
    assert len(lines) >= 8
    for line in lines:
        line = line.split("#")[0].strip()
        for long, short in SMALLER.items():
            line = line.replace(long, short)
        words = shlex.split(line)
        if words[0] == "cp":
            shutil.copy(folder / words[1], folder / words[2])
            continue
        done = hansu(*words[1:], cwd=folder, input="quit\n")
        assert done.returncode == 0, f"{line}: {done.stderr}"
    assert (folder / "runs" / "hex" / "champion.onnx").is_file() and (folder / "first.onnx").is_file()
    output = hansu("analyze", "./hex.py", "start", "--player", "puct:simulations=20", cwd=folder).stdout
    assert "the network's first thought" in output
    listed = hansu("train", "./hex.py", cwd=folder).stdout
    for word in ("simulations", "channels", "random_plies", "reuse", "window", "init", "opponent"):
        assert f"--{word.replace('_', '-')} " in listed, word
