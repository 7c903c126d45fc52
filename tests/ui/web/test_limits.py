"""The web app's limits: what is closed to pages, how much one may take, and what happens when a player fails, a page
goes away or the server is started anew. A real server, real sockets."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.web_page import Page, Server, running
from support.web_players import Stubborn, toy
from websockets.exceptions import ConnectionClosed

from hansu.core import Control, Decision, Limit, Player, Position, registry
from hansu.ui.web.catalogue import Catalogue, Given, given_players, open_options
from hansu.ui.web.limits import Bounds, Quota
from hansu.ui.web.thinking import take_turn

# What is closed to pages.


CLOSED = [
    {"game": "./game.py"}, {"game": "/etc/passwd"}, {"game": "tree:file=/etc/passwd"}, {"game": "nosuch"},
    {"game": "triangles:file=/etc/passwd"}, {"game": "pacman:layout=/etc/passwd"}, {"game": "pacman:layout=../x.lay"},
    {"game": "tictactoe", "second": "./my_agent.py"}, {"game": "tictactoe", "second": "my_agent.py:Agent"},
    {"game": "ataxx", "second": "uai:cmd=/bin/true"}, {"game": "ataxx", "second": "uai"},
    {"game": "connect_four", "second": "mlp:model=/etc/passwd"}, {"game": "tictactoe", "second": "minimax:depth=x"},
    {"game": "ataxx", "second": "engine:hash=4096"}, {"game": "tictactoe", "second": "iterative:slots=268435456"},
    {"game": "connect_four", "second": "solver:megabytes=65536"}, {"game": "tree",
    "second": "mcts:max_nodes=200000000"},
    {"game": "connect_four:width=12,height=14"}, {"game": "ataxx", "start": "x5o/7 x"},
    {"game": "tictactoe", "moves": ["1", "1"]}, {"game": "connect_four", "start": "99"},
]  # fmt: skip


@pytest.mark.parametrize("asked", CLOSED, ids=str)
def test_what_is_not_offered_is_refused_and_changes_nothing(page: Page, asked: dict[str, Any]) -> None:
    page.change("open", game="tictactoe", moves=["5"])
    trouble = page.refused("open", **asked)
    assert trouble["code"] in ("refused", "illegal") and re.search("[가-힣]", trouble["text"]["ko"]), trouble
    assert page.change("move", move="1")["game"] == "tictactoe" and page.moves == ["5", "1"]


def test_no_text_option_of_a_player_is_open_but_a_choice() -> None:
    for name in registry.names():
        catalogue = Catalogue([registry.built_in(name)])
        for cls in catalogue.kinds(registry.built_in(name)).values():
            for option in open_options(cls.options(), Bounds()):
                assert option.kind is not str or option.choices, f"{name}, {cls.kind}: {option.name}"


def test_players_that_the_server_was_started_with(tmp_path: Path) -> None:
    agent = tmp_path / "my_agent.py"
    agent.write_text("class Agent:\n    def decide(self, position):\n        return position.actions[-1]\n")
    table = {name: registry.built_in(name) for name in registry.names()}
    given = given_players([f"{agent}:Agent", "tictactoe=mcts:simulations=7"], table)
    assert [each.label for each in given] == ["my_agent-Agent", "mcts-simulations_7"]
    assert given_players(["ataxx=uai:cmd=/opt/my engine.bin"], table)[0].label == "uai-my"
    with running(given=[Given("my_agent", f"{agent}:Agent")]) as server:
        page = Page(server)
        page.change("open", game="tictactoe", second="my_agent")
        page.change("move", move="1")
        page.settled()
        assert page.moves == ["1", "9"]
        assert page.refused("open", game="tictactoe", second=f"{agent}:Agent")["code"] == "refused"
        page.close()


# Limits.


def test_messages_have_a_size(server: Server) -> None:
    page = Page(server)
    with pytest.raises(ConnectionClosed) as closed:
        page.socket.send('{"type": "open", "game": "' + "x" * 200_000 + '"}')
        page.hear("never")
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009


def test_messages_have_a_rate() -> None:
    with running(messages_a_second=0.001, burst=5, dropped=50) as server:
        page = Page(server)
        page.change("open", game="tictactoe")
        with pytest.raises(ConnectionClosed) as closed:
            for _ in range(70):
                page.say("stop")
            while True:
                assert page.hear("error")["code"] == "rate"
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1008


def test_there_is_room_for_so_many_sessions() -> None:
    with running(sessions=2) as server:
        pages = [Page(server), Page(server)]
        with pytest.raises(ConnectionClosed) as closed:
            Page(server)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1013
        pages[0].close()
        server.wait_until(sessions=1)
        Page(server).close()
        pages[1].close()


def test_a_game_has_so_many_moves(page: Page) -> None:
    assert page.refused("open", game="tictactoe", moves=["1"] * 5_001)["code"] == "malformed"


def test_tables_share_the_memory_of_the_server() -> None:
    with running(memory_bytes=40 << 20) as server:
        page, other = Page(server), Page(server)
        page.change("open", game="ataxx", second="engine:hash=30")
        assert other.refused("open", game="ataxx", second="engine:hash=30")["code"] == "busy"
        page.change("open", game="ataxx", second="engine:hash=5")
        other.change("open", game="ataxx", second="engine:hash=30")
        page.close()
        other.close()


def test_searches_wait_in_a_bounded_queue() -> None:
    with running([toy()], workers=1, queue=1) as server:
        pages = [Page(server) for _ in range(3)]
        pages[0].change("open", game="toy", first="stubborn")
        assert Stubborn.entered.acquire(timeout=600)
        server.wait_until(searching=1)
        pages[1].change("open", game="toy", first="random")
        assert pages[1].hear("thinking")["queued"] == 0
        assert pages[1].hear("thinking")["queued"] == 1
        pages[2].change("open", game="toy", first="random")
        trouble = pages[2].hear("error")
        assert trouble["code"] == "busy" and not pages[2].hear("state")["auto"]
        Stubborn.gate.set()
        for page in pages[:2]:
            assert page.settled()["plies"] == 1
        Stubborn.gate.clear()
        assert pages[2].change("auto", on=True)["searching"]
        assert pages[2].settled()["plies"] == 1
        for page in pages:
            page.close()


def test_a_question_that_is_stopped_before_it_began_is_told_as_such() -> None:
    """It was its page's own wish, so the page says nothing."""
    with running([toy()], workers=1) as server:
        busy, page = Page(server), Page(server)
        busy.change("open", game="toy", first="stubborn")
        assert Stubborn.entered.acquire(timeout=600)
        server.wait_until(searching=1)
        page.change("open", game="toy")
        number = page.say("hint", player="random")
        while page.hear("thinking")["queued"] != 1:
            pass
        page.say("stop")
        told = page.hear("error")
        assert told["re"] == number and told["code"] == "stopped"
        Stubborn.gate.set()
        assert busy.settled()["plies"] == 1
        Stubborn.gate.clear()
        busy.close()
        page.close()


