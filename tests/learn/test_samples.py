"""Samples and their files; damaged blocks are reported and skipped."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from support.sample_arrays import equal, some

from hansu.core import HansuError, registry, unpack
from hansu.learn.samples import KINDS, Board, Damage, Samples, block, read, read_all


def test_the_arrays_are_the_fields() -> None:
    assert list(KINDS) == [field.name for field in fields(Samples)]


@pytest.mark.parametrize("name", ["connect_four", "pacman", "tree", "triangles", "renju:rule=standard,size=9"])
def test_written_samples_are_read(name: str, tmp_path: Path) -> None:
    board = Board(registry.game(name))
    parts = [some(board, count, seed=count) for count in (1, 30, 100)]
    path = tmp_path / "a.shard"
    path.write_bytes(b"".join(block(part, board) for part in parts))
    result, damaged = read_all([path], board)
    assert not damaged and all(equal(a, b) for a, b in zip(parts, result, strict=True))
    assert unpack(board.first.state, result[1].state[3]) == unpack(board.first.state, parts[1].state[3])


@pytest.mark.parametrize("name", ["pacman", "tree", "triangles"])
def test_handles_are_not_written(name: str) -> None:
    """A board's handle is invalid in another process."""
    board = Board(registry.game(name))
    assert board.handles
    samples = some(board, 20)
    stored = board.without_handles(samples.state)
    assert not set(board.handles.values()) & set(stored.ravel().tolist())
    for handle in board.handles.values():
        assert handle in samples.state  # the samples themselves are unchanged


def test_a_sample_of_another_board_is_rejected() -> None:
    board, other = Board(registry.game("pacman")), Board(registry.game("pacman:layout=testClassic"))
    with pytest.raises(HansuError, match="another board"):
        block(some(other, 3), board)


def test_only_the_damaged_block_is_lost(tmp_path: Path) -> None:
    board = Board(registry.game("tictactoe"))
    parts = [some(board, 40, seed) for seed in range(4)]
    blocks = [block(part, board) for part in parts]
    path = tmp_path / "a.shard"

    whole = bytearray(b"".join(blocks))
    whole[len(blocks[0]) + 60] ^= 0xFF  # within the second block
    path.write_bytes(whole)
    good, bad = read_all([path], board)
    assert [len(bad), bad[0].what] == [1, "damaged"] and str(path) in str(bad[0])
    assert all(equal(a, b) for a, b in zip([parts[0], *parts[2:]], good, strict=True))

    for cut in (3, len(blocks[3]) // 2, len(blocks[3]) - 1):
        path.write_bytes(b"".join(blocks)[:-cut])
        good, bad = read_all([path], board)
        assert [damage.what for damage in bad] == ["cut off"] and len(good) == 3

    path.write_bytes(b"this is not a shard but a letter")
    assert [damage.what for damage in read_all([path], board)[1]] == ["not samples"]
    path.write_bytes(b"")
    assert list(read(path, board)) == []


@pytest.mark.parametrize("seed", range(20))
def test_no_damage_crashes_the_reader(seed: int, tmp_path: Path) -> None:
    board = Board(registry.game("tictactoe"))
    chance = np.random.default_rng(seed)
    content = bytearray(b"".join(block(some(board, 10, n), board) for n in range(3)))
    for _ in range(chance.integers(1, 6)):
        content[chance.integers(len(content))] = chance.integers(256)
    path = tmp_path / "a.shard"
    path.write_bytes(content[: chance.integers(1, len(content) + 1)])
    for part in read(path, board):
        assert isinstance(part, Damage) or len(part) == 10


def test_samples_of_another_game_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.shard"
    board = Board(registry.game("tictactoe"))
    path.write_bytes(block(some(board, 3), board))
    with pytest.raises(HansuError, match="samples of tictactoe"):
        list(read(path, Board(registry.game("connect_four"))))
    with pytest.raises(HansuError, match="cannot be read"):
        list(read(tmp_path / "gone.shard", board))


def test_the_number_of_policy_entries() -> None:
    board = Board(registry.game("tictactoe"))
    samples = some(board, 1)
    wide = Samples(**{name: getattr(samples, name) for name in KINDS} | {
        "action": np.array([[4, 2, 7, 1, -1]], np.int32), "share": np.array([[0.1, 0.5, 0.3, 0.1, 0]], np.float32)
    })  # fmt: skip
    narrow = wide.with_entries(2)
    assert narrow.action.tolist() == [[2, 7]] and narrow.share[0] == pytest.approx([0.625, 0.375])
    assert wide.with_entries(7).action.tolist() == [[4, 2, 7, 1, -1, -1, -1]]
    assert len(Samples.join([wide, narrow])) == 2
