"""A run: the folder of a training that goes on for a while. Killed at any moment it goes on where it was.

    run.json        the game, the recipe, its settings, the network's shape
    lock            whoever trains in here: a second one is refused
    log.jsonl       a line of numbers every few seconds, and what was worth saying
    samples/        finished games (see samples.py); `.part` is the file that grows
    checkpoints/    weights, their average and the optimiser's state every minute, the last few of them
    champion.npz    the best network so far; champion.onnx is the same for playing
    report.html     what `hansu train --report` draws

Arrays are plain .npz files without pickle. Everything but the log and the growing shard is written under another name
and then renamed.
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
    """Says in words why a file cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            what = Message("the disk is full: {path} could not be written", path=path)
            hint = Message("make room, then go on with --resume")
        else:
            what = Message("cannot write {path}: {strerror}", path=path, strerror=error.strerror)
            hint = Message("see that it can be written, or name another place")
        raise HansuError(what, hint) from None


def save(path: Path, content: bytes) -> None:
    """All of a file or nothing."""
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
    """Named arrays, and some facts as JSON beside them."""
    packed = io.BytesIO()
    np.savez(packed, facts=np.frombuffer(json.dumps(facts).encode(), np.uint8), **arrays)
    save(path, packed.getvalue())


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What `save_arrays` wrote; raises HansuError where the file is damaged."""
    try:
        arrays = all_arrays_of(path)
        if "facts" not in arrays:
            raise ValueError("nothing is told about its arrays")
        facts = json.loads(arrays["facts"].tobytes())
        del arrays["facts"]
        if not isinstance(facts, dict):
            raise ValueError("nothing is told about its arrays")
    except (ValueError, KeyError, RecursionError) as error:
        raise HansuError("{path} cannot be used: {error}", path=path, error=error) from None
    return arrays, facts


class Run:
    """The files of a run. Open it with `begin` or `resume`; `close` lets others have it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: dict[str, Any] = {}
        self._lock: IO[str] | None = None
        self._log: IO[str] | None = None
        self._new: list[Path] = []  # what was not there before `begin`, folders before what lies in them
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
        """Start in an empty folder (or one that is not there yet)."""
        if self.exists:
            what = Message("{folder} holds a run already", folder=self.folder)
            hint = Message("--resume goes on with it; --run names another folder")
            raise HansuError(what, hint)
        if self.folder.is_file():
            raise HansuError("{path} is a file, not a folder", "name another folder: --run DIR", path=self.folder)
        folders = (*reversed(self.folder.parents), self.folder, self.samples, self.checkpoints)
        files = ("lock", "run.json", self.log_path.name, self.champion.name, self.champion_onnx.name)
        self._new = [path for path in (*folders, *map(self.folder.joinpath, files)) if not path.exists()]
        self._open()
        self.note(facts)

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Where a start fails, what `begin` and the start made goes again: the next one finds the folder as it was."""
        try:
            yield
        except BaseException:  # Ctrl-C, too
            ours = self._lock is not None  # else they are another's who begins in there
            self.close()
            for path in reversed(self._new) if ours else ():
                with suppress(OSError):  # not there, or a folder in which somebody else put something
                    path.rmdir() if path.is_dir() else path.unlink()
            raise

    def note(self, facts: Mapping[str, Any]) -> None:
        self.facts = dict(facts)
        save(self.folder / "run.json", json.dumps(self.facts, indent=1, ensure_ascii=False).encode())

    def resume(self) -> dict[str, Any]:
        """Go on in a folder; what it says of itself."""
        self.facts = self.read_facts()
        self._open()
        return self.facts

    def read_facts(self) -> dict[str, Any]:
        path = self.folder / "run.json"
        if not path.is_file():
            raise HansuError(
                "there is no run in {folder}", "hansu train GAME alphazero --run FOLDER begins one", folder=self.folder
            )
        try:
            found = json.loads(read_whole(path))
        except (ValueError, RecursionError) as error:
            raise HansuError(f"{path} cannot be read: {error}") from None
        if not isinstance(found, dict):
            raise HansuError(f"{path} cannot be read: it is not about a run")
        return found

    def _open(self) -> None:
        with written(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            for folder in (self.samples, self.checkpoints):
                folder.mkdir(exist_ok=True)
            self._log = self.log_path.open("a", encoding="utf-8")

    def _take_lock(self) -> None:
        """Held by the system for as long as this process lives, so that a killed run leaves none behind."""
        file = (self.folder / "lock").open("a+", encoding="utf-8")
        file.seek(0)
        owner = file.read().strip()
        if not _locked(file):
            file.close()
            raise HansuError(
                "another run is at work in {folder} (process {owner})",
                "wait for it, or name another folder",
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
        assert self._log is not None
        with self._writing, written(self.log_path):
            self._log.write(json.dumps({"time": round(time.time(), 1), **row}, ensure_ascii=False) + "\n")
            self._log.flush()

    def read_log(self) -> list[dict[str, Any]]:
        """Every line that is whole."""
        rows = []
        if self.log_path.is_file():
            for line in self.log_path.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    continue  # cut off when a run was killed
                if isinstance(row, dict):
                    rows.append(row)
        return rows

    # Checkpoints.

    def save_checkpoint(self, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> Path:
        path = self.checkpoints / f"{facts['steps']:09d}.npz"
        save_arrays(path, arrays, facts)
        for old in self._checkpoints()[:-KEPT_CHECKPOINTS]:
            old.unlink(missing_ok=True)
        return path

    def _checkpoints(self) -> list[Path]:
        return sorted(self.checkpoints.glob("*.npz"))

    def last_checkpoint(self) -> tuple[dict[str, Any], dict[str, Any], Sequence[str]] | None:
        """Arrays and facts of the newest one that is whole, and what was wrong with newer ones; None: there is none."""
        wrong = []
        for path in reversed(self._checkpoints()):
            try:
                arrays, facts = read_arrays(path)
            except HansuError as error:
                wrong.append(error.what)
                continue
            return arrays, facts, wrong
        if wrong:
            trouble = wrong[0]
            raise HansuError("no checkpoint can be used: {trouble}", trouble=trouble)
        return None

    # Shards.

    def shards(self) -> list[Path]:
        """The files of samples, oldest first."""
        return sorted(path for path in self.samples.iterdir() if path.suffix in (SUFFIX, GROWING))

    def read_samples(self, board: Board, most: int) -> tuple[list[Samples], list[Damage]]:
        """The newest samples, oldest first, and what could not be used."""
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
    """Adds finished games to the growing shard; a full one is closed and another begun. Each block is written at once,
    so a killed process loses none that was handed over."""

    def __init__(self, run: Run, board: Board, size: int, keep: int) -> None:
        """Shards of about `size` samples; the oldest go when `keep` samples (0: all) lie in newer ones."""
        self._run, self._board, self._size, self._keep = run, board, size, keep
        numbers = [int(path.stem) for path in run.shards() if path.stem.isdigit()]
        self._number = max(numbers, default=0)
        self._counts: list[tuple[Path, int]] = []  # closed shards of this process, with their samples
        for path in run.shards():  # a killed run's last one stays as it is: what is cut off is passed over
            if path.suffix == GROWING:
                path.rename(path.with_suffix(SUFFIX))
        self._inherited = run.shards()
        self._file: IO[bytes] | None = None
        self._count = 0

    def add(self, samples: Samples) -> None:
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
        if self._file is None:
            return
        self._file.close()
        self._file = None
        done = self._path.with_suffix(SUFFIX)
        with written(done):
            self._path.replace(done)
        self._counts.append((done, self._count))
        self._count = 0
        self._forget()

    def _forget(self) -> None:
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
