"""A run: the folder of a long training. A run that is killed at any moment can be resumed.

    run.json        the game, the recipe, its settings, the network's shape
    lock            held by the training process, so that there is only one
    log.jsonl       a row of numbers every few seconds, and messages
    samples/        finished games (see samples.py); `.part` is the file that is being written
    checkpoints/    the last few: weights, averaged weights and the optimizer's state, saved every minute
    champion.npz    the best network so far; champion.onnx is the same for playing
    report.html     what `hansu train --report` draws

Arrays are plain .npz files without pickle. All files except the log and the growing shard are written under another
name and then renamed.
"""

from __future__ import annotations

import errno
import io
import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from hansu.core.errors import HansuError
from hansu.core.message import Message
from hansu.core.reading import all_arrays_of, read_whole
from hansu.learn.samples import SUFFIX, Board, Damage, Samples, block, read_all

KEPT_CHECKPOINTS = 3
GROWING = ".part"


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Turn operating-system errors of writing a file into a HansuError."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            what = Message("the disk is full: {path} could not be written", path=path)
            hint = Message("free some space, then continue with --resume")
        else:
            what = Message("cannot write {path}: {strerror}", path=path, strerror=error.strerror)
            hint = Message("make it writable, or name another place")
        raise HansuError(what, hint) from None


