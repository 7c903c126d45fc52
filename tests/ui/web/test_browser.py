"""The web app in a real browser: whole games by mouse, touch and keys, and everything else that a page can do."""

from __future__ import annotations

import contextlib
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.web_browser import (
    PATIENCE,
    PHONE,
    Browser,
    Page,
    PlaywrightError,
    Server,
    Visit,
    click_target,
    expect,
    kind,
    make_a_move,
    middle,
    no_sideways,
    play_to_the_end,
    plies,
    wait_for,
)

import hansu
from hansu.core import registry

pytest_plugins = ("support.web_browser",)

SMALL = {
    "tree": "",
    "triangles": "&points=6&seed=3",
    "pacman": "&layout=testClassic&ghosts=1",
    "renju": "&size=6",
}


@pytest.mark.parametrize("name", [name for name in registry.names() if name != "pacman"])
def test_a_whole_game_by_mouse(visit: Visit, name: str) -> None:
    page = visit(f"/{name}?first=human&second=random:seed=1&time=0.2{SMALL.get(name, '')}")
    made = play_to_the_end(page)
    assert made >= 1
    assert page.locator(".status").inner_text()
    assert page.locator(".moves li").count() == plies(page)
    assert page.locator(".over .target").count() == 0
    # The random player said why, beside the board.
    if plies(page) > made:
        assert page.locator(".why-body blockquote").inner_text()


def test_pacman_by_arrow_keys(visit: Visit) -> None:
    page = visit(f"/pacman?first=human&second=random:seed=1{SMALL['pacman']}")

    def steer(page: Page, chance: random.Random) -> None:
        before = plies(page)
        ways = page.locator(".pad button:not([aria-disabled=true]):not([hidden])").evaluate_all(
            "buttons => buttons.map(button => button.dataset.key)"
        )
        page.keyboard.press("Arrow" + chance.choice(ways).capitalize())
        page.wait_for_function("n => +document.querySelector('.replay .ply').textContent.split('/')[1] > n", arg=before)

    assert play_to_the_end(page, steer) > 1


def test_keys_alone_play_a_game(visit: Visit) -> None:
    """From the first page to the end of a game without a pointer."""
    page = visit("/")
    page.locator(".card").first.wait_for()
    while page.evaluate("document.activeElement.dataset.game") != "tictactoe":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tictactoe")
    page.locator(".setup").wait_for()
    while page.evaluate("document.activeElement.dataset.do") != "start":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    def by_keys(page: Page, chance: random.Random) -> None:
        before = plies(page)
        page.keyboard.press("b")
        focused = "document.activeElement.closest('.target')?.dataset.move"
        assert page.evaluate(focused)
        for _ in range(3):
            page.keyboard.press(f"Arrow{chance.choice(('Up', 'Down', 'Left', 'Right'))}")
        assert page.evaluate(focused)
        page.keyboard.press("Enter")
        page.wait_for_function("n => +document.querySelector('.replay .ply').textContent.split('/')[1] > n", arg=before)

    assert play_to_the_end(page, by_keys) >= 3
    said = page.locator("[role=status]").inner_text()
    assert page.locator(".status span").inner_text() in said  # a screen reader hears the result
    page.keyboard.press("?")
    expect(page.locator(".sheet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".sheet")).to_have_count(0)
    page.keyboard.press("n")
    wait_for(page, "turn")
    assert plies(page) == 0


def test_two_steps_by_keys(visit: Visit) -> None:
    """A jump in Ataxx: Enter on the piece, arrows, Enter on the square."""
    page = visit("/ataxx?first=human&second=human")
    wait_for(page, "turn")
    page.locator(".target:not(.done):not(.far)").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".board.second")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".board.second")).to_have_count(0)
    page.locator(".target:not(.done):not(.far)").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".moves li")).to_have_count(1)


def test_a_segment_is_drawn_by_dragging(visit: Visit) -> None:
    page = visit("/triangles?first=human&second=human&points=6&seed=3")
    wait_for(page, "turn")
    page.mouse.move(*middle(page, ".target .reach"))
    page.mouse.down()
    expect(page.locator(".board.second")).to_have_count(1)
    move = page.locator(".target.done").first.get_attribute("data-move")
    page.mouse.move(*middle(page, ".target.done .reach"), steps=4)
    expect(page.locator(".layer.drag line")).to_have_count(1)
    page.mouse.up()
    expect(page.locator(".moves li")).to_have_count(1)
    assert page.locator(".ply-button").first.inner_text().strip() == move


