"""Samples: positions with their training targets, as plain arrays, and the files that hold them.

    state    int64[n, words]      the state's integers, in the order of its fields
    action   int32[n, entries]    the policy's actions; -1: no more
    share    float32[n, entries]  their shares; all 0 if the policy is unknown
    result   int8[n]              the game's result: 1, 0 or -1 from player 0's side
    score    float32[n]           the game's final score, from player 0's side
    value    float32[n]           the search's value, -1 to 1 from player 0's side; NaN: none
    ply      int32[n]             plies played before
    left     int32[n]             plies from here to the end
    team     int8[n]              the mover's side, 0 or 1
    game     int64[n]             the number of the game, so that a split can keep games together

A file (`.shard`) is a sequence of independent blocks. A block can be added at any time, and a crash damages the last
block at most:

    "HANSU\\1" | length of the head | length of the body | checksum | head: JSON | body: the arrays, packed by zlib

A board's handle (`core/tables.py`) is an address that is only valid in its own process. A file holds 0 instead; a
reader inserts the handle of its own board.
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
MAX_BLOCK_BYTES = 1 << 30  # unpacked


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
        """One after another, with as many entries per policy as the widest part."""
        entries = max(part.action.shape[1] for part in parts)
        parts = [part.with_entries(entries) for part in parts]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in KINDS})

    def with_entries(self, entries: int) -> Samples:
        """With a given number of entries per policy. Empty entries are added, or the smallest shares are dropped and
        the others normalized."""
        width = self.action.shape[1]
        if width < entries:
            more = ((0, 0), (0, entries - width))
            action = np.pad(self.action, more, constant_values=-1)
            return replace(self, action=action, share=np.pad(self.share, more))
        if width == entries:
            return self
        order = np.argsort(-self.share, axis=1, kind="stable")[:, :entries]
        action, share = np.take_along_axis(self.action, order, 1), np.take_along_axis(self.share, order, 1)
        return replace(self, action=action, share=share / np.maximum(share.sum(1, keepdims=True), 1e-9))


class Board:
    """A game's first position and its handles, to write states to files and to read them."""

    def __init__(self, game: Game) -> None:
        self.first: Position = game.first  # keeps the tables alive that handles point to
        words = flat(self.first.state)
        self.words = len(words)
        self.handles = {i: word for i, word in enumerate(words) if is_handle(word)}
        settings = ",".join(f"{key}={value}" for key, value in game.settings.items())
        self.identity = f"{game.name}:{settings}" if settings else game.name  # without the path: files move

    def without_handles(self, states: Any) -> Any:
        """States for a file: int64[n, words] with zeros for the handles."""
        if not self.handles:
            return states
        states = states.copy()
        for i, handle in self.handles.items():
            if not (states[:, i] == handle).all():
                raise HansuError("a sample belongs to another board than its game's")
            states[:, i] = 0
        return states

    def with_handles(self, states: Any) -> Any:
        """States from a file, int64[n, words]; changed in place."""
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
    """The blocks of a file, in order; damaged blocks are reported and skipped. Raises for samples of another game."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise HansuError("{path} cannot be read: {strerror}", path=path, strerror=error.strerror) from None
    at = 0
    while at < len(content):
        result = _block_at(content, at, path, board)
        if isinstance(result, str):
            yield Damage(path, at, result)
            following = content.find(MARK, at + 1)
            at = following if following >= 0 else len(content)
        else:
            samples, at = result
            yield samples


def _block_at(content: bytes, at: int, path: Path, board: Board) -> tuple[Samples, int] | str:
    """The samples and where the next block begins, or what is wrong."""
    if len(content) - at < HEAD.size:
        return "cut off"
    mark, head_length, body_length, checksum = HEAD.unpack_from(content, at)
    if mark != MARK:
        return "not samples"
    start, middle = at + HEAD.size, at + HEAD.size + head_length
    end = middle + body_length
    if end > len(content):
        return "cut off"
    head, body = content[start:middle], content[middle:end]
    if zlib.crc32(body, zlib.crc32(head)) != checksum:
        return "damaged"
    try:
        facts = json.loads(head)
        identity, shapes = facts["game"], facts["shapes"]
        samples = _arrays(zlib.decompressobj().decompress(body, MAX_BLOCK_BYTES), shapes)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, zlib.error):
        return "not readable"
    if identity != board.identity:
        raise HansuError(
            "{path} contains samples of {identity}", "expected samples of {expected}", path=path, identity=identity,
            expected=board.identity,
        )  # fmt: skip
    if samples.state.shape[1] != board.words:
        raise HansuError(
            "{path}: states of {count} integers, but the game has {expected}",
            "the rules have changed since the file was written",
            path=path,
            count=samples.state.shape[1],
            expected=board.words,
        )
    return replace(samples, state=board.with_handles(samples.state)), end


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
    """The blocks of some files, and their damaged parts."""
    good: list[Samples] = []
    bad: list[Damage] = []
    for path in paths:
        for part in read(path, board):
            (bad if isinstance(part, Damage) else good).append(part)  # type: ignore[arg-type]
    return good, bad


assert tuple(KINDS) == tuple(field.name for field in fields(Samples))
