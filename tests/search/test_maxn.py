"""Max^n: a result for each agent, and a player that assumes that all maximise their own."""

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.commands import Run

from hansu.core import CHANCE, Game, HansuError, Limit, Report, registry, rules, score_for
from hansu.search.players.maxn import Maxn
from hansu.search.players.named import player_named

# Russell and Norvig, Artificial Intelligence (3rd edition), figure 5.4: three players, the root is worth (1, 2, 6).
TEXTBOOK = """
A 0
  left: B 1
    l1: C 2
      a: 1 2 6
      b: 4 2 3
    l2: D 2
      a: 6 1 2
      b: 7 4 1
  right: E 1
    r1: F 2
      a: 5 1 1
      b: 1 5 2
    r2: G 2
      a: 7 7 1
      b: 5 4 5
"""


def tree(text: str, folder: Path) -> Game:
    path = folder / "tree.txt"
    path.write_text(text)
    return registry.game(f"tree:file={path}")


@pytest.mark.parametrize("how", ["", ":interpreted=true"])
def test_the_textbooks_tree(how: str, tmp_path: Path) -> None:
    game = tree(TEXTBOOK, tmp_path)
    decision = player_named(f"maxn{how}", game).decide(game.first)
    assert decision.report.shares == (1, 2, 6) and decision.report.proved
    assert game.first.line_text(decision.report.line) == ["left", "l1", "a"]
    assert decision.why == "left after looking to the end: value 1 for the mover (all players: 1, 2, 6)"
    second = player_named(f"maxn{how}", game).decide(game.position("right"))
    assert second.report.shares == (1, 5, 2) and second.report.value == -5  # B's 5, from player 0's side
    assert [move.value for move in second.report.moves] == [-5, -4]
    # Minimax treats B and C as one opponent of A.
    assert player_named("minimax", game).decide(game.first).report.value == 1
    end = game.position("right r2 b")
    assert end.score == 5 and [score_for(end.state, i) for i in range(3)] == [5, 4, 5]
    assert end.result_text == "the results of the agents, in order: 5, 4, 5"


def test_trace_shows_all_values(hansu: Run, tmp_path: Path) -> None:
    tree(TEXTBOOK, tmp_path)
    picture = tmp_path / "trace.svg"
    done = hansu("trace", f"tree:file={tmp_path / 'tree.txt'}", "--player", "maxn", "-o", str(picture))
    assert done.returncode == 0, done.stderr
    assert picture.read_text().count(">1 2 6<") == 4  # the leaf, C, B and the root


def random_tree(chance: random.Random, depth: int) -> dict[str, Any]:
    if depth == 0 or chance.random() < 0.15:
        return {"value": [chance.randint(-9, 9) for _ in range(3)]}
    below = [random_tree(chance, depth - 1) for _ in range(chance.randint(1, 3))]
    return {"player": chance.choice([0, 1, 2, "chance"]), "children": below}


def values_of(node: dict[str, Any]) -> list[float]:
    """Max^n by definition."""
    if "value" in node:
        return [float(number) for number in node["value"]]
    below = [values_of(child) for child in node["children"]]
    if node["player"] == "chance":
        return [sum(numbers) / len(below) for numbers in zip(*below, strict=True)]
    return max(below, key=lambda numbers: numbers[node["player"]])  # the first of equals


@pytest.mark.parametrize("how", ["", ":interpreted=true"])
def test_against_the_definition(how: str, tmp_path: Path) -> None:
    chance = random.Random(11)
    compared = 0
    for number in range(60):
        root = random_tree(chance, 5)
        if "value" in root or root["player"] == "chance":
            continue
        path = tmp_path / f"tree{number}.json"
        path.write_text(json.dumps(root))
        game = registry.game(f"tree:file={path}")
        assert game.first.mover != CHANCE
        report = player_named(f"maxn{how}", game).decide(game.first).report
        assert report.shares == pytest.approx(values_of(root), abs=1e-5)
        expected = [values_of(child)[root["player"]] for child in root["children"]]
        assert [move.value.to(game.first.team) for move in report.moves if move.value is not None] == pytest.approx(
            expected, abs=1e-5
        )
        compared += 1
    assert compared > 30


