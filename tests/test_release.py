"""What is released: one version, a wheel and an sdist that hold what they should, and a bare environment that plays."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from support.commands import ROOT

import hansu


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the sdist."""
    pytest.importorskip("hatchling", reason="make setup-dev installs it")
    folder = tmp_path_factory.mktemp("built")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True, capture_output=True
    )
    return folder


def test_the_version_is_in_one_place(built: Path) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["version"]' in project and not re.search(r"^version = ", project, re.MULTILINE)
    assert {file.name for file in built.iterdir()} == {
        f"hansu-{hansu.__version__}-py3-none-any.whl", f"hansu-{hansu.__version__}.tar.gz",
    }  # fmt: skip
    heading = "## [Unreleased]" if "dev" in hansu.__version__ else f"## [{hansu.__version__}] - "
    assert heading in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_what_the_files_hold(built: Path) -> None:
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    inside = set(zipfile.ZipFile(wheel).namelist())
    for file in (ROOT / "src" / "hansu").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            assert file.relative_to(ROOT / "src").as_posix() in inside, file
    for file in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.py"), *ROOT.glob("examples/games/*.py")]:
        assert f"hansu/{file.relative_to(ROOT).as_posix()}" in inside, file
    assert not [name for name in inside if name.startswith(("tests/", "scripts/"))]
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "src/hansu/cli.py",
        "scripts/wheel_hook.py",
        "docs/tutorial/your_own_game.md",
    } <= packed
    assert not [name for name in packed if name.startswith((".venv", "node_modules", "src/hansu/docs"))]


SMOKE = """
import hansu, pathlib, sys
assert pathlib.Path(hansu.__file__).is_relative_to(sys.prefix), hansu.__file__
from hansu.core.installed_docs import folder
assert folder("docs").is_relative_to(sys.prefix) and (folder("examples") / "games" / "othello.py").is_file()
othello = hansu.game(str(folder("examples") / "games" / "othello.py"))
assert len(othello.first.actions) == 4
game = hansu.game("tictactoe")
decision = hansu.player("minimax:interpreted=true", game).decide(game.position("1 4 2 5"))
assert game.first.move_text(decision.action) == "3"
"""


def test_the_wheel_plays_in_a_bare_environment(built: Path, tmp_path: Path) -> None:
    """hansu comes from the wheel, and only what it depends on from here: a folder that is named in a `.pth` file is
    searched for packages, but its own `.pth` files, through which the checkout is installed, are not read."""
    home = tmp_path / "bare"
    venv.create(home, with_pip=False)
    python = next(path for path in (home / "bin" / "python", home / "Scripts" / "python.exe") if path.exists())
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib"))
    run = lambda *words: subprocess.run(  # noqa: E731
        [str(python), "-I", *words], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    done = run("-c", SMOKE)
    assert done.returncode == 0, done.stderr
    assert run("-m", "hansu", "--version").stdout.strip() == hansu.__version__
    (tmp_path / "empty.py").write_text("x = 1")
    said = run("-m", "hansu", "play", "./empty.py").stderr
    assert str(packages / "hansu" / "docs" / "tutorial" / "your_own_game.md") in said, said


@pytest.mark.long
def test_the_wheel_installs_with_what_it_depends_on(built: Path, tmp_path: Path) -> None:
    """As `pip install hansu` would, from wherever pip gets packages here."""
    home = tmp_path / "installed"
    venv.create(home, with_pip=True)
    python = next(path for path in (home / "bin" / "python", home / "Scripts" / "python.exe") if path.exists())
    (wheel,) = built.glob("*.whl")
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], check=True, cwd=tmp_path)
    subprocess.run([str(python), "-I", "-c", SMOKE], check=True, cwd=tmp_path)
    match = [str(python), "-I", "-m", "hansu", "match", "tictactoe", "minimax", "random", "--games", "2"]
    assert "Elo" in subprocess.run(match, check=True, cwd=tmp_path, capture_output=True, text=True).stdout