def test_either_end_of_a_segment_is_marked_and_may_be_touched_first(visit: Visit) -> None:
    """Without a pointer or the focus on the board, as a link opens it."""
    page = visit("/triangles?first=human&second=human&points=6&seed=3")
    wait_for(page, "turn")
    assert ringed(page) == 6
    page.locator(".target .reach").last.click()
    expect(page.locator(".board.second")).to_have_count(1)
    page.locator(".target.done .reach").first.click()
    expect(page.locator(".moves li")).to_have_count(1)
    # In Ataxx a jump begins at a piece: no empty square has a ring, though one may begin there.
    page = visit("/ataxx?first=human&second=human")
    wait_for(page, "turn")
    assert ringed(page) == 2


def ringed(page: Page) -> int:
    """How many points have a ring that can be seen."""
    looks = page.locator(".target .ringed").evaluate_all("rings => rings.map(ring => ({...getComputedStyle(ring)}))")
    return sum(float(look["opacity"]) > 0 and look["visibility"] == "visible" for look in looks)


def test_a_whole_column_answers_in_connect_four(visit: Visit) -> None:
    page = visit("/connect_four?first=human&second=human", still=False)  # the one test in which stones fall
    wait_for(page, "turn")
    box = page.locator(".over").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 3 / 8, box["y"] + box["height"] / 6)  # high above the third column
    expect(page.locator(".ply-button")).to_have_text(["3"])


def test_undo_hint_swap_resign_and_again(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=random:seed=2")
    wait_for(page, "turn")
    click_target(page, 4)
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 2")
    page.click("[data-do=undo]")
    expect(page.locator(".moves li")).to_have_count(0)
    page.click("[data-do=hint]")
    expect(page.locator(".hinted.ring")).to_have_count(1)
    assert "Hint" in page.locator(".why-body").inner_text()
    # The hint can be played, and swapping gives the machine the move.
    click_target(page, 0)
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 2")
    page.click("[data-do=swap]")
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 3")
    assert "second=human" in page.url
    wait_for(page, "turn")
    page.click("[data-do=resign]")
    wait_for(page, "over")
    assert "resigns" in page.locator(".status").inner_text()
    page.click(".notice button")
    wait_for(page, "turn")
    assert plies(page) == 3
    page.click("[data-do=again]")
    page.wait_for_function("() => document.querySelectorAll('.moves li').length <= 1")
    page.click(".notice button")  # back to the old game
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 3")


def test_replay_graph_and_the_expected_line(visit: Visit) -> None:
    page = visit("/tictactoe?first=iterative&second=iterative&auto=false&pace=0")
    wait_for(page, "waits")
    for made in (1, 2, 3):
        page.click("[data-do=step]")
        page.wait_for_function("n => document.querySelectorAll('.moves li').length === n", arg=made)
        wait_for(page, "waits")
    assert "proved" in page.locator(".verdict").inner_text()
    # The slider, the list of moves, the graph and the keys all go to a ply.
    slider = page.locator(".replay input")
    slider.fill("1")
    expect(page.locator(".ply-button[aria-current=step]")).to_have_count(1)
    assert wait_for(page, "past") and page.locator(".replay .ply").inner_text() == "1 / 3"
    page.locator(".ply-button").nth(1).click()
    expect(page.locator(".replay .ply")).to_have_text("2 / 3")
    box = page.locator(".graph").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 4, box["y"] + box["height"] / 2)
    expect(page.locator(".replay .ply")).to_have_text("0 / 3")
    page.locator(".graph").focus()
    page.keyboard.press("End")
    expect(page.locator(".replay .ply")).to_have_text("3 / 3")
    # The line that the machine expects is shown on the board: while pointed at, and kept when pressed.
    stones = page.locator(".picture .edge")
    assert stones.count() == 3
    line = page.locator(".why-body [data-line]")
    line.nth(3).hover()
    expect(page.locator(".board.previewing")).to_have_count(1)
    expect(stones).to_have_count(6)
    page.mouse.move(5, 5)
    expect(stones).to_have_count(3)
    line.nth(4).click()
    expect(stones).to_have_count(7)
    page.locator(".status button").click()
    expect(stones).to_have_count(3)


