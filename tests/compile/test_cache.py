"""The cache of compiled code: private, never touches other files, survives damage."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import ROOT, Run

from hansu.compile import cache

SEARCH = ("analyze", "tictactoe", "start", "--player", "minimax:depth=3", "--json")
POSIX = pytest.mark.skipif(os.name != "posix", reason="owners and modes")


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path | None]:
    """`own_folder` without its cache, in a temporary folder."""
    monkeypatch.setenv("HANSU_CACHE", str(tmp_path / "cache"))
    return cache.own_folder.__wrapped__


def test_user_files_are_never_removed(hansu: Run, tmp_path: Path) -> None:
    """Not even in old folders whose names look like the cache's own."""
    theirs = [tmp_path / f"{n:016x}" for n in range(10)] + [tmp_path / f"hansu.games.tree-{n:016x}" for n in range(10)]
    for age, folder in enumerate(theirs):
        folder.mkdir()
        (folder / "thesis.txt").write_text("all of it")
        os.utime(folder, (1e9 - age, 1e9 - age))
    done = hansu("analyze", "tree", "start", "--player", "minimax", env={**os.environ, "HANSU_CACHE": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert all((folder / "thesis.txt").is_file() for folder in theirs)
    assert any((tmp_path / cache.OWN_FOLDER).rglob("*.nbi"))


@POSIX
def test_the_folder_is_private(own_folder: Callable[[], Path | None]) -> None:
    folder = own_folder()
    assert folder is not None and folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    assert own_folder() == folder and folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    assert own_folder() is None


@POSIX
def test_a_folder_of_another_user_is_not_used(
    own_folder: Callable[[], Path | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = own_folder()
    assert folder is not None
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert own_folder() is None
    monkeypatch.undo()
    monkeypatch.setenv("HANSU_CACHE", str(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / cache.OWN_FOLDER).symlink_to(folder)
    assert own_folder() is None


def test_a_folder_that_hansu_did_not_create_is_not_used(own_folder: Callable[[], Path | None], tmp_path: Path) -> None:
    folder = tmp_path / "cache" / cache.OWN_FOLDER
    folder.mkdir(parents=True)
    (folder / "thesis.txt").write_text("all of it")
    assert own_folder() is None
    (folder / "thesis.txt").unlink()
    assert own_folder() == folder


def test_old_folders_are_removed(own_folder: Callable[[], Path | None]) -> None:
    folder = own_folder()
    assert folder is not None
    names = [f"game-{n:016x}" for n in range(10)] + ["other-" + "0" * 16, "notes", "game-10"]
    for age, name in enumerate(names):
        (folder / name).mkdir()
        os.utime(folder / name, (2e9 - age, 2e9 - age))
    own_folder()
    left = {entry.name for entry in folder.iterdir()} - {cache.MARKER}
    assert left == {*names[: cache.MOST_PER_MODULE], "other-" + "0" * 16, "notes", "game-10"}


def test_only_edits_of_dependencies_invalidate_code(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src" / "hansu", tmp_path / "hansu", ignore=shutil.ignore_patterns("__pycache__"))
    mine = tmp_path / "mine.py"
    mine.write_text("")
    env = {**os.environ, "HANSU_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    code = (
        "from pathlib import Path; from hansu.compile.cache import folder_for\n"
        "for module in ('hansu.games.tictactoe', 'hansu.games.renju.rules', 'hansu.games.ataxx.rules', 'mine'):\n"
        "    print(folder_for(module, Path(module.replace('.', '/') + '.py')).name)"
    )

    def folders() -> list[str]:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    def changed_by(file: str) -> list[bool]:
        before = folders()
        with (tmp_path / file).open("a", encoding="utf-8") as edited:
            edited.write("\n# edited\n")
        return [old != new for old, new in zip(before, folders(), strict=True)]

    assert changed_by("hansu/ui/console.py") == [False, False, False, False]
    assert changed_by("hansu/games/ataxx/notation.py") == [False, False, True, True]
    assert changed_by("hansu/games/renju/state.py") == [False, True, False, True]
    assert changed_by("hansu/games/tictactoe.py") == [True, False, False, True]
    assert changed_by("mine.py") == [False, False, False, True]
    assert changed_by("hansu/compile/intrinsics.py") == [True, True, True, True]
    assert changed_by("hansu/search/watch.py") == [True, True, True, True]


def cut_short(content: bytes) -> bytes:
    return content[: len(content) // 2]


def emptied(content: bytes) -> bytes:
    return b""


def garbled(content: bytes) -> bytes:
    return bytes(byte ^ 0x5A for byte in content)


def one_bit(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def test_damaged_files_are_dropped_and_compiled_again(hansu: Run, tmp_path: Path) -> None:
    """Every cache file is damaged in every way. A search in a new process works and warns once."""
    env = {**os.environ, "HANSU_CACHE": str(tmp_path)}
    first = hansu(*SEARCH, env=env)
    assert first.returncode == 0, first.stderr
    for damage in (cut_short, emptied, garbled, one_bit):
        for ending in ("nbi", "nbc"):
            files = list(tmp_path.rglob(f"*.{ending}"))
            assert files
            for file in files:
                file.write_bytes(damage(file.read_bytes()))
            again = hansu(*SEARCH, env=env)
            assert again.returncode == 0, (damage, ending, again.stderr)
            assert again.stdout.partition('"seconds"')[0] == first.stdout.partition('"seconds"')[0]
            assert again.stderr.count("is damaged") == 1 and "Traceback" not in again.stderr
    repaired = hansu(*SEARCH, env=env)
    assert repaired.returncode == 0 and "is damaged" not in repaired.stderr and "compiling" not in repaired.stderr


CALL_EACH_OTHER = """
from typing import NamedTuple
from hansu.compile import compiled
from hansu.core import over, play, rules

class Pile(NamedTuple):
    left: int

def next_action(s, after):
    return 0 if after < 0 < s.left else -1

rules(
    Pile, legal=lambda s, a: a == 0 < s.left, play=lambda s, a: Pile(s.left - 1), over=lambda s: s.left == 0,
    score=lambda s: 0.0, mover=lambda s: 0, next_action=next_action,
)

def even(s):
    return over(s) or odd(play(s, 0))

def odd(s):
    return not over(s) and even(play(s, 0))

def both(s):
    return even(s), odd(s)

def fair(s):  # a longer cycle of calls
    return over(s) or even(s) or odd(s) and not fair(Pile(0)) or rest(s)

def rest(s):
    return fair(play(s, 0)) or even(s)

def results():
    return [compiled(function, Pile)(Pile(7)) for function in (both, rest, even, odd)]
"""


def test_mutually_recursive_functions_are_loaded_from_the_cache(tmp_path: Path) -> None:
    """One process compiles them, another one loads them. (Numba's own cache crashed.)"""
    (tmp_path / "piles.py").write_text(CALL_EACH_OTHER)
    env = {**os.environ, "HANSU_CACHE": str(tmp_path / "cache")}
    for _ in range(2):
        ask = [sys.executable, "-c", "import piles; print(piles.results())"]
        done = subprocess.run(ask, env=env, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == "[(False, True), True, False, True]\n", (done.returncode, done.stderr)


SPEAKING = """
from hansu.compile import kernel
from hansu.core import HansuError

def small(x):
    if x > 3:
        raise ValueError("too big", x)
    return x

def printed(x):
    print("it is", x, 1.5)
    return x

@kernel
def checked(x):
    return small(x) + 1

@kernel
def both(x):
    return printed(x) + small(x)

def whole(n):
    return 1 if n <= 1 else n * half(n - 1)

def half(n):
    return 1.5 if n <= 1 else n * whole(n - 1)

@kernel
def muddled(n):
    return whole(n) + half(n)

@kernel
def endless(n):
    return deeper((n, n))

def deeper(n):
    return deeper((n, n))

for function, x in ((checked, 5), (both, 2), (both, 4), (muddled, 3), (endless, 3)):
    try:
        print(function(x))
    except (ValueError, HansuError) as error:
        print(type(error).__name__, error)
"""


def test_inner_functions_print_and_raise_with_their_constants(tmp_path: Path) -> None:
    """In a process that compiles them, in one that loads them, and without a cache. Compile errors are explained even
    if Numba's messages are coloured."""
    (tmp_path / "speaking.py").write_text(SPEAKING)
    outputs = []
    for folder in ("cache", "cache", "speaking.py/never"):
        env = {**os.environ, "HANSU_CACHE": str(tmp_path / folder), "NUMBA_COLOR_SCHEME": "dark_bg"}
        ask = [sys.executable, "-c", "import speaking"]
        done = subprocess.run(ask, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        outputs.append(done.stdout.splitlines())
        assert done.returncode == 0, done.stderr
    assert outputs[0] == outputs[1] == outputs[2]
    assert outputs[0][:5] == [
        "ValueError ('too big', 5)",
        "it is 2 1.5",
        "4",
        "it is 4 1.5",
        "ValueError ('too big', 4)",
    ]
    muddled, endless = outputs[0][5:]
    assert "muddled cannot be compiled: " in muddled and "mutually recursive functions return" in muddled
    assert "endless cannot be compiled: mutually recursive functions without an end" in endless


READING = """
import array
import enum
from pathlib import Path
import numpy as np
from hansu.compile import kernel
from hansu.core import HansuError

GIVEN = np.loadtxt(Path(__file__).with_name("numbers.txt"))
Fee = enum.IntEnum("Fee", {"LOW": int(GIVEN[999])})

def maker(numbers):
    def number(i):
        return numbers[i]
    return number

enclosed = maker(GIVEN)

@kernel
def in_closure(i):
    return enclosed(i)

PAIR = (GIVEN, GIVEN)

@kernel
def in_tuple(i):
    return PAIR[0][i]

@kernel
def in_enum(i):
    return i + Fee.LOW.value

print([float(function(999)) for function in (in_closure, in_tuple, in_enum)])

OLD = array.array("d", GIVEN)

@kernel
def in_another_array(i):
    return OLD[i]

try:
    in_another_array(1)
except HansuError as error:
    assert "in_another_array cannot be compiled" in str(error)
"""


def test_changed_constants_are_compiled_again(tmp_path: Path) -> None:
    """Also in the middle of arrays, where their repr has dots, and in an enum."""
    (tmp_path / "reading.py").write_text(READING)
    env = {**os.environ, "HANSU_CACHE": str(tmp_path / "cache")}
    for value in (3, 3, 9):
        numbers = [0] * 2001
        numbers[999] = value
        (tmp_path / "numbers.txt").write_text(" ".join(map(str, numbers)))
        ask = [sys.executable, "-c", "import reading"]
        done = subprocess.run(ask, env=env, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == f"[{value}.0, {value}.0, {999 + value}.0]\n" and done.returncode == 0, done.stderr


@POSIX
def test_a_full_disk_is_reported_once(tmp_path: Path) -> None:
    """No file may exceed a kilobyte; functions are compiled although they cannot be cached."""
    import resource

    def nearly_full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = subprocess.run(
        [sys.executable, "-m", "hansu", *SEARCH], capture_output=True, text=True, preexec_fn=nearly_full,
        env={**os.environ, "HANSU_CACHE": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert '"move"' in done.stdout and done.stderr.count("cannot be cached") == 1 and "Traceback" not in done.stderr
