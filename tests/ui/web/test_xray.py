"""The search X-ray in a real browser: what is seen of a tree at first and at each step, guessing, links, keys."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.web_browser import PATIENCE, PHONE, Browser, Page, Visit, expect, no_sideways, wait_for

import hansu
from hansu.search.players import TreeSearch
from hansu.ui.trace import page as page_of
from hansu.ui.trace import traced

if TYPE_CHECKING:
    from playwright.sync_api import WebSocketRoute

pytest_plugins = ("support.web_browser",)


def test_the_search_is_guessed(visit: Visit) -> None:
    page = visit("/tree?first=human&second=alphabeta")
    wait_for(page, "turn")
    page.keyboard.press("x")
    page.locator(".tree-node").first.wait_for(timeout=1000 * PATIENCE)
    page.click("[data-do=guess]")
    # The lecture's tree: MIN takes -50 below a1 and 1 below a2; -5 below a3 cuts the rest; MAX takes 1.
    for asked, right in enumerate(("-50", "searched", "1", "pruned", "1"), 1):
        page.locator(f"[data-guess='{right}']").click()
        expect(page.locator(".guess .quiet")).to_have_text(f"{asked} of {asked} correct")
        page.click("[data-do=guess-next]")
    expect(page.locator("[data-guess]")).to_have_count(0)
    assert "no more questions" in page.locator(".guess-words").inner_text()


def test_a_step_of_a_search_is_linked(visit: Visit) -> None:
    page = visit("/tree?first=human&second=random&xray=alphabeta&step=4", **PHONE)
    expect(page.locator(".step-text")).to_contain_text("4 / 18")
    assert page.get_by_label("Player", exact=True).input_value() == "alphabeta"
    assert page.locator(".tree-node.off").count() > 0
    no_sideways(page)
    page.locator(".xray [data-do=one_on]").tap()
    page.wait_for_url(re.compile("xray=alphabeta&step=5"))
    page.locator(".xray [data-do=close]").tap()
    expect(page.locator("dialog.xray")).to_be_hidden()
    page.wait_for_url(re.compile("^[^?]*[?](?!.*xray)"))


def inset(page: Page) -> str:
    return page.locator(".inset-words").inner_text()


def grown(page: Page) -> int:
    """Nodes of the tree that can be seen, and those that are said to be folded away."""
    return int(
        page.evaluate(
            """() => [...document.querySelectorAll(".tree-node:not(.off)")].reduce(
                (sum, node) => sum + 1 + Number(node.querySelector(".more-below")?.textContent ?? 0), 0)"""
        )
    )


def test_a_tree_of_visits_is_shown_as_it_was_at_each_step(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&moves=5,1&xray=mcts:seed=3&step=12")
    expect(page.locator(".step-text")).to_contain_text("12 / 300", timeout=1000 * PATIENCE)
    # A simulation adds at most one node, and all went through the root; what comes later cannot be seen.
    assert 8 <= grown(page) <= 13
    expect(page.locator(".tree-node.off").first).to_be_hidden()
    page.locator(".tree-node").first.click()
    assert "Visits 12" in inset(page) and "worth" not in inset(page)
    page.locator(".tree-node").nth(1).click()
    visits = int(re.search(r"Visits (\d+)", inset(page))[1])  # type: ignore[index]
    assert 0 < visits < 12
    left, right = page.locator(".inset").bounding_box(), page.locator(".tree-node.chosen").bounding_box()
    assert left and right and left["x"] + left["width"] <= right["x"]  # its board does not hide it
    before = grown(page)
    page.locator(".xray-foot [data-do=to_end]").click()
    assert int(re.search(r"Visits (\d+)", inset(page))[1]) > visits and grown(page) > before  # type: ignore[index]
    means = page.locator(".tree-node:not(.off) .window").all_text_contents()
    assert all(re.fullmatch(r"-?[01]|-?0\.\d\d|", mean) for mean in means), means
    page.locator(".xray-foot [data-do=to_start]").click()
    assert "Not searched yet" in inset(page)


def test_the_chosen_node_of_a_search_stays_in_sight_on_a_phone(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&moves=5&xray=mcts:seed=3&step=60", **PHONE)
    expect(page.locator(".step-text")).to_contain_text("60 / 300", timeout=1000 * PATIENCE)
    page.locator(".tree-node:not(.off)").last.dispatch_event("click")  # it may lie outside
    expect(page.locator(".inset-board svg")).to_be_visible()
    box, over, room = (
        page.locator(one).bounding_box() for one in (".tree-node.chosen .knob", ".inset", ".search-tree")
    )
    assert box and over and room
    assert room["x"] <= box["x"] and box["x"] + box["width"] <= room["x"] + room["width"]
    assert room["y"] <= box["y"] and box["y"] + box["height"] <= min(over["y"], room["y"] + room["height"])
    no_sideways(page)


def test_the_search_of_a_network_shows_prior_visits_and_value(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&moves=5,1&xray=puct&step=30")
    expect(page.locator(".step-text")).to_contain_text("30 / 300", timeout=1000 * PATIENCE)
    expect(page.locator(".xray-legend")).to_contain_text("the network's prior of a move")
    priors = page.locator(".branch:not(.off) text").all_text_contents()
    assert priors and all(re.fullmatch(r"\d \d+%", prior) for prior in priors)
    page.locator(".tree-node:not(.off)").nth(2).click()
    words = inset(page).split("\n\n")
    assert re.fullmatch("[0-9 ]+", words[0]) and re.fullmatch(r"Visits \d+", words[1])
    assert re.fullmatch(r"Mean result -?\d(\.\d\d)?", words[2])
    assert re.fullmatch(r"Network prior \d+%", words[3])
    expect(page.locator(".inset-board svg")).to_be_visible()  # its moves can be played


def boxes(page: Page, selector: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of everything that it finds."""
    return page.evaluate(  # type: ignore[no-any-return]
        """(one) => [...document.querySelectorAll(one)].map((found) => found.getBoundingClientRect())
            .map(({ x, y, right, bottom }) => [x, y, right, bottom])""",
        selector,
    )