def test_heat_on_the_board(visit: Visit) -> None:
    page = visit("/connect_four?first=human&second=random:seed=1&start=4453")
    wait_for(page, "turn")
    assert page.locator(".heat-spot").count() == 0
    page.click("[data-heat=value]")
    expect(page.locator(".heat-spot")).to_have_count(7, timeout=1000 * PATIENCE)
    expect(page.locator(".heat-spot.best")).not_to_have_count(0)
    assert kind(page) == "turn"  # asking quietly does not look as if somebody thought
    page.click("[data-heat=off]")
    expect(page.locator(".heat-spot")).to_have_count(0)


def test_machine_against_machine(visit: Visit) -> None:
    page = visit("/connect_four?first=random:seed=1&second=random:seed=2&auto=false")
    wait_for(page, "waits")
    page.click("[data-do=step]")
    expect(page.locator(".moves li")).to_have_count(1)
    page.locator("#speed").fill("6")
    page.click("[data-do=auto]")
    wait_for(page, "over")
    assert plies(page) >= 7
    assert page.locator("[data-do=resign]").is_hidden()


def test_a_machine_that_plays_a_person_moves_by_itself(visit: Visit) -> None:
    """Even where the address (or a game of machines before) says that machines wait."""
    page = visit("/tictactoe/?first=random:seed=1&second=human&auto=0")
    wait_for(page, "turn")
    assert plies(page) == 1
    page = visit("/tictactoe?first=random:seed=1&second=random:seed=2&auto=0")
    wait_for(page, "waits")
    page.click("[data-do=change]")
    page.get_by_text("You play second").click()
    page.click("[data-do=start]")
    wait_for(page, "turn")
    assert plies(page) == 1 and "auto" not in page.url


def test_a_machine_that_failed_may_try_again(visit: Visit, tmp_path: Path) -> None:
    agent = tmp_path / "moody.py"
    agent.write_text(
        "from pathlib import Path\n"
        "class Agent:\n"
        "    def decide(self, position):\n"
        "        if not Path(__file__).with_suffix('.well').exists():\n"
        "            raise RuntimeError('not today')\n"
        "        return position.actions[0]\n"
    )
    own = Server()
    own.start("--player", f"{agent}:Agent")
    try:
        page = visit("/", forgive=r"net::ERR_|127\.0\.0\.1")
        page.goto(f"{own.address}/tictactoe?first=moody-Agent&second=human")
        wait_for(page, "waits")
        expect(page.locator(".notice.bad")).to_contain_text("not today")
        agent.with_suffix(".well").touch()
        page.locator(".status button").click()
        wait_for(page, "turn")
        assert plies(page) == 1
    finally:
        own.stop()


def test_files_and_pictures(visit: Visit, tmp_path: Path) -> None:
    page = visit("/ataxx?first=human&second=random:seed=1")
    wait_for(page, "turn")
    make_a_move(page, random.Random(1))
    wait_for(page, "turn")

    def download(name: str) -> bytes:
        page.click("[data-do=more]")
        with page.expect_download() as waiting:
            page.click(f"[data-do={name}]")
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        assert path.suffix == "." + name.rpartition("_")[2]
        return path.read_bytes()

    moves = page.locator(".ply-button").all_inner_texts()
    assert download("export_txt").decode().split() == [move.strip() for move in moves]
    assert b"[Result" in download("export_pgn")
    assert b'"moves"' in download("export_json")
    assert download("save_svg").startswith(b"<svg")
    picture = download("save_png")
    assert picture.startswith(b"\x89PNG") and len(picture) > 5_000
    page.click("[data-do=more]")
    page.click("[data-do=copy_position]")
    expect(page.locator(".notice")).to_be_visible()
    position = page.evaluate("navigator.clipboard.readText()")
    assert hansu.game("ataxx").position(position).text == position
    page.click("[data-do=more]")
    page.click("[data-do=copy_link]")
    page.wait_for_function("() => navigator.clipboard.readText().then(text => text.startsWith('http'))")
    shared = page.evaluate("navigator.clipboard.readText()")
    assert f"moves={moves[0].strip()}" in shared


def test_a_shared_link_opens_the_same_game(visit: Visit) -> None:
    page = visit("/connect_four?first=human&second=human&width=8&moves=4,4,8")
    wait_for(page, "turn")
    assert [text.strip() for text in page.locator(".ply-button").all_inner_texts()] == ["4", "4", "8"]
    # A page that is loaded again goes on.
    click_target(page, 0)
    expect(page.locator(".moves li")).to_have_count(4)
    page.reload()
    wait_for(page, "turn")
    assert plies(page) == 4