def test_an_address_has_so_many_sessions_and_this_machine_more() -> None:
    sessions = Quota(5, 2)
    assert [sessions.enter("192.168.0.9") for _ in range(3)] == [True, True, False]
    assert [sessions.enter("127.0.0.1") for _ in range(4)] == [True, True, True, False]
    sessions.leave("192.168.0.9")
    assert sessions.enter("192.168.0.8") and sessions.total == 5


def test_a_page_that_does_not_listen_is_given_up() -> None:
    """Its machines stop playing when it takes nothing, and its socket is closed."""
    with running(send_seconds=0.3) as server:
        page = Page(server)
        page.say("open", game="pacman:layout=originalClassic")
        with suppress(ConnectionClosed):
            for ply in range(2_000):  # each answer is a picture of some 60,000 characters
                page.say("jump", ply=0)
                if ply % 100 == 99 and not server.status()["sessions"]:
                    break
        server.wait_until(sessions=0)


def test_a_silent_search_is_counted(page: Page) -> None:
    page.change("open", game="connect_four", first="alphabeta:depth=30")
    seen = [page.hear("progress")["found"] for _ in range(2)]
    assert 0 < seen[0]["nodes"] < seen[1]["nodes"] and seen[1]["seconds"] > 0
    page.say("stop")
    assert page.settled()["plies"] == 1


class Counted(Player):
    """Gives up where it is asked without an end."""

    asked = 0

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        self.asked += 1
        assert self.asked < 100, "this turn has no end"
        return Decision(action=position.actions[0])

    @property
    def name(self) -> str:
        return "counted"


def test_a_turn_ends_without_an_opponent() -> None:
    """Pacman without ghosts moves again and again: each move is a turn of its own."""

    def moves(position: Position, goes_on: bool) -> int:
        task: Any = SimpleNamespace(position=position, player=Counted(), control=Control, goes_on=goes_on)
        return len(take_turn(task, Limit()))

    assert moves(registry.game("pacman:ghosts=0").first, goes_on=True) == 1
    ghosts = registry.game("pacman:ghosts=2").first
    ghosts = ghosts.play(ghosts.actions[0])
    assert moves(ghosts, goes_on=True) == 2  # each ghost once
    assert moves(ghosts, goes_on=False) == 1  # its time is up


