"""hansu as a library: top-level names, positions, matches, awaited players."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from typing import Any

import pytest

import hansu
from hansu.core import Control, Decision, HansuError, IllegalMove, Limit, Player, Position


def test_dir_lists_all_names() -> None:
    listed = dir(hansu)
    assert {"match", "rules", "check", "game", "player", "Game", "Player", "Position", "Scene", "batch"} <= set(listed)
    assert set(hansu.__all__) <= set(listed)
    for name in hansu.__all__:
        assert getattr(hansu, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        hansu.chess  # noqa: B018


def test_a_star_import_has_the_same_names() -> None:
    code = "from hansu import *; print(game('tree').name, match.__name__, rules.__name__, check.__name__)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split() == [
        "tree", "play_match", "rules", "check",
    ]  # fmt: skip


def test_taking_back() -> None:
    position = hansu.game("tictactoe").position("1 5 9")
    assert position.back() is position.previous and position.back(0) is position
    assert position.back(3) == hansu.game("tictactoe").first
    with pytest.raises(IllegalMove, match="nothing to take back"):
        position.back(4)


def test_random_moves_and_positions() -> None:
    game = hansu.game("connect_four")
    assert game.random_position(12, seed=3).history == game.random_position(12, seed=3).history
    assert len({game.random_position(12, seed).text for seed in range(20)}) > 15
    assert all(len(at.history) == 12 and not at.over for at in (game.random_position(12, seed) for seed in range(20)))
    with pytest.raises(IllegalMove, match="over"):
        hansu.game("tictactoe").position("1 4 2 5 3").play_random(random.Random(1))
    tree = hansu.game("tree")
    assert tree.random_position(100).over  # no position is that far from the start


def test_a_match_and_its_games() -> None:
    game = hansu.game("tictactoe")
    mine = hansu.player("random:seed=5", game)
    match = hansu.match(game, mine, "random:seed=1", games=3, limit=Limit(nodes=10), plies=2)
    assert len(match) == 3 == match.tally.games and match.players == ("random:seed=5", "random:seed=1")
    for record in match:
        plies = list(record)
        assert [ply.action for ply in plies] == list(record.last.history)
        assert [ply.decision is None for ply in plies] == [i < record.opening for i in range(len(plies))]
        assert [ply.move for ply in plies] == list(record.last.moves)
    assert len(hansu.match(game, mine, mine, games=0)) == 0
    with pytest.raises(HansuError, match="no player"):
        hansu.match("tictactoe", "nobody", "random")


class Patient(Player):
    """Searches until it is stopped."""

    kind = "patient"
    about = "waits"

    def __init__(self) -> None:
        self.started, self.stopped = threading.Event(), False

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        assert control is not None
        self.started.set()
        while not control.stopped:
            pass
        self.stopped = True
        return Decision(action=position.actions[0])


def test_a_cancelled_task_stops_its_search() -> None:
    position, player = hansu.game("tictactoe").first, Patient()

    async def ask() -> None:
        task = asyncio.create_task(player.deciding(position))
        await asyncio.to_thread(player.started.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(ask())
    assert player.stopped


def test_an_error_of_a_player_reaches_the_caller() -> None:
    over = hansu.game("tictactoe").position("1 4 2 5 3")
    with pytest.raises(HansuError, match="no move to decide"):
        asyncio.run(hansu.player("random", over.game).deciding(over))


def test_two_players_search_at_once() -> None:
    position, players = hansu.game("tictactoe").first, [Patient(), Patient()]

    async def ask() -> list[Any]:
        controls = [Control(), Control()]
        tasks = [asyncio.create_task(p.deciding(position, None, c)) for p, c in zip(players, controls, strict=True)]
        for player in players:  # both have started before either has decided
            await asyncio.to_thread(player.started.wait)
        for control in controls:
            control.stop()
        return await asyncio.gather(*tasks)

    assert [decision.action for decision in asyncio.run(ask())] == [0, 0]
