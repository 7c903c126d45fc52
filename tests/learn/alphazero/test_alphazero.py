"""Self-play training: its parts, small complete runs, and runs that are killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Run as Command

pytest.importorskip("torch")
import torch

from hansu.core import Game, HansuError, generic, registry, unpack
from hansu.learn.alphazero.batch_players import NetworkPlayer, PlayerAdapter, play_games
from hansu.learn.alphazero.evaluator import Evaluator, PlayingNetwork
from hansu.learn.alphazero.games import Games, Openings, sparse_policy
from hansu.learn.alphazero.gating import elo_of, expected_score, gate_match, log_likelihood_ratio, rating
from hansu.learn.alphazero.progress import RunProgress
from hansu.learn.alphazero.settings import AlphaZeroSettings, filled, preset_for, simulations_of
from hansu.learn.alphazero.sparring import Sparring
from hansu.learn.alphazero.start_positions import StartPositions
from hansu.learn.alphazero.training import Training
from hansu.learn.champion import export_champion, export_hint
from hansu.learn.cuda import Stream
from hansu.learn.encoding import Encoding
from hansu.learn.learner import Diverged, Learner, LearningRateSchedule, TrainingBatch
from hansu.learn.networks import Size, build
from hansu.learn.recipe import Job
from hansu.learn.recipes.alphazero import AlphaZeroRecipe
from hansu.learn.replay_buffer import BatchEncoder, ReplayBuffer
from hansu.learn.run import Run
from hansu.learn.samples import Board, Samples
from hansu.search.forest import Forest, packed
from hansu.search.players.named import player_named

TINY = {"channels": "8", "blocks": "1", "games": "16", "simulations": "4,8", "batch": "32", "min_window": "64",
        "rating_games": "4", "rating_simulations": "4", "log_seconds": "0.2", "checkpoint_seconds": "1",
        "rating_opponents": "random", "rating_minutes": "0.01"}  # fmt: skip


def module_arguments(settings: dict[str, str]) -> list[str]:
    """The arguments of `python -m` for a run of tic-tac-toe in the folder `run`."""
    flags = [f"--{key.replace('_', '-')}={value}" for key, value in settings.items()]
    return ["hansu.learn", "tictactoe", "alphazero", "--run", "run", *flags]


def random_games(game: Game, rounds: int, count: int = 12, **more: Any) -> tuple[list[Any], Games, Board]:
    """Games at once, with random moves and policies."""
    board, view = Board(game), Encoding(game)
    openings = Openings(packed([board.first.state]), more.pop("random_share", 0.5), 3, more.pop("restart_share", 0.0))
    options = {"max_plies": 1000, "resign": 0.0, "seed": 3} | more
    games = Games(game, board, count, view.shape.actions, openings, **options)
    chance, ended = random.Random(1), []
    for number in range(rounds):
        policy = np.zeros((count, view.shape.actions), np.float32)
        chosen = np.zeros(count, np.int64)
        for i in range(count):
            legal = list(generic.actions(unpack(board.first.state, games.now[i])))
            policy[i, legal] = 1 / len(legal)
            chosen[i] = chance.choice(legal)
        done = games.move(chosen, policy, np.full(count, number / 1000, np.float32), number % 3 != 0)
        if done is not None:
            ended.append(done)
    return ended, games, board


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "pacman", "tree"])
def test_samples_of_a_game_are_its_positions(name: str) -> None:
    """They follow each other by legal moves and have the game's result; the ring grows if games are long."""
    game = registry.game(name)
    ended, _, board = random_games(game, 160)
    assert sum(len(done.results) for done in ended) > 10
    for done in ended:
        s = done.samples
        assert set(s.game.tolist()) <= set(range(len(done.results)))
        for i in range(len(s)):
            state = unpack(board.first.state, s.state[i])
            assert not generic.over(state) and generic.team(state) == s.team[i]
            assert s.result[i] == np.sign(s.score[i]) == done.results[s.game[i]]
            assert s.ply[i] + s.left[i] == done.lengths[s.game[i]]
            assert s.share[i].sum() == pytest.approx(1.0, abs=1e-5)
            legal = set(generic.actions(state))
            assert {a for a in s.action[i].tolist() if a >= 0} <= legal
            if (
                i
                and s.game[i] == s.game[i - 1]
                and s.ply[i] == s.ply[i - 1] + 1
                and name in ("tictactoe", "connect_four")
            ):
                before = unpack(board.first.state, s.state[i - 1])
                assert state in {generic.play(before, a) for a in generic.actions(before)}