def test_a_link_that_makes_no_sense_is_told_kindly(visit: Visit) -> None:
    page = visit("/connect_four?first=human&second=nobody")
    expect(page.locator(".notice.bad")).to_be_visible()
    expect(page.locator(".setup")).to_be_visible()
    expect(page.locator(".picture svg")).to_have_count(1)


def test_levels_are_offered_first(visit: Visit) -> None:
    page = visit("/connect_four")
    opponent = page.locator(".picker select").nth(1)
    assert opponent.input_value() == "level:3"
    levels = opponent.locator("optgroup").first.locator("option")
    assert levels.count() == 10 and "Elo" in (levels.nth(9).text_content() or "")
    opponent.select_option("level:1")
    page.locator(".picker details summary").click()
    page.locator(".picker [name=seed]").fill("5")
    page.locator(".picker [name=seed]").press("Tab")
    assert page.locator(".picker [name=strength]").count() == 0 and "second=level:1,seed=5" in page.url
    page.reload()  # the address says it all: the game begins
    expect(page.locator(".seats")).to_contain_text("Level 1 · random seed 5")
    page.keyboard.press("s")
    expect(opponent).to_have_value("level:1")


def test_setting_up_a_game(visit: Visit) -> None:
    page = visit("/connect_four")
    page.locator(".setup").wait_for()
    # The board and the address follow the form.
    page.locator("[name=width]").fill("8")
    page.locator("[name=width]").press("Tab")
    page.wait_for_function("() => document.querySelectorAll('.picture .edge').length === 48")
    page.get_by_text("You play second").click()
    page.locator(".picker select").first.select_option("random")
    page.locator(".picker details summary").first.click()
    page.locator(".picker [name=seed]").fill("5")
    page.locator(".picker [name=seed]").press("Tab")
    assert "first=random:seed=5" in page.url and "second=human" in page.url and "width=8" in page.url
    # A board that cannot be is refused with a reason, and nothing is lost.
    page.locator("[name=height]").fill("14")
    page.locator("[name=height]").press("Tab")
    expect(page.locator(".form-trouble")).to_be_visible()
    page.locator("[name=height]").fill("5")
    page.locator("[name=height]").press("Tab")
    expect(page.locator(".form-trouble")).to_be_hidden()
    page.click("[data-do=start]")
    wait_for(page, "turn")
    assert plies(page) == 1
    page.keyboard.press("s")
    expect(page.locator(".setup")).to_be_visible()
    page.click("[data-do=leave]")
    wait_for(page, "turn")
    assert plies(page) == 1


def test_analysis(visit: Visit) -> None:
    page = visit("/tictactoe?view=analysis")
    page.locator(".move-table tbody tr").first.wait_for()
    page.wait_for_function("() => document.querySelector('.verdict .number')?.textContent.includes('proved')")
    assert page.locator(".move-table tbody tr").count() == 9
    # Moves for both sides; the analysis goes on by itself at every position.
    click_target(page, 4)
    page.wait_for_function("() => document.querySelectorAll('.move-table tbody tr').length === 8")
    # A pasted position, and one that cannot be.
    page.get_by_text("Set up a position").click()
    page.fill("#position", "XX./OO./...")
    page.click("[data-do=load]")
    page.wait_for_function("() => document.querySelectorAll('.move-table tbody tr').length === 5")
    page.wait_for_function("() => document.querySelector('.move-table .best .move')?.textContent === '3'")
    page.fill("#position", "XXX/XXX/XXX")
    page.click("[data-do=load]")
    expect(page.locator(".notice.bad")).to_be_visible()
    # Square by square.
    page.click("[data-do=edit]")
    page.click("[data-piece=O]")
    page.mouse.click(*middle(page, ".target .reach", 2))
    expect(page.locator(".layer.draft .tone-second.edge")).to_have_count(3)
    page.click("[data-piece='.']")
    page.mouse.click(*middle(page, ".target .reach", 3))
    page.click("[data-do=edit-done]")
    page.wait_for_function("() => document.querySelectorAll('.move-table tbody tr').length === 5")
    assert page.locator("#position").input_value() == "XXO/.O./..."
    assert "view=analysis" in page.url


