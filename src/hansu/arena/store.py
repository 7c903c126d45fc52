"""Every game that was ever played in an arena, in one file: SQLite through the standard library.

    runs       a process that played: when, which versions, on what machine
    events     what was played for: the game with its settings, the kind of event, its openings and rules
    players    who played: name, what makes it, limit, version
    openings   where games began
    games      one row a finished game, small enough to count a hundred thousand of them at once
    records    the game itself, `Record.as_json()` compressed: moves, times, what was said at each move
    claims     pairs that a living process is playing, so that two processes share an event

A game is committed at once when it is finished. The write-ahead log lets others read and write meanwhile, and what
was committed outlives `kill -9`. `slot` counts an event's pairs of games; with the two players, by seat, it names a
game, so none is counted twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from hansu import __version__
from hansu.arena.contestant import Contestant
from hansu.arena.game_row import GameRow
from hansu.arena.openings import Opening
from hansu.arena.process_owner import is_alive, own_name
from hansu.core.errors import HansuError
from hansu.core.limit import Limit
from hansu.core.message import Message

MARK = 0x68616E73  # SQLite's application_id: "hans"
VERSION = 1
MOST_BYTES = 256 << 20  # of one game
MAKES_ONE = Message("`hansu tournament ... --store FILE` makes one")
RECOVER = Message("the program sqlite3 may save what is left: sqlite3 FILE .recover")
PATIENCE = 30.0  # seconds to wait for another process that is writing

_SCHEMA = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, started REAL NOT NULL, versions TEXT NOT NULL, UNIQUE (started, versions));
CREATE TABLE events (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, game TEXT NOT NULL, kind TEXT NOT NULL, settings TEXT NOT NULL,
    started REAL NOT NULL);
CREATE TABLE players (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, spec TEXT NOT NULL, limits TEXT NOT NULL, version TEXT NOT NULL,
    UNIQUE (name, spec, limits, version));
CREATE TABLE openings (
    id INTEGER PRIMARY KEY, game TEXT NOT NULL, start TEXT NOT NULL, moves TEXT NOT NULL, UNIQUE (game, start, moves));
CREATE TABLE games (
    id INTEGER PRIMARY KEY, event INTEGER NOT NULL REFERENCES events, slot INTEGER NOT NULL,
    first INTEGER NOT NULL REFERENCES players, second INTEGER NOT NULL REFERENCES players,
    opening INTEGER NOT NULL REFERENCES openings, run INTEGER NOT NULL REFERENCES runs,
    outcome INTEGER, ended TEXT NOT NULL, plies INTEGER NOT NULL,
    first_seconds REAL NOT NULL, second_seconds REAL NOT NULL, finished REAL NOT NULL, digest INTEGER NOT NULL,
    UNIQUE (event, slot, first, second));
CREATE TABLE records (game INTEGER PRIMARY KEY REFERENCES games, record BLOB NOT NULL);
CREATE TABLE claims (
    event INTEGER NOT NULL, slot INTEGER NOT NULL, a INTEGER NOT NULL, b INTEGER NOT NULL, owner TEXT NOT NULL,
    PRIMARY KEY (event, slot, a, b)) WITHOUT ROWID;
"""
_COLUMNS = (
    "id", "event", "slot", "first", "second", "opening", "run", "outcome", "ended", "plies", "first_seconds",
    "second_seconds", "finished", "digest",
)  # fmt: skip


@dataclass(frozen=True)
class Event:
    """What games were played for."""

    id: int
    game: str
    kind: str
    settings: dict[str, Any]
    started: float


@dataclass(frozen=True)
class StoredGame:
    """A game as the store counts it; `Store.record` has the moves. `ended`: over, fault, resigned, unfinished, or what
    it was adjudicated by (proved, values, length)."""

    id: int
    event: int
    slot: int
    first: int
    second: int
    opening: int
    run: int
    outcome: int | None
    ended: str
    plies: int
    first_seconds: float
    second_seconds: float
    finished: float
    digest: int  # of start and moves: the same for the same game


