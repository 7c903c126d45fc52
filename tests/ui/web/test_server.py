"""The server half of the web app: pages and every message. A real server, real sockets."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from support.web_page import Page, Server, running
from support.web_players import Stubborn, Telling
from websockets.exceptions import InvalidStatus

from hansu.core import Game, registry, rules, score
from hansu.core.generic import actions, over, play
from hansu.games.ataxx.pgn import read_pgn
from hansu.ui.web.catalogue import Catalogue

# Pages and the catalogue.


def test_every_game_has_its_address_and_the_rest_is_missing(server: Server) -> None:
    for name in ("", *registry.names(), "toy", "connect_four/"):
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
    assert set(found) == {*registry.names(), "toy"}
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
    engine = next(p for p in found["ataxx"]["players"] if p["kind"] == "engine")
    assert next(o for o in engine["options"] if o["name"] == "hash")["high"] == 256


def test_nothing_speaks_of_the_lecture_to_strangers(server: Server) -> None:
    for path in ("/api/catalogue", "/api/languages", *(f"/api/rules/{name}" for name in registry.names())):
        told = server.get(path)[2].lower()
        assert [word for word in ("lecture", "the course's", "course report", "강의", "수업") if word in told] == [], (
            path
        )


def test_seats_are_called_by_the_colours_of_their_pieces(server: Server) -> None:
    found = {game["name"]: game for game in json.loads(server.get("/api/catalogue")[2])["games"]}
    seats = {name: [seat["en"] for seat in game["seats"]] for name, game in found.items()}
    assert seats["ataxx"] == seats["triangles"] == ["Red", "Blue"] and seats["connect_four"] == ["Red", "Yellow"]
    assert [seat["ko"] for seat in found["ataxx"]["seats"]] == ["빨강", "파랑"]


def test_the_languages_and_the_words_of_the_page(server: Server) -> None:
    told = json.loads(server.get("/api/languages")[2])
    assert list(told) == ["en", "ko"] and told["ko"]["name"] == "한국어"
    assert told["en"]["page"]["to_end"] == "Last position" and told["ko"]["page"]["to_end"] == "마지막 국면"


def test_large_options_are_known_to_be_harmless_or_counted_as_memory() -> None:
    harmless = {"seed", "simulations", "playout_plies"}
    for name in registry.names():
        for cls in Catalogue([registry.built_in(name)]).kinds(registry.built_in(name)).values():
            for option in cls.options():
                high = option.high if option.high is not None else float("inf")
                if option.kind is int and high > 1 << 16 and option.name not in harmless:
                    assert option.bytes_each, f"{name}, {cls.kind}: {option.name}"


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
    from hansu.ui.web.security import Hosts

    wide = Hosts("0.0.0.0", ["class.example"])
    for host in ("192.168.0.7:8000", "[fe80::1]:8000", "class.example", "localhost:1"):
        assert wide.allow(host)
    for host in ("evil.example", "", None, "[x"):
        assert not wide.allow(host)
    narrow = Hosts("192.168.0.7")
    assert narrow.allow("192.168.0.7:8000") and narrow.allow("127.0.0.1") and not narrow.allow("192.168.0.8")


# Playing.


@pytest.mark.parametrize("name", registry.names())
def test_a_whole_game_against_a_machine(page: Page, name: str) -> None:
    small = {"triangles": ":points=7", "pacman": ":layout=testClassic,ghosts=1"}.get(name, "")
    chance = random.Random(3)
    page.change("open", game=name + small, second="random:seed=1")
    while not page.settled()["over"]:
        state = page.state
        assert state["mover"] == 0 and state["seats"][0]["human"]
        at = registry.game(name + small).position(state["position"]) if state["position"] else None
        if at is not None:
            assert [choice["move"] for choice in state["choices"]] == [at.move_text(a) for a in at.actions]
        page.change("move", action=chance.choice(state["choices"])["action"], ply=state["ply"])
    result = page.state["result"]
    assert result["how"] == "played" and result["text"]["ko"] and page.state["choices"] == []
    again = registry.game(name + small).first
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
    with running([registry.game(f"tree:file={file}")]) as server:
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
    with running([registry.game(str(nim_path))]) as server:
        page = Page(server)
        state = page.change("open", game="nim:heap=2", second="alphabeta:interpreted=true")
        assert all(choice["touch"] == [] for choice in state["choices"])
        page.change("move", move=state["choices"][0]["move"])
        assert len(page.settled()["moves"]) == 1
        found = page.ask("analyse", "analysis", player="mcts:interpreted=true", seconds=0.5)["found"]
        assert len(found["moves"]) == len(page.state["choices"])
        page.close()


class Words:
    """A game whose actions are words and whose state is no tuple: whoever says the last of the words wins."""

    def __init__(self, left: tuple[str, ...] = ("a", "bb", "ccc"), said: int = 0) -> None:
        self.left, self.said = left, said


rules(
    Words, actions=lambda s: iter(s.left), play=lambda s, a: Words(tuple(w for w in s.left if w != a), s.said + 1),
    legal=lambda s, a: a in s.left, over=lambda s: not s.left, score=lambda s: 1 if s.said % 2 else -1,
    mover=lambda s: s.said % 2,
)  # fmt: skip


def test_a_game_whose_actions_are_no_numbers() -> None:
    texts = {"en": "words", "ko": "낱말"}
    spoken = Game(
        name="words", title=texts, about=texts, state=Words, start=Words, move_text=lambda s, a: a, small=True
    )
    with running([spoken]) as server:
        page = Page(server)
        state = page.change("open", game="words", second="mcts:simulations=20")
        assert [(choice["action"], choice["move"]) for choice in state["choices"]] == [(0, "a"), (1, "bb"), (2, "ccc")]
        page.change("move", action=2)
        assert page.settled()["plies"] == 2 and page.moves[0] == "ccc"
        page.change("jump", ply=0)
        found = page.ask("analyse", "analysis", player="iterative")["found"]
        assert {move["move"]: move["value"] for move in found["moves"]} == {"a": 1, "bb": 1, "ccc": 1}
        assert page.ask("xray", "xray", player="mcts:simulations=9")["tree"][0]["value"] == "9"
        page.close()


# Advice.


def test_a_hint_is_a_legal_move_with_a_reason(page: Page) -> None:
    page.change("open", game="tictactoe", moves=["1", "5", "2", "9"])
    found = page.ask("hint", "hint", player="alphabeta")["found"]
    assert found["move"] == "3" and found["proved"] and found["why"]["ko"] and found["value"] == 1.0
    assert found["line"][0] == "3" and page.ask("hint", "hint")["found"]["move"] == "3"


def test_whatever_a_report_holds_reaches_the_page(page: Page) -> None:
    """A field that is added to `Report` is told in progress, hints, analyses and notes."""
    page.change("open", game="toy", second="telling")
    number = page.say("hint", player="telling")
    assert page.hear("progress")["found"]["swings"] == 3
    Telling.heard.set()
    told = page.hear("hint")
    assert told["re"] == number and told["found"]["swings"] == 7 and told["found"]["why"] == "plain words"
    assert page.ask("analyse", "analysis", player="telling", seconds=1)["found"]["swings"] == 7
    page.change("move", move="5")
    page.settled()
    assert page.notes[1]["found"] == {**told["found"], "seconds": page.notes[1]["found"]["seconds"]}
    assert page.notes[1]["found"]["value"] == 0.5


def exact(s: Any) -> float:
    """Plain minimax, the oracle."""
    if over(s):
        return float(score(s))
    values = [exact(play(s, a)) for a in actions(s)]
    return max(values) if registry.built_in("tictactoe").first.mover == mover_of(s) else min(values)


def mover_of(s: Any) -> int:
    from hansu.core import mover

    return int(mover(s))


@pytest.mark.parametrize("player", ["minimax", "alphabeta", "iterative"])
def test_analysis_ends_with_every_moves_true_value(page: Page, player: str) -> None:
    moves = ["5", "1", "9"]
    page.change("open", game="tictactoe", moves=moves)
    told = page.ask("analyse", "analysis", player=player, seconds=60)
    at = registry.game("tictactoe").position(" ".join(moves))
    truth = {at.move_text(a): exact(play(at.state, a)) for a in at.actions}
    assert told["ended"] == "finished" and told["found"]["proved"]
    assert {move["move"]: move["value"] for move in told["found"]["moves"]} == truth
    assert all("bound" not in move for move in told["found"]["moves"])
    assert truth[told["found"]["move"]] == min(truth.values())


def test_a_proof_tells_what_comes_after_several_moves(page: Page) -> None:
    """A whole line ends the game when its value says so. (The solver tells as much of one as it finds quickly.)"""
    opening = list("4444422453355")
    page.change("open", game="connect_four", moves=opening)
    found = page.ask("analyse", "analysis", player="solver", seconds=60)["found"]
    told = [move for move in found["moves"] if move.get("line")]
    assert len(told) == 3 and found["line"] in [move["line"] for move in told]
    assert any(len(move["line"]) > 1 for move in told)  # all of them, where nobody keeps the solver from its time
    for move in told:
        end = registry.game("connect_four").position(" ".join([*opening, *move["line"]]))
        assert move["line"][0] == move["move"]
        assert (end.over and end.score == 1) if len(move["line"]) == move["plies"] else not end.over


def test_a_sure_win_proves_the_position_before_every_move_is_proved(page: Page) -> None:
    page.change("open", game="connect_four", moves=["1", "2", "1", "2", "1", "2"])
    found = page.ask("analyse", "analysis", player="iterative", seconds=300, depth=3)["found"]
    assert (found["move"], found["value"], found["proved"], found["plies"]) == ("1", 1.0, True, 1)
    assert not all(move.get("proved") for move in found["moves"]) and len(found["moves"]) == 7


def test_where_a_win_is_proved_at_once_the_other_moves_are_judged_too(page: Page) -> None:
    start = "xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/xxxxx2/xxxxx1o/xxxxxx1 x 0 1"  # whoever reaches the last of o wins
    page.change("open", game="ataxx", start=start)
    found = page.ask("analyse", "analysis", player="engine", seconds=300, depth=2)["found"]
    assert (found["value"], found["proved"], found["plies"]) == (1.0, True, 1)
    assert len(found["moves"]) == len(page.state["choices"]) > 10


@pytest.mark.parametrize(("game", "moves"), [("renju", ["h8", "i9", "k10", "g6"]), ("ataxx", ["g2", "b1"])])
def test_the_best_moves_of_an_engine_are_looked_at_together(page: Page, game: str, moves: list[str]) -> None:
    """All moves are judged; the best three are the engine's own lines, and no other is shown as better than these."""
    page.change("open", game=game, moves=moves)
    found = page.ask("analyse", "analysis", player="engine", seconds=300, depth=4)["found"]
    position = registry.game(game).position(" ".join(moves))
    assert {move["move"] for move in found["moves"]} == {position.move_text(action) for action in position.actions}
    best, others = found["moves"][:3], found["moves"][3:]
    for move in best:  # each can be played
        assert move["line"][0] == move["move"] and len(move["line"]) > 1
        position.game.position(" ".join([*moves, *move["line"]]))
    side = -1 if position.team else 1
    worth = [side * move["value"] for move in best]
    assert worth == sorted(worth, reverse=True) and worth[0] == side * found["value"]
    assert max(side * move["value"] for move in others) <= worth[-1]
    assert found["line"] == best[0]["line"] and found["depth"] == 4


