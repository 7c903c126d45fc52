"""`Game.repetition`: repeated positions in games and in the players' searches."""

import copy
import random
from typing import NamedTuple

import pytest
from support.commands import ROOT, Run

from hansu.arena.match import play_game
from hansu.core import Game, Limit, Repetition, in_language, registry, rules
from hansu.search.players.named import player_named

MORRIS = str(ROOT / "examples" / "games" / "nine_mens_morris.py")


class Swing(NamedTuple):
    """Action 0 swings (evaluated as `looks`); action 1 ends the game with `prize`. Both for player 0, in tenths."""

    prize: int
    looks: int
    swung: int = 0
    turn: int = 0
    done: int = 0


rules(
    Swing, action_count=2, legal=lambda s, a: s.done == 0, over=lambda s: s.done == 1, mover=lambda s: s.turn,
    play=lambda s, a: Swing(s.prize, s.looks, s.swung + 1 - a, 1 - s.turn, a), score=lambda s: s.prize / 10,
    evaluate=lambda s: s.looks / 10,
)  # fmt: skip


def swing(prize: int, looks: int, ends: object = None) -> Game:
    repetition = Repetition(key=lambda s: (s.swung % 2, s.turn), **({"ends": ends} if ends else {}))  # type: ignore[arg-type]
    return Game(
        name="swing", title="Swing", about="back and forth", state=Swing, start=lambda: Swing(prize, looks),
        repetition=repetition, default_depth=1,
    )  # fmt: skip


def test_threefold_repetition_is_a_draw() -> None:
    position = swing(5, 9).first
    for _ in range(3):
        position = position.play(0)
        assert not position.over
    position = position.play(0)  # the first position, for the third time
    assert position.over and position.score == 0 and position.actions == () and position.repeated == 0
    assert position.result_text == "a draw, by repetition"
    assert in_language(position.result_text, "ko") == "무승부 (동형 반복)"
    assert position.back().over is False
    assert copy.deepcopy(position).over


def test_a_game_defines_when_it_ends_and_with_which_score() -> None:
    """The hook gets all keys so far, the newest last. Here, whoever repeats loses."""
    calls = []

    def ends(keys: list[object]) -> float | None:
        calls.append(list(keys))
        return (1.0 if len(keys) % 2 else -1.0) if keys[-1] in keys[:-1] else None

    position = swing(5, 9, ends).first.play(0).play(0)
    assert position.over and position.score == 1 and position.result_text == "first wins, by repetition"
    assert calls[-1] == [(0, 0), (1, 1), (0, 0)]


def test_an_end_by_the_rules_takes_precedence() -> None:
    """The hook would end the game, too, but the prize counts."""
    position = swing(5, 9, lambda keys: 0.0 if len(keys) == 2 else None).first
    assert position.play(0).repeated == 0
    assert position.play(1).over and position.play(1).repeated is None and position.play(1).score == 0.5


PLAYERS = ["minimax:depth=1", "alphabeta:depth=1", "expectimax:depth=1", "iterative:depth=1", "mcts:simulations=64",
           "puct:network=none,simulations=64"]  # fmt: skip


@pytest.mark.parametrize("spec", PLAYERS)
def test_players_avoid_or_seek_repetition(spec: str) -> None:
    for prize, looks, avoids in ((5, 9, 1), (-5, -9, 0)):
        game = swing(prize, looks)
        position = game.first.play(0).play(0)
        player = player_named(f"{spec},interpreted=true", game)
        if "depth" in spec:  # before the third time, the search decides
            assert player.decide(position).action == 1 - avoids
        position = position.play(0)
        # Now the second player is to move, who prefers the opposite.
        decision = player_named(f"{spec},interpreted=true", game).decide(position)
        assert decision.action == 1 - avoids
        assert "repetition rule" in decision.why or decision.action == 1
        values = {move.action: move.value for move in decision.report.moves}
        assert values[0] == 0 and values[0].proved


def test_nine_mens_morris_ends_by_repetition_everywhere(hansu: Run) -> None:
    placed = "g4 e3 d5 a1 f4 f6 b4 e4 d7 a7 d3 d6 e5 g7 f2 c5 d1 c4"
    position = registry.game(MORRIS).position(f"{placed} {'g4-g1 a7-a4 g1-g4 a4-a7 ' * 2}")
    assert position.over and position.score == 0 and position.state.quiet == 8  # the counter is not part of the key
    assert not position.back().over
    process = hansu("analyze", MORRIS, " ".join(position.moves))
    assert process.returncode == 2 and "a draw, by repetition" in process.stderr


@pytest.mark.parametrize(("prize", "looks", "score"), [(5, 9, 0), (-5, -9, -0.5)])
def test_a_match_ends_by_repetition(prize: int, looks: int, score: float) -> None:
    """The second player seeks the draw, or avoids it to win the prize."""
    game = swing(prize, looks)
    first, second = (player_named("minimax:depth=1,interpreted=true", game) for _ in range(2))
    record = play_game(game.first.play(0).play(0).play(0), first, second, Limit(), random.Random(1))
    assert record.score == score
