"""The players `policy` and `puct`, and their network files."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Run, stopped_from_outside
from support.small_network import write_network

from hansu.arena.roster import player
from hansu.core import Control, Game, HansuError, Limit, Position, Report, generic, registry, rules
from hansu.core.generic import planes
from hansu.search.chance import step_chance
from hansu.search.network import Network, game_network, network_of, shipped
from hansu.search.players.puct import Puct

SHAPE, ACTIONS = (2, 6, 7), 7


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(
        tmp_path_factory.mktemp("networks") / "c4.onnx", SHAPE, ACTIONS, notes={"game": "connect_four", "run": "test"}
    )


def connect_four() -> Game:
    return registry.game("connect_four")


def test_network_outputs_and_notes(network: Path) -> None:
    loaded = game_network(network, connect_four().first)
    assert loaded.notes == {"game": "connect_four", "run": "test"}
    policy, value = loaded(np.zeros((5, *SHAPE), np.float32))
    assert policy.shape == (5, 7) and value.shape == (5, 3)
    assert value.sum(1) == pytest.approx(np.ones(5))


def test_outputs_are_selected_by_name(tmp_path: Path) -> None:
    path = write_network(tmp_path / "n.onnx", SHAPE, 3, names=("planes", "value", "policy"))  # both have three numbers
    with pytest.raises(HansuError, match="another shape"):
        game_network(path, connect_four().first)
    first, second = Network(path, {"planes": SHAPE}, {"policy": (3,), "value": (3,)})(np.ones((1, *SHAPE), np.float32))
    assert first.sum() == pytest.approx(1) and second.sum() != pytest.approx(1)


def test_wrong_networks_are_rejected(tmp_path: Path, network: Path) -> None:
    first = connect_four().first
    other_game = write_network(tmp_path / "a.onnx", SHAPE, ACTIONS, notes={"game": "reversi:size=6"})
    with pytest.raises(HansuError, match="is a network for reversi"):
        game_network(other_game, first)
    for shape, actions in (((3, 6, 7), 7), ((2, 7, 7), 7), (SHAPE, 8)):
        wrong = write_network(tmp_path / "b.onnx", shape, actions)
        with pytest.raises(HansuError, match="another shape") as caught:
            game_network(wrong, first)
        assert "expected: " in caught.value.hint
    with pytest.raises(HansuError, match="another shape"):
        game_network(network, registry.game("connect_four:width=8").first)
    with pytest.raises(HansuError, match="no model file"):
        player("puct:network=nowhere.onnx", connect_four()).decide(first)
    nan = write_network(tmp_path / "nan.onnx", SHAPE, ACTIONS, value=[float("nan")] * 3)
    for kind in ("policy", "puct"):
        with pytest.raises(HansuError, match="NaN or infinite"):
            player(f"{kind}:network={nan}", connect_four()).decide(first)


def test_damaged_files_are_rejected(tmp_path: Path, network: Path) -> None:
    whole = network.read_bytes()
    for content in (b"", b"not a model", whole[: len(whole) // 2], whole[:-100], b"\x00" * 1000):
        broken = tmp_path / "broken.onnx"
        broken.write_bytes(content)
        with pytest.raises(HansuError) as caught:
            game_network(broken, connect_four().first)
        assert "broken.onnx" in caught.value.what


def test_network_of_a_game_file(nim_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "nim.py"
    shutil.copy(nim_path, file)
    game = registry.game(f"{file}:heap=2")
    assert shipped(game) is None and network_of(game.first) is None
    with pytest.raises(HansuError, match="comes without a network"):
        player("policy", game).decide(game.first)
    assert "without a network" in player("puct:simulations=50", game).decide(game.first).why
    logits = [0.0] * 48
    logits[16] = 5.0
    write_network(tmp_path / "nim.onnx", (4, 1, 63), 48, policy=logits, value=[0.6, 0.1, 0.3], notes={"game": "nim"})
    decision = player("policy", game).decide(game.first)
    assert decision.action == 16
    assert "the network's" in player("puct:simulations=50", game).decide(game.first).why


def test_other_board_sizes_have_no_network(nim_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "nim.py"
    shutil.copy(nim_path, file)
    write_network(tmp_path / "nim.onnx", (9, 1, 63), 48)
    assert network_of(registry.game(str(file)).first) is None


def test_policy_plays_the_most_probable_move(network: Path) -> None:
    game = connect_four()
    loaded = game_network(network, game.first)
    who = player(f"policy:network={network}", game)
    for text in ("start", "4 4 3", "1 1 1 1 1 1"):
        position = game.position(text)
        batch = np.zeros((1, *SHAPE), np.float32)
        planes(position.state, batch[0])
        logits, chances = loaded(batch)
        legal = list(position.actions)
        decision = who.decide(position)
        assert decision.action == legal[int(logits[0][legal].argmax())]
        report = decision.report
        assert sum(report.policy.values()) == pytest.approx(1) and list(report.policy) == legal
        side = chances[0] if position.team == 0 else chances[0][::-1]
        assert report.chances == pytest.approx(tuple(side))
        assert report.value == pytest.approx(side[0] - side[2])
        assert decision.why.to("ko")  # type: ignore[attr-defined]


def test_policy_averages_symmetries(network: Path) -> None:
    game = connect_four()
    plain, both = player(f"policy:network={network}", game), player(f"policy:network={network},symmetries=all", game)
    here, there = game.position("4 4 3 1 1 1 1 1 1"), game.position("4 4 5 7 7 7 7 7 7")
    one, other, mean = (who.decide(at).report for who, at in ((plain, here), (plain, there), (both, here)))
    assert one.policy != pytest.approx({6 - a: share for a, share in other.policy.items()})
    assert mean.policy == pytest.approx({a: (share + other.policy[6 - a]) / 2 for a, share in one.policy.items()})
    assert mean.value == pytest.approx((one.value + other.value) / 2) and mean.nodes == 2


def test_policy_samples_by_temperature(network: Path) -> None:
    game = connect_four()
    best = player(f"policy:network={network}", game).decide(game.first)
    who = player(f"policy:network={network},temperature=1,seed=4", game)
    sampled = [who.decide(game.first).action for _ in range(400)]
    for action, share in best.report.policy.items():
        assert sampled.count(action) / 400 == pytest.approx(share, abs=0.08)
    again = player(f"policy:network={network},temperature=1,seed=4", game)
    assert [again.decide(game.first).action for _ in range(400)] == sampled


def checked(decision: Any, position: Position) -> Report:
    report: Report = decision.report
    assert decision.action in position.actions and report.line[0] == decision.action
    assert decision.why and decision.why.to("ko")
    assert position.line_text(report.line)
    assert sum(report.policy.values()) == pytest.approx(1)
    assert [move.action for move in report.moves] == list(position.actions)
    return report


def test_puct_reports_visits_priors_values_and_chances(network: Path) -> None:
    game = connect_four()
    position = game.position("4 4 3")
    reports: list[Report] = []
    decision = player(f"puct:network={network},simulations=200", game).decide(position, control=Control(reports.append))
    report = checked(decision, position)
    assert report.nodes == 200 == sum(move.visits or 0 for move in report.moves)
    assert sum(move.prior or 0 for move in report.moves) == pytest.approx(1, abs=1e-5)
    assert report.chances is not None and sum(report.chances) == pytest.approx(1)
    assert report.chances[0] - report.chances[2] == pytest.approx(report.value)
    assert reports and reports[-1].nodes <= 200 and reports[0].nodes >= 64
    assert "of 200 visits" in decision.why and "the network's first choice" in decision.why


@pytest.mark.parametrize(
    "more", ["", ",algorithm=gumbel", ",symmetries=all", ",symmetries=one,batch_size=8", ",prune=3"]
)
def test_puct_finds_wins(network: Path, more: str) -> None:
    game = connect_four()
    for text, best in (("4 1 4 1 4 1", 3), ("4 1 4 1 4", 3)):
        position = game.position(text)
        decision = player(f"puct:network={network},simulations=600{more}", game).decide(position)
        if more != ",prune=3":
            assert decision.action == best
        if best == 3 and len(position.history) == 6 and not more:
            assert decision.report.proved and decision.report.value == 1 and "wins" in decision.why


def test_puct_keeps_its_tree_between_moves(network: Path) -> None:
    game = connect_four()
    who = player(f"puct:network={network},simulations=300", game)
    assert isinstance(who, Puct)
    position = game.first
    first = who.decide(position)
    after = position.play(first.action)
    after = after.play(after.actions[0])
    kept = next(b for b in who.search_for(position).branches() if b.action == first.action)
    below = {b.action: b.visits for b in who.search_for(position).branches(kept.slot)}
    second = checked(who.decide(after), after)
    assert second.nodes == 300
    assert sum(move.visits or 0 for move in second.moves) >= 300 + max(0, below[after.last] - 2)
    who.new_game()
    assert sum(move.visits or 0 for move in who.decide(after).report.moves) == 300
    elsewhere = game.position("1 2 3")
    assert sum(move.visits or 0 for move in who.decide(elsewhere).report.moves) == 300


def test_puct_is_repeatable(network: Path) -> None:
    game = connect_four()
    spec = f"puct:network={network},simulations=150,symmetries=one,seed=9"
    reports = [player(spec, game).decide(game.first).report.moves for _ in range(2)]
    assert reports[0] == reports[1]


def test_puct_respects_nodes_time_and_stop(network: Path) -> None:
    game = connect_four()
    who = player(f"puct:network={network}", game)
    assert who.decide(game.first, Limit(nodes=37)).report.nodes == 37
    who = player(f"puct:network={network},simulations=50", game)
    assert who.decide(game.first, Limit(nodes=370)).report.nodes == 50
    for spec in (f"puct:network={network}", "puct:network=none"):
        who = player(spec, game)
        who.decide(game.first, Limit(nodes=1))  # compiled
        stopped = Control()
        stopped.stop()
        assert who.decide(game.position("4"), Limit(time=100), stopped).action in range(7)
        control = Control()
        with stopped_from_outside(control) as tell:
            control.on_report = tell
            decision = who.decide(game.position("4 4"), Limit(time=86_400), control)
        assert control.stopped and decision.report.nodes > 0


def test_without_a_network() -> None:
    game = connect_four()
    position = game.position("4 4 3 3 2")  # the first player threatens both ends
    for more in ("", ",playout_plies=0", ",algorithm=gumbel"):
        who = player(f"puct:network=none,simulations=3000{more}", game)
        decision = who.decide(position)
        checked(decision, position)
        assert decision.report.chances is None and "without a network" in decision.why
    wins = game.position("4 1 4 1 4 1")
    assert player("puct:network=none,simulations=500", game).decide(wins).report.proved


def test_interpreted_equals_compiled(network: Path) -> None:
    game = connect_four()
    for spec in (f"puct:network={network},simulations=40", "puct:network=none,simulations=60"):
        fast, slow = (player(spec + more, game).decide(game.first) for more in ("", ",interpreted=true"))
        assert fast.report.moves == slow.report.moves and fast.why == slow.why


class Heap:
    """Nim with one heap, as an ordinary class: take 1 to 3, the last stone wins."""

    def __init__(self, stones: int, turn: int) -> None:
        self.stones, self.turn = stones, turn

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Heap) and (self.stones, self.turn) == (other.stones, other.turn)

    def __hash__(self) -> int:
        return hash((self.stones, self.turn))


rules(
    Heap,
    actions=lambda s: iter([f"take {n}" for n in range(1, min(3, s.stones) + 1)]),
    play=lambda s, a: Heap(s.stones - int(a[-1]), 1 - s.turn),
    over=lambda s: s.stones == 0,
    score=lambda s: 1 if s.turn else -1,
    mover=lambda s: s.turn,
)


def test_object_states_are_searched_without_a_network(network: Path) -> None:
    game = Game(name="heap", title={"en": "Heap"}, about={"en": "take"}, state=Heap, start=lambda: Heap(7, 0))
    who = player("puct:simulations=300", game)
    position = game.first
    decision = who.decide(position)
    assert decision.action == "take 3" and decision.report.proved  # leaves four
    position = position.play("take 3").play("take 1")
    assert who.decide(position).action == "take 3"


def test_every_game_is_played_without_a_network(nim_path: Path) -> None:
    for name in (*registry.names(), f"{nim_path}:heap=2"):
        game = registry.game(name)
        chance = random.Random(4)
        who = player("puct:network=none,simulations=40", game)
        position = step_chance(game.first, chance)
        for _ in range(4):
            if position.over:
                break
            decision = who.decide(position)
            checked(decision, position)
            position = step_chance(position.play(decision.action), chance)


def test_forced_moves_are_played_first(tmp_path: Path) -> None:
    game = registry.game("renju")
    shape = game.plane_shape
    assert shape is not None
    actions = int(generic.action_count(game.first.state))
    network = write_network(tmp_path / "renju.onnx", shape, actions, notes={"game": "renju"})
    spec = f"puct:network={network},simulations=30,forced_moves=true"
    five = game.position("h8 a1 h9 a2 h10 a3 h11 a4")  # four blacks in a row: black makes five
    decision = player(spec, game).decide(five)
    assert five.move_text(decision.action) in ("h7", "h12") and "five" in decision.why
    assert decision.report.value == 1
    stop = game.position("a1 h8 c1 h9 e1 h10 g1 h11")
    decision = player(spec, game).decide(stop)
    assert stop.move_text(decision.action) in ("h7", "h12") and "stops" in decision.why
    quiet = game.position("h8 h9 i9")
    report = checked(player(spec, game).decide(quiet), quiet)
    assert report.nodes == 30
    with pytest.raises(HansuError, match="no forced moves"):
        player("puct:forced_moves=true", connect_four()).decide(connect_four().first)


@pytest.mark.parametrize("name", ["run/champion.onnx", "run/champion.npz", "run"])
def test_missing_onnx_file_hints_at_export(tmp_path: Path, name: str) -> None:
    """A training without `onnx` leaves only the .npz file."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "champion.npz").write_bytes(b"PK arrays")
    with pytest.raises(HansuError) as raised:
        player(f"puct:network={tmp_path / name}", connect_four()).decide(connect_four().first)
    assert f"hansu train --export {tmp_path / 'run' / 'champion.npz'}" in raised.value.hint
    assert "pip install 'hansu[train]'" in raised.value.hint


@pytest.mark.parametrize("content", [b"", b"no model at all \xff\x00" * 20])
def test_error_for_a_file_that_is_not_onnx(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(content)
    with pytest.raises(HansuError, match="is not an ONNX model") as raised:
        player(f"puct:network={path}", connect_four()).decide(connect_four().first)
    assert "ONNXRuntimeError" not in raised.value.what and raised.value.what.count(str(path)) == 1
    assert "hansu train" in raised.value.hint and "--export" not in raised.value.hint


def test_missing_network_is_reported_first(hansu: Run, tmp_path: Path) -> None:
    """Before compilation, and before any search."""
    env = {**os.environ, "HANSU_CACHE": str(tmp_path / "cold")}
    for words in (("analyze", "tictactoe", "5", "--player"), ("match", "tictactoe", "random")):
        done = hansu(*words, "puct:network=none.onnx", env=env)
        assert done.returncode == 2 and done.stderr.startswith("error: there is no model file"), done.stderr
        assert "hansu train" in done.stderr and not (tmp_path / "cold").exists()