@pytest.mark.parametrize("who", ["engine:depth=1", "alphabeta:depth=1"])
def test_one_ply_is_an_analysis_too(page: Page, who: str) -> None:
    page.change("open", game="ataxx")
    told = page.ask("analyse", "analysis", player=who, seconds=60)
    assert told["ended"] == "finished" and told["found"]["value"] is not None
    assert page.ask("analyse", "analysis", player="engine", depth=1, seconds=60)["ended"] == "finished"


def test_who_cannot_look_deeper_is_asked_once(page: Page) -> None:
    page.change("open", game="tictactoe", moves=["1", "5"])
    told = page.ask("analyse", "analysis", player="policy", seconds=60)
    moves = told["found"]["moves"]
    assert told["ended"] == "finished" and len(moves) == 7
    assert sum(move["prior"] for move in moves) == pytest.approx(1, abs=0.01)
    assert all("value" not in move for move in moves)  # a first thought of them is all that it has


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
    page.say("analyse", player="mcts", seconds=300)
    while not page.hear("progress")["found"].get("moves"):
        pass
    page.say("stop")
    told = page.hear("analysis")
    assert told["ended"] == "stopped" and len(told["found"]["moves"]) == 7
    assert all(move["visits"] > 0 for move in told["found"]["moves"])


