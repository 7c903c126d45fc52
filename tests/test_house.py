"""The house itself: rooms in order, documents that agree with the code."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest
from support.commands import ROOT

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
    assert room in ROOMS, f"{room} is a new room: give it a place in docs/internals/architecture.md and here"
    later = {other for other in imported(file) if ROOMS.index(other) > ROOMS.index(room)}
    assert not later


def test_the_glossary_is_true() -> None:
    """Every word of docs/internals/architecture.md lives where it says."""
    text = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \| `([\w/]+)\.py` `(\w+)` \|$", text, re.MULTILINE)
    assert len(rows) >= 20
    for module, name in rows:
        assert hasattr(importlib.import_module(f"hansu.{module.replace('/', '.')}"), name), f"{module}: {name}"


def test_every_room_is_explained() -> None:
    text = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    rooms = {f.name for f in PACKAGE.iterdir() if f.is_dir() and f.name != "__pycache__"}
    for room in rooms:
        assert f"`{room}/`" in text


@pytest.mark.parametrize("file", sorted((ROOT / "tests").glob("*.py")), ids=lambda f: f.name)
def test_no_test_acts_by_the_clock(file: Path) -> None:
    """What happens after a while happens too early or too late on a busy machine: tests wait for what they need."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "Timer"]


def test_links_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
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