def apart(nodes: list[tuple[float, float, float, float]]) -> None:
    for i, a in enumerate(nodes):
        assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in nodes[:i])


KNOBS = ".tree-node .knob, .tree-rest .pill"


def readable(page: Page, least: float = 20) -> int:
    """Every node that is drawn lies in sight, beside the others and large enough; how many there are."""
    (room,), nodes = boxes(page, ".search-tree"), boxes(page, KNOBS)
    apart(nodes)
    for left, top, right, bottom in nodes:
        assert room[0] <= left and right <= room[2] and room[1] <= top and bottom <= room[3]
        assert right - left >= least
    return len(nodes)


def test_two_levels_of_a_search_are_open_and_can_be_read(visit: Visit) -> None:
    path = "/connect_four?first=human&second=human&xray=minimax:depth=3"
    page = visit(path)
    expect(page.locator(".step-text")).to_contain_text("0 / 800", timeout=1000 * PATIENCE)
    assert readable(page) == 1 + 7 + 49 and page.locator(".tree-rest").count() == 0
    assert page.locator(".more-below").all_text_contents() == ["+7"] * 49  # the third level is folded away
    page = visit(path, **PHONE)  # the first of each level, and how many more there are
    expect(page.locator(".step-text")).to_contain_text("0 / 800", timeout=1000 * PATIENCE)
    assert readable(page) == 1 + (3 + 1) + 3 * (3 + 1)
    assert page.locator(".tree-rest .more").all_text_contents() == ["+4"] * 4
    expect(page.locator(".xray-legend")).to_contain_text("more branches; press to show them")
    no_sideways(page)
    page.locator(".tree-rest").last.tap()  # the root's
    expect(page.locator(".tree-rest")).to_have_count(7)
    apart(boxes(page, KNOBS))
    # Folded and opened again, the root shows the first ones only.
    page.locator(".tree-node").first.dispatch_event("click")
    page.click("[data-do=fold]")
    expect(page.locator(".tree-node")).to_have_count(1)
    page.click("[data-do=fold]")
    expect(page.locator(".tree-rest")).to_have_count(4)


