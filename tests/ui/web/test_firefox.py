"""The main ways through the web app in Firefox, where there is one; tests/test_web_browser.py goes all in Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.web_firefox import FIREFOX, Firefox
from support.web_page import Server, running

if FIREFOX is None:
    pytest.skip("there is no Firefox", allow_module_level=True)

PLIES = "+document.querySelector('.replay .ply').textContent.split('/')[1]"


@pytest.fixture(scope="module")
def site() -> Iterator[Server]:
    with running() as made:
        yield made


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    made = Firefox(tmp_path_factory.mktemp("firefox"))
    yield made
    made.close()
    assert made.complaints == []


def turn(firefox: Firefox) -> None:
    firefox.wait_for("['turn', 'over'].includes(document.querySelector('.seats')?.dataset.kind)")


def test_the_first_page_in_both_languages(firefox: Firefox, site: Server) -> None:
    firefox.visit(f"http://{site.address}/")
    firefox.wait_for("document.querySelectorAll('.card').length === 7")
    assert firefox.text("h1") == "One move at a time"
    firefox.press("l")
    firefox.wait_for("document.documentElement.lang === 'ko'")
    assert firefox.text("h1") == "한 번에 한 수씩"
    firefox.press("l")
    firefox.wait_for("document.documentElement.lang === 'en'")


def test_tic_tac_toe_by_mouse(firefox: Firefox, site: Server) -> None:
    firefox.visit(f"http://{site.address}/tictactoe?first=human&second=random:seed=1")
    turn(firefox)
    while firefox.evaluate("document.querySelector('.seats').dataset.kind") == "turn":
        before = firefox.evaluate(PLIES)
        firefox.click(".over .target .reach")
        firefox.wait_for(f"{PLIES} > {before}")
        turn(firefox)
    assert "Rematch" in firefox.text(".status")


def test_connect_four_by_keys_and_its_analysis(firefox: Firefox, site: Server) -> None:
    firefox.visit(f"http://{site.address}/connect_four?first=human&second=human")
    turn(firefox)
    for number, key in enumerate("4414"):
        firefox.press(key)
        firefox.wait_for(f"{PLIES} === {number + 1}")
    firefox.press("b", "ArrowRight", "Enter")  # to the board, to another column
    firefox.wait_for(f"{PLIES} === 5")
    firefox.press("a")
    firefox.wait_for("!!document.querySelector('.game[data-mode=analysis]')")
    firefox.wait_for("document.querySelectorAll('.line-row').length > 0")
    assert "moves=4,4,1,4," in firefox.evaluate("location.href")


def test_two_levels_of_a_search_are_open(firefox: Firefox, site: Server) -> None:
    firefox.visit(f"http://{site.address}/connect_four?first=human&second=human&xray=minimax:depth=2")
    firefox.wait_for("document.querySelector('.step-text')?.textContent.startsWith('0 / 114')")
    assert firefox.evaluate("document.querySelectorAll('.tree-node').length") >= 1 + 3 + 9  # more in a larger window
    firefox.press("ArrowRight")
    firefox.wait_for("document.querySelector('.step-text').textContent.startsWith('1 / 114')")