def test_analysis_has_its_time(page: Page) -> None:
    page.change("open", game="connect_four")
    assert page.ask("analyse", "analysis", player="iterative", seconds=0.1)["ended"] == "time"


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


@pytest.mark.parametrize(("game", "player"), [("connect_four", "puct"), ("tictactoe", "puct"), ("tree", "puct")])
def test_the_xray_of_a_guided_tree_adds_up(page: Page, game: str, player: str) -> None:
    """With a network and without one. A node's first visit is its own; a proved value is visited no more."""
    page.change("open", game=game)
    told = page.ask("xray", "xray", player=f"{player}:simulations=30")
    nodes = told["tree"]
    assert told["kind"] == "visits" and nodes[0]["value"] == str(len(told["steps"])) and len(told["steps"]) <= 30
    for i, node in enumerate(nodes):
        below = [int(other["value"]) for other in nodes if other["parent"] == i]
        assert sum(below) <= int(node["value"]) <= sum(below) + 1
        assert i == 0 or node["move"].endswith("%"), "the prior is told"
    last = {label[0]: label[1] for step in told["steps"] for label in step["labels"]}
    assert last == {node["born"]: node["value"] for node in nodes}
    refused = page.refused("xray", player="puct:algorithm=gumbel")
    assert "one by one" in refused["text"]["en"]