class Claim(NamedTuple):
    """A pair of games that a process plays: its event and slot, and the two players."""

    event: int
    slot: int
    a: int
    b: int


@dataclass(frozen=True)
class GameFilter:
    """Which games; what is not said does not matter. Players are names, or parts of them where none is called so."""

    game: str = ""
    event: int | None = None
    player: str = ""
    against: str = ""
    outcome: str = ""  # for `player`: won, drawn, lost
    ended: str = ""
    since: int = 0  # games after this one
    last: int | None = None  # so many of the newest


class Store:
    """One file of games. Use it in one thread; any number of processes may have it open."""

    def __init__(self, path: Path | str, *, make: bool = False, read_only: bool = False) -> None:
        """An existing store; with `make`, one that is made where there is none. `read_only`: for looking at it."""
        self.path = Path(path).expanduser()
        self._run: int | None = None
        self._ids: dict[Any, int] = {}
        if not make and not self.path.is_file():
            raise HansuError("there is no store {path}", MAKES_ONE, path=self.path)
        if make and not self.path.parent.is_dir():
            raise HansuError("{what}: there is no folder {folder}", what="--store", folder=self.path.parent)
        with self._told():
            self._db = self._open_to_read() if read_only else self._open(make)

    def _open(self, make: bool) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            with _transaction(db):  # also tells whether it can be written at all, before anything is played
                if make and not _tables(db):
                    for statement in _SCHEMA.split(";")[:-1]:
                        db.execute(statement)
                    db.execute(f"PRAGMA application_id = {MARK}")
                    db.execute(f"PRAGMA user_version = {VERSION}")
            self._check_version(db)
            db.execute("PRAGMA journal_mode = WAL")
            # A commit is in the hands of the system at once, which is what kill -9 leaves untouched. Only a machine
            # that loses its power may lose the last ones; the file stays whole.
            db.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            db.close()
            raise
        return db

    def _open_to_read(self) -> sqlite3.Connection:
        """Also where neither file nor folder can be written."""
        where = self.path.resolve().as_uri()
        db = sqlite3.connect(f"{where}?mode=ro", uri=True, timeout=PATIENCE, isolation_level=None)
        try:
            db.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError:
            db.close()
            db = sqlite3.connect(f"{where}?immutable=1", uri=True, isolation_level=None)
        self._check_version(db)
        return db

    def _check_version(self, db: sqlite3.Connection) -> None:
        mark = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if mark == MARK and version == VERSION:
            return
        if mark != MARK:
            raise _no_store(self.path)
        raise HansuError(
            "{path} is a store of version {version}; this hansu reads version {ours}",
            "use the hansu that made it to export its games as JSON lines, and import them here",
            path=self.path,
            version=version,
            ours=VERSION,
        )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite says, in a person's words."""
        try:
            yield
        except sqlite3.Error as error:
            raise trouble(self.path, error) from None
        except UnicodeDecodeError:
            raise HansuError("{path} is damaged", RECOVER, path=self.path) from None

    @contextmanager
    def _read(self) -> Iterator[None]:
        """What was written by somebody else need not be what was to be read."""
        with self._told():
            try:
                yield
            except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
                raise HansuError("{path} is damaged", RECOVER, path=self.path) from None

    def close(self) -> None:
        with self._told():
            self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What games belong to

    def event(self, game: str, kind: str, settings: dict[str, Any]) -> int:
        """The event of this kind with just these settings; a new one where there is none yet."""
        told = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        key = hashlib.sha256(f"{game}\n{kind}\n{told}".encode()).hexdigest()
        row = {"key": key, "game": game, "kind": kind, "settings": told, "started": time.time()}
        return self._known("events", row, ("key",))

    def player(self, who: Contestant) -> int:
        limits = "" if who.limit == Limit() else str(who.limit)
        row = {"name": who.name, "spec": who.spec, "limits": limits, "version": who.version}
        return self._known("players", row, tuple(row))

    def opening(self, game: str, opening: Opening) -> int:
        row = {"game": game, "start": opening.start, "moves": json.dumps(opening.moves, ensure_ascii=False)}
        return self._known("openings", row, tuple(row))

    def _known(self, table: str, row: dict[str, Any], unique: Sequence[str]) -> int:
        """The number of a row, which is written first where it is not there yet."""
        name = (table, *(row[column] for column in unique))
        if name not in self._ids:
            marks, where = ", ".join("?" * len(row)), " AND ".join(f"{column} = ?" for column in unique)
            with self._told(), _transaction(self._db):
                self._db.execute(
                    f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
                )
                self._ids[name] = self._db.execute(f"SELECT id FROM {table} WHERE {where}", name[1:]).fetchone()[0]
        return self._ids[name]

    @property
    def run(self) -> int:
        """This process, with the versions that it plays with."""
        if self._run is None:
            self._run = self.run_of(time.time(), versions())
        return self._run

    def run_of(self, started: float, versions: dict[str, str]) -> int:
        """A process that played."""
        row = {"started": started, "versions": json.dumps(versions)}
        return self._known("runs", row, tuple(row))

    # Games

    def add(
        self, event: int, slot: int, first: int, second: int, opening: int, told: dict[str, Any] | GameRow,
        finished: float | None = None, run: int | None = None, claim: Claim | None = None,
    ) -> StoredGame | None:  # fmt: skip
        """Commit a finished game, given as `Record.as_json()` tells it or as the entry that this makes. None where the
        store has this game of the event already. `claim`: one to be released in the same breath."""
        entry = told if isinstance(told, GameRow) else GameRow.of(told)
        run, when = run or self.run, time.time() if finished is None else finished
        row = (
            event, slot, first, second, opening, run, entry.outcome, entry.ended, entry.plies, entry.first_seconds,
            entry.second_seconds, when, entry.digest,
        )  # fmt: skip
        packed = zlib.compress(entry.text.encode(), 6)
        with self._told(), _transaction(self._db):
            if claim is not None:
                self._release(claim)
            made = self._db.execute(
                "INSERT OR IGNORE INTO games (event, slot, first, second, opening, run, outcome, ended, plies,"
                " first_seconds, second_seconds, finished, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            if made.rowcount == 0 or made.lastrowid is None:
                return None
            self._db.execute("INSERT INTO records (game, record) VALUES (?, ?)", (made.lastrowid, packed))
        return StoredGame(made.lastrowid, *row)

    def record(self, game: int) -> dict[str, Any]:
        """A game as JSON, with what was said at each move."""
        with self._told():
            row = self._db.execute("SELECT record FROM records WHERE game = ?", (game,)).fetchone()
        if row is None:
            raise HansuError("{path} has no game {game}", path=self.path, game=game)
        try:
            return json.loads(zlib.decompressobj().decompress(row[0], MOST_BYTES))  # type: ignore[no-any-return]
        except (zlib.error, ValueError, RecursionError):
            raise HansuError("{path}: game {game} is damaged", path=self.path, game=game) from None

    def games(self, wanted: GameFilter = GameFilter()) -> Iterator[StoredGame]:
        """Games in the order in which they were finished."""
        where, values = self._where(wanted)
        columns = ", ".join(f"games.{column}" for column in _COLUMNS)
        text = f"SELECT {columns} FROM games{where} ORDER BY games.id"
        with self._told():
            for row in self._db.execute(text, values):
                yield StoredGame(*row)

    def results(self, wanted: GameFilter = GameFilter()) -> dict[tuple[int, int], tuple[int, int, int]]:
        """Won, drawn and lost by the first seat, for each pair of players by seat."""
        where, values = self._where(wanted)
        counts: dict[tuple[int, int], list[int]] = {}
        with self._read():
            for first, second, outcome, count in self._db.execute(
                f"SELECT first, second, outcome, count(*) FROM games{where} GROUP BY first, second, outcome", values
            ):
                if outcome is not None:
                    counts.setdefault((first, second), [0, 0, 0])[1 - outcome] = count
        return {pair: (won, drawn, lost) for pair, (won, drawn, lost) in counts.items()}

    def faults(self, wanted: GameFilter = GameFilter()) -> dict[int, int]:
        """Games that each player has lost by a fault."""
        where, values = self._where(replace(wanted, ended="fault"))
        loser = "CASE WHEN outcome > 0 THEN second ELSE first END"
        with self._read():
            return dict(self._db.execute(f"SELECT {loser} AS who, count(*) FROM games{where} GROUP BY who", values))

    def by_opening(self, wanted: GameFilter = GameFilter()) -> dict[int, tuple[int, int, int]]:
        """Won, drawn and lost from each opening: by the first seat, or by the player that is wanted."""
        where, values = self._where(wanted)
        side = "1"
        if wanted.player:
            side = f"CASE WHEN first IN ({', '.join(map(str, self.named(wanted.player)))}) THEN 1 ELSE -1 END"
        counts: dict[int, list[int]] = {}
        with self._read():
            for opening, outcome, count in self._db.execute(
                f"SELECT opening, outcome * ({side}) AS result, count(*) FROM games{where} GROUP BY opening, result",
                values,
            ):
                if outcome is not None:
                    counts.setdefault(opening, [0, 0, 0])[1 - outcome] += count
        return {opening: (won, drawn, lost) for opening, (won, drawn, lost) in counts.items()}

    def different(self, wanted: GameFilter = GameFilter()) -> int:
        """How many of the games are not the same as another, move by move."""
        where, values = self._where(wanted)
        with self._told():
            return int(self._db.execute(f"SELECT count(DISTINCT digest) FROM games{where}", values).fetchone()[0])

    def events(self) -> dict[int, Event]:
        with self._read():
            rows = self._db.execute("SELECT id, game, kind, settings, started FROM events ORDER BY id")
            return {row[0]: Event(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in rows}

    def players(self) -> dict[int, Contestant]:
        with self._read():
            rows = self._db.execute("SELECT id, name, spec, limits, version FROM players ORDER BY id")
            return {row[0]: Contestant(row[1], row[2], Limit.read(row[3]), row[4]) for row in rows}

    def openings(self) -> dict[int, Opening]:
        with self._read():
            rows = self._db.execute("SELECT id, start, moves FROM openings ORDER BY id")
            return {row[0]: Opening(row[1], tuple(json.loads(row[2]))) for row in rows}

    def counts(self) -> dict[str, int]:
        """Games of each game with its settings."""
        with self._read():
            rows = self._db.execute(
                "SELECT events.game, sum(n) FROM (SELECT event, count(*) AS n FROM games GROUP BY event)"
                " JOIN events ON events.id = event GROUP BY events.game ORDER BY events.game"
            )
            return dict(rows.fetchall())

    def runs(self) -> dict[int, tuple[float, dict[str, str]]]:
        """When each process began, and its versions."""
        with self._read():
            rows = self._db.execute("SELECT id, started, versions FROM runs ORDER BY id")
            return {id: (started, json.loads(told)) for id, started, told in rows}

    def _where(self, wanted: GameFilter) -> tuple[str, list[Any]]:
        tests: list[str] = []
        values: list[Any] = []

        def among(column: str, ids: Sequence[int]) -> str:
            return f"games.{column} IN ({', '.join(map(str, ids)) or 'NULL'})"

        if wanted.game:
            tests.append("games.event IN (SELECT id FROM events WHERE game = ?)")
            values.append(wanted.game)
        if wanted.event is not None:
            tests.append("games.event = ?")
            values.append(wanted.event)
        if wanted.since:
            tests.append("games.id > ?")
            values.append(wanted.since)
        if wanted.ended:
            tests.append("games.ended = ?")
            values.append(wanted.ended)
        mine = self.named(wanted.player) if wanted.player else ()
        other = self.named(wanted.against) if wanted.against else ()
        if wanted.outcome and not wanted.player:
            raise HansuError("{outcome}: by whom?", "name a --player too", outcome=wanted.outcome)
        for who in (mine, other):
            if who:
                tests.append(f"({among('first', who)} OR {among('second', who)})")
        if mine and other:
            one, two = (
                among(a, mine) + " AND " + among(b, other) for a, b in (("first", "second"), ("second", "first"))
            )
            tests.append(f"({one} OR {two})")
        if wanted.outcome:
            sign = {"won": 1, "drawn": 0, "lost": -1}[wanted.outcome]
            one, two = f"{among('first', mine)} AND outcome = {sign}", f"{among('second', mine)} AND outcome = {-sign}"
            tests.append(f"({one} OR {two})")
        where = " WHERE " + " AND ".join(tests) if tests else ""
        if wanted.last is not None:
            newest = f"SELECT games.id FROM games{where} ORDER BY games.id DESC LIMIT {int(wanted.last)}"
            where = f" WHERE games.id IN ({newest})"
        return where, values

    def named(self, text: str) -> tuple[int, ...]:
        """The players of a name: those called so, else those whose names hold the text."""
        from hansu.core.options import did_you_mean

        known = self.players()
        found = [id for id, who in known.items() if who.name == text or f"{who.name}#{who.version}" == text]
        found = found or [id for id, who in known.items() if text in who.name]
        if not found:
            hint = did_you_mean(text, {who.name for who in known.values()}, "players")
            raise HansuError("{path} has no player {name!r}", hint, path=self.path, name=text)
        return tuple(found)

    # Sharing an event between processes

    def claim(self, claim: Claim) -> bool:
        """Take a pair of games, unless a living process has it."""
        with self._told(), _transaction(self._db):
            row = self._db.execute(
                "SELECT owner FROM claims WHERE event = ? AND slot = ? AND a = ? AND b = ?", claim
            ).fetchone()
            if row is not None and row[0] != own_name() and is_alive(row[0]):
                return False
            self._db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)", (*claim, own_name()))
        return True

    def release(self, claim: Claim) -> None:
        with self._told(), _transaction(self._db):
            self._release(claim)

    def _release(self, claim: Claim) -> None:
        self._db.execute("DELETE FROM claims WHERE event = ? AND slot = ? AND a = ? AND b = ?", claim)

    def release_all(self) -> None:
        """What this process has claimed, and what the dead have."""
        with self._told(), _transaction(self._db):
            for (owner,) in self._db.execute("SELECT DISTINCT owner FROM claims").fetchall():
                if owner == own_name() or not is_alive(owner):
                    self._db.execute("DELETE FROM claims WHERE owner = ?", (owner,))


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk has ended it already
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _tables(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def _no_store(path: Path) -> HansuError:
    return HansuError(Message("{path} is not a store of games", path=path), MAKES_ONE)


def trouble(path: Path, error: sqlite3.Error) -> HansuError:
    """What went wrong with a store, and what to do."""
    text, code = str(error), getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        hint = Message("every finished game is safe; make room and run it again")
        return HansuError(Message("{path}: the disk is full", path=path), hint)
    if code == sqlite3.SQLITE_IOERR:
        return HansuError(f"{path}: {text}", Message("every finished game is safe; is the disk full or gone?"))
    if code == sqlite3.SQLITE_NOTADB:
        return _no_store(path)
    if code == sqlite3.SQLITE_CORRUPT:
        return HansuError(Message("{path} is damaged: {text}", path=path, text=text), RECOVER)
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        what = Message("{path} cannot be written: {text}", path=path, text=text)
        return HansuError(what, Message("choose another --store"))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        what = Message("{path}: another process has been writing for {seconds:.0f} s", path=path, seconds=PATIENCE)
        return HansuError(what, Message("try again"))
    return HansuError(f"{path}: {text}")


def versions() -> dict[str, str]:
    """What a result may depend on."""
    from importlib import metadata

    found = {"hansu": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "onnxruntime"):
        found[package] = metadata.version(package)
    return {**found, "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"}
