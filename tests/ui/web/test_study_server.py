"""What a page asks when a game is studied: reviews, rules, forbidden points, files. A real server, real sockets."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from support.web_page import Page, Server

from hansu.core import registry
from hansu.games.renju.drawing import FORBIDDEN

LOST = ["1", "5", "2", "3", "4", "7"]  # tic-tac-toe: O has won


def judged(page: Page, **asked: Any) -> tuple[dict[int, dict[str, Any]], dict[str, Any]]:
    """What a review told of each ply, and how it ended."""
    page.heard.clear()
    ended = page.ask("review", "review", player="iterative", **asked)
    return {m["ply"]: m["found"] for m in page.heard if m["type"] == "progress"}, ended


def test_a_review_judges_every_position_of_the_game(page: Page) -> None:
    page.change("open", game="tictactoe", moves=LOST)
    found, ended = judged(page)
    assert ended["ended"] == "finished"
    assert sorted(found) == [0, 1, 2, 3, 4, 5]  # not the end, where nobody moves
    values = [found[ply]["value"] for ply in range(6)]
    assert values == [0, 0, 0, 0, 0, -1] and all(one["proved"] for one in found.values())
    assert [m["ply"] for m in page.heard if m["type"] == "progress"] == [5, 4, 3, 2, 1, 0]


def test_one_may_look_around_while_a_review_goes_on(page: Page) -> None:
    page.change("open", game="connect_four", moves=list("44444325332253466"))
    number = page.say("review", player="mcts", seconds=300)
    assert page.hear("thinking")["task"] == "review"
    assert page.change("jump", ply=3)["ply"] == 3
    page.hear("progress")
    page.say("stop")
    told = page.hear("review")
    assert told["re"] == number and told["ended"] == "stopped"
    # A move is another game: it ends the review.
    page.say("review", player="mcts", seconds=300)
    page.hear("progress")
    assert page.change("move", move="1")["plies"] == 4
    assert page.ask("hint", "hint", player="random")["type"] == "hint"


def test_a_machine_that_waited_for_a_review_moves_afterwards(page: Page) -> None:
    page.change("open", game="tictactoe", moves=["1"], second="random", auto=False)
    page.say("review", player="iterative")
    page.hear("thinking")
    page.say("auto", on=True)
    page.hear("review")
    while page.state["plies"] < 2:
        page.hear("state")


def test_rules_have_pictures(server: Server) -> None:
    for name in registry.names():
        status, _, text = server.get(f"/api/rules/{name}")
        lessons = json.loads(text)
        assert status == 200 and len(lessons) >= 2
        assert any(lesson["svg"] for lesson in lessons)
        assert all(lesson["text"]["ko"] != lesson["text"]["en"] for lesson in lessons)
    assert server.get("/api/rules/chess")[0] == 404


def test_the_lessons_of_renju_show_what_they_say() -> None:
    """The centre of the small board is forbidden by the very rule that the lesson is about."""
    game = registry.built_in("renju")
    assert game.controls.forbidden is not None
    for lesson, kind in zip(game.lessons[1:], FORBIDDEN, strict=True):
        small = game.with_settings(lesson.settings)
        at = small.position(lesson.moves)
        x, y = small.touch(at.state, 4 * 9 + 4)[0]  # type: ignore[misc]
        assert game.controls.forbidden(at.state, x, y) == FORBIDDEN[kind]
        assert game.controls.forbidden(at.state, x - 4, y - 3) is None


def test_a_forbidden_point_says_why(page: Page) -> None:
    page.change("open", game="renju:size=9", moves=["d5", "a1", "f5", "i1", "e4", "a9", "e6", "i9"])
    scene_x, scene_y = 1 + 2 + 4 + 0.5, 5.0
    assert "double three" in page.ask("barred", "barred", x=scene_x, y=scene_y)["why"]["en"]
    assert page.ask("barred", "barred", x=scene_x + 1, y=scene_y + 3)["why"] is None
    page.change("open", game="tictactoe")
    assert page.ask("barred", "barred", x=1.0, y=1.0)["why"] is None


def loaded(page: Page, name: str, content: bytes) -> dict[str, Any]:
    return page.ask("load", "loaded", name=name, data=base64.b64encode(content).decode())


def test_games_come_from_files(page: Page) -> None:
    page.change("open", game="renju", moves=["h8", "h9", "j10"])
    for format in ("sgf", "psq", "json"):
        text = page.ask("export", "file", format=format)["text"]
        told = loaded(page, f"my game.{format}", text.encode())
        assert told["moves"] == ["h8", "h9", "j10"] and told["games"] == 1, format
        page.change("open", game=told["game"], start=told["start"], moves=told["moves"])
    page.change("open", game="ataxx", moves=["f2", "b2"])
    pgn = page.ask("export", "file", format="pgn")["text"]
    told = loaded(page, "two.pgn", (pgn + "\n" + pgn).encode())
    assert told["moves"] == ["f2", "b2"] and told["games"] == 2


def test_files_that_are_no_games_are_refused(page: Page) -> None:
    page.change("open", game="renju")
    for name, content in (
        ("x.exe", b"MZ"),
        ("x.sgf", b"(;GM[1]"),
        ("x.json", b"{}"),
        ("x.json", b"\xff"),
        ("x.lib", b"?"),
    ):
        told = loaded(page, name, content)
        assert told["type"] == "error" and told["text"]["ko"], name
    refused = page.ask("load", "loaded", name="x.sgf", data="no base64!")
    assert refused["type"] == "error" and refused["code"] == "malformed"
    # A file may not name another board than a page may ask for.
    other = json.dumps(
        {"game": "renju:size=99", "opening": [], "moves": [], "outcome": None, "first": "", "second": ""}
    )
    assert loaded(page, "x.json", other.encode())["type"] == "error"


@pytest.mark.parametrize(
    ("newer", "fields", "answer"),
    [
        ("analyse", {"player": "rule"}, "analysis"),
        ("hint", {"player": "rule"}, "hint"),
        ("review", {"player": "rule", "seconds": 0.1}, "review"),
        ("xray", {"player": "minimax:depth=1"}, "xray"),
        ("hint", {"player": "nobody"}, "error"),
        ("move", {"move": "4"}, "state"),
        ("undo", {}, "state"),
        ("jump", {"ply": 0}, "state"),
        ("swap", {}, "state"),
        ("open", {"game": "tree"}, "state"),
    ],
)
def test_a_question_that_gives_way_is_answered_first(
    page: Page, newer: str, fields: dict[str, Any], answer: str
) -> None:
    page.change("open", game="connect_four", moves=["4"])
    number = page.say("analyse", player="mcts", seconds=300)
    page.hear("progress")
    page.heard.clear()
    told = page.ask(newer, answer, **fields)
    assert told["type"] == answer
    finals = [m for m in page.heard if m["re"] is not None and m["type"] not in ("thinking", "progress", "compiling")]
    assert [m["re"] for m in finals] == [number, told["re"]]
    assert finals[0]["code"] == "replaced" and finals[0]["text"]["ko"]


def test_a_review_that_gives_way_is_answered_once(page: Page) -> None:
    page.change("open", game="connect_four", moves=list("444444"))
    number = page.say("review", player="mcts", seconds=300)
    page.hear("progress")
    page.change("move", move="1")
    assert [m["code"] for m in page.heard if m["re"] == number and m["type"] in ("review", "error")] == ["replaced"]


def test_a_step_that_is_called_off_is_answered(page: Page) -> None:
    page.change("open", game="connect_four", first="mcts", second="mcts", auto=False, limit={"time": 60})
    number = page.say("step")
    assert page.hear("thinking")["re"] == number
    page.change("auto", on=False)
    assert [m["code"] for m in page.heard if m["re"] == number and m["type"] == "error"] == ["replaced"]
