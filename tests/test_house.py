"""The layout: what folders may import and name, and documents that agree with the code."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest
from support.commands import ROOT

PACKAGE = ROOT / "src" / "hansu"
FOLDERS = [
    "scene", "core", "compile", "search", "protocols", "arena", "learn", "games", "ui", "commands", "cli", "__main__",
]  # fmt: skip
GENERAL = ["scene", "core", "compile", "search", "protocols", "arena", "learn"]
GAMES = {path.stem for path in (PACKAGE / "games").iterdir() if (path / "__init__.py").is_file()}
GAMES -= {"tree"}  # a common word


def imported(file: Path) -> set[str]:
    """The folders that a file imports from, at any level of nesting."""
    folders = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        folders |= {name.split(".")[1] for name in names if re.match(r"hansu\.\w", name)}
    return folders & set(FOLDERS)


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda f: str(f.relative_to(PACKAGE)))
def test_a_folder_imports_only_from_folders_above_it(file: Path) -> None:
    folder = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if folder == "__init__":
        return
    assert folder in FOLDERS, f"{folder} is new: give it a place in docs/internals/architecture.md and here"
    assert not {other for other in imported(file) if FOLDERS.index(other) > FOLDERS.index(folder)}


@pytest.mark.parametrize("folder", GENERAL)
def test_general_folders_name_no_game(folder: str) -> None:
    """What serves one game lives in that game's folder. (Examples in general code use tic-tac-toe.)"""
    names = re.compile(rf"\b({'|'.join(GAMES)})\b", re.IGNORECASE)
    found = {
        f"{file.relative_to(PACKAGE)}: {name[0]}"
        for file in (PACKAGE / folder).rglob("*.py")
        for name in names.finditer(file.read_text(encoding="utf-8"))
    }
    assert not found


def test_no_test_imports_another() -> None:
    """What tests share is in tests/support/."""
    for file in (ROOT / "tests").rglob("*.py"):
        assert not re.search(r"^\s*(from|import) [\w.]*\btest_", file.read_text(encoding="utf-8"), re.MULTILINE), file


def test_the_glossary_is_true() -> None:
    """Every word of docs/internals/architecture.md lives where it says."""
    text = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| `([\w/]+)\.py` `(\w+)` \|$", text, re.MULTILINE)
    assert len(rows) >= 20
    for module, name in rows:
        assert hasattr(importlib.import_module(f"hansu.{module.replace('/', '.')}"), name), f"{module}: {name}"


def test_every_folder_is_explained() -> None:
    text = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    folders = {f.name for f in PACKAGE.iterdir() if f.is_dir() and f.name != "__pycache__"}
    for folder in folders:
        assert f"`{folder}/`" in text


@pytest.mark.parametrize("file", sorted((ROOT / "tests").rglob("*.py")), ids=lambda f: f.name)
def test_no_test_acts_by_the_clock(file: Path) -> None:
    """What happens after a while happens too early or too late on a busy machine: tests wait for what they need."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "Timer"]


def test_links_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