def test_equals_minimax_with_two_players() -> None:
    game = registry.game("tictactoe")
    assert not type(player_named("maxn", game)).ready_for(game)  # so it is not offered
    chance = random.Random(3)
    for _ in range(12):
        position = game.random_position(chance.randint(2, 5), chance.randint(1, 10**6))
        both = [player_named(kind, game).decide(position) for kind in ("maxn", "minimax")]
        assert both[0].action == both[1].action and both[0].report.value == both[1].report.value


class Cake(NamedTuple):
    """Three players in turn take one to three pieces of a cake. Whoever takes the last piece loses five points."""

    left: int = 12
    turn: int = 0
    eaten: tuple[int, int, int] = (0, 0, 0)
    ill: int = -1


def play(s: Cake, a: int) -> Cake:
    eaten = tuple(have + (a + 1) * (i == s.turn) for i, have in enumerate(s.eaten))
    return Cake(s.left - a - 1, (s.turn + 1) % 3, eaten, s.turn if s.left == a + 1 else -1)  # type: ignore[arg-type]


rules(
    Cake, action_count=3, legal=lambda s, a: a < s.left, play=play, over=lambda s: s.left == 0, mover=lambda s: s.turn,
    agents=lambda s: 3, score=lambda s: s.eaten[0] - 5 * (s.ill == 0), evaluate=lambda s: s.eaten[0],
    score_for=lambda s, i: s.eaten[i] - 5 * (s.ill == i), evaluate_for=lambda s, i: s.eaten[i],
)  # fmt: skip
CAKE = Game(name="cake", title="Cake", about="eat", state=Cake, start=Cake, score_range=12, default_depth=3)


def best(s: Cake, depth: int) -> list[int]:
    if s.left == 0:
        return [s.eaten[i] - 5 * (s.ill == i) for i in range(3)]
    if depth == 0:
        return list(s.eaten)
    return max((best(play(s, a), depth - 1) for a in range(3) if a < s.left), key=lambda shares: shares[s.turn])


def test_ready_for_a_new_game(tmp_path: Path) -> None:
    """The board tables must stay alive during the call, although no position is kept."""
    fresh = registry.built_in("tree")
    assert not Maxn.ready_for(fresh)
    assert Maxn.ready_for(tree(TEXTBOOK, tmp_path))


@pytest.mark.parametrize("depth", [1, 3, 12])
def test_estimates_are_per_agent(depth: int) -> None:
    position = CAKE.first
    while not position.over:
        report = player_named(f"maxn:depth={depth},interpreted=true", CAKE).decide(position).report
        assert list(report.shares) == best(position.state, depth)
        assert report.proved == (report.nodes > 0 and all_ended(position.state, depth))
        position = position.play(report.line[0])


def all_ended(s: Cake, depth: int) -> bool:
    return s.left == 0 or (depth > 0 and all(all_ended(play(s, a), depth - 1) for a in range(3) if a < s.left))


def test_stopped_search_reports_the_last_completed_depth() -> None:
    report = player_named("maxn:interpreted=true", CAKE).decide(CAKE.first, Limit(nodes=30)).report
    assert list(report.shares) == best(CAKE.first.state, 2)


def test_shares_survive_json() -> None:
    report = player_named("maxn:interpreted=true", CAKE).decide(CAKE.first).report
    data = report.as_json(CAKE.first)
    assert data["shares"] == list(report.shares) and len(data["shares"]) == 3
    assert Report.from_json(CAKE.first, json.loads(json.dumps(data))).shares == report.shares
    assert "shares" not in player_named("minimax:interpreted=true", CAKE).decide(CAKE.first).report.as_json(CAKE.first)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXTBOOK.replace("a: 1 2 6", "a: 1 2"), "2 values for 3 agents"),
        (TEXTBOOK.replace("a: 1 2 6", "a: 1"), "1 values for 3 agents"),
        (TEXTBOOK.replace("a: 1 2 6", "a: 1 2 six"), "'six' is not a number"),
        ("A 0\n  a: 1 2 3 4\n  b: 2\n", "1 values for 4 agents"),
    ],
)
def test_invalid_trees_are_rejected(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(HansuError) as error:
        tree(text, tmp_path).first  # noqa: B018
    assert message in str(error.value.what)
