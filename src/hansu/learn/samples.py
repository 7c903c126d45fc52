"""Samples: positions with what was learnt of them, as plain arrays, and the files that hold them.

    state    int64[n, words]    the position's own integers, in the order of its fields
    action   int32[n, most]     the policy's actions; -1: no more
    share    float32[n, most]   their shares; none at all where nothing was learnt of the policy
    result   int8[n]            1, 0 or -1 for player 0's side, as the game ended
    score    float32[n]         the game's score then, from player 0's side
    value    float32[n]         what the search thought, -1 to 1 from player 0's side; NaN: nothing
    ply      int32[n]           plies played before
    left     int32[n]           plies from here to the end
    team     int8[n]            the mover's side, 0 or 1
    game     int64[n]           a number for the game, for splits that keep games together

A file (`.shard`) is a row of blocks, each whole in itself, so that one can be added at any time and what a crash cuts
off costs no more than the last block:

    "HANSU\\1" | length of the head | length of the body | checksum | head: JSON | body: the arrays, packed by zlib

A board's handle (`core/tables.py`) is an address that means nothing in another process: a file holds 0 in its place,
and who reads it puts the handle of the board at hand there.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hansu.core.bits import flat
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.core.tables import is_handle

MARK = b"HANSU\x01"
HEAD = struct.Struct("<6sIII")  # mark, length of the head, length of the body, checksum of both
KINDS: dict[str, tuple[Any, int]] = {  # the type of each array and its axes
    "state": (np.int64, 2), "action": (np.int32, 2), "share": (np.float32, 2), "result": (np.int8, 1),
    "score": (np.float32, 1), "value": (np.float32, 1), "ply": (np.int32, 1), "left": (np.int32, 1),
    "team": (np.int8, 1), "game": (np.int64, 1),
}  # fmt: skip
SUFFIX = ".shard"
MOST_UNPACKED = 1 << 30  # bytes of a block


@dataclass(frozen=True)
class Samples:
    state: Any
    action: Any
    share: Any
    result: Any
    score: Any
    value: Any
    ply: Any
    left: Any
    team: Any
    game: Any

    def __len__(self) -> int:
        return len(self.state)

    def take(self, rows: Any) -> Samples:
        return Samples(**{name: getattr(self, name)[rows] for name in KINDS})

    @classmethod
    def join(cls, parts: Sequence[Samples]) -> Samples:
        """One after the other; where policies have different room, the largest."""
        most = max(part.action.shape[1] for part in parts)
        parts = [part.with_room(most) for part in parts]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in KINDS})

    def with_room(self, most: int) -> Samples:
        """With `most` entries a policy: empty ones are added, or the smallest shares go and the others grow."""
        have = self.action.shape[1]
        if have < most:
            more = ((0, 0), (0, most - have))
            action = np.pad(self.action, more, constant_values=-1)
            return replace(self, action=action, share=np.pad(self.share, more))
        if have == most:
            return self
        order = np.argsort(-self.share, axis=1, kind="stable")[:, :most]
        action, share = np.take_along_axis(self.action, order, 1), np.take_along_axis(self.share, order, 1)
        return replace(self, action=action, share=share / np.maximum(share.sum(1, keepdims=True), 1e-9))


class Board:
    """A game's board, for states that go into a file and come out of it."""

    def __init__(self, game: Game) -> None:
        self.first: Position = game.first  # holds the tables that handles point at
        words = flat(self.first.state)
        self.words = len(words)
        self.handles = {i: word for i, word in enumerate(words) if is_handle(word)}
        given = ",".join(f"{key}={value}" for key, value in game.settings.items())
        self.identity = f"{game.name}:{given}" if given else game.name  # without the path: files move

    def without_handles(self, states: Any) -> Any:
        """For a file: int64[n, words] with zeros for the handles."""
        if not self.handles:
            return states
        states = states.copy()
        for i, handle in self.handles.items():
            if not (states[:, i] == handle).all():
                raise HansuError("a sample lies on another board than its game's")
            states[:, i] = 0
        return states

    def with_handles(self, states: Any) -> Any:
        """From a file."""
        for i, handle in self.handles.items():
            states[:, i] = handle
        return states