def test_an_xray_that_is_too_large_says_what_to_change_on_the_page(page: Page) -> None:
    page.change("open", game="ataxx")
    refused = page.refused("xray", player="minimax:depth=3", most=10)
    assert refused["code"] == "too_large" and "10 nodes" in refused["text"]["en"]
    assert refused["hint"]["en"] == "allow more nodes"


def test_the_xray_grows_as_deep_as_there_is_room(page: Page) -> None:
    page.change("open", game="connect_four")
    small = page.ask("xray", "xray", player="alphabeta", most=60)
    large = page.ask("xray", "xray", player="alphabeta", most=2000)
    assert small["nodes"] <= 60 < large["nodes"] <= 2000
    assert small["remark"] is large["remark"] is None
    deep = page.ask("xray", "xray", player="minimax:depth=9")
    assert deep["nodes"] == 1 + 7 + 49 + 343 and deep["remark"]["en"].endswith("than 400 nodes; the tree shows depth 3")
    assert deep["remark"]["ko"] != deep["remark"]["en"]
    assert page.refused("xray", player="solver")["code"] == "refused"


def test_whose_search_shows_how_a_seat_thinks(page: Page) -> None:
    """A level is a name for another player; what errs like people looks ahead by alpha-beta."""
    for game, player, drawn in (
        ("connect_four", "level:3", "alphabeta:depth=2"),
        ("tictactoe", "level:10", "minimax"),
        ("tree", "expectimax:depth=1", "expectimax:depth=1"),
        ("renju", "engine", None),
        ("ataxx", "level:10", None),
    ):
        seats = page.change("open", game=game, second=player)["seats"]
        assert [seat["xray"] for seat in seats] == [None, drawn], player


def test_there_is_no_negative_zero_in_an_xray(page: Page) -> None:
    page.change("open", game="renju", moves=["h8", "h9"])
    told = page.ask("xray", "xray", player="alphabeta:depth=1")
    values = {node["value"] for node in told["tree"]}
    assert "0" in values and "-0" not in values


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
    assert told["moves"] == moves and told["thoughts"][0] is None
    assert told["thoughts"][1]["why"]["ko"] and told["thoughts"][1]["value"] is None
    page.change("open", game=told["game"], start=told["start"], moves=told["moves"])
    assert page.state["position"] == position and page.ask("export", "file", format="txt")["text"].split() == moves
    assert page.refused("export", format="exe")["code"] == "refused"