def save(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    part = path.with_name(path.name + ".part")
    try:
        with written(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
    except BaseException:  # Ctrl-C, too
        with suppress(OSError):
            part.unlink()
        raise


def save_arrays(path: Path, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Write named arrays, and some facts as JSON, to one .npz file."""
    packed = io.BytesIO()
    np.savez(packed, facts=np.frombuffer(json.dumps(facts).encode(), np.uint8), **arrays)
    save(path, packed.getvalue())


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays and facts that `save_arrays` wrote; raises HansuError if the file is damaged."""
    try:
        arrays = all_arrays_of(path)
        if "facts" not in arrays:
            raise ValueError("the facts about its arrays are missing")
        facts = json.loads(arrays["facts"].tobytes())
        del arrays["facts"]
        if not isinstance(facts, dict):
            raise ValueError("the facts about its arrays are missing")
    except (ValueError, KeyError, RecursionError) as error:
        raise HansuError("{path} cannot be used: {error}", path=path, error=error) from None
    return arrays, facts


class Run:
    """The files of a run. Open it with `begin` or `resume`; `close` releases its lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, Any] = {}
        self._lock: IO[str] | None = None
        self._log: IO[str] | None = None
        self._new: list[Path] = []  # what `begin` created, folders before their contents
        self._writing = threading.Lock()

    @property
    def champion(self) -> Path:
        return self.folder / "champion.npz"

    @property
    def champion_onnx(self) -> Path:
        return self.folder / "champion.onnx"

    @property
    def log_path(self) -> Path:
        return self.folder / "log.jsonl"

    @property
    def samples(self) -> Path:
        return self.folder / "samples"

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    @property
    def exists(self) -> bool:
        return (self.folder / "run.json").is_file()

    def begin(self, facts: Mapping[str, Any]) -> None:
        """Start a run in a folder that contains none; the folder is created if necessary."""
        if self.exists:
            raise HansuError(
                "{folder} already contains a run", "continue it with --resume, or name another folder with --run",
                folder=self.folder,
            )  # fmt: skip
        if self.folder.is_file():
            raise HansuError("{path} is a file, not a folder", "name another folder: --run DIR", path=self.folder)
        folders = (*reversed(self.folder.parents), self.folder, self.samples, self.checkpoints)
        files = ("lock", "run.json", self.log_path.name, self.champion.name, self.champion_onnx.name)
        self._new = [path for path in (*folders, *map(self.folder.joinpath, files)) if not path.exists()]
        self._open()
        self.note(facts)

    @contextmanager
    def starting(self) -> Iterator[None]:
        """If the `with` block fails, remove what `begin` and the block have created."""
        try:
            yield
        except BaseException:  # Ctrl-C, too
            locked = self._lock is not None  # otherwise another process starts a run there
            self.close()
            for path in reversed(self._new) if locked else ():
                with suppress(OSError):  # it does not exist, or a folder is not empty
                    path.rmdir() if path.is_dir() else path.unlink()
            raise

    def note(self, facts: Mapping[str, Any]) -> None:
        """Write run.json."""
        self.facts = dict(facts)
        save(self.folder / "run.json", json.dumps(self.facts, indent=1, ensure_ascii=False).encode())

    def resume(self) -> dict[str, Any]:
        """Open the run to continue it; returns the facts of run.json."""
        self.facts = self.read_facts()
        self._open()
        return self.facts

    def read_facts(self) -> dict[str, Any]:
        """The contents of run.json."""
        path = self.folder / "run.json"
        if not path.is_file():
            raise HansuError(
                "{folder} does not contain a run",
                "start one with: hansu train GAME alphazero --run FOLDER",
                folder=self.folder,
            )
        try:
            facts = json.loads(read_whole(path))
        except (ValueError, RecursionError) as error:
            raise HansuError("{path} cannot be read: {error}", path=path, error=error) from None
        if not isinstance(facts, dict):
            raise HansuError("{path} does not describe a run", path=path)
        return facts

    def _open(self) -> None:
        with written(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            for folder in (self.samples, self.checkpoints):
                folder.mkdir(exist_ok=True)
            self._log = self.log_path.open("a", encoding="utf-8")

    def _take_lock(self) -> None:
        """The operating system releases the lock when this process ends, even if it is killed."""
        file = (self.folder / "lock").open("a+", encoding="utf-8")
        file.seek(0)
        owner = file.read().strip()
        if not _locked(file):
            file.close()
            raise HansuError(
                "another run is active in {folder} (process {owner})",
                "wait until it ends, or name another folder",
                folder=self.folder,
                owner=owner,
            )
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        self._lock = file

    def close(self) -> None:
        for file in (self._log, self._lock):
            if file is not None:
                file.close()
        self._log = self._lock = None

    # The log.

    def log(self, row: Mapping[str, Any]) -> None:
        """Add a row to the log."""
        assert self._log is not None
        with self._writing, written(self.log_path):
            self._log.write(json.dumps({"time": round(time.time(), 1), **row}, ensure_ascii=False) + "\n")
            self._log.flush()

    def read_log(self) -> list[dict[str, Any]]:
        """All complete rows."""
        rows = []
        if self.log_path.is_file():
            for line in self.log_path.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    continue  # the run was killed while it wrote this row
                if isinstance(row, dict):
                    rows.append(row)
        return rows

    # Checkpoints.

    def save_checkpoint(self, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> Path:
        """Write a checkpoint and remove the oldest ones; `facts` must have `steps`."""
        path = self.checkpoints / f"{facts['steps']:09d}.npz"
        save_arrays(path, arrays, facts)
        for old in self._checkpoints()[:-KEPT_CHECKPOINTS]:
            old.unlink(missing_ok=True)
        return path

    def _checkpoints(self) -> list[Path]:
        return sorted(self.checkpoints.glob("*.npz"))

    def last_checkpoint(self) -> tuple[dict[str, Any], dict[str, Any], Sequence[str]] | None:
        """Arrays and facts of the newest valid checkpoint, and the problems of newer ones; None if there is none."""
        problems = []
        for path in reversed(self._checkpoints()):
            try:
                arrays, facts = read_arrays(path)
            except HansuError as error:
                problems.append(error.what)
                continue
            return arrays, facts, problems
        if problems:
            raise HansuError("no checkpoint is usable: {trouble}", trouble=problems[0])
        return None

    # Shards.

    def shards(self) -> list[Path]:
        """The files of samples, oldest first."""
        return sorted(path for path in self.samples.iterdir() if path.suffix in (SUFFIX, GROWING))

    def read_samples(self, board: Board, most: int) -> tuple[list[Samples], list[Damage]]:
        """At least the newest `most` samples, oldest first, and the damaged parts of their files."""
        parts: list[Samples] = []
        damages: list[Damage] = []
        for path in reversed(self.shards()):
            good, bad = read_all([path], board)
            parts[:0] = good
            damages += bad
            if sum(map(len, parts)) >= most:
                break
        return parts, damages


def _locked(file: IO[str]) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class ShardWriter:
    """Adds finished games to the growing shard, and starts a new shard when it is full. Each block is written at once,
    so that a killed process loses none of them."""

    def __init__(self, run: Run, board: Board, size: int, keep: int) -> None:
        """`size`: samples per shard, approximately. The oldest shards are deleted when newer ones contain `keep`
        samples (0: never)."""
        self._run, self._board, self._size, self._keep = run, board, size, keep
        numbers = [int(path.stem) for path in run.shards() if path.stem.isdigit()]
        self._number = max(numbers, default=0)
        self._counts: list[tuple[Path, int]] = []  # closed shards of this process, and their numbers of samples
        for path in run.shards():  # the last shard of a killed run may be cut off; readers skip the damaged part
            if path.suffix == GROWING:
                path.rename(path.with_suffix(SUFFIX))
        self._inherited = run.shards()
        self._file: IO[bytes] | None = None
        self._count = 0

    def add(self, samples: Samples) -> None:
        """Write a block."""
        if not len(samples):
            return
        with written(self._path):
            if self._file is None:
                self._number += 1
                self._file = self._path.open("ab")
            self._file.write(block(samples, self._board))
            self._file.flush()
        self._count += len(samples)
        if self._count >= self._size:
            self.close()

    @property
    def _path(self) -> Path:
        return self._run.samples / f"{self._number:06d}{GROWING}"

    def close(self) -> None:
        """Close the growing shard."""
        if self._file is None:
            return
        self._file.close()
        self._file = None
        done = self._path.with_suffix(SUFFIX)
        with written(done):
            self._path.replace(done)
        self._counts.append((done, self._count))
        self._count = 0
        self._delete_old()

    def _delete_old(self) -> None:
        if not self._keep:
            return
        newer = 0
        for path, count in reversed(self._counts):
            if newer >= self._keep:
                path.unlink(missing_ok=True)
            newer += count
        self._counts = [(path, count) for path, count in self._counts if path.exists()]
        if newer >= self._keep:
            for path in self._inherited:
                path.unlink(missing_ok=True)
            self._inherited = []
