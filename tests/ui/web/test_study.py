"""Studying games in a real browser: the review, values on the board, the X-ray that asks, lines, rules, addresses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.web_browser import PATIENCE, PHONE, Page, Visit, click_target, expect, middle, plies, wait_for

from hansu.games.renju.files.formats import write_games
from hansu.games.renju.files.game_record import GameRecord

if TYPE_CHECKING:
    from playwright.sync_api import WebSocketRoute

pytest_plugins = ("support.web_browser",)

LOST = "1,5,2,3,4,7"  # tic-tac-toe: O has won by 3 5 7, because X did not take it


def review(page: Page) -> None:
    page.keyboard.press("r")
    expect(page.locator(".review-shares p")).to_have_count(2, timeout=1000 * PATIENCE)
    expect(page.locator("[data-do=review]")).to_have_text("Review the game", timeout=1000 * PATIENCE)


def test_a_review_finds_the_mistake(visit: Visit) -> None:
    page = visit(f"/tictactoe?first=human&second=human&moves={LOST}")
    wait_for(page, "over")
    review(page)
    # X's fifth ply let O win: it is marked, and prev / next lead to it.
    expect(page.locator(".moves .mark-3, .moves .mark-4")).not_to_have_count(0)
    assert page.locator(".graph-mark").count() == page.locator(".moves .mark-3, .moves .mark-4").count()
    page.keyboard.press("Home")
    expect(page.locator(".replay .ply")).to_have_text("0 / 6")
    page.click("[data-do=mistake_on]")
    expect(page.locator(".review-grade")).to_be_visible()
    expect(page.locator(".replay .ply")).to_have_text("5 / 6")
    # What would have been better can be looked at on the board, from where it was possible.
    page.locator(".review-move [data-line]").nth(1).click()
    expect(page.locator(".board.previewing")).to_have_count(1)
    expect(page.locator(".picture .edge")).to_have_count(6)
    page.locator(".status button").first.click()
    expect(page.locator(".picture .edge")).to_have_count(4)
    # A page that is loaded again still knows all of it.
    page.reload()
    expect(page.locator(".review-shares p")).to_have_count(2)
    expect(page.locator(".replay .ply")).to_have_text("4 / 6")
    assert page.locator(".graph-line").count() == 1


def test_what_was_said_survives_a_reload(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=random:seed=3")
    wait_for(page, "turn")
    click_target(page, 4)
    page.wait_for_function("() => document.querySelectorAll('.moves li').length === 2")
    why = page.locator(".why-body blockquote").inner_text()
    page.reload()
    expect(page.locator(".why-body blockquote")).to_have_text(why)


def test_back_leads_from_the_analysis_to_the_game(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human")
    wait_for(page, "turn")
    click_target(page, 4)
    expect(page.locator(".moves li")).to_have_count(1)
    page.keyboard.press("a")
    expect(page.locator(".game[data-mode=analysis]")).to_have_count(1)
    click_target(page, 0)
    expect(page.locator(".moves li")).to_have_count(2)
    page.wait_for_url(re.compile("moves=5,1.*view=analysis"))  # the address follows
    page.go_back()
    expect(page.locator(".game[data-mode=play]")).to_have_count(1)
    expect(page.locator(".moves li")).to_have_count(1)
    page.keyboard.press("x")
    expect(page.locator("dialog.xray")).to_be_visible()
    page.go_back()
    expect(page.locator("dialog.xray")).to_be_hidden()
    assert plies(page) == 1
    # Arrows step, digits play.
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".replay .ply")).to_have_text("0 / 1")
    page.wait_for_url(re.compile("ply=0"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".replay .ply")).to_have_text("1 / 1")
    page.keyboard.press("9")
    expect(page.locator(".ply-button").nth(1)).to_have_text(re.compile("9"))


def test_an_analysis_begins_where_values_were_asked_before(visit: Visit) -> None:
    page = visit("/ataxx?first=human&second=human&start=x5o/7/7/7/7/7/o5x x 0 1")
    wait_for(page, "turn")
    page.click("[data-heat=value]")
    # All moves, though the engine by itself tells of one.
    page.wait_for_function("() => document.querySelectorAll('.heat-spot').length > 5", timeout=1000 * PATIENCE)
    assert page.locator(".heat-spot.best").count() == 1
    dots = "() => [...document.querySelectorAll('.target .dot')].every(dot => getComputedStyle(dot).opacity === '0')"
    page.mouse.move(*middle(page, ".over"))
    page.wait_for_function(dots)  # no dot lies over a number
    page.keyboard.press("a")
    expect(page.locator("[data-do=analyse-start]")).to_have_text("Stop")
    # Several lines, each of which can be walked.
    expect(page.locator(".line-row")).to_have_count(3, timeout=1000 * PATIENCE)
    page.click("[data-do=analyse-start]")
    expect(page.locator("[data-do=analyse-start]")).to_have_text("Analyse")
    page.locator(".line-row").nth(1).locator("[data-line]").first.click()
    expect(page.locator("[data-line][aria-pressed=true]")).to_have_count(1)


def test_a_search_that_the_page_itself_stops_is_no_trouble(visit: Visit) -> None:
    page = visit("/")
    stopped = {"type": "error", "code": "stopped", "text": {"en": "stopped before it began"}, "hint": None, "ply": None}

    def full(route: WebSocketRoute) -> None:
        """Every analysis waits until it is stopped."""
        server = route.connect_to_server()
        waiting: list[int] = []

        def said(text: str | bytes) -> None:
            asked = json.loads(text)
            if asked["type"] == "analyse":
                waiting.append(asked["id"])
            elif asked["type"] == "stop" and waiting:
                route.send(json.dumps({**stopped, "re": waiting.pop()}))
            else:
                server.send(text)

        route.on_message(said)

    page.route_web_socket(re.compile("/play$"), full)
    page.goto(f"{page.url}tictactoe?view=analysis")
    expect(page.locator("[data-do=analyse-start]")).to_have_text("Stop")
    page.get_by_text("Set up a position").click()
    page.click("[data-do=edit]")
    expect(page.locator("[data-do=edit-done]")).to_be_visible()
    assert page.locator(".notice").count() == 0


def test_values_that_are_late_say_so(visit: Visit) -> None:
    page = visit("/")
    late = {"progress": True, "analysis": True}

    def slow(route: WebSocketRoute) -> None:
        """As if the server took long, and then had found nothing."""
        server = route.connect_to_server()

        def heard(text: str | bytes) -> None:
            told = json.loads(text)
            if told["type"] == "analysis" and late["progress"]:
                told["found"] = {"move": None, "moves": []}
            if not late.get(told["type"]):
                route.send(json.dumps(told))

        server.on_message(heard)

    page.route_web_socket(re.compile("/play$"), slow)
    page.goto(f"{page.url}tictactoe?first=human&second=human&moves=5")
    wait_for(page, "turn")
    line = page.locator(".glance")
    expect(line).to_be_hidden()
    page.click("[data-heat=value]")
    expect(line).to_have_text(re.compile("Evaluating all moves …|Compiling"))  # the latter where it is compiled
    assert page.locator(".heat-spot").count() == 0
    late["analysis"] = False
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".replay .ply")).to_have_text("0 / 1")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".replay .ply")).to_have_text("1 / 1")
    expect(line).to_contain_text("The evaluation was not finished in time.", timeout=1000 * PATIENCE)
    late["progress"] = False
    page.click("[data-do=glance]")
    expect(page.locator(".heat-spot")).to_have_count(8, timeout=1000 * PATIENCE)
    expect(line).to_have_text("")


def test_what_was_given_up_is_kept_as_a_variation(visit: Visit) -> None:
    page = visit("/tictactoe?view=analysis&moves=1,5,9")
    wait_for(page, "turn", "thinking")
    page.locator("#follow").uncheck()
    page.locator(".ply-button").first.click()
    expect(page.locator(".replay .ply")).to_have_text("1 / 3")
    page.keyboard.press("3")
    expect(page.locator(".moves li")).to_have_count(2)
    page.get_by_placeholder("Name of this variation").fill("the centre")
    page.get_by_placeholder("Name of this variation").press("Enter")
    page.locator("[data-do=variation]").click()
    expect(page.locator(".moves li")).to_have_count(3)
    assert "5" in page.locator(".ply-button").nth(1).inner_text()
    # The other line is kept in its turn; back in it, the first one still has its name, also after a reload.
    page.locator("[data-do=variation]").click()
    expect(page.locator(".moves li")).to_have_count(2)
    page.reload()
    expect(page.get_by_placeholder("Name of this variation")).to_have_value("the centre")
    page.click("[data-do=variation_delete]")
    expect(page.locator(".variations li")).to_have_count(0)


def test_playing_on_from_an_earlier_move_keeps_the_rest(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&moves=5,1,9")
    wait_for(page, "turn")
    page.locator(".ply-button").first.click()
    page.get_by_role("button", name="Continue from here").click()
    expect(page.locator(".moves li")).to_have_count(1)
    page.keyboard.press("3")
    expect(page.locator(".moves li")).to_have_count(2)
    expect(page.locator("[data-do=variation]")).to_have_text("From move 2: 1 9")
    page.keyboard.press("u")  # what is taken back is gone
    expect(page.locator(".moves li")).to_have_count(1)
    expect(page.locator("[data-do=variation]")).to_have_count(1)
    page.keyboard.press("7")
    expect(page.locator(".moves li")).to_have_count(2)
    page.locator("[data-do=variation]").click()
    expect(page.locator(".moves li")).to_have_count(3)
    expect(page.locator("[data-do=variation]")).to_have_text("From move 2: 7")
    assert page.locator(".game").get_attribute("data-mode") == "play"


def test_a_file_is_opened_by_the_button(visit: Visit) -> None:
    page = visit("/renju?view=analysis&size=9")
    wait_for(page, "turn", "thinking")
    page.get_by_text("Set up a position").click()
    sgf = "(;GM[4]FF[4]SZ[9];B[ee];W[ef];B[fe])"
    file = {"name": "game.sgf", "mimeType": "text/plain", "buffer": sgf.encode()}
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".moves li")).to_have_count(3)
    page.wait_for_url(re.compile("moves=.*view=analysis"))
    page.locator("input[type=file]").set_input_files({**file, "buffer": b"nothing"})
    expect(page.locator(".notice.bad")).to_be_visible()


def test_a_file_in_the_midst_of_a_game_does_not_end_it(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&moves=5,1,9")
    wait_for(page, "turn")
    saved = {"game": "tictactoe", "opening": [], "moves": ["1", "2"], "first": "", "second": "", "outcome": None}
    page.click("[data-do=more]")
    with page.expect_file_chooser() as chooser:
        page.click(".menu-list [data-do=open-file]")
    file = {"name": "game.json", "mimeType": "application/json", "buffer": json.dumps(saved).encode()}
    chooser.value.set_files(file)  # type: ignore[arg-type]
    expect(page.locator(".game[data-mode=analysis]")).to_have_count(1)
    expect(page.locator(".moves li")).to_have_count(2)
    page.go_back()
    expect(page.locator(".game[data-mode=play]")).to_have_count(1)
    expect(page.locator(".moves li")).to_have_count(3)


def drop(page: Page, file: Path) -> None:
    """A file from elsewhere, let go over the page."""
    hand = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        hand.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})
        if kind != "dragEnter":
            expect(page.locator("body.dropping")).to_have_count(1 if kind == "dragOver" else 0)


def test_files_are_dropped_on_the_page(visit: Visit, tmp_path: Path) -> None:
    first, second = "(;GM[4]FF[4]SZ[9];B[ee];W[ef];B[fe])", "(;GM[4]FF[4]SZ[9];B[ee];W[fe])"
    pgn = '[Event "?"]\n[FEN "x5o/7/7/7/7/7/o5x x 0 1"]\n[Result "*"]\n\n1. g2 a2 2. f3 *\n'
    names = {"first": "human", "second": "human", "outcome": None}
    saved = json.dumps({"game": "tictactoe", "opening": [], "moves": ["5", "1", "9", "2"], **names})
    for game, name, text, count in (
        ("renju", "two.sgf", first + second, 3),
        ("ataxx", "game.pgn", pgn, 3),
        ("tictactoe", "game.json", saved, 4),
    ):
        file = tmp_path / name
        file.write_text(text)
        page = visit(f"/{game}")  # in the set-up already
        page.locator(".board .picture *").first.wait_for(state="attached")
        drop(page, file)
        expect(page.locator(".game[data-mode=analysis]")).to_have_count(1)
        expect(page.locator(".moves li")).to_have_count(count)
        if game == "renju":  # its other games, too
            expect(page.locator(".notice")).to_contain_text("Game 1 of 2")
            page.locator(".notice button").click()
            expect(page.locator(".moves li")).to_have_count(2)
            expect(page.locator(".notice")).to_contain_text("Game 2 of 2")
            assert page.locator(".notice button").count() == 0
        else:  # what is no file of this game is said to be none, and nothing changes
            drop(page, tmp_path / "two.sgf")
            expect(page.locator(".notice.bad")).to_contain_text("sgf")
            expect(page.locator(".moves li")).to_have_count(count)


def test_every_kind_of_renju_file_is_dropped(visit: Visit, tmp_path: Path) -> None:
    page = visit("/renju")
    for count, name in enumerate(("game.psq", "game.rif", "game.lib"), 5):
        write_games(tmp_path / name, [GameRecord(tuple(range(100, 100 + count)))])
        page.locator(".board .picture *").first.wait_for(state="attached")
        drop(page, tmp_path / name)
        expect(page.locator(".moves li")).to_have_count(count)


def test_values_wait_for_the_search_that_is_looked_into(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=human&moves=5")
    wait_for(page, "turn")
    page.click("[data-heat=value]")
    expect(page.locator(".heat-spot")).to_have_count(8, timeout=1000 * PATIENCE)
    page.goto(page.url.replace("moves=5", "moves=5,1&xray=alphabeta:depth=2&step=9"))
    expect(page.locator(".step-text")).to_contain_text("9 / ", timeout=1000 * PATIENCE)
    # What lies ahead is not told: no window of a node that was not reached yet.
    assert page.locator(".tree-node.off .window").count() > 0
    assert "".join(page.locator(".tree-node.off .window").all_text_contents()) == ""
    page.locator(".xray [data-do=close]").click()
    expect(page.locator(".heat-spot")).to_have_count(7, timeout=1000 * PATIENCE)


def test_a_network_shows_where_it_would_play(visit: Visit) -> None:
    page = visit("/tictactoe?view=analysis&moves=1,5")
    wait_for(page, "turn", "thinking")
    page.get_by_label("Engine").select_option("policy")
    page.click("[data-heat=visits]")
    expect(page.locator("[data-heat][aria-pressed=true]")).to_have_text("visits")
    if page.locator("[data-do=analyse-start]").inner_text() == "Analyse":
        page.click("[data-do=analyse-start]")
    chances = "[...document.querySelectorAll('.heat-spot text')].map(text => parseInt(text.textContent))"
    total = f"{chances}.reduce((a, b) => a + b, 0)"  # of rounded numbers
    page.wait_for_function(f"() => 80 < {total} && {total} <= 103", timeout=1000 * PATIENCE)
    assert (page.locator(".heat-spot.best text").text_content() or "").endswith("%")


def test_rules_are_on_the_page(visit: Visit) -> None:
    page = visit("/renju")
    page.click("[data-do=rules]")
    expect(page.locator(".lessons li")).to_have_count(4)
    assert page.locator(".lessons").get_by_text("33", exact=True).count() >= 1
    page.keyboard.press("Escape")
    expect(page.locator("dialog.rules")).to_have_count(0)
    # A touch of a forbidden point says which rule forbids it.
    page.goto(page.url.partition("/renju")[0] + "/renju?first=human&second=human&size=9&moves=d5,a1,f5,i1,e4,a9,e6,i9")
    wait_for(page, "turn")
    box = page.locator(".picture text", has_text="33").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".notice")).to_contain_text("two open threes")
    assert plies(page) == 8


def test_what_an_address_says_wrongly_is_told(visit: Visit) -> None:
    page = visit("/tictactoe?first=human&second=random:seed=1&time=-5&start=5")
    expect(page.locator(".notice.bad")).to_contain_text("time=-5")
    wait_for(page, "turn", "thinking")
    # A position that was given as moves is not played twice after a reload.
    wait_for(page, "turn")
    page.reload()
    wait_for(page, "turn")
    assert plies(page) == 2


def test_what_a_game_does_not_know_is_left_out_of_its_address(visit: Visit) -> None:
    page = visit("/connect_four?utm_source=mail&width=99&height=5&view=none&xray=nobody")
    notice = page.locator(".notice.bad")
    for words in ("utm_source: this game has no such option", "width=99", "view=none", "xray=nobody"):
        expect(notice).to_contain_text(words)
    expect(page.locator(".picture svg")).to_have_count(1)
    page.click("[data-do=start]")
    wait_for(page, "turn")
    assert "height=5" in page.url and not re.search("utm|width|view|xray", page.url)


def test_all_that_is_wrong_with_an_address_is_told_and_covers_no_button(visit: Visit) -> None:
    page = visit("/renju?second=foo&moves=zz&size=99", **PHONE)
    for words in ("second=foo", "size=99", "zz"):
        expect(page.locator(".notice.bad")).to_contain_text(words)
    told, play = page.locator(".notice").bounding_box(), page.locator("[data-do=start]").bounding_box()
    assert told is not None and play is not None and told["y"] + told["height"] <= play["y"]


def test_what_is_wrong_with_a_set_up_is_told_beside_its_button(visit: Visit) -> None:
    page = visit("/connect_four?start=zzz", **PHONE)
    trouble = page.locator(".form-trouble")
    expect(trouble).to_contain_text("'z' is not a legal move here")
    page.locator("[data-do=start]").tap()
    box, button = trouble.bounding_box(), page.locator("[data-do=start]").bounding_box()
    assert box and button and box["y"] >= 0 and box["y"] + box["height"] <= button["y"] <= 740
    page.fill("#begin", "4 4")
    page.locator("#begin").press("Tab")
    expect(trouble).to_be_hidden()


def test_players_and_options_have_peoples_names(visit: Visit) -> None:
    page = visit("/renju", locale="ko-KR")
    assert page.locator("#picker2 option").first.inner_text() == "사람"
    page.select_option("#picker2", "engine")
    page.locator(".picker details summary").click()
    labels = page.locator(".field label").all_text_contents()
    assert "메모리 (MB)" in labels and "판 크기" in labels
    # Not a word that only programs know: every choice and every label has some Korean.
    names = page.locator("#picker2 option, select[name=rule] option").all_text_contents()
    assert [text for text in [*labels, *names] if not re.search("[가-힣]", text)] == []
    page = visit("/tictactoe?first=human&second=alphabeta:depth=2,ties=false")
    wait_for(page, "turn")
    expect(page.locator(".seat .who").nth(1)).to_have_text("Alpha-beta · depth 2 · without cutoff at equal values")
    click_target(page, 4)
    expect(page.locator(".why-body .played")).to_have_text(re.compile("^Alpha-beta played"), timeout=1000 * PATIENCE)


def test_one_unit_a_game(visit: Visit) -> None:
    """What a player says in its reason is what stands beside the bar, in hint, analysis and graph."""
    for path, unit in (
        ("/connect_four?first=human&second=human&moves=4,4,4,4,4,2", r"Yellow wins in \d+ plies|Red wins in \d+ plies"),
        ("/tictactoe?first=human&second=human&moves=5,1", "a draw with best play"),
        ("/ataxx?first=human&second=human&moves=g2,a2", r"\w+ \d+(\.\d)? ?%|even, 50 %"),
        ("/tree?first=human&second=human", r"M\w+ \+\d+ pts"),
    ):
        page = visit(path)
        wait_for(page, "turn")
        page.keyboard.press("h")
        expect(page.locator(".why-body blockquote")).to_be_visible(timeout=1000 * PATIENCE)  # when it has ended
        words = (page.locator(".why-body .verdict .number").text_content() or "").split(" · ")[0]
        assert re.fullmatch(unit, words), words
        assert words in page.locator(".why-body blockquote").inner_text()
        assert words in (page.locator(".graph").get_attribute("aria-valuetext") or "")
        page.keyboard.press("a")
        number = page.locator(".analysis-body .verdict .number")
        expect(number).to_have_text(re.compile(f"^({unit})"), timeout=1000 * PATIENCE)  # in time: first it is a guess


def test_playouts_and_time_both_bound_a_player(visit: Visit) -> None:
    """Whichever comes first; and the label says what was asked for."""
    page = visit("/connect_four?view=analysis")
    wait_for(page, "turn", "thinking")
    page.get_by_label("Engine").select_option("mcts")  # who analyses is waited for: afterwards nobody stands in for it
    expect(page.locator(".move-table.counted")).to_have_count(1, timeout=1000 * PATIENCE)
    for simulations, seconds, few in ((200, 5, True), (1_000_000_000, 0.5, False)):
        player = f"mcts:simulations={simulations}"
        page = visit(f"/connect_four?first=human&second={player}&time={seconds}")
        expect(page.locator(".seat .who").nth(1)).to_have_text(
            f"Monte Carlo tree search (MCTS) · simulations {simulations}"
        )
        wait_for(page, "turn")
        page.keyboard.press("4")
        expect(page.locator(".moves li")).to_have_count(2, timeout=1000 * PATIENCE)
        words = page.locator(".why-body blockquote").inner_text()
        playouts = int(re.search(r"of ([\d,]+) playouts", words)[1].replace(",", ""))  # type: ignore[index]
        assert playouts == simulations if few else 0 < playouts < simulations, words


def test_what_is_proved_is_said_to_be_won(visit: Visit) -> None:
    """Though alpha-beta does not know yet what the other moves are worth."""
    page = visit("/connect_four?view=analysis&moves=1,2,1,2,1,2")
    wait_for(page, "turn", "thinking")
    page.get_by_label("Engine").select_option("iterative")  # it begins at once, or takes the solver's place
    depth = page.locator(".analysis-thoughts .meters dd").first
    expect(depth).to_have_text(re.compile(r"^[12]\d$"), timeout=1000 * PATIENCE)  # the solver says 36
    assert page.locator(".analysis-body .verdict .number").inner_text() == "Red wins at once · proved"


@pytest.mark.parametrize("device", [{}, PHONE])
def test_the_best_moves_are_seen_at_once_and_all_from_one_side(visit: Visit, device: dict[str, Any]) -> None:
    page = visit("/ataxx?view=analysis&moves=g2", **device)  # Blue is to move
    page.click("[data-heat=value]")
    expect(page.locator(".line-row")).to_have_count(3, timeout=1000 * PATIENCE)
    page.click("[data-do=analyse-start]")
    expect(page.locator("[data-do=analyse-start]")).to_have_text("Analyse")
    page.evaluate("scrollTo(0, 0)")
    last = page.locator(".line-row").nth(2).bounding_box()
    assert last is not None and page.viewport_size is not None
    assert last["y"] + last["height"] <= page.viewport_size["height"]
    best = page.locator(".line-row strong").first.inner_text()
    assert re.fullmatch(r"\d+\.\d%", best)
    assert page.locator(".verdict .number").inner_text() == f"Blue {best}"
    assert page.locator(".move-table th.value").inner_text() == "Value for Blue"
    assert page.locator(".move-table .best .value").inner_text() == best
    assert page.locator(".heat-spot.best text").text_content() == best.removesuffix("%")
    shown = page.locator(".move-table tbody .value").all_inner_texts()
    assert len(set(shown[:10])) > 3  # of the first move's values few look the same


def test_what_an_analysis_has_found_outlives_its_connection(visit: Visit) -> None:
    page = visit("/")
    routes: list[WebSocketRoute] = []

    def through(route: WebSocketRoute) -> None:
        routes.append(route)
        if len(routes) == 1:
            route.connect_to_server()

    page.route_web_socket(re.compile("/play$"), through)
    page.goto(f"{page.url}ataxx?view=analysis&moves=g2")
    expect(page.locator(".line-row")).to_have_count(3, timeout=1000 * PATIENCE)
    routes[0].close()
    wait_for(page, "offline")
    expect(page.locator(".line-row")).to_have_count(3)
    assert "–" not in page.locator(".move-table tbody .value").all_inner_texts()


def test_a_solved_position_has_several_lines(visit: Visit) -> None:
    page = visit("/connect_four?view=analysis&moves=4,4,4,4,4,2,2,4,5,3,3,5,5")
    expect(page.locator(".line-row")).to_have_count(3, timeout=1000 * PATIENCE)
    page.locator(".line-row").nth(2).locator("[data-line]").nth(1).click()
    expect(page.locator("[data-line][aria-pressed=true]")).to_have_count(1)


def test_what_is_only_guessed_is_never_certain(visit: Visit) -> None:
    page = visit("/connect_four?first=human&second=human&moves=1,2,1,2,1,2")
    wait_for(page, "turn")
    words = page.evaluate(
        """async () => {
            const { valueSigns, valueWords } = await import("/static/value.js");
            const seats = [{ name: { en: "Red" } }, { name: { en: "Yellow" } }];
            const info = { score_range: 1, unit: { en: "points" } };
            const [sure, guess] = [{ value: 1, proved: true, plies: 5 }, { value: -0.999, proved: false }];
            const level = { value: 0, proved: true };
            return [
                valueWords(sure, seats, info), valueWords(guess, seats, info), valueSigns(guess, 0, 1),
                valueWords(level, seats, { ...info, score_range: 30 }),
            ];
        }"""
    )
    assert words == ["Red wins in 5 plies", "Yellow 99 %", "0.1%", "level at the end"]


def test_variations_go_into_a_file_and_come_back(visit: Visit, tmp_path: Path) -> None:
    page = visit("/renju?view=analysis&moves=h8,h9,i9")
    wait_for(page, "turn", "thinking")
    page.locator("#follow").uncheck()
    page.locator(".ply-button").first.click()
    expect(page.locator(".replay .ply")).to_have_text("1 / 3")
    page.get_by_role("button", name="Play i8", exact=True).click(force=True)
    expect(page.locator(".moves li")).to_have_count(2)
    page.get_by_placeholder("Name of this variation").fill("direct")
    page.get_by_placeholder("Name of this variation").press("Enter")
    page.get_by_text("Save game and variations").click()
    with page.expect_download() as download:
        page.locator(".side [data-do=export_sgf]").click()
    file = tmp_path / "game.sgf"
    download.value.save_as(file)
    assert "(;W[ih])" in file.read_text() and "(;W[hg]N[direct];B[ig])" in file.read_text()
    page = visit("/renju?view=analysis")
    wait_for(page, "turn", "thinking")
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_placeholder("Name of this variation")).to_have_value("direct")
    page.locator("[data-do=variation]").click()
    expect(page.locator(".moves li")).to_have_count(3)


def stones(page: Page) -> int:
    return page.locator(".picture .edge").count()


def test_a_move_is_held_to_look_at_its_position(visit: Visit) -> None:
    page = visit(f"/tictactoe?first=human&second=human&moves={LOST}")
    wait_for(page, "over")
    before = stones(page)
    page.mouse.move(*middle(page, ".ply-button", 1))
    page.mouse.down()
    expect(page.locator(".board.previewing")).to_have_count(1)
    assert stones(page) < before
    page.mouse.up()
    expect(page.locator(".board.previewing")).to_have_count(0)
    assert stones(page) == before and page.locator(".replay .ply").inner_text() == "6 / 6"
    page.mouse.click(*middle(page, ".ply-button", 1))  # a short press still goes there
    expect(page.locator(".replay .ply")).to_have_text("2 / 6")


def test_a_finger_holds_a_move_too(visit: Visit) -> None:
    page = visit(f"/tictactoe?first=human&second=human&moves={LOST}&ply=4", **PHONE)
    wait_for(page, "past")
    page.keyboard.press("h")
    line = page.locator(".why-body [data-line]")
    expect(line.first).to_be_visible(timeout=1000 * PATIENCE)
    before = stones(page)
    line.nth(1).scroll_into_view_if_needed()
    x, y = middle(page, ".why-body [data-line]", 1)
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    expect(page.locator(".board.previewing")).to_have_count(1)
    assert stones(page) > before
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".board.previewing")).to_have_count(0)
    assert stones(page) == before and page.locator("[data-line][aria-pressed=true]").count() == 0


def test_the_list_follows_machines_at_full_speed(visit: Visit) -> None:
    page = visit("/ataxx?first=random:seed=1&second=random:seed=2&pace=0")
    page.wait_for_function("() => document.querySelectorAll('.moves li').length > 60", timeout=1000 * PATIENCE)
    page.keyboard.press(" ")
    page.wait_for_function(
        """() => {
            const [here, list] = [".ply-button[aria-current]", ".moves"].map((one) => document.querySelector(one));
            const [a, b] = [here.getBoundingClientRect(), list.getBoundingClientRect()];
            return here === [...document.querySelectorAll(".ply-button")].at(-1) && a.bottom <= b.bottom + 1;
        }"""
    )