def test_analysis_is_live_and_stops_at_will(visit: Visit) -> None:
    page = visit("/ataxx?view=analysis")
    wait_for(page, "turn", "thinking")
    page.locator("#follow").uncheck()
    page.get_by_label("Engine").select_option("mcts")
    if page.locator("[data-do=analyse-start]").inner_text() == "Analyse":
        page.click("[data-do=analyse-start]")
    page.wait_for_function("() => document.querySelector('.move-table.counted') !== null", timeout=1000 * PATIENCE)
    nodes = page.locator(".analysis .meter dd").nth(1)
    first = nodes.inner_text()
    page.wait_for_function(
        "first => document.querySelectorAll('.analysis .meter dd')[1].textContent !== first", arg=first
    )
    assert page.locator("[data-do=analyse-start]").inner_text() == "Stop"
    page.click("[data-do=analyse-start]")
    expect(page.locator("[data-do=analyse-start]")).to_have_text("Analyse")


NAMELESS = """() => [...document.querySelectorAll(
  'a, button, summary, input, select, textarea, [role=button], [role=slider], [role=application], dialog')]
  .filter(node => node.checkVisibility())
  .filter(node => !(node.getAttribute('aria-label') || node.textContent.trim()
                    || [...node.labels ?? []].some(label => label.textContent.trim())))
  .map(node => node.outerHTML.slice(0, 200))"""


def test_everything_that_can_be_used_has_a_name(visit: Visit) -> None:
    """What a screen reader would call it."""
    for path in ("/", "/pacman", "/ataxx?first=human&second=human", "/tictactoe?view=analysis"):
        page = visit(path)
        page.locator(".picture svg, .card").first.wait_for()
        for details in page.locator("details").all():
            details.evaluate("node => { node.open = true; }")
        assert page.evaluate(NAMELESS) == [], path
        assert page.locator("h1").count() == 1
        assert page.locator("main").count() == 1
    page.keyboard.press("x")
    page.locator(".tree-node").first.wait_for()
    assert page.evaluate(NAMELESS) == []


def test_xray(visit: Visit) -> None:
    page = visit("/tree?first=human&second=minimax")
    wait_for(page, "turn")
    page.keyboard.press("x")
    # The search of the opponent, from its beginning.
    expect(page.locator(".tree-node")).to_have_count(10)
    assert page.get_by_label("Player", exact=True).input_value() == "minimax"
    page.get_by_label("Player", exact=True).select_option("alphabeta")
    page.click("[data-do=look]")
    # The lecture's tree with alpha-beta: nine calls, and one branch that is never looked at.
    expect(page.locator(".tree-node.cut")).to_have_count(1)
    expect(page.locator(".tree-node")).to_have_count(10)
    hidden = page.locator(".tree-node.off")
    expect(hidden).to_have_count(10)
    page.click(".xray [data-do=one_on]")
    expect(hidden).to_have_count(9)
    assert "visit" in page.locator(".step-text").inner_text()
    page.click(".xray [data-do=to_end]")
    expect(hidden).to_have_count(0)
    expect(page.locator(".tree-node .value").first).to_have_text("1")
    assert "cut" in page.locator(".summary").inner_text()
    # A node is chosen, shown on a small board, and folded.
    page.locator(".tree-node").nth(1).click()
    expect(page.locator(".inset-board svg")).to_have_count(1)
    page.click("[data-do=fold]")
    expect(page.locator(".tree-node")).to_have_count(8)
    expect(page.locator(".more-below")).to_have_text("+2")
    page.locator(".search-tree").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tree-node")).to_have_count(10)
    box = page.locator(".search-tree").get_attribute("viewBox")
    page.click("[data-do=nearer]")
    assert page.locator(".search-tree").get_attribute("viewBox") != box


