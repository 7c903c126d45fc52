"""The documentation site is built, without a warning, from every guide; the notebooks run."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
LONG = {"from_rules_to_alphazero", "report_experiment"}  # they train something


def test_the_site_is_built_from_every_guide(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="make setup-dev installs it")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:")[2]
    for guide in ROOT.glob("docs/**/*.md"):
        page = tmp_path / guide.relative_to(ROOT / "docs").with_suffix("") / "index.html"
        assert page.is_file(), guide
        assert guide.name in navigation, f"{guide.name} is not in the navigation"
    reference = (tmp_path / "reference" / "index.html").read_text(encoding="utf-8")
    for name in ("hansu.core.game.Game", "hansu.core.position.Position.play_random", "hansu.arena.match.play_match"):
        assert f'id="{name}"' in reference
    assert "hansu · 한 수" in (tmp_path / "korean" / "index.html").read_text(encoding="utf-8")
    first = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "fonts.googleapis" not in first and "cdn" not in first


@pytest.mark.parametrize(
    "notebook",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.long] if path.stem in LONG else []) for path in NOTEBOOKS],
)
def test_notebooks_run(notebook: Path, tmp_path: Path) -> None:
    """Their cells, one after the other, as a script; a last expression is shown, so it must at least be computed."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert sources and not any(cell.get("outputs") for cell in cells)
    for source in sources:
        ast.parse(source)
    done = subprocess.run([sys.executable, "-c", "\n".join(sources)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"lecture", "your_own_game", *LONG}