def block(samples: Samples, board: Board) -> bytes:
    """One block of a file."""
    states = board.without_handles(samples.state)
    arrays = {
        name: np.ascontiguousarray(states if name == "state" else getattr(samples, name), kind)
        for name, (kind, _) in KINDS.items()
    }
    shapes = {name: array.shape for name, array in arrays.items()}
    head = json.dumps({"game": board.identity, "shapes": shapes}).encode()
    body = zlib.compress(b"".join(array.tobytes() for array in arrays.values()), 1)
    return HEAD.pack(MARK, len(head), len(body), zlib.crc32(body, zlib.crc32(head))) + head + body


class Damage(NamedTuple):
    """A part of a file that cannot be used, and why."""

    path: Path
    byte: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}, byte {self.byte:,}: {self.what}"


def read(path: Path, board: Board) -> Iterator[Samples | Damage]:
    """The blocks of a file, in order; what is damaged or cut off is named and passed over. Samples of another game
    raise."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise HansuError(f"{path} cannot be read: {error.strerror}") from None
    at = 0
    while at < len(content):
        found = _block_at(content, at, path, board)
        if isinstance(found, str):
            yield Damage(path, at, found)
            following = content.find(MARK, at + 1)
            at = following if following >= 0 else len(content)
        else:
            samples, at = found
            yield samples


def _block_at(content: bytes, at: int, path: Path, board: Board) -> tuple[Samples, int] | str:
    """The samples and where the next block begins; or what is wrong."""
    if len(content) - at < HEAD.size:
        return "cut off"
    mark, head_length, body_length, checksum = HEAD.unpack_from(content, at)
    if mark != MARK:
        return "no samples"
    start, middle = at + HEAD.size, at + HEAD.size + head_length
    end = middle + body_length
    if end > len(content):
        return "cut off"
    head, body = content[start:middle], content[middle:end]
    if zlib.crc32(body, zlib.crc32(head)) != checksum:
        return "damaged"
    try:
        told = json.loads(head)
        identity, shapes = told["game"], told["shapes"]
        made = _arrays(zlib.decompressobj().decompress(body, MOST_UNPACKED), shapes)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, zlib.error):
        return "not readable"
    if identity != board.identity:
        what = Message("{path} holds samples of {identity}", path=path, identity=identity)
        raise HansuError(what, Message("wanted here: {identity}", identity=board.identity))
    if made.state.shape[1] != board.words:
        raise HansuError(
            f"{path}: positions of {made.state.shape[1]} numbers, the game has {board.words}",
            "the rules have changed since it was written",
        )
    return replace(made, state=board.with_handles(made.state)), end


def _arrays(content: bytes, shapes: dict[str, list[int]]) -> Samples:
    arrays, at = {}, 0
    for name, (kind, axes) in KINDS.items():
        shape = shapes[name]
        count = int(np.prod(shape))
        if len(shape) != axes or min(shape) < 0 or shape[0] != shapes["state"][0]:
            raise ValueError("shapes that do not fit")
        arrays[name] = np.frombuffer(content, kind, count, at).reshape(shape).copy()
        at += count * np.dtype(kind).itemsize
    if at != len(content):
        raise ValueError("more than the arrays")
    return Samples(**arrays)


def read_all(paths: Iterable[Path], board: Board) -> tuple[list[Samples], list[Damage]]:
    """Everything that can be used of some files, and what cannot."""
    good: list[Samples] = []
    bad: list[Damage] = []
    for path in paths:
        for found in read(path, board):
            (bad if isinstance(found, Damage) else good).append(found)  # type: ignore[arg-type]
    return good, bad


assert tuple(KINDS) == tuple(field.name for field in fields(Samples))