def test_xray_of_visits(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&start=1 5 9")
    wait_for(page, "turn")
    page.keyboard.press("x")
    page.locator(".tree-node").first.wait_for()
    page.locator(".xray select").select_option("mcts")
    page.locator("#most").fill("60")
    page.click("[data-do=look]")
    expect(page.locator(".step-text")).to_contain_text("0 / 60")
    page.click(".xray [data-do=to_end]")
    expect(page.locator(".tree-node .value").first).to_have_text("60")
    page.locator(".xray .replay input").fill("10")
    expect(page.locator(".tree-node .value").first).to_have_text("10")


def test_language_and_theme_are_kept(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=random:seed=1")
    wait_for(page, "turn")
    click_target(page, 0)
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 2")
    english = page.locator("body").inner_text()
    assert not re.search("[가-힣]", english.replace("한국어", "").replace("한 수", ""))
    page.click("[data-do=language]")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    assert plies(page) == 2
    assert "차례" in page.locator(".status").inner_text()
    assert re.search("[가-힣]", page.locator(".why-body blockquote").inner_text())
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("[data-do=theme]")
    dark = page.evaluate(ground)
    assert light != dark
    page.goto(page.url.partition("/tictactoe")[0] + "/")
    page.locator(".card").first.wait_for()
    assert "한 번에" in page.locator("h1").inner_text()
    assert page.evaluate(ground) == dark


def test_the_browser_chooses_language_and_theme_at_first(visit: Visit) -> None:
    page = visit("/", locale="ko-KR", color_scheme="dark")
    page.locator(".card").first.wait_for()
    assert page.locator("html").get_attribute("lang") == "ko"
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("html").get_attribute("data-motion") == "off"  # the tests' browser wants none


def test_a_third_language_of_the_server_is_offered(visit: Visit) -> None:
    page = visit("/")
    known = page.evaluate("async () => (await fetch('/api/languages')).json()")
    spoken = {"en": known["en"], "eo": {"name": "Esperanto", "page": {"welcome": "Unu movo"}}, "ko": known["ko"]}
    page.route("**/api/languages", lambda route: route.fulfill(json=spoken))
    page.reload()
    seen = []
    for _ in range(4):
        page.locator(".card").first.wait_for()
        switch = page.locator("[data-do=language]")
        seen.append((page.locator("html").get_attribute("lang"), page.locator("h1").inner_text(), switch.inner_text()))
        switch.click()
    english = ("en", "One move at a time", "Esperanto")
    assert seen == [english, ("eo", "Unu movo", "한국어"), ("ko", "한 번에 한 수씩", "English"), english]
    expect(page.locator("html")).to_have_attribute("lang", "eo")
    assert "Skip to content" in page.locator(".skip").text_content()  # what it leaves out is English
    assert page.locator(".card strong").first.inner_text() == "Tic-tac-toe"


def test_the_page_of_a_trace_switches_its_language(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "tree.html"
    subprocess.run([sys.executable, "-m", "hansu", "trace", "tree", "-o", str(file)], check=True, capture_output=True)
    page = browser.new_page(locale="ko-KR")
    page.goto(file.as_uri())
    seen = []
    for _ in range(3):
        seen.append([page.locator(f"#{name}").inner_text() for name in ("language", "run", "step-text", "summary")])
        page.click("#language")
    page.close()
    assert seen[0] == seen[2]
    assert seen[0][:2] == ["English", "재생"] and "루트의 값은" in seen[0][2] and "개 방문" in seen[0][3]
    assert seen[1][:2] == ["한국어", "run"] and "the root has value" in seen[1][2] and "nodes visited" in seen[1][3]


@pytest.mark.parametrize("name", registry.names())
def test_phone(visit: Visit, name: str) -> None:
    page = visit(f"/{name}", **PHONE)
    page.locator(".setup").wait_for()
    no_sideways(page)
    page.locator("[data-do=start]").tap()
    wait_for(page, "turn", "thinking")
    no_sideways(page)
    page.goto(page.url.partition("?")[0] + "?view=analysis")
    page.locator(".move-table").wait_for()
    no_sideways(page)
    page.goto(page.url.partition(f"/{name}")[0] + "/")
    page.locator(".card").first.wait_for()
    no_sideways(page)


def test_boards_use_a_large_window(visit: Visit) -> None:
    """A wide one its width, any other its height; the tools below stay in sight."""
    large = {"viewport": {"width": 1920, "height": 1080}}
    for path, side, least in (("/pacman?layout=mediumClassic&", "width", 1200), ("/ataxx?", "height", 700)):
        page = visit(f"{path}first=human&second=human", **large)
        wait_for(page, "turn")
        board, tools = page.locator(".board").bounding_box(), page.locator(".toolbar").bounding_box()
        assert board and tools and board[side] >= least and tools["y"] + tools["height"] <= 1080
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 1920


def test_phone_by_taps(visit: Visit) -> None:
    page = visit("/ataxx?first=human&second=random:seed=1", **PHONE)
    wait_for(page, "turn")
    page.touchscreen.tap(*middle(page, ".target:not(.done):not(.far) .reach"))
    expect(page.locator(".board.second")).to_have_count(1)
    page.touchscreen.tap(*middle(page, ".target.done .reach"))
    page.wait_for_function("() => document.querySelectorAll('.moves li').length >= 2")
    page.locator("[data-do=more]").tap()
    page.locator("[data-do=xray]").tap()
    page.locator(".tree-node").first.wait_for()
    no_sideways(page)


def test_pacman_by_pad_and_swipe(visit: Visit) -> None:
    page = visit(f"/pacman?first=human&second=random:seed=1{SMALL['pacman']}", **PHONE)
    wait_for(page, "turn")
    page.locator(".pad button:not([aria-disabled=true]):not([hidden])").first.tap()
    page.wait_for_function("() => +document.querySelector('.replay .ply').textContent.split('/')[1] >= 1")
    wait_for(page, "turn")
    before = plies(page)
    way = page.locator(".pad button:not([aria-disabled=true]):not([hidden])").first.get_attribute("data-key")
    x, y = middle(page, ".over")
    dx, dy = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}[way or ""]
    touch = page.context.new_cdp_session(page)
    for kind_, far in (("touchStart", 0), ("touchMove", 15), ("touchMove", 40), ("touchEnd", 40)):
        points = [] if kind_ == "touchEnd" else [{"x": x + far * dx, "y": y + far * dy}]
        touch.send("Input.dispatchTouchEvent", {"type": kind_, "touchPoints": points})
    page.wait_for_function("n => +document.querySelector('.replay .ply').textContent.split('/')[1] > n", arg=before)


def test_reconnect_after_a_restart_of_the_server(visit: Visit) -> None:
    """On a server of its own, which is stopped in the middle of a game."""
    own = Server()
    own.start()
    try:
        page = visit("/", forgive=r"WebSocket|net::ERR_|127\.0\.0\.1")
        page.goto(f"{own.address}/connect_four?first=human&second=random:seed=1")
        wait_for(page, "turn")
        click_target(page, 3)
        page.wait_for_function("() => document.querySelectorAll('.moves li').length === 2")
        wait_for(page, "turn")
        moves = page.locator(".ply-button").all_inner_texts()
        why = page.locator(".why-body blockquote").inner_text()
        own.stop()
        wait_for(page, "offline")
        assert "lost" in page.locator(".status").inner_text()
        assert page.locator(".over .target").count() == 0
        own.start()
        wait_for(page, "turn")
        assert page.locator(".ply-button").all_inner_texts() == moves
        assert page.locator(".why-body blockquote").inner_text() == why  # what was said is not forgotten
        click_target(page, 2)
        page.wait_for_function("() => document.querySelectorAll('.moves li').length === 4")
    finally:
        own.stop()


def test_an_unknown_address_has_a_way_back(visit: Visit) -> None:
    page = visit("/nowhere", forgive="404")
    page.get_by_role("link").click()
    page.locator(".card").first.wait_for()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_whatever_one_does_nothing_breaks(visit: Visit, site: Server, seed: int) -> None:
    """Three hundred things done by chance: presses, touches, drags, keys. The console stays clean."""
    chance = random.Random(seed)
    queries = ("", "?first=human&second=random", "?first=random&second=random&pace=0.1", "?view=analysis")
    keys = [*"uhnswxambl,.?t]", "ArrowLeft", "ArrowUp", "Enter", "Escape", "Escape", "Space", "Home", "End", "Tab", "+"]
    page = visit("/")
    for made in range(300):
        if made % 50 == 0:
            page.goto(f"{site.address}/{chance.choice(registry.names())}{chance.choice(queries)}")
            page.locator(".picture svg").wait_for()
        match chance.randrange(4):
            case 0:
                buttons = page.locator("button:visible:enabled, summary:visible").all()
                with contextlib.suppress(PlaywrightError):  # another thing may lie over it by now
                    chance.choice(buttons).click(timeout=500, no_wait_after=True)
            case 1:
                targets = page.locator(".over .target").count()
                if targets and not page.locator("dialog[open]").count():
                    with contextlib.suppress(AssertionError, PlaywrightError):  # the game may have gone on
                        click_target(page, chance.randrange(targets))
            case 2:
                page.keyboard.press(chance.choice(keys))
            case 3:
                page.mouse.move(chance.randrange(1200), chance.randrange(860))
                page.mouse.down()
                page.mouse.move(chance.randrange(1200), chance.randrange(860), steps=2)
                page.mouse.up()
