"""A class on one server, in a real browser: puzzles from a teacher's file, and two processes behind one port."""

from __future__ import annotations

import os
import signal
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import Run
from support.web_browser import PATIENCE, PHONE, Server, Visit, click_target, expect, no_sideways, plies, wait_for

from hansu.core import HansuError
from hansu.ui.web.limits import Bounds
from hansu.ui.web.puzzles import read_sets
from hansu.ui.web.server import catalogue_of

pytest_plugins = ("support.web_browser",)

LESSON = """\
# First puzzles
tictactoe | 1 4 2 5 | Win at once.

# not the title
connect_four | 1 2 1 2 1 2
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    lesson = tmp_path_factory.mktemp("class") / "lesson 1.txt"
    lesson.write_text(LESSON)
    made = Server()
    made.start("--puzzles", str(lesson), "--processes", "2")
    yield made
    made.stop()


def test_puzzles_are_solved(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("link", name="First puzzles").click()
    expect(page.locator(".puzzle-told")).to_contain_text("Puzzle 1 of 2")
    expect(page.locator(".puzzle-told")).to_contain_text("X to move: find the best move.")
    expect(page.locator(".over .target")).to_have_count(5)
    click_target(page, 4)  # 9 lets O win
    expect(page.locator(".review-grade")).to_have_text("9 is a blunder.", timeout=1000 * PATIENCE)
    expect(page.locator(".puzzle-told")).not_to_contain_text("Better was this")
    expect(page.locator(".over .target")).to_have_count(0)
    page.click("[data-do=puzzle_show]")
    expect(page.locator(".puzzle-told [data-line]").first).to_have_text("X 3")
    page.click("[data-do=puzzle_again]")
    expect(page.locator(".over .target")).to_have_count(5)
    click_target(page, 0)
    expect(page.locator(".review-grade")).to_have_text("3 is right: the best move.", timeout=1000 * PATIENCE)
    expect(page.locator(".puzzle-told")).to_contain_text("0 of 1 solved at the first try")
    page.click("[data-do=puzzle_next]")
    expect(page.locator(".puzzle-told")).to_contain_text("Red to move")
    assert page.url.endswith("?n=2")
    expect(page.locator(".over .target")).to_have_count(7)
    page.keyboard.press("1")  # columns have numbers here, too
    expect(page.locator(".review-grade")).to_have_text("1 is right: the best move.", timeout=1000 * PATIENCE)
    expect(page.locator(".puzzle-told")).to_contain_text("1 of 2 solved at the first try")


def test_puzzles_on_a_phone_in_korean(visit: Visit) -> None:
    page = visit("/puzzles/lesson_1?n=2", locale="ko-KR", **PHONE)
    expect(page.locator(".puzzle-ask")).to_have_text("빨강 차례입니다. 최선의 수를 찾으세요.")
    no_sideways(page)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# only words\n", "has no puzzles"),
        ("tictactoe | 5\n\nchess | e4\n", "line 3: there is no game 'chess'"),
        ("tictactoe 5\n", "line 1: there is no |"),
        ("tictactoe | 5 5\n", "line 1: "),
        ("# t\ntictactoe | 1 4 2 5 3\n", "line 2: the game is over"),
        ("tree:file=/etc/passwd | start\n", "line 1: tree has no option 'file'"),
        ("tictactoe | 5 | " + "x" * 501, "line 1: a position may have"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text(text)
    catalogue, _ = catalogue_of([], [], Bounds())
    with pytest.raises(HansuError) as caught:
        read_sets([str(file)], catalogue)
    assert told in caught.value.what and "bad.txt" in caught.value.what


def test_files_that_cannot_be_read(tmp_path: Path, hansu: Run) -> None:
    (tmp_path / "no_text.txt").write_bytes(b"\xff\xfe\xfa")
    for name, told in (("missing.txt", "cannot read"), ("no_text.txt", "is not UTF-8 text")):
        answer = hansu("serve", "--puzzles", str(tmp_path / name))
        assert answer.returncode == 2 and told in answer.stderr


def test_two_files_of_one_name(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "set.txt").write_text("tictactoe | 5\n")
    catalogue, _ = catalogue_of([], [], Bounds())
    found = read_sets([str(tmp_path / "a" / "set.txt"), str(tmp_path / "b" / "set.txt")], catalogue)
    assert list(found) == ["set", "set_2"] and found["set_2"].title == "set"


# Processes.


def servers(site: Server) -> set[int]:
    """The numbers of the server's own processes."""
    assert site.process is not None
    found = set()
    for child in Path(f"/proc/{site.process.pid}/task/{site.process.pid}/children").read_text().split():
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
            found.add(int(child))
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_a_page_goes_on_where_its_process_is_killed(visit: Visit, site: Server) -> None:
    page = visit("/tictactoe?first=human&second=human", forgive=".*")
    wait_for(page, "turn")
    first = servers(site)
    assert len(first) == 2
    for made, victim in enumerate(sorted(first)):  # the page's process is one of them
        os.kill(victim, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while len(servers(site) - {victim}) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        wait_for(page, "turn")
        page.keyboard.press(str(made + 1))
        page.wait_for_function("n => document.querySelectorAll('.moves li').length === n", arg=made + 1)
    assert plies(page) == 2 and not first & servers(site)
    assert urllib.request.urlopen(f"{site.address}/api/status").status == 200


def test_all_processes_end_with_the_server() -> None:
    made = Server()
    made.start("--processes", "2")
    theirs = servers(made)
    assert len(theirs) == 2
    made.stop()
    assert not any(Path(f"/proc/{number}").exists() for number in theirs)
    made.start("--processes", "2")
    theirs = servers(made)
    assert made.process is not None
    made.process.kill()  # no word of farewell
    made.process.wait()
    deadline = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{number}").exists() for number in theirs) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{number}").exists() for number in theirs)
