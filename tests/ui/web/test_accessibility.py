"""What a page is to the ear and to who does not see it, and a clock for people, in a real browser."""

from __future__ import annotations

import re
from itertools import pairwise

from support.web_browser import PHONE, Page, Visit, click_target, expect, no_sideways, wait_for

from hansu.core import registry
from hansu.ui.web.board_text import pieces, square_names

pytest_plugins = ("support.web_browser",)


def test_squares_have_the_names_that_people_use() -> None:
    def held(spec: str, start: str) -> list[list[str]] | None:
        position = registry.game(spec).position(start)
        return pieces(square_names(position.game), position.game.tones, position.scene)

    assert held("tictactoe", "5 1") == [["5"], ["1"]]
    assert held("connect_four", "4 4 3") == [["3/1", "4/1"], ["4/2"]]
    assert held("renju", "h8 i9") == [["h8"], ["i9"]]
    assert held("ataxx", "start") == [["a7", "g1"], ["a1", "g7"]]
    for elsewhere in ("pacman", "tree", "triangles"):
        assert held(elsewhere, "start") is None


def ear(page: Page) -> str:
    return page.locator("[role=status][aria-live]").inner_text()


def test_a_board_is_told_to_the_ear(visit: Visit) -> None:
    page = visit("/ataxx?first=human&second=human&start=7/7/7/7/7/xo5/6o x 0 1")
    wait_for(page, "turn")
    expect(page.locator("#board-text")).to_have_text("Red: a2. Blue: b2, g1")
    page.locator(".over [data-move=b3]").click(force=True)
    expect(page.locator("#board-text")).to_have_text(re.compile("^Red: .*b2.*Blue: g1$"))
    assert re.match(r"Red plays b3\. Now Red: b2\.", ear(page))


def test_a_clock_runs_down(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&clock=0.02+0")
    wait_for(page, "over")
    expect(page.locator(".status")).to_contain_text("X is out of time: O wins")
    page.reload()
    wait_for(page, "over")
    expect(page.locator(".status")).to_contain_text("X is out of time: O wins")


def test_a_clock_gives_seconds_for_a_move_and_survives_a_reload(visit: Visit) -> None:
    page = visit("/tictactoe", **PHONE)
    page.get_by_role("button", name="Two people").tap()
    page.get_by_text("Clock", exact=True).tap()
    page.get_by_label("Minutes per player").fill("5")
    page.get_by_label("Increment (s)").fill("120")
    page.locator("[data-do=start]").tap()
    wait_for(page, "turn")
    assert "clock=5+120" in page.url
    faces = page.locator(".clock")
    expect(faces).to_have_count(2)
    assert faces.nth(1).inner_text() == "5:00"
    no_sideways(page)
    click_target(page, 4)
    expect(page.locator(".moves li")).to_have_count(1)
    expect(faces.first).to_have_text(re.compile("^[67]:"))
    page.reload()
    wait_for(page, "turn")
    expect(faces.first).to_have_text(re.compile("^[67]:"))
    expect(faces.nth(1)).to_have_text(re.compile("^[34]:"))  # a person thinks, and the clock runs


def test_a_machine_has_no_clock_and_nonsense_is_told(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=random&clock=3+1")
    wait_for(page, "turn")
    expect(page.locator(".clock:visible")).to_have_count(1)
    page = visit("/tictactoe?first=human&second=human&clock=soon")
    wait_for(page, "turn")
    expect(page.locator(".notice.bad")).to_contain_text("5+3")
    expect(page.locator(".clock:visible")).to_have_count(0)


STUB = """() => {
  window.heard = [];
  const node = () => ({ connect: (to) => to, frequency: {}, start: () => heard.push("tone"), stop: () => {},
    gain: { setValueAtTime: () => {}, exponentialRampToValueAtTime: () => {} } });
  const made = { currentTime: 0, createOscillator: node, createGain: node };
  window.AudioContext = function () { return made; };
}"""


def test_sound_is_a_choice(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human")
    wait_for(page, "turn")
    page.evaluate(STUB)
    page.keyboard.press("5")
    expect(page.locator(".moves li")).to_have_count(1)
    assert page.evaluate("heard.length") == 0
    page.click("[data-do=more]")
    page.click("[data-do=sound]")
    expect(page.locator("[data-do=sound]")).to_have_text("Sound off")
    before = page.evaluate("heard.length")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator(".moves li")).to_have_count(2)
    page.wait_for_function("n => heard.length === n", arg=before + 1)
    page.keyboard.press(",")  # looking back is no move
    expect(page.locator(".replay .ply")).to_have_text("1 / 2")
    assert page.evaluate("heard.length") == before + 1


def test_what_lies_beside_the_page_can_be_found_and_scrolled(visit: Visit) -> None:
    """Notices are a place that screen readers know; what is wider than a phone is reached by keys."""
    page = visit("/connect_four?nonsense=1")
    expect(page.get_by_role("region", name="Notices")).to_contain_text("nonsense")
    page = visit("/connect_four?first=human&second=human&xray=alphabeta:depth=2", **PHONE)
    legend = page.locator(".xray-legend")
    expect(legend).to_have_attribute("tabindex", "0")
    page = visit("/connect_four?first=human&second=human&xray=alphabeta:depth=2")
    page.locator(".tree-node").first.wait_for()
    expect(page.locator(".xray-legend")).to_have_attribute("tabindex", "-1")


def test_headings_leave_no_level_out(visit: Visit) -> None:
    """As axe wants it: one first heading, and none that is more than a level below the one before."""
    for path in ("/", "/ataxx", "/ataxx?first=human&second=human", "/tictactoe?view=analysis&moves=1,5"):
        page = visit(path)
        page.locator("h1").first.wait_for(state="attached")
        if "view" in path:
            page.locator(".line-head").wait_for()
        levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map((one) => Number(one.tagName[1]))")
        assert levels.count(1) == 1, path
        assert all(after <= before + 1 for before, after in pairwise(levels)), (path, levels)
        assert page.locator("a.mark").get_attribute("aria-label") is None  # its own words are its name


def test_an_editor_shows_nothing_of_the_position_before(visit: Visit) -> None:
    page = visit("/ataxx?view=analysis&moves=g2,a2")
    wait_for(page, "turn", "thinking")
    page.get_by_text("Set up a position").click()
    page.click("[data-do=edit]")
    page.locator(".layer.draft > *").first.wait_for()
    expect(page.locator(".picture circle[fill=none]:visible")).to_have_count(0)
    # Pieces have the names of their sides, squares tell what lies on them.
    assert page.locator(".palette button").all_inner_texts() == ["Empty", "Red", "Blue", "Blocked"]
    expect(page.get_by_role("button", name="Square 1: Blue")).to_have_count(1)
