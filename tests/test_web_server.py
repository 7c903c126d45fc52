"""The server half of the web app: every message, every limit, what is closed to pages, and what happens when a player
fails, a page goes away or the server is started anew. A real server, real sockets."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from web_page import Page, Server, running
from websockets.exceptions import ConnectionClosed, InvalidStatus

from hansu import games
from hansu.core import Control, Decision, Game, Limit, Player, Position, score
from hansu.core.compiled import first_time_notice, ready_notice
from hansu.core.generic import actions, over, play
from hansu.games.ataxx.pgn import read_pgn
from hansu.ui.web.app import Crowd
from hansu.ui.web.bounds import MEMORY_UNITS, Bounds
from hansu.ui.web.catalogue import Catalogue, Given, given_players, open_options

# Players that do what players should not.


@dataclass
class Stubborn(Player):
    """Thinks until it is let go, whatever it is told."""

    kind: ClassVar[str] = "stubborn"
    about: ClassVar[str] = "does not stop"
    gate: ClassVar[threading.Event] = threading.Event()
    entered: ClassVar[threading.Semaphore] = threading.Semaphore(0)

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        self.entered.release()
        self.gate.wait(60)
        return Decision(position.actions[0], why="let go")


@dataclass
class Crashing(Player):
    kind: ClassVar[str] = "crashing"
    about: ClassVar[str] = "raises"

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        raise RuntimeError("out of ideas")


@dataclass
class Cheating(Player):
    kind: ClassVar[str] = "cheating"
    about: ClassVar[str] = "plays what is not legal"

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        return Decision(99, why="why not")


@dataclass
class Slow(Player):
    """Says that it is being compiled."""

    kind: ClassVar[str] = "slow"
    about: ClassVar[str] = "is compiled first"

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        for notices in (first_time_notice, ready_notice):
            for tell in list(notices):
                tell("everything")
        return Decision(position.actions[0], why="at last")


def toy() -> Game:
    """Tic-tac-toe with those players."""
    odd = {player.kind: player for player in (Stubborn, Crashing, Cheating, Slow)}
    return replace(games.built_in("tictactoe"), name="toy", players=lambda: odd)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running([toy()], messages_a_second=1e6, burst=1_000_000) as made:
        made.app.state.house.warmed.add(("toy", "stubborn"))
        yield made


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    made = Page(server)
    yield made
    made.close()


# Pages and the catalogue.


def test_every_game_has_its_address_and_the_rest_is_missing(server: Server) -> None:
    for name in ("", *games.names(), "toy"):
        status, headers, text = server.get(f"/{name}?first=human&second=random")
        assert status == 200 and headers["content-type"].startswith("text/html") and "<html" in text
    for path in ("/chess", "/../pyproject.toml", "/connect_four/more", "/docs", "/openapi.json"):
        status, _, text = server.get(path)
        assert status == 404 and 'href="/"' in text


def test_pages_are_closed_to_the_rest_of_the_web(server: Server) -> None:
    for path in ("/", "/chess", "/api/catalogue", "/static/index.html", "/static/none"):
        _, headers, _ = server.get(path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_the_catalogue_tells_everything_a_form_needs(server: Server) -> None:
    found = {game["name"]: game for game in json.loads(server.get("/api/catalogue")[2])["games"]}
    assert set(found) == {*games.names(), "toy"}
    for name, game in found.items():
        kinds = {player["kind"] for player in game["players"]}
        assert game["title"]["ko"] and game["about"]["ko"] and game["svg"].startswith("<svg")
        assert {"random", "alphabeta", "mcts"} <= kinds and game["analyst"] in kinds
        assert game["second"].split(":")[0] in kinds
        for option in [*game["options"], *(o for player in game["players"] for o in player["options"])]:
            assert option["kind"] in ("int", "float", "bool", "str") and option["help"]["ko"], (name, option)
    assert [o["name"] for o in found["tree"]["options"]] == []  # its only option is a file
    layouts = next(o for o in found["pacman"]["options"] if o["name"] == "layout")["choices"]
    assert "smallClassic" in layouts
    assert "uai" not in {player["kind"] for player in found["ataxx"]["players"]}
    hash = next(p for p in found["ataxx"]["players"] if p["kind"] == "engine")["options"][2]
    assert hash["name"] == "hash" and hash["high"] == 256


def test_large_options_are_known_to_be_harmless_or_counted_as_memory() -> None:
    harmless = {"seed", "simulations", "playout_plies"}
    for name in games.names():
        for cls in Catalogue([games.built_in(name)]).kinds(games.built_in(name)).values():
            for option in cls.options():
                high = option.high if option.high is not None else float("inf")
                if option.kind is int and high > 1 << 16 and option.name not in harmless:
                    assert option.name in MEMORY_UNITS, f"{name}, {cls.kind}: {option.name}"


# Hosts and origins.


def test_a_name_that_is_not_ours_is_refused(server: Server) -> None:
    assert server.get("/", Host=f"localhost:{server.port}")[0] == 200
    assert server.get("/", Host="evil.example")[0] == 421
    assert server.get("/api/catalogue", Host=f"evil.example:{server.port}")[0] == 421


def test_sockets_of_other_sites_are_refused(server: Server) -> None:
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", "https://[bad"):
        with pytest.raises(InvalidStatus):
            Page(server, additional_headers={"Origin": origin})
    Page(server, additional_headers={"Origin": f"http://{server.address}"}).close()


def test_hosts_widen_only_to_addresses_and_names_that_were_given() -> None:
    from hansu.ui.web.guard import Hosts

    wide = Hosts("0.0.0.0", ["class.example"])
    for host in ("192.168.0.7:8000", "[fe80::1]:8000", "class.example", "localhost:1"):
        assert wide.allow(host)
    for host in ("evil.example", "", None, "[x"):
        assert not wide.allow(host)
    narrow = Hosts("192.168.0.7")
    assert narrow.allow("192.168.0.7:8000") and narrow.allow("127.0.0.1") and not narrow.allow("192.168.0.8")


# Playing.


@pytest.mark.parametrize("name", games.names())
def test_a_whole_game_against_a_machine(page: Page, name: str) -> None:
    small = {"triangles": ":points=7", "pacman": ":layout=testClassic,ghosts=1"}.get(name, "")
    chance = random.Random(3)
    page.change("open", game=name + small, second="random:seed=1")
    while not page.settled()["over"]:
        state = page.state
        assert state["mover"] == 0 and state["seats"][0]["human"]
        at = games.game(name + small).position(state["position"]) if state["position"] else None
        if at is not None:
            assert [choice["move"] for choice in state["choices"]] == [at.move_text(a) for a in at.actions]
        page.change("move", action=chance.choice(state["choices"])["action"], ply=state["ply"])
    result = page.state["result"]
    assert result["how"] == "played" and result["text"]["ko"] and page.state["choices"] == []
    again = games.game(name + small).first
    for move in page.moves:
        again = again.play_move(move)
    assert again.over and again.score == result["score"]
    assert all(note["found"]["why"]["ko"] for note in page.notes if note)


def test_a_move_may_be_a_text_and_must_be_legal(page: Page) -> None:
    page.change("open", game="tictactoe")
    assert page.change("move", move="5")["moves"] == ["5"]
    assert page.refused("move", move="5")["code"] == "illegal"
    assert page.refused("move", action=4)["code"] == "illegal"
    assert page.refused("move", action=1 << 70)["code"] in ("illegal", "malformed")
    assert page.refused("move", action=0, ply=0)["code"] == "illegal"
    assert page.refused("move")["code"] == "malformed"
    assert page.change("move", action=0, ply=1)["moves"] == ["1"]
    assert page.moves == ["5", "1"]


def test_it_is_not_a_persons_turn_while_a_machine_is_to_move(page: Page) -> None:
    page.change("open", game="toy", first="stubborn", second="human")
    assert page.refused("move", move="5")["code"] == "illegal"
    Stubborn.gate.set()
    page.settled()
    Stubborn.gate.clear()
    assert len(page.moves) == 1


def test_undo_goes_back_to_a_person(page: Page) -> None:
    page.change("open", game="tictactoe", second="random:seed=1")
    assert page.refused("undo")["code"] == "refused"
    page.change("move", move="5")
    page.settled()
    assert len(page.moves) == 2
    assert page.change("undo")["plies"] == 0 and page.moves == []
    page.change("open", game="tictactoe", moves=["1", "2", "3"])
    assert page.change("undo")["plies"] == 2


def test_resigning_ends_the_game_and_can_be_taken_back(page: Page) -> None:
    page.change("open", game="connect_four", second="rule")
    state = page.change("resign")
    assert state["over"] and state["result"]["winner"] == 1 and state["result"]["how"] == "resigned"
    assert page.refused("move", move="1")["code"] == "illegal"
    assert page.refused("resign")["code"] == "refused"
    assert not page.change("undo")["over"]
    page.change("open", game="connect_four", resigned=1)
    assert page.state["result"]["winner"] == 0
    page.change("open", game="connect_four", first="random", second="random", auto=False)
    assert page.refused("resign")["code"] == "refused"


def test_seats_can_be_swapped_and_filled_anew(page: Page) -> None:
    page.change("open", game="tictactoe", second="random:seed=4")
    page.change("swap")
    assert [seat["human"] for seat in page.settled()["seats"]] == [False, True] and len(page.moves) == 1
    state = page.change("players", first="human", second="mcts:simulations=50", limit={"depth": 2})
    assert state["seats"][1]["label"] == "mcts:simulations=50" and state["limit"]["depth"] == 2
    assert page.refused("players", first="nobody")["code"] == "refused"
    assert page.change("jump", ply=1)["seats"][0]["player"] == "human"


def test_jumping_and_branching(page: Page) -> None:
    page.change("open", game="connect_four", moves=["4", "4", "3", "3"])
    state = page.change("jump", ply=1)
    assert (state["ply"], state["plies"], state["position"], state["last"]["move"]) == (1, 4, "4", "4")
    assert page.moves == ["4", "4", "3", "3"]
    assert page.refused("jump", ply=5)["code"] == "refused"
    page.change("move", move="7")
    assert page.moves == ["4", "7"] and page.state["ply"] == 2


def test_a_position_given_as_moves_can_be_walked_through(page: Page) -> None:
    state = page.change("open", game="connect_four", start="4453")
    assert state["start"] == "start" and page.moves == ["4", "4", "5", "3"]
    state = page.change("open", game="ataxx", start="x5o/7/7/7/7/7/o5x o 0 1")
    assert state["mover"] == 1 and state["position"] == "x5o/7/7/7/7/7/o5x o 0 1"


def test_a_position_is_set_up_square_by_square(page: Page) -> None:
    page.change("open", game="ataxx", moves=["g2"])
    board = page.ask("edit", "squares")
    assert len(board["squares"]) == len(board["letters"]) == 49
    text = page.ask("arrange", "arranged", letters=board["letters"], mover=board["mover"])["text"]
    page.change("open", game="ataxx", start=text)
    assert page.ask("edit", "squares")["letters"] == board["letters"] and page.state["mover"] == board["mover"]
    assert page.refused("arrange", letters="x", mover=0)["code"] == "refused"
    page.change("open", game="triangles")
    assert page.refused("edit")["code"] == "refused"


def test_machines_play_each_other_by_step_and_by_themselves(page: Page) -> None:
    page.change("open", game="tictactoe", first="random:seed=1", second="random:seed=2", auto=False)
    assert not page.state["searching"]
    for ply in (1, 2):
        page.say("step")
        assert page.hear("state")["plies"] == ply
    page.change("auto", on=True, pace=0.01)
    while not page.state["over"]:
        page.hear("state")
    assert page.state["pace"] == 0.01
    assert page.refused("step")["code"] == "refused"


def test_auto_can_be_switched_off_between_two_moves(page: Page) -> None:
    page.change("open", game="connect_four", first="random:seed=1", second="random:seed=2", pace=10.0)
    state = page.change("auto", on=False)
    assert not state["auto"] and not state["searching"]
    plies = state["plies"]
    page.say("step")
    assert page.hear("state")["plies"] == plies + 1


def test_a_seat_with_several_agents_moves_them_together(page: Page) -> None:
    page.change("open", game="pacman:layout=mediumClassic,ghosts=2", second="directional:seed=1")
    page.change("move", move=page.state["choices"][0]["move"])
    state = page.settled()
    assert state["since"] == 1 and len(state["moves"]) == 2 and state["movers"] == [1, 1]
    assert state["agent"] == 0


def test_chance_moves_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "dice.txt"
    file.write_text("A max\n a: B chance\n  b1 (0.5): 1\n  b2 (0.5): 3\n c: 1\n")
    with running([games.game(f"tree:file={file}")]) as server:
        page = Page(server)
        page.change("open", game="tree_2")
        page.change("move", move="a")
        assert page.state["over"] and len(page.moves) == 2 and page.moves[1] in ("b1", "b2")
        assert page.state["result"]["score"] in (1, 3)
        page.change("jump", ply=1)
        assert page.state["mover"] == -1 and not page.state["over"]
        assert page.refused("hint")["code"] == "refused"
        page.change("jump", ply=0)
        found = page.ask("analyse", "analysis", player="iterative:interpreted=true")["found"]
        assert {move["move"]: move["value"] for move in found["moves"]} == {"a": 2, "c": 1}
        page.close()


def test_a_game_without_touch_is_played_from_the_list(nim_path: Path) -> None:
    with running([games.game(str(nim_path))]) as server:
        page = Page(server)
        state = page.change("open", game="nim:heap=2", second="alphabeta:interpreted=true")
        assert all(choice["touch"] == [] for choice in state["choices"])
        page.change("move", move=state["choices"][0]["move"])
        assert len(page.settled()["moves"]) == 1
        found = page.ask("analyse", "analysis", player="mcts:interpreted=true", seconds=0.5)["found"]
        assert found["heat"] == "" and len(found["moves"]) == len(page.state["choices"])
        page.close()


# Advice.


def test_a_hint_is_a_legal_move_with_a_reason(page: Page) -> None:
    page.change("open", game="tictactoe", moves=["1", "5", "2", "9"])
    found = page.ask("hint", "hint", player="alphabeta")["found"]
    assert found["move"] == "3" and found["proved"] and found["why"]["ko"] and found["chance"] == 1.0
    assert found["line"][0] == "3" and page.ask("hint", "hint")["found"]["move"] == "3"


def exact(s: Any) -> float:
    """Plain minimax, the oracle."""
    if over(s):
        return float(score(s))
    values = [exact(play(s, a)) for a in actions(s)]
    return max(values) if games.built_in("tictactoe").first.mover == mover_of(s) else min(values)


def mover_of(s: Any) -> int:
    from hansu.core import mover

    return int(mover(s))


@pytest.mark.parametrize("player", ["minimax", "alphabeta", "iterative"])
def test_analysis_ends_with_every_moves_true_value(page: Page, player: str) -> None:
    moves = ["5", "1", "9"]
    page.change("open", game="tictactoe", moves=moves)
    told = page.ask("analyse", "analysis", player=player, seconds=60)
    at = games.game("tictactoe").position(" ".join(moves))
    truth = {at.move_text(a): exact(play(at.state, a)) for a in at.actions}
    assert told["ended"] == "finished" and told["found"]["proved"]
    assert {move["move"]: move["value"] for move in told["found"]["moves"]} == truth
    assert all(not move["bound"] for move in told["found"]["moves"])
    best = [move["move"] for move in told["found"]["moves"] if move["best"]]
    assert best == [told["found"]["move"]] and truth[best[0]] == min(truth.values())
    assert told["found"]["heat"].startswith('<g data-name="heat">')


def test_analysis_is_told_as_it_goes_and_stops_at_will(page: Page) -> None:
    page.change("open", game="connect_four")
    page.say("analyse", player="iterative", seconds=300)
    seen = [page.hear("progress")["found"] for _ in range(3)]
    assert [found["nodes"] for found in seen] == sorted(found["nodes"] for found in seen)
    page.say("stop")
    told = page.hear("analysis")
    assert told["ended"] == "stopped" and len(told["found"]["moves"]) == 7


def test_analysis_by_playouts_counts_visits(page: Page) -> None:
    page.change("open", game="connect_four")
    told = page.ask("analyse", "analysis", player="mcts", seconds=0.3)
    assert told["ended"] == "time" and len(told["found"]["moves"]) == 7
    assert all(move["visits"] > 0 for move in told["found"]["moves"])


def test_a_player_without_values_gives_its_choice(page: Page) -> None:
    page.change("open", game="connect_four")
    told = page.ask("analyse", "analysis", player="rule")
    assert told["ended"] == "finished" and told["found"]["why"]["ko"] and told["found"]["moves"] == []


def test_a_change_ends_an_analysis(page: Page) -> None:
    page.change("open", game="connect_four")
    number = page.say("analyse", player="iterative", seconds=300)
    page.hear("progress")
    page.change("move", move="4")
    page.ask("picture", "picture")
    after = [told["type"] for told in page.heard if told["re"] == number]
    assert "analysis" not in after and page.heard[-1]["type"] == "picture"
    assert page.ask("analyse", "analysis", player="solver")["ply"] == 1


def test_a_refused_change_does_not_end_an_analysis(page: Page) -> None:
    page.change("open", game="connect_four")
    number = page.say("analyse", player="iterative", seconds=300)
    page.hear("progress")
    page.refused("undo")
    page.refused("open", game="nonsense")
    page.say("stop")
    assert page.hear("analysis")["re"] == number


def test_nothing_can_be_asked_of_a_finished_game(page: Page) -> None:
    page.change("open", game="tictactoe", moves=["1", "4", "2", "5", "3"])
    assert page.state["over"]
    for type, more in (("hint", {}), ("analyse", {"player": "minimax"}), ("xray", {"player": "minimax"})):
        assert page.refused(type, **more)["code"] == "refused"


def test_the_xray_of_the_lectures_tree(page: Page) -> None:
    page.change("open", game="tree")
    told = page.ask("xray", "xray", player="alphabeta")
    nodes = told["tree"]
    assert told["kind"] == "bounds" and nodes[0]["value"] == "1"
    assert [node["move"] for node in nodes if node["cut"]] == ["d2"] and told["cut"] == 1
    looked = [node for node in nodes if not node["cut"]]
    assert len(looked) == told["nodes"] == 9
    assert {"(1, ∞)", "(-50, ∞)"} <= {node["note"] for node in nodes}
    assert len(told["steps"]) == 2 * told["nodes"]  # every call begins once and ends once
    born = {node["born"] for node in looked}
    assert born == {step["now"][0] for step in told["steps"]} and all(step["text"]["ko"] for step in told["steps"])


def test_the_xray_of_playouts_adds_up(page: Page) -> None:
    page.change("open", game="tictactoe")
    told = page.ask("xray", "xray", player="mcts:simulations=40")
    nodes = told["tree"]
    assert told["kind"] == "visits" and len(told["steps"]) == 40 and nodes[0]["value"] == "40"
    for i, node in enumerate(nodes):
        below = [int(other["value"]) for other in nodes if other["parent"] == i]
        # the first visit of a node (but the root's) is a playout from it and goes to no child
        assert not below or int(node["value"]) == sum(below) + (i > 0)
    last = {label[0]: label[1] for step in told["steps"] for label in step["labels"]}
    assert last == {node["born"]: node["value"] for node in nodes}


def test_the_xray_grows_as_deep_as_there_is_room(page: Page) -> None:
    page.change("open", game="connect_four")
    small = page.ask("xray", "xray", player="alphabeta", most=60)
    large = page.ask("xray", "xray", player="alphabeta", most=2000)
    assert small["nodes"] <= 60 < large["nodes"] <= 2000
    assert page.refused("xray", player="minimax:depth=9")["code"] == "refused"
    assert page.refused("xray", player="solver")["code"] == "refused"


def test_a_line_is_shown_position_by_position(page: Page) -> None:
    page.change("open", game="connect_four", moves=["4"])
    told = page.ask("line", "line", moves=["4", "3"])
    assert [(frame["move"], frame["mover"]) for frame in told["frames"]] == [("4", 1), ("3", 0)]
    assert told["frames"][1]["svg"].startswith("<svg") and page.state["ply"] == 1
    assert page.refused("line", moves=["9"])["code"] == "illegal"


# Files.


def test_pictures_stand_alone(page: Page) -> None:
    page.change("open", game="ataxx")
    light, dark = (page.ask("picture", "picture", dark=d)["svg"] for d in (False, True))
    assert light != dark and "xmlns" in light and 'class="tone-sheet"' in light


def test_a_game_of_ataxx_is_a_pgn_file(page: Page) -> None:
    page.change("open", game="ataxx", moves=["g2", "a2", "f2"], second="engine:depth=3", auto=False)
    told = page.ask("export", "file", format="pgn")
    game = next(read_pgn(told["text"].splitlines()))
    assert len(game.actions) == 3 and game.result == "*" and told["name"] == "ataxx.pgn"
    assert game.tags["White"] == "engine:depth=3"
    page.change("resign", seat=0)
    assert "0-1" in page.ask("export", "file", format="pgn")["text"]


def test_a_game_as_json_can_be_opened_again(page: Page) -> None:
    page.change("open", game="connect_four:width=8", moves=["4"], second="rule", auto=False)
    page.say("step")
    page.hear("state")
    told = json.loads(page.ask("export", "file", format="json")["text"])
    moves, position = list(page.moves), page.state["position"]
    assert told["moves"] == moves and told["why"][1]["ko"] and told["values"] == [None, None]
    page.change("open", game=told["game"], start=told["start"], moves=told["moves"])
    assert page.state["position"] == position and page.ask("export", "file", format="txt")["text"].split() == moves
    assert page.refused("export", format="exe")["code"] == "refused"


# What is closed to pages.


CLOSED = [
    {"game": "./game.py"}, {"game": "/etc/passwd"}, {"game": "tree:file=/etc/passwd"}, {"game": "nosuch"},
    {"game": "triangles:file=/etc/passwd"}, {"game": "pacman:layout=/etc/passwd"}, {"game": "pacman:layout=../x.lay"},
    {"game": "tictactoe", "second": "./my_agent.py"}, {"game": "tictactoe", "second": "my_agent.py:Agent"},
    {"game": "ataxx", "second": "uai:cmd=/bin/true"}, {"game": "ataxx", "second": "uai"},
    {"game": "connect_four", "second": "mlp:model=/etc/passwd"}, {"game": "tictactoe", "second": "minimax:depth=x"},
    {"game": "ataxx", "second": "engine:hash=4096"}, {"game": "tictactoe", "second": "iterative:slots=268435456"},
    {"game": "connect_four", "second": "solver:megabytes=65536"}, {"game": "tree", "second": "mcts:room=200000000"},
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
    for name in games.names():
        catalogue = Catalogue([games.built_in(name)])
        for cls in catalogue.kinds(games.built_in(name)).values():
            for option in open_options(cls.options(), Bounds()):
                assert option.kind is not str or option.choices, f"{name}, {cls.kind}: {option.name}"


def test_players_that_the_server_was_started_with(tmp_path: Path) -> None:
    agent = tmp_path / "my_agent.py"
    agent.write_text("class Agent:\n    def decide(self, position):\n        return position.actions[-1]\n")
    table = {name: games.built_in(name) for name in games.names()}
    given = given_players([f"{agent}:Agent", "tictactoe=mcts:simulations=7"], table)
    assert [each.label for each in given] == ["my_agent-Agent", "mcts-simulations_7"]
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
        assert Stubborn.entered.acquire(timeout=60)
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


def test_an_address_has_so_many_sessions_and_this_machine_more() -> None:
    crowd = Crowd(Bounds(sessions=5, sessions_of_an_address=2))
    assert [crowd.enter("192.168.0.9") for _ in range(3)] == [True, True, False]
    assert [crowd.enter("127.0.0.1") for _ in range(4)] == [True, True, True, False]
    crowd.leave("192.168.0.9")
    assert crowd.enter("192.168.0.8") and crowd.total == 5


def test_a_page_that_does_not_listen_is_given_up() -> None:
    """Its machines stop playing when it takes nothing, and its socket is closed."""
    with running(send_seconds=0.3) as server:
        page = Page(server)
        page.say("open", game="pacman:layout=originalClassic")
        for ply in range(2_000):  # each answer is a picture of some 60,000 characters
            page.say("jump", ply=0)
            if ply % 100 == 99 and not server.status()["sessions"]:
                break
        server.wait_until(sessions=0)


def test_a_silent_search_is_counted(page: Page) -> None:
    page.change("open", game="connect_four", first="alphabeta:depth=30")
    seen = [page.hear("progress")["found"] for _ in range(2)]
    assert 0 < seen[0]["nodes"] < seen[1]["nodes"] and seen[1]["speed"] > 0
    page.say("stop")
    assert page.settled()["plies"] == 1


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
    assert Stubborn.entered.acquire(timeout=60)
    assert page.change("undo")["plies"] == 0  # it still thinks
    page.change("move", move="1")  # a new one thinks beside it
    assert Stubborn.entered.acquire(timeout=60)
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
    assert "everything" in page.hear("compiling")["what"]["ko"]
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
        assert games.game("tictactoe").position(" ".join(page.moves)).text == page.state["position"]
        page.close()
    server.wait_until(sessions=0, searching=0)
