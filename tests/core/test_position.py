"""Positions as values: hashing, copying, pickling to another process."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest

from hansu.arena.roster import player
from hansu.compile import compiled
from hansu.core import Game, Limit, Position, registry, rules
from hansu.search.chance import step_chance
from hansu.search.perft import perft

SPECS = ["tree", "tictactoe", "connect_four", "ataxx:gaps=c3", "renju:rule=standard,size=9", "triangles:points=7",
         "pacman:layout=testClassic", "pacman:ghosts=0", "renju:opening=swap2"]  # fmt: skip


def walked(spec: str, plies: int, seed: int = 1) -> Position:
    chance = random.Random(seed)
    position = step_chance(registry.game(spec).first, chance)
    while len(position.history) < plies and not position.over:
        position = step_chance(position.play(chance.choice(position.actions)), chance)
    return position


def test_different_positions_have_different_hashes() -> None:
    first = registry.game("connect_four").first
    positions = {first}
    for a in first.actions:
        for b in first.play(a).actions:
            for c in first.play(a).play(b).actions:
                positions.add(first.play(a).play(b).play(c))
    assert len({hash(position) for position in positions}) == len(positions) > 200
    same = registry.game("tictactoe").position("1 5 9"), registry.game("tictactoe").position("9 5 1")
    assert same[0] == same[1] and hash(same[0]) == hash(same[1])
    assert hash(registry.game("triangles:points=7").first) == hash(registry.game("triangles:points=7").first)


class Pile(list):  # type: ignore[type-arg]
    """A foreign state class without a hash."""


rules(Pile, actions=lambda s: iter(range(len(s))), play=lambda s, a: Pile(s[:a]), over=lambda s: not s,
      score=lambda s: -1, mover=lambda s: 0)  # fmt: skip


def test_a_state_without_a_hash() -> None:
    game = Game(name="pile", title={"en": "p"}, about={"en": "p"}, state=Pile, start=lambda: Pile([1, 2]))
    assert len({game.first, game.first, game.first.play(1)}) == 2


@pytest.mark.parametrize("spec", SPECS)
def test_copies(spec: str) -> None:
    position = walked(spec, 6)
    assert copy.copy(position) is position and copy.deepcopy([position])[0] is position
    again = pickle.loads(pickle.dumps(position))
    assert again == position and hash(again) == hash(position)
    assert (again.history, again.moves, again.text) == (position.history, position.moves, position.text)
    assert again.scene == position.scene and again.origin == position.origin


@pytest.mark.parametrize("spec", SPECS)
def test_a_position_can_be_used_in_another_process(spec: str) -> None:
    """Its tables have other addresses there; interpreted and compiled rules find them."""
    position = walked(spec, 4)
    if position.over:
        position = position.origin
    code = (
        "import pickle, sys\n"
        "from hansu.arena.roster import player\n"
        "from hansu.compile import compiled\nfrom hansu.core import Limit, Table\n"
        "from hansu.search.perft import perft\n"
        "before = [Table(range(n)) for n in range(50)]  # changes the addresses\n"
        "at = pickle.loads(sys.stdin.buffer.read())\n"
        "print(at.moves, compiled(perft, type(at.state))(at.state, 2), perft(at.state, 2), at.scene.title)\n"
        "print(player('minimax:depth=2', at.game).decide(at, Limit()).action, at.game.spec)\n"
    )
    process = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(position), capture_output=True)
    assert process.returncode == 0, process.stderr.decode()
    counted = compiled(perft, type(position.state))(position.state, 2), perft(position.state, 2)
    chosen = player("minimax:depth=2", position.game).decide(position, Limit()).action
    expected = f"{position.moves} {counted[0]} {counted[1]} {position.scene.title}\n{chosen} {position.game.spec}\n"
    assert process.stdout.decode() == expected


def test_a_position_of_a_users_game(nim_path: Path) -> None:
    position = registry.game(str(nim_path)).first
    position = position.play(position.actions[0])
    code = "import pickle, sys; at = pickle.loads(sys.stdin.buffer.read()); print(at.moves, at.game.spec)"
    process = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(position), capture_output=True)
    assert process.stdout.decode() == f"{position.moves} {position.game.spec}\n", process.stderr.decode()


def test_a_long_game_can_be_pickled() -> None:
    position = walked("pacman:ghosts=0,layout=originalClassic", 3_000)
    assert len(position.history) == 3_000
    assert pickle.loads(pickle.dumps(position)) == position
