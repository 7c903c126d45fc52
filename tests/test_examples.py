"""The commands and the Python that the documents show run as they stand; `test_documents.py` only reads the others."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import ROOT, Run


def shell_lines(document: str) -> list[str]:
    """The `hansu ...` lines of a document's sh blocks."""
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [line.split("#")[0].strip() for block in blocks for line in block.splitlines() if line.startswith("hansu ")]


DOCUMENTS = [
    "README.md",
    "docs/quickstart.md",
    "docs/tutorial/your_own_game.md",
    "docs/tutorial/your_own_player.md",
    "docs/guide/arena.md",
    "docs/guide/grading.md",
    "docs/guide/example_games.md",
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_examples_of_the_documents_run(document: str, hansu: Run, nim_path: Path, tmp_path: Path) -> None:
    lines = shell_lines(document)
    assert lines
    (tmp_path / "nim.py").write_text(nim_path.read_text())
    (tmp_path / "my_agent.py").write_text((ROOT / "examples" / "my_agent.py").read_text())
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for block in re.findall(
        r"```python\n(# (\w+\.py)\n.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL
    ):
        (tmp_path / block[1]).write_text(block[0])
    for line in lines:
        done = hansu(*shlex.split(line)[1:], cwd=tmp_path, input="quit\n")
        assert done.returncode == 0, f"{line}: {done.stderr}"


def test_the_python_example_runs() -> None:
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    subprocess.run([sys.executable, "-c", block[1]], check=True)
    korean = (ROOT / "README.ko.md").read_text(encoding="utf-8")
    assert block[1] in korean


@pytest.mark.parametrize("document", ["docs/guide/library.md", "docs/guide/pictures.md"])
def test_the_python_of_the_documents_runs(document: str, tmp_path: Path) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(# \w+\.py\n.*?)```", text, re.DOTALL)
    assert blocks and len(blocks) == text.count("```python")
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_both_readmes_show_the_same_commands() -> None:
    assert shell_lines("README.md") == shell_lines("README.ko.md")
