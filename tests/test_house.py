"""The house itself: rooms in order, documents that agree with the code."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Run

PACKAGE = ROOT / "src" / "hansu"
ROOMS = ["scene", "core", "search", "protocols", "games", "learn", "arena", "ui", "commands", "cli", "__main__"]


def imported(file: Path) -> set[str]:
    """The rooms that a file imports from, at any level of nesting."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if re.match(r"hansu\.\w", name)}
    return found & set(ROOMS)


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda f: str(f.relative_to(PACKAGE)))
def test_a_room_imports_only_from_rooms_before_it(file: Path) -> None:
    room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room == "__init__":
        return
    assert room in ROOMS, f"{room} is a new room: give it a place in docs/architecture.md and here"
    later = {other for other in imported(file) if ROOMS.index(other) > ROOMS.index(room)}
    assert not later


def test_the_glossary_is_true() -> None:
    """Every word of docs/architecture.md lives where it says."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| `([\w/]+)\.py` `(\w+)` \|$", text, re.MULTILINE)
    assert len(rows) >= 20
    for module, name in rows:
        assert hasattr(importlib.import_module(f"hansu.{module.replace('/', '.')}"), name), f"{module}: {name}"


def test_every_room_is_explained() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {f.name for f in PACKAGE.iterdir() if f.is_dir() and f.name != "__pycache__"}
    for room in rooms:
        assert f"`{room}/`" in text


@pytest.mark.parametrize("file", sorted((ROOT / "tests").glob("*.py")), ids=lambda f: f.name)
def test_no_test_acts_by_the_clock(file: Path) -> None:
    """What happens after a while happens too early or too late on a busy machine: tests wait for what they need."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "Timer"]


def shell_lines(document: str) -> list[str]:
    """The `hansu ...` lines of a document's sh blocks."""
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [line.split("#")[0].strip() for block in blocks for line in block.splitlines() if line.startswith("hansu ")]


DOCUMENTS = [
    "README.md",
    "docs/add_a_game.md",
    "docs/add_a_player.md",
    "docs/arena.md",
    "docs/grading.md",
    "docs/shelf.md",
]


@pytest.mark.slow
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


@pytest.mark.parametrize("document", ["docs/library.md", "docs/scene.md"])
def test_the_python_of_the_documents_runs(document: str, tmp_path: Path) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(# \w+\.py\n.*?)```", text, re.DOTALL)
    assert blocks and len(blocks) == text.count("```python")
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_both_readmes_show_the_same_commands() -> None:
    assert shell_lines("README.md") == shell_lines("README.ko.md")


def test_links_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


GIVEN_UP = {
    "mind", "crew", "desk", "purse", "holdings", "house", "crowd", "post", "chances", "outside", "expert", "principal",
    "said", "say", "groups", "souvenirs", "twigs", "finding", "findings", "opinion", "info",
}  # fmt: skip


def test_words_that_were_given_up_do_not_come_back() -> None:
    """As names of files or classes, whole or in part."""
    named = [file.stem for file in PACKAGE.rglob("*") if file.suffix in (".py", ".js")]
    for file in PACKAGE.rglob("*.py"):
        named += re.findall(r"^class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    words = {part.lower() for name in named for part in re.findall(r"[A-Z]?[a-z]+", name)}
    assert words & GIVEN_UP == set()