def test_what_matters_in_a_wide_search_is_seen(visit: Visit) -> None:
    page = visit("/renju?first=human&second=human&moves=h8&xray=alphabeta:depth=1&step=0")
    expect(page.locator(".step-text")).to_contain_text("0 / 450", timeout=1000 * PATIENCE)
    moves = page.locator(".branch text")
    assert readable(page) == 1 + 20 + 1 and moves.count() == 20
    expect(page.locator(".tree-rest .more")).to_have_text("+204")
    first = moves.all_text_contents()
    page.locator(".xray .replay input").fill("400")  # in the midst of a later branch
    expect(page.locator(".tree-node.now")).to_have_count(1)
    seen, asked = moves.all_text_contents(), page.locator(".step-text").inner_text().split(" ")
    assert seen[:20] == first and len(seen) == 22  # the first ones, the best so far, and where the search is
    assert seen[-1] in asked
    value = "[...document.querySelectorAll('.tree-node .value')].map((one) => one.textContent)"
    best = page.evaluate(f"() => {value}[21]")  # the root's comes first
    assert float(best) == min(float(one) for one in page.evaluate(f"() => {value}") if one)  # white takes the smallest
    page.locator(".xray-foot [data-do=to_end]").click()
    best_line = page.locator(".summary").inner_text().split(" ")[-1]
    assert best_line in moves.all_text_contents() and best_line not in first
    # By keys one walks on into those that are not seen.
    page.locator(".tree-node").first.click()
    page.locator(".search-tree").focus()
    page.keyboard.press("ArrowDown")
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".tree-rest")).to_have_count(0)
    expect(page.locator(".tree-node")).to_have_count(225)


def test_a_wide_tree_uses_the_height(visit: Visit) -> None:
    page = visit("/renju?size=9&first=human&second=human&moves=e5,e4&xray=alphabeta")
    expect(page.locator(".step-text")).to_contain_text("0 / ", timeout=1000 * PATIENCE)
    page.locator(".tree-rest").last.click()
    page.click("[data-do=whole_tree]")
    (room,), nodes = boxes(page, ".search-tree"), boxes(page, KNOBS)
    assert readable(page, least=15) > 70
    assert max(node[3] for node in nodes) - min(node[1] for node in nodes) > 0.8 * (room[3] - room[1])


def test_arrows_step_through_a_search_and_its_address_names_it(visit: Visit) -> None:
    page = visit("/tree?first=human&second=random&xray=alphabeta")
    expect(page.locator(".step-text")).to_contain_text("0 / 18")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".step-text")).to_contain_text("3 / 18")
    assert page.get_by_label("Player", exact=True).input_value() == "alphabeta"
    # Another search is chosen, but the one on the page is still the first.
    page.get_by_label("Player", exact=True).select_option("minimax")
    page.locator(".xray [data-do=one_on]").click()
    page.wait_for_url(re.compile("xray=alphabeta&step=4"))
    page.click("[data-do=look]")
    page.wait_for_url(re.compile("xray=minimax&step=0"))


def test_the_search_of_a_level_is_that_of_who_plays_for_it(visit: Visit) -> None:
    page = visit("/connect_four?first=human&second=level:3")
    wait_for(page, "turn")
    page.keyboard.press("x")
    page.wait_for_url(re.compile("xray=alphabeta:depth=2&step=0"))
    expect(page.locator(".summary")).to_have_text("")
    page = visit("/connect_four?first=human&second=alphabeta:depth=9&moves=4,4", **PHONE)
    wait_for(page, "turn")
    page.locator("[data-do=more]").tap()
    page.locator("[data-do=xray]").tap()
    expect(page.locator(".summary")).to_contain_text("depth 9 visits more than 400 nodes; the tree shows depth 3")
    no_sideways(page)
    guess, close = (page.locator(f".xray-head [data-do={name}]").bounding_box() for name in ("guess", "close"))
    assert guess and close and abs(guess["y"] - close["y"]) < 20  # no row of its own