def test_a_machine_that_nobody_answers_leaves_its_worker_to_others() -> None:
    with running(workers=1) as server:
        alone, other = Page(server), Page(server)
        alone.change("open", game="pacman:ghosts=0,layout=originalClassic", first="random")
        while alone.state["plies"] < 3:  # it goes on by itself, at a pace that a page can draw
            alone.hear("state")
        other.change("open", game="tictactoe", first="random")
        assert other.settled()["plies"] == 1
        alone.close()
        server.wait_until(sessions=1, searching=0)
        other.close()


# What goes wrong.


@pytest.mark.parametrize("player", ["crashing", "cheating"])
def test_a_player_that_fails_is_told_and_the_session_goes_on(page: Page, player: str) -> None:
    page.change("open", game="toy", second=player)
    page.change("move", move="5")
    trouble = page.hear("error")
    assert trouble["code"] == "player" and player in trouble["text"]["en"]
    state = page.hear("state")
    assert not state["auto"] and state["plies"] == 1 and state["mover"] == 1
    page.change("players", second="random:seed=1")
    page.change("auto", on=True)
    assert page.settled()["plies"] == 2


def test_a_player_that_does_not_stop_holds_nobody_up(page: Page, server: Server) -> None:
    page.change("open", game="toy", second="stubborn")
    page.change("move", move="5")
    assert Stubborn.entered.acquire(timeout=600)
    assert page.change("undo")["plies"] == 0  # it still thinks
    page.change("move", move="1")  # a new one thinks beside it
    assert Stubborn.entered.acquire(timeout=600)
    Stubborn.gate.set()
    assert page.settled()["plies"] == 2 and page.moves[0] == "1"
    Stubborn.gate.clear()


def test_stopping_a_machine_lets_it_play_what_it_has(page: Page) -> None:
    page.change("open", game="connect_four", first="iterative", limit={"time": 60.0})
    page.hear("progress")
    page.say("stop")
    assert page.settled()["plies"] == 1 and page.notes[0]["found"]["why"]["ko"]


def test_compiling_is_told(page: Page) -> None:
    page.change("open", game="toy", first="slow")
    told = page.hear("compiling")
    assert "slow" in told["what"]["ko"] and "everything" not in str(told)  # names of functions mean nothing to people
    assert page.settled()["plies"] == 1


def test_a_page_that_goes_away_frees_its_worker(server: Server) -> None:
    page = Page(server)
    page.change("open", game="connect_four")
    page.say("analyse", player="iterative", seconds=300)
    page.hear("progress")
    server.wait_until(searching=1)
    page.close()
    server.wait_until(searching=0, sessions=0)


def test_unreadable_messages_change_nothing(page: Page) -> None:
    page.change("open", game="tictactoe", moves=["5"])
    for text in ("", "{", "[]", "null", '{"type": 1}', '{"type": "move", "action": "4"}', '{"type": "dance"}',
                 '{"type": "move", "move": "1", "more": 1}', '{"type":"jump","ply":-1}', '{"type":"jump","ply":1e99}',
                 '{"type": "open", "game": "tictactoe", "limit": {"time": NaN}}', "[" * 5_000, "수"):  # fmt: skip
        page.socket.send(text)
        assert page.hear("error")["code"] == "malformed"
    page.socket.send(b"\xff\xfe\x00")
    assert page.hear("error")["code"] == "malformed"
    page.socket.send('{"type": "dance", "id": 77}')
    assert page.hear("error")["re"] == 77
    assert page.change("move", move="1") and page.moves == ["5", "1"]


def test_asking_before_a_game_is_open(page: Page) -> None:
    for type in ("undo", "step", "hint", "swap", "picture"):
        assert page.refused(type)["code"] == "refused"


def test_a_page_goes_on_after_the_server_was_started_anew() -> None:
    with running() as first:
        port = first.port
        page = Page(first)
        page.change("open", game="connect_four", second="random:seed=1")
        page.change("move", move="4")
        page.settled()
    with pytest.raises(ConnectionClosed):
        page.hear("never")
    moves = list(page.moves)
    with running(port=port) as second:
        again = Page(second)
        again.change("open", game="connect_four", moves=moves, second="random:seed=1")
        assert again.moves == moves and again.state["position"] == page.state["position"]
        again.change("move", move="4")
        assert again.settled()["plies"] == 4
        again.close()


def test_many_games_at_once_do_not_meet(server: Server) -> None:
    pages = [Page(server) for _ in range(12)]
    chance = random.Random(5)
    for page in pages:
        page.change("open", game="tictactoe", second="random")
    for _ in range(3):
        for page in pages:
            if not page.settled()["over"]:
                page.change("move", action=chance.choice(page.state["choices"])["action"])
    for page in pages:
        page.settled()
        assert registry.game("tictactoe").position(" ".join(page.moves)).text == page.state["position"]
        page.close()
    server.wait_until(sessions=0, searching=0)