def test_fast_moves_become_no_samples() -> None:
    ended, _, _ = random_games(registry.game("tictactoe"), 120)
    rows, plies = sum(len(done.samples) for done in ended), sum(int(done.lengths.sum()) for done in ended)
    openings = sum(
        int((done.lengths - np.bincount(done.samples.game, minlength=len(done.lengths))).sum()) for done in ended
    )
    assert 0.4 * plies < rows < 0.67 * plies and openings > 0


def test_games_that_are_too_long_are_draws() -> None:
    ended, _, _ = random_games(registry.game("connect_four"), 60, max_plies=7, random_share=0.0)
    assert all((done.lengths <= 7).all() for done in ended)
    assert any((done.results == 0).any() for done in ended)


def test_resignations_end_games_and_are_checked() -> None:
    """Player 0's value grows to 0.16, so with a threshold of 0.1 the other side resigns early."""
    ended, _, _ = random_games(registry.game("connect_four"), 160, resign=0.1, count=40)
    late = ended[len(ended) * 2 // 3 :]
    results = Counter(np.concatenate([done.results for done in late]).tolist())
    assert results[1] > 3 * results[-1]
    assert sum(done.checked_resignations for done in ended) >= sum(done.wrong_resignations for done in ended) > 0


def test_games_restart_from_surprising_positions() -> None:
    """Most games begin in a position of an earlier game, at its ply there."""
    ended, _, _ = random_games(registry.game("connect_four"), 200, restart_share=0.95, random_share=0.0, count=40)
    known: dict[tuple[int, ...], int] = {}
    again = begun = 0
    for done in ended:
        s = done.samples
        for number in range(len(done.results)):
            rows = np.flatnonzero(s.game == number)
            if len(rows) and s.ply[rows[0]] > 3:  # the first three plies may not be samples
                begun += 1
                again += known.get(tuple(s.state[rows[0]].tolist())) == s.ply[rows[0]]
        known |= {tuple(state): ply for state, ply in zip(s.state.tolist(), s.ply.tolist(), strict=True)}
        assert ((s.ply + s.left) == done.lengths[s.game]).all()
    assert begun > 50 and again > begun / 2  # others begin in a position that is not a sample


def test_start_positions_are_the_surprising_ones() -> None:
    """Positions whose search predicted the result are never added, those with the opposite prediction always are."""
    ended, _, board = random_games(registry.game("tictactoe"), 60, count=40)
    samples = Samples.join([done.samples for done in ended])
    positions, chance = StartPositions(board.words, capacity=50), np.random.default_rng(1)
    positions.add(replace(samples, value=samples.result.astype(np.float32)), chance)
    assert len(positions) == 0
    decided = samples.take(np.flatnonzero(samples.result != 0)[:40])
    positions.add(replace(decided, value=-decided.result.astype(np.float32)), chance)
    assert len(positions) == 40
    states, plies = positions.draw(500, chance)
    pairs = {(*state, ply) for state, ply in zip(decided.state.tolist(), decided.ply.tolist(), strict=True)}
    assert {(*state, ply) for state, ply in zip(states.tolist(), plies.tolist(), strict=True)} == pairs
    positions.add(replace(decided, value=-decided.result.astype(np.float32)), chance)
    assert len(positions) == 50  # the newest


def test_example_games_can_be_replayed() -> None:
    game = registry.game("connect_four")
    ended, _, _ = random_games(game, 120)
    examples = [done.example for done in ended if done.example is not None]
    assert examples
    for actions in examples:
        position = game.first
        for action in actions:
            position = position.play(action)
        assert position.over


def test_sparse_policies_have_the_largest_entries() -> None:
    policy = np.array([[0.1, 0.0, 0.5, 0.15, 0.25], [0, 1, 0, 0, 0]], np.float32)
    action, share = np.zeros((2, 3), np.int32), np.zeros((2, 3), np.float32)
    sparse_policy(policy, action, share)
    assert action.tolist() == [[2, 4, 3], [1, -1, -1]]
    assert share[0] == pytest.approx([0.5 / 0.9, 0.25 / 0.9, 0.15 / 0.9]) and share[1].tolist() == [1, 0, 0]


@pytest.mark.parametrize("name", ["tictactoe", "connect_four", "ataxx", "tree"])
def test_batches_agree_with_the_rules(name: str) -> None:
    """Planes, legal moves, policies under symmetries, values from the mover's side: compared with interpreted rules."""
    game = registry.game(name)
    ended, _, board = random_games(game, 60)
    samples = Samples.join([done.samples for done in ended])
    samples = samples.take(np.arange(min(len(samples), 120)))
    view = Encoding(game)
    batch = TrainingBatch.empty(len(samples), view.shape, view.whole)
    BatchEncoder(game, board, 0.25, True, threads=2).encode(samples, batch, np.random.default_rng(5))
    turns = np.random.default_rng(5).integers(0, game.symmetries, len(samples))
    dark = sorted(board.handles) if game.plane_shape is None else []
    for i in range(len(samples)):
        state = unpack(board.first.state, samples.state[i])
        turned = generic.symmetric(state, int(turns[i]))
        planes = np.zeros(view.plane_shape, np.float32)
        generic.planes(turned, planes)
        planes[dark] = 0
        assert (batch.planes[i].numpy() == planes).all()
        legal = set(generic.actions(turned))
        assert set(np.flatnonzero(batch.legal[i].numpy()).tolist()) == legal
        policy = {generic.symmetric_action(state, int(a), int(turns[i])): float(p)
                  for a, p in zip(samples.action[i], samples.share[i], strict=True) if a >= 0}  # fmt: skip
        assert {a: float(batch.policy[i, a]) for a in policy} == pytest.approx(policy)
        assert float(batch.policy[i].sum()) == pytest.approx(1.0, abs=1e-5)
        sign = 1 if samples.team[i] == 0 else -1
        value = 0.75 * sign * int(samples.result[i]) + 0.25 * sign * float(samples.value[i])
        win, _, loss = batch.value[i].tolist()
        assert win - loss == pytest.approx(value, abs=1e-5) and float(batch.value[i].sum()) == pytest.approx(1.0)
        assert float(batch.score[i]) == pytest.approx(sign * float(samples.score[i]) / game.score_range)
    if dark:
        assert not batch.planes[:, dark].any()


def test_the_replay_buffer_has_the_newest_samples() -> None:
    board = Board(registry.game("tictactoe"))
    ended, _, _ = random_games(registry.game("tictactoe"), 100)
    samples = Samples.join([done.samples for done in ended])
    samples = Samples(**{**vars(samples), "ply": np.arange(len(samples), dtype=np.int32)})
    replay = ReplayBuffer(board, 100, 5)
    for start in range(0, len(samples), 30):
        replay.add(samples.take(slice(start, start + 30)))
    drawn = replay.draw(np.random.default_rng(1), 1000, 40)
    assert len(replay) == 100 and set(drawn.ply.tolist()) == set(range(len(samples) - 40, len(samples)))
    replay.add(samples)
    drawn = replay.draw(np.random.default_rng(1), 3000, 1000)
    assert set(drawn.ply.tolist()) == set(range(len(samples) - 100, len(samples)))


def trained_learner(steps: int, learner: Learner | None = None, rate: float = 5e-3) -> tuple[Learner, TrainingBatch]:
    game = registry.game("tictactoe")
    ended, _, board = random_games(game, 60)
    samples = Samples.join([done.samples for done in ended]).take(np.arange(128))
    view = Encoding(game)
    batch = TrainingBatch.empty(128, view.shape, view.whole)
    BatchEncoder(game, board, 0.0, False).encode(samples, batch, np.random.default_rng(1))
    if learner is None:
        torch.manual_seed(1)
        network = build("tower", view.shape, Size(16, 1, 0, ("left", "score")))
        learner = Learner(network, LearningRateSchedule(rate=rate, warmup=5), "cpu")
    for step in range(steps):
        learner.step(batch, step / 100)
    return learner, batch


def test_losses_fall() -> None:
    learner, batch = trained_learner(1)
    before = learner.losses()
    trained_learner(60, learner)
    learner.losses()
    trained_learner(1, learner)
    after = learner.losses()
    assert after["value_loss"] < 0.5 * before["value_loss"] and after["policy_loss"] <= before["policy_loss"]
    assert after["left_loss"] < before["left_loss"] and after["score_loss"] < before["score_loss"]
    assert learner.losses() == {}
    assert torch.isfinite(learner.average(batch.planes.float())[0]).all()


def test_a_common_offset_of_logits_shrinks() -> None:
    """It does not change the policy, but half precision rounds away the differences of large logits."""
    learner, batch = trained_learner(1)
    with torch.no_grad():
        learner.network.policy.cells.bias += 30
    planes = batch.planes.float()
    before = learner.network(planes)[0].logsumexp(1).mean()
    trained_learner(60, learner)
    assert learner.network(planes)[0].logsumexp(1).mean() < before - 3


def test_a_learner_continues_from_its_arrays() -> None:
    """Weights, averages and the optimizer's state: the next steps are the same."""
    one, _ = trained_learner(10)
    other, _ = trained_learner(0)
    other.load_arrays({name: array.copy() for name, array in one.arrays().items()})
    other.steps = one.steps
    for learner in (one, other):
        trained_learner(3, learner)
    for name, array in one.arrays().items():
        assert array == pytest.approx(other.arrays()[name], abs=1e-5), name


def test_nan_raises_diverged() -> None:
    learner, batch = trained_learner(2)
    batch.value[0, 0] = float("nan")
    learner.step(batch, 0.0)
    with pytest.raises(Diverged, match="infinite or NaN"):
        learner.losses()
    with pytest.raises(Diverged):
        learner.arrays()


def test_the_schedule_warms_up_and_falls() -> None:
    schedule = LearningRateSchedule(rate=1.0, warmup=10, lowest=0.1)
    assert schedule.rate_at(0, 0.0) == pytest.approx(0.1) and schedule.rate_at(9, 0.0) == pytest.approx(1.0)
    assert schedule.rate_at(100, 0.5) == pytest.approx(0.55) and schedule.rate_at(100, 1.0) == pytest.approx(0.1)
    assert schedule.ema_decay_at(0) < 0.1 and schedule.ema_decay_at(10**6) == 0.999


def test_published_weights_are_used_from_the_next_batch_on() -> None:
    game = registry.game("tictactoe")
    view = Encoding(game)
    torch.manual_seed(1)
    old, new = (build("tower", view.shape, Size(8, 1)).eval() for _ in range(2))
    playing = PlayingNetwork(old, "cpu", torch.float32)
    evaluator = Evaluator(playing, 4, view.whole)
    evaluator.inputs[:] = np.random.default_rng(1).integers(0, 2, evaluator.inputs.shape)

    def policies() -> Any:
        evaluator.submit(evaluator.inputs[:3])
        return evaluator.result()[0]

    before = policies()
    assert not playing.refresh((evaluator,))
    playing.publish(new, Stream("cpu"))
    assert (policies() == before).all()
    assert playing.refresh((evaluator,)) and not playing.refresh((evaluator,))
    with torch.no_grad():
        expected = new(torch.from_numpy(evaluator.inputs[:3]).float())[0].numpy()
    assert policies() == pytest.approx(expected, abs=1e-4)


def test_a_captured_network_agrees_with_the_plain_one() -> None:
    """The code path of a graphics card, without a cache and with fixed outputs, run on the processor."""
    game = registry.game("tictactoe")
    view = Encoding(game)
    network = build("tower", view.shape, Size(8, 1)).eval()
    evaluator = Evaluator(PlayingNetwork(network, "cpu", torch.float32), 6, view.whole)
    evaluator._cache = None
    evaluator._capture(6, False, print)
    evaluator.inputs[:] = np.random.default_rng(1).integers(0, 2, evaluator.inputs.shape)
    for count in (6, 2, 5):
        evaluator.inputs[0] ^= 1
        evaluator.submit(evaluator.inputs[:count])
        policy, value = evaluator.result()
        with torch.no_grad():
            logits, results = network(torch.from_numpy(evaluator.inputs[:count]).float())
        assert policy == pytest.approx(logits.numpy(), abs=1e-5)
        assert value == pytest.approx(results.softmax(1).numpy(), abs=1e-5)


def test_a_captured_step_is_a_step() -> None:
    """Capturing changes no weights, and then every step has the same result as without."""
    plain, batch = trained_learner(3)
    captured, _ = trained_learner(3)
    before = {name: array.copy() for name, array in captured.arrays().items()}
    captured.capture(batch, print)
    assert captured.steps == 3 and all((array == before[name]).all() for name, array in captured.arrays().items())
    assert captured.losses() == {}
    for learner in (plain, captured):
        trained_learner(4, learner)
    for name, array in plain.arrays().items():
        assert array == pytest.approx(captured.arrays()[name], abs=1e-6), name


def test_gates() -> None:
    assert gate_match("5of7", lambda count: [1] * 5 + [-1] * (count - 5))[0]
    assert not gate_match("5of7", lambda count: [1] * 4 + [0] * (count - 4))[0]
    chance = random.Random(1)

    def with_share(share: float) -> Any:
        return lambda count: [1 if chance.random() < share else -1 for _ in range(count)]

    strong, weak = (sum(gate_match("sprt", with_share(share))[0] for _ in range(40)) for share in (0.62, 0.45))
    assert strong >= 36 and weak <= 2
    assert log_likelihood_ratio([1] * 30 + [-1] * 10) > 0 > log_likelihood_ratio([1, -1] * 20)
    assert expected_score(0) == 0.5 and elo_of(expected_score(120)) == pytest.approx(120)
    assert gate_match("sprt", lambda count: []) == (False, [])


def test_ratings_are_always_finite() -> None:
    for outcomes in ([1] * 16, [-1] * 16, [0] * 16, [1, -1, 0, 1]):
        row = rating(outcomes)
        assert row["elo_low"] <= row["elo"] <= row["elo_high"] and row["games"] == len(outcomes)
        json.dumps(row, allow_nan=False)
    assert rating([1] * 16)["elo"] > 400 > rating([0] * 16)["elo"] == 0


def test_presets_are_complete() -> None:
    for name in ("tictactoe", "connect_four", "ataxx", "renju", "pacman"):
        for device in ("cpu", "cuda"):
            settings = filled(AlphaZeroSettings(), registry.game(name), device)
            assert all(getattr(settings, key) is not None for key in preset_for(registry.game(name), device))
            first, last = simulations_of(settings)
            assert 2 <= first <= last
    assert filled(AlphaZeroSettings(channels=7), registry.game("renju"), "cpu").channels == 7


def test_progress_is_restored() -> None:
    progress = RunProgress(100.0)
    progress.restore({"games": 5, "positions": 50, "seconds": 40.0, "simulations_in_all": 7})
    progress.restore({"games": 3, "seconds": 20.0})
    assert (progress.games, progress.positions, progress.simulations) == (5, 50, 7)
    assert 40 <= progress.seconds < 60 and 0.4 <= progress.share < 0.6 and not progress.over


def network_player(game: Game, simulations: int) -> NetworkPlayer:
    view = Encoding(game)
    torch.manual_seed(1)
    playing = PlayingNetwork(build("tower", view.shape, Size(8, 1)).eval(), "cpu", torch.float32)
    evaluator = Evaluator(playing, 8, view.whole)
    forest = Forest(game, 8, simulations, inputs=evaluator.inputs)
    return NetworkPlayer(playing, forest, evaluator, simulations)


def test_batch_players_play_each_other() -> None:
    """A search to the end of tic-tac-toe beats random play even with random weights."""
    game = registry.game("tictactoe")
    player = network_player(game, 60)
    outcomes = play_games(
        game, player, PlayerAdapter(player_named("random:seed=1", game)), 20, random.Random(1), 100, lambda: False
    )
    assert len(outcomes) == 20 and sum(outcomes) >= 8 and outcomes.count(-1) <= 3
    assert play_games(game, player, player, 4, random.Random(1), 100, lambda: True) == []
    position = game.position("X.O/X.O/...")
    assert player.choose([position] * 11) == [6] * 11 and len(player.results) == 11
    assert player.results[0].policy[6] == pytest.approx(1.0) and player.results[0].value == pytest.approx(1.0)


def trained(game: Game, folder: Path, **settings: str) -> list[dict[str, Any]]:
    """The rows that a small run shows; it ends after some steps."""
    rows: list[dict[str, Any]] = []
    recipe = AlphaZeroRecipe.from_settings({**TINY, "run": str(folder), "minutes": "60", "steps": "12", **settings})
    outcome = recipe.train(game, Job(show=lambda row: rows.append(dict(row))))
    assert all(path.is_file() for path in outcome.files)
    return rows


def test_a_run_without_onnx_explains_the_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hansu.learn.champion.can_write_onnx", lambda: False)
    messages: list[str] = []
    run = Run(tmp_path / "a")
    recipe = AlphaZeroRecipe.from_settings({**TINY, "run": str(run.folder), "minutes": "60", "steps": "2"})
    recipe.train(registry.game("tictactoe"), Job(tell=messages.append))
    assert run.champion.is_file() and not run.champion_onnx.exists()
    last = messages[-1]
    assert f"hansu train --export {run.champion}" in last and "pip install 'hansu[train]'" in last
    monkeypatch.undo()
    assert export_hint(export_champion(run.folder).with_suffix(".npz")) is None


def test_a_small_run(tmp_path: Path) -> None:
    game = registry.game("tictactoe")
    rows = trained(game, tmp_path / "a", extras="left", fast_share="0.3", resign="0.95", log_seconds="0")
    last = [row for row in rows if row["kind"] == "progress"][-1]
    assert last["games"] > 10 and last["steps"] == 12 and last["policy_loss"] > 0
    for key in ("simulations_a_second", "searching", "waiting", "learner_waiting", "window", "positions"):
        assert key in last
    assert any(row["kind"] == "rating" and row["against"] == "random" for row in rows)
    run = Run(tmp_path / "a")
    facts = run.read_facts()
    assert facts["game"] == "tictactoe" and facts["settings"]["channels"] == 8
    logged = run.read_log()
    assert logged[-1]["kind"] == "finished" and any(row["kind"] == "game" for row in logged)
    checkpoint = run.last_checkpoint()
    assert checkpoint is not None and checkpoint[1]["steps"] == 12
    samples, damaged = run.read_samples(Board(game), 10**9)
    assert not damaged and sum(map(len, samples)) == checkpoint[1]["positions"]
    page = (tmp_path / "a" / "report.html").read_text()
    assert page.count("<polyline") >= 3 and "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "tictactoe" in page and facts["network_text"] in page and page.count('class="game"') >= 1

    # The champion plays.
    import onnxruntime

    session = onnxruntime.InferenceSession(str(run.champion_onnx))
    assert session.get_modelmeta().custom_metadata_map["game"] == "tictactoe"

    # A finished run is complete, and its network is fixed; with more time it continues.
    with pytest.raises(HansuError, match="this run is complete"):
        trained(game, tmp_path / "a", resume="true")
    with pytest.raises(HansuError, match="channels cannot change"):
        trained(game, tmp_path / "a", resume="true", channels="16")
    with pytest.raises(HansuError, match="a run of tictactoe, not of connect_four"):
        trained(registry.game("connect_four"), tmp_path / "a", resume="true")
    with pytest.raises(HansuError, match="already contains a run"):
        trained(game, tmp_path / "a")
    more = [row for row in trained(game, tmp_path / "a", resume="true", steps="20") if row["kind"] == "progress"]
    assert more[-1]["games"] >= last["games"] and more[-1]["steps"] == 20  # the learner may be faster than a game
    assert more[0]["seconds"] > last["seconds"]
    new_steps = more[0]["steps_a_second"] * (more[0]["seconds"] - last["seconds"])
    assert new_steps < more[0]["steps"] - last["steps"] + 2  # earlier steps are not counted

    # Another run starts from its champion.
    trained(game, tmp_path / "b", init=str(run.champion), steps="2")
    assert Run(tmp_path / "b").read_facts()["described"]["size"]["channels"] == 8


def test_a_failed_start_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, folder = registry.game("tictactoe"), tmp_path / "runs" / "a"
    (tmp_path / "no_positions").write_text("...\n")
    (tmp_path / "no_text").write_bytes(b"\xff\xfe")
    for name in ("nofile", "no_positions", "no_text"):
        with pytest.raises(HansuError):
            trained(game, folder, openings=str(tmp_path / name))
        assert not folder.parent.exists()

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Training, "_warm_up", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trained(game, folder)
    assert not folder.parent.exists()

    # A failed resume does not save its wrong settings.
    trained(game, folder, steps="2")
    with pytest.raises(HansuError, match="nofile"):
        trained(game, folder, resume="true", steps="4", openings="nofile")
    assert "openings" not in Run(folder).read_facts()["given"]
    assert trained(game, folder, resume="true", steps="4")[-1]["steps"] == 4


def test_a_run_without_training_steps_is_reported(tmp_path: Path) -> None:
    messages: list[str] = []
    settings = {"run": str(tmp_path / "a"), "minutes": "0.01", "batch": "65536", "min_window": "1000000"}
    AlphaZeroRecipe.from_settings({**TINY, **settings}).train(registry.game("tictactoe"), Job(tell=messages.append))
    assert "measuring the final rating" in messages[-2] and "no training step was taken" in messages[-1]
    messages.clear()
    longer = {**TINY, "run": str(tmp_path / "b"), "steps": "2"}
    AlphaZeroRecipe.from_settings(longer).train(registry.game("tictactoe"), Job(tell=messages.append))
    assert "measuring the final rating" in messages[-1]


@pytest.mark.parametrize("gate", ["sprt", "5of7"])
def test_gates_and_sparring_in_a_run(gate: str, tmp_path: Path) -> None:
    rows = trained(registry.game("tictactoe"), tmp_path, gate=gate, gate_minutes="0.01", opponent="random",
                   opponent_share="0.3",
                   algorithm="puct")  # fmt: skip
    gates = [row for row in rows if row["kind"] == "gate"]
    assert gates and {row["gate"] for row in gates} == {gate}
    assert "sparred" in [row for row in rows if row["kind"] == "progress"][-1]
    assert (tmp_path / "champion.npz").is_file()


def test_moves_of_the_sparring_partner_have_no_policy() -> None:
    game = registry.game("tictactoe")
    ended: list[Any] = []
    partner = PlayerAdapter(player_named("random:seed=1", game))
    sparring = Sparring(
        game, network_player(game, 8), partner, 5, 9, 1.0, 2, 1, 100, 1, lambda: len(ended) < 6, ended.append
    )
    while sparring._work():
        pass
    samples = Samples.join([done.samples for done in ended])
    assert sum(len(done.results) for done in ended) >= 6 and set(np.concatenate([d.lengths for d in ended])) <= set(
        range(5, 10)
    )
    empty = samples.action[:, 0] < 0
    assert (
        0.3 < empty.mean() < 0.7 and np.isnan(samples.value[empty]).all() and not np.isnan(samples.value[~empty]).any()
    )
    assert samples.share[~empty].sum(1) == pytest.approx(1.0, abs=1e-5) and not samples.share[empty].any()


def test_a_game_by_path_with_planes_of_bits(nim_path: Path, tmp_path: Path) -> None:
    rows = trained(registry.game(f"{nim_path}:heap=2"), tmp_path / "nim")
    assert rows and rows[-1]["steps"] == 12
    assert Run(tmp_path / "nim").read_facts()["identity"] == "nim:heap=2"


def test_a_game_with_handles(tmp_path: Path) -> None:
    """They appear neither in samples nor in planes."""
    game = registry.game("tree")
    trained(game, tmp_path / "tree", games="8")
    samples, damaged = Run(tmp_path / "tree").read_samples(Board(game), 10**9)
    assert samples and not damaged


def test_a_game_without_action_count(tmp_path: Path, nim_path: Path) -> None:
    text = nim_path.read_text().replace(", action_count=3 * MOST)", ", next_action=following)").replace(
        "rules(Nim", "def following(s, after):\n    a = after + 1\n    while a < 48:\n        if legal(s, a):\n"
        "            return a\n        a += 1\n    return -1\n\n\nrules(Nim", 1
    )  # fmt: skip
    (tmp_path / "other.py").write_text(text)
    with pytest.raises(HansuError, match="action_count") as error:
        trained(registry.game(str(tmp_path / "other.py")), tmp_path / "run")
    assert "rules()" in error.value.hint


def test_nan_stops_a_run_at_its_last_good_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(HansuError, match=r"last good checkpoint is step \d+"):
        trained(
            registry.game("tictactoe"), tmp_path, learning_rate="1e18", gradient_clip="1e18", warmup="0", steps="1000"
        )
    checkpoint = Run(tmp_path).last_checkpoint()
    assert checkpoint is None or all(np.isfinite(array).all() for array in checkpoint[0].values())
    assert Run(tmp_path).read_log()[-1]["kind"] == "failure"


def test_a_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hansu.learn import run as run_module

    def full(*arguments: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_module, "block", full)
    with pytest.raises(HansuError, match="the disk is full"):
        trained(registry.game("tictactoe"), tmp_path, steps="1000")


def test_a_killed_run_can_be_resumed(tmp_path: Path) -> None:
    """kill -9, twice; only the games in progress are lost."""
    words = [sys.executable, "-m", *module_arguments(TINY | {"minutes": "10", "checkpoint_seconds": "0.5"})]
    run, board = Run(tmp_path / "run"), Board(registry.game("tictactoe"))
    known, steps, seconds = 0, 0, 0.0
    for more in ([], ["--resume"]):
        process = subprocess.Popen(
            [*words, *more], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        counted = 0
        for line in process.stdout:  # wait for some checkpoints of this process
            row = json.loads(line)
            counted = row.get("positions", counted)
            if row.get("kind") == "progress" and row["steps"] > steps + 5 and (found := run.last_checkpoint()):
                if found[1]["steps"] > steps and row["positions"] > known:
                    break
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found = run.last_checkpoint()
        assert found is not None
        samples, _ = run.read_samples(board, 10**9)
        written = sum(map(len, samples))
        assert written >= found[1]["positions"] and written >= counted  # every counted game is on disk
        assert found[1]["steps"] > steps and found[1]["seconds"] > seconds
        known, steps, seconds = written, found[1]["steps"], found[1]["seconds"]
        numbers = np.concatenate([part.game for part in samples])
        starts = np.concatenate([part.game[part.left == part.left.max()] for part in samples])
        assert len(numbers) and len(starts)
    assert (tmp_path / "run" / "champion.onnx").is_file()
    rejected = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert rejected.returncode == 2 and "already contains a run" in rejected.stdout


def test_sigterm_ends_a_run_cleanly(tmp_path: Path) -> None:
    words = [sys.executable, "-m", *module_arguments(TINY | {"minutes": "10"})]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line).get("steps", 0) > 3:
            break
    second = subprocess.run([*words, "--resume"], cwd=tmp_path, capture_output=True, text=True)
    assert second.returncode == 2 and "another run is active" in second.stdout
    process.send_signal(signal.SIGTERM)
    rest = [json.loads(line) for line in process.stdout]
    process.wait()
    process.stdout.close()
    assert process.returncode == 130 and "run/champion.onnx" in rest[-1]["files"]
    assert Run(tmp_path / "run").read_log()[-1]["kind"] == "stopped"


ONLY_NUMPY_NUMBA_TORCH = """
import sys
allowed = set(sys.stdlib_module_names) | {"numpy", "numba", "llvmlite", "torch", "hansu", "torchgen", "functorch",
    "sympy", "mpmath", "networkx", "jinja2", "markupsafe", "filelock", "fsspec", "typing_extensions"}

class Wall:
    def __init__(self, finders):
        self.finders = finders

    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        if first in allowed or first.startswith("_"):
            for finder in self.finders:
                if found := finder.find_spec(name, path, target):
                    return found

sys.meta_path[:] = [Wall(list(sys.meta_path))]
from hansu.learn.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_training_needs_only_numpy_numba_and_torch(tmp_path: Path) -> None:
    """Not rich, typer, onnx or onnxruntime; the champion is exported elsewhere."""
    _, *words = module_arguments(TINY | {"steps": "5"})
    done = subprocess.run(
        [sys.executable, "-c", ONLY_NUMPY_NUMBA_TORCH, *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "run" / "champion.onnx").exists()
    from hansu.learn.champion import export_champion

    assert export_champion(tmp_path / "run").stat().st_size > 1000


def test_the_command_trains_and_reports(hansu: Command, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("\n".join(f'{key} = "{value}"' for key, value in TINY.items() if key != "games"))
    done = hansu("train", "tictactoe", "alphazero", "--settings", "s.toml", "--set", "games=8", "--steps", "5",
                 "--run", "mine", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "champion.onnx" in done.stdout and "games" in done.stderr
    facts = Run(tmp_path / "mine").read_facts()
    assert facts["given"]["games"] == "8" and facts["given"]["steps"] == "5"
    (tmp_path / "mine" / "report.html").unlink()
    done = hansu("train", "--report", "mine", "--export", "mine", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "mine" / "report.html").is_file() and "champion.onnx" in done.stdout