def test_arrows_step_beside_the_tree_too(visit: Visit) -> None:
    page = visit("/tree?first=human&second=random&xray=alphabeta")
    expect(page.locator(".step-text")).to_contain_text("0 / 18")
    page.locator(".xray [data-do=one_on]").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".step-text")).to_contain_text("2 / 18")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".step-text")).to_contain_text("1 / 18")


def test_what_is_prepared_is_told_with_a_bar_wherever_one_waits(visit: Visit) -> None:
    page = visit("/")
    told = {"seat": 0, "player": "puct", "queued": 0, "ply": 0}

    def cold(route: WebSocketRoute) -> None:
        """Nothing but preparing goes on."""
        server = route.connect_to_server()

        def said(text: str | bytes) -> None:
            asked = json.loads(text)
            if asked["type"] not in ("analyse", "xray"):
                server.send(text)
                return
            task = "analysis" if asked["type"] == "analyse" else "xray"
            route.send(json.dumps({"type": "thinking", "re": asked["id"], "task": task, **told}))
            what = {"en": f"Somebody for the {task}, about 9 s more"}
            route.send(json.dumps({"type": "compiling", "re": asked["id"], "what": what, "share": 0.25}))

        route.on_message(said)

    page.route_web_socket(re.compile("/play$"), cold)
    page.goto(f"{page.url}tictactoe?first=human&second=human")
    wait_for(page, "turn")
    page.click("[data-heat=value]")
    expect(page.locator(".glance")).to_contain_text("Somebody for the analysis, about 9 s more")
    assert page.locator(".glance progress").get_attribute("value") == "0.25"
    page.keyboard.press("x")
    expect(page.locator(".xray-empty")).to_contain_text("Somebody for the xray, about 9 s more")
    expect(page.locator(".xray-empty progress")).to_be_visible()


def test_a_search_that_gave_way_to_another_says_so(visit: Visit) -> None:
    page = visit("/")
    waiting: list[int] = []
    given_up = {"type": "error", "code": "replaced", "text": {"en": "something newer"}, "hint": None, "ply": None}

    def busy(route: WebSocketRoute) -> None:
        """The first X-ray is given up for something else, the second for the third."""
        server = route.connect_to_server()

        def said(text: str | bytes) -> None:
            asked = json.loads(text)
            if asked["type"] == "xray":
                waiting.append(asked["id"])
                if len(waiting) != 2:
                    route.send(json.dumps({**given_up, "re": waiting[-1 if len(waiting) == 1 else -2]}))
                if len(waiting) < 3:
                    return
            server.send(text)

        route.on_message(said)

    page.route_web_socket(re.compile("/play$"), busy)
    page.goto(f"{page.url}tree?first=human&second=alphabeta&xray=alphabeta")
    expect(page.locator(".xray-empty")).to_have_text("something newer")
    expect(page.locator("dialog.xray.busy")).to_have_count(0)
    page.click("[data-do=look]")
    expect(page.locator("dialog.xray.busy")).to_have_count(1)
    page.click("[data-do=look]")
    expect(page.locator(".step-text")).to_contain_text("0 / 18")
    expect(page.locator(".xray-empty")).to_be_hidden()
    assert len(waiting) == 3 and page.locator(".notice").count() == 0


def test_the_page_of_a_trace_shows_the_whole_tree_and_comes_nearer(browser: Browser, tmp_path: Path) -> None:
    game = hansu.game("tictactoe")
    player = hansu.player("minimax", game)
    assert isinstance(player, TreeSearch)
    file = tmp_path / "tree.html"
    file.write_text(page_of(traced(game.position("1 5 9 2 8"), player, 400)), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.goto(file.as_uri())
    across = "() => { const main = document.querySelector('main'); return main.scrollWidth / main.clientWidth }"
    assert page.evaluate(across) == 1
    page.click("#closer")
    assert page.evaluate(across) == pytest.approx(1.5, abs=0.02)
    page.keyboard.press("0")
    assert page.evaluate(across) == 1
    page.close()
