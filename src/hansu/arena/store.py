"""A store of games in one SQLite file.

    runs       a process that played: start time, versions, machine
    events     the game with its settings, the kind of event, its openings and rules
    players    name, spec, limit, version
    openings   start positions and moves
    games      one small row per finished game; a hundred thousand can be counted at once
    records    the game itself, `Record.as_json()` compressed: moves, times, evaluations
    claims     pairs of games that a living process plays, so that two processes can share an event

Every finished game is committed immediately. The write-ahead log lets other processes read and write meanwhile, and
committed games survive `kill -9`. `slot` numbers an event's pairs of games. Slot, first and second player identify a
game, so no game is counted twice.
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
MAX_BYTES = 256 << 20  # of one record
HOW_TO_CREATE = Message("`hansu tournament ... --store FILE` creates one")
RECOVER = Message("the program sqlite3 may recover games: sqlite3 FILE .recover")
BUSY_SECONDS = 30.0  # to wait for another process that is writing

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
    """An event: the purpose of games."""

    id: int
    game: str
    kind: str
    settings: dict[str, Any]
    started: float


@dataclass(frozen=True)
class StoredGame:
    """A row of the table `games`; `Store.record` has the moves. `ended`: over, fault, resigned, unfinished, or the rule
    that adjudicated the game (proved, values, length)."""

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
    digest: int  # of start and moves; equal for equal games


class Claim(NamedTuple):
    """A pair of games that a process plays: event, slot and the two players."""

    event: int
    slot: int
    a: int
    b: int


@dataclass(frozen=True)
class GameFilter:
    """Selects games; empty fields select all. Players are names, or parts of names if no player has the name."""

    game: str = ""
    event: int | None = None
    player: str = ""
    against: str = ""
    outcome: str = ""  # for `player`: won, drawn, lost
    ended: str = ""
    since: int = 0  # only games after this one
    last: int | None = None  # only this many of the newest games


class Store:
    """One file of games. Use it in one thread; any number of processes may open the file."""

    def __init__(self, path: Path | str, *, make: bool = False, read_only: bool = False) -> None:
        """Open a store. `make`: create it if it does not exist. `read_only`: never write. The path `:memory:` opens a
        store in memory."""
        self.path = Path(path).expanduser()
        self._run: int | None = None
        self._ids: dict[Any, int] = {}
        if not make and not self.path.is_file():
            raise HansuError("there is no store {path}", HOW_TO_CREATE, path=self.path)
        if make and not self.path.parent.is_dir():
            raise HansuError("{what}: there is no folder {folder}", what="--store", folder=self.path.parent)
        with self._sqlite_errors():
            self._db = self._open_to_read() if read_only else self._open(make)

    def _open(self, make: bool) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with _transaction(db):  # fails here, before the first game, if the file cannot be written
                if make and not _tables(db):
                    for statement in _SCHEMA.split(";")[:-1]:
                        db.execute(statement)
                    db.execute(f"PRAGMA application_id = {MARK}")
                    db.execute(f"PRAGMA user_version = {VERSION}")
            self._check_version(db)
            db.execute("PRAGMA journal_mode = WAL")
            # A commit is handed to the operating system at once, so it survives kill -9. Only a power failure may lose
            # the last commits; the file stays intact.
            db.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            db.close()
            raise
        return db

    def _open_to_read(self) -> sqlite3.Connection:
        """Works even if neither file nor folder can be written."""
        where = self.path.resolve().as_uri()
        db = sqlite3.connect(f"{where}?mode=ro", uri=True, timeout=BUSY_SECONDS, isolation_level=None)
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
            raise _not_a_store(self.path)
        raise HansuError(
            "{path} is a store of version {version}; this hansu reads version {ours}",
            "export its games as JSON lines with the version of hansu that created it, and import them here",
            path=self.path,
            version=version,
            ours=VERSION,
        )

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        """Turn errors of SQLite into HansuError."""
        try:
            yield
        except sqlite3.Error as error:
            raise store_error(self.path, error) from None
        except UnicodeDecodeError:
            raise HansuError("{path} is damaged", RECOVER, path=self.path) from None

    @contextmanager
    def _data_errors(self) -> Iterator[None]:
        """As `_sqlite_errors`; also turns malformed data into HansuError."""
        with self._sqlite_errors():
            try:
                yield
            except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
                raise HansuError("{path} is damaged", RECOVER, path=self.path) from None

    def close(self) -> None:
        with self._sqlite_errors():
            self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Events, players, openings, runs

    def event(self, game: str, kind: str, settings: dict[str, Any]) -> int:
        """The id of the event of this kind with exactly these settings; created if it does not exist."""
        text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        key = hashlib.sha256(f"{game}\n{kind}\n{text}".encode()).hexdigest()
        row = {"key": key, "game": game, "kind": kind, "settings": text, "started": time.time()}
        return self._row_id("events", row, ("key",))

    def player(self, who: Contestant) -> int:
        """The id of a player."""
        limits = "" if who.limit == Limit() else str(who.limit)
        row = {"name": who.name, "spec": who.spec, "limits": limits, "version": who.version}
        return self._row_id("players", row, tuple(row))

    def opening(self, game: str, opening: Opening) -> int:
        """The id of an opening of a game."""
        row = {"game": game, "start": opening.start, "moves": json.dumps(opening.moves, ensure_ascii=False)}
        return self._row_id("openings", row, tuple(row))

    def _row_id(self, table: str, row: dict[str, Any], unique: Sequence[str]) -> int:
        """The id of a row; inserted if it does not exist."""
        name = (table, *(row[column] for column in unique))
        if name not in self._ids:
            marks, where = ", ".join("?" * len(row)), " AND ".join(f"{column} = ?" for column in unique)
            with self._sqlite_errors(), _transaction(self._db):
                self._db.execute(
                    f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
                )
                self._ids[name] = self._db.execute(f"SELECT id FROM {table} WHERE {where}", name[1:]).fetchone()[0]
        return self._ids[name]

    @property
    def run(self) -> int:
        """The id of this process and its versions."""
        if self._run is None:
            self._run = self.run_of(time.time(), versions())
        return self._run

    def run_of(self, started: float, versions: dict[str, str]) -> int:
        """The id of a process that played."""
        row = {"started": started, "versions": json.dumps(versions)}
        return self._row_id("runs", row, tuple(row))

    # Games

    def add(
        self, event: int, slot: int, first: int, second: int, opening: int, game: dict[str, Any] | GameRow,
        finished: float | None = None, run: int | None = None, claim: Claim | None = None,
    ) -> StoredGame | None:  # fmt: skip
        """Commit a finished game, given as `Record.as_json()` or as a row. Returns None if the store already has this
        game of the event. `claim`: released in the same transaction."""
        entry = game if isinstance(game, GameRow) else GameRow.of(game)
        run, when = run or self.run, time.time() if finished is None else finished
        row = (
            event, slot, first, second, opening, run, entry.outcome, entry.ended, entry.plies, entry.first_seconds,
            entry.second_seconds, when, entry.digest,
        )  # fmt: skip
        packed = zlib.compress(entry.text.encode(), 6)
        with self._sqlite_errors(), _transaction(self._db):
            if claim is not None:
                self._release(claim)
            cursor = self._db.execute(
                "INSERT OR IGNORE INTO games (event, slot, first, second, opening, run, outcome, ended, plies,"
                " first_seconds, second_seconds, finished, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            if cursor.rowcount == 0 or cursor.lastrowid is None:
                return None
            self._db.execute("INSERT INTO records (game, record) VALUES (?, ?)", (cursor.lastrowid, packed))
        return StoredGame(cursor.lastrowid, *row)

    def record(self, game: int) -> dict[str, Any]:
        """The record of a game as JSON, with the evaluation of each move."""
        with self._sqlite_errors():
            row = self._db.execute("SELECT record FROM records WHERE game = ?", (game,)).fetchone()
        if row is None:
            raise HansuError("{path} has no game {game}", path=self.path, game=game)
        try:
            return json.loads(zlib.decompressobj().decompress(row[0], MAX_BYTES))  # type: ignore[no-any-return]
        except (zlib.error, ValueError, RecursionError):
            raise HansuError("{path}: game {game} is damaged", path=self.path, game=game) from None

    def games(self, selection: GameFilter = GameFilter()) -> Iterator[StoredGame]:
        """Games in the order in which they were finished."""
        where, values = self._where(selection)
        columns = ", ".join(f"games.{column}" for column in _COLUMNS)
        text = f"SELECT {columns} FROM games{where} ORDER BY games.id"
        with self._sqlite_errors():
            for row in self._db.execute(text, values):
                yield StoredGame(*row)

    def results(self, selection: GameFilter = GameFilter()) -> dict[tuple[int, int], tuple[int, int, int]]:
        """Games won, drawn and lost by the first seat, by pair (first, second) of players."""
        where, values = self._where(selection)
        counts: dict[tuple[int, int], list[int]] = {}
        with self._data_errors():
            for first, second, outcome, count in self._db.execute(
                f"SELECT first, second, outcome, count(*) FROM games{where} GROUP BY first, second, outcome", values
            ):
                if outcome is not None:
                    counts.setdefault((first, second), [0, 0, 0])[1 - outcome] = count
        return {pair: (won, drawn, lost) for pair, (won, drawn, lost) in counts.items()}

    def faults(self, selection: GameFilter = GameFilter()) -> dict[int, int]:
        """The number of games that each player has lost by a fault."""
        where, values = self._where(replace(selection, ended="fault"))
        loser = "CASE WHEN outcome > 0 THEN second ELSE first END"
        with self._data_errors():
            return dict(self._db.execute(f"SELECT {loser} AS who, count(*) FROM games{where} GROUP BY who", values))

    def by_opening(self, selection: GameFilter = GameFilter()) -> dict[int, tuple[int, int, int]]:
        """Games won, drawn and lost from each opening, by the first seat, or by the selected player."""
        where, values = self._where(selection)
        side = "1"
        if selection.player:
            side = f"CASE WHEN first IN ({', '.join(map(str, self.named(selection.player)))}) THEN 1 ELSE -1 END"
        counts: dict[int, list[int]] = {}
        with self._data_errors():
            for opening, outcome, count in self._db.execute(
                f"SELECT opening, outcome * ({side}) AS result, count(*) FROM games{where} GROUP BY opening, result",
                values,
            ):
                if outcome is not None:
                    counts.setdefault(opening, [0, 0, 0])[1 - outcome] += count
        return {opening: (won, drawn, lost) for opening, (won, drawn, lost) in counts.items()}

    def different(self, selection: GameFilter = GameFilter()) -> int:
        """The number of different games; games with equal moves count once."""
        where, values = self._where(selection)
        with self._sqlite_errors():
            return int(self._db.execute(f"SELECT count(DISTINCT digest) FROM games{where}", values).fetchone()[0])

    def events(self) -> dict[int, Event]:
        """All events by id."""
        with self._data_errors():
            rows = self._db.execute("SELECT id, game, kind, settings, started FROM events ORDER BY id")
            return {row[0]: Event(row[0], row[1], row[2], json.loads(row[3]), row[4]) for row in rows}

    def players(self) -> dict[int, Contestant]:
        """All players by id."""
        with self._data_errors():
            rows = self._db.execute("SELECT id, name, spec, limits, version FROM players ORDER BY id")
            return {row[0]: Contestant(row[1], row[2], Limit.read(row[3]), row[4]) for row in rows}

    def openings(self) -> dict[int, Opening]:
        """All openings by id."""
        with self._data_errors():
            rows = self._db.execute("SELECT id, start, moves FROM openings ORDER BY id")
            return {row[0]: Opening(row[1], tuple(json.loads(row[2]))) for row in rows}

    def counts(self) -> dict[str, int]:
        """The number of games of each game with its settings."""
        with self._data_errors():
            rows = self._db.execute(
                "SELECT events.game, sum(n) FROM (SELECT event, count(*) AS n FROM games GROUP BY event)"
                " JOIN events ON events.id = event GROUP BY events.game ORDER BY events.game"
            )
            return dict(rows.fetchall())

    def runs(self) -> dict[int, tuple[float, dict[str, str]]]:
        """Start time and versions of each process."""
        with self._data_errors():
            rows = self._db.execute("SELECT id, started, versions FROM runs ORDER BY id")
            return {id: (started, json.loads(text)) for id, started, text in rows}

    def _where(self, selection: GameFilter) -> tuple[str, list[Any]]:
        tests: list[str] = []
        values: list[Any] = []

        def among(column: str, ids: Sequence[int]) -> str:
            return f"games.{column} IN ({', '.join(map(str, ids)) or 'NULL'})"

        if selection.game:
            tests.append("games.event IN (SELECT id FROM events WHERE game = ?)")
            values.append(selection.game)
        if selection.event is not None:
            tests.append("games.event = ?")
            values.append(selection.event)
        if selection.since:
            tests.append("games.id > ?")
            values.append(selection.since)
        if selection.ended:
            tests.append("games.ended = ?")
            values.append(selection.ended)
        mine = self.named(selection.player) if selection.player else ()
        other = self.named(selection.against) if selection.against else ()
        if selection.outcome and not selection.player:
            raise HansuError("--outcome {outcome} needs a player", "add --player", outcome=selection.outcome)
        for who in (mine, other):
            if who:
                tests.append(f"({among('first', who)} OR {among('second', who)})")
        if mine and other:
            one, two = (
                among(a, mine) + " AND " + among(b, other) for a, b in (("first", "second"), ("second", "first"))
            )
            tests.append(f"({one} OR {two})")
        if selection.outcome:
            sign = {"won": 1, "drawn": 0, "lost": -1}[selection.outcome]
            one, two = f"{among('first', mine)} AND outcome = {sign}", f"{among('second', mine)} AND outcome = {-sign}"
            tests.append(f"({one} OR {two})")
        where = " WHERE " + " AND ".join(tests) if tests else ""
        if selection.last is not None:
            newest = f"SELECT games.id FROM games{where} ORDER BY games.id DESC LIMIT {int(selection.last)}"
            where = f" WHERE games.id IN ({newest})"
        return where, values

    def named(self, text: str) -> tuple[int, ...]:
        """The ids of the players with a name; if there are none, of those whose names contain the text."""
        from hansu.core.options import did_you_mean

        known = self.players()
        ids = [id for id, who in known.items() if who.name == text or f"{who.name}#{who.version}" == text]
        ids = ids or [id for id, who in known.items() if text in who.name]
        if not ids:
            hint = did_you_mean(text, {who.name for who in known.values()}, "players")
            raise HansuError("{path} has no player {name!r}", hint, path=self.path, name=text)
        return tuple(ids)

    # Sharing an event between processes

    def claim(self, claim: Claim) -> bool:
        """Claim a pair of games; False if another living process has claimed it."""
        with self._sqlite_errors(), _transaction(self._db):
            row = self._db.execute(
                "SELECT owner FROM claims WHERE event = ? AND slot = ? AND a = ? AND b = ?", claim
            ).fetchone()
            if row is not None and row[0] != own_name() and is_alive(row[0]):
                return False
            self._db.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)", (*claim, own_name()))
        return True

    def release(self, claim: Claim) -> None:
        """Give up a claim."""
        with self._sqlite_errors(), _transaction(self._db):
            self._release(claim)

    def _release(self, claim: Claim) -> None:
        self._db.execute("DELETE FROM claims WHERE event = ? AND slot = ? AND a = ? AND b = ?", claim)

    def release_all(self) -> None:
        """Delete the claims of this process and of dead processes."""
        with self._sqlite_errors(), _transaction(self._db):
            for (owner,) in self._db.execute("SELECT DISTINCT owner FROM claims").fetchall():
                if owner == own_name() or not is_alive(owner):
                    self._db.execute("DELETE FROM claims WHERE owner = ?", (owner,))


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk has ended the transaction already
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _tables(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])


def _not_a_store(path: Path) -> HansuError:
    return HansuError("{path} is not a store of games", HOW_TO_CREATE, path=path)


def store_error(path: Path, error: sqlite3.Error) -> HansuError:
    """The HansuError of an SQLite error."""
    text, code = str(error), getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        hint = Message("all finished games are safe; free disk space and run the command again")
        return HansuError("{path}: the disk is full", hint, path=path)
    if code == sqlite3.SQLITE_IOERR:
        hint = Message("all finished games are safe; check whether the disk is full or disconnected")
        return HansuError("{path}: {text}", hint, path=path, text=text)
    if code == sqlite3.SQLITE_NOTADB:
        return _not_a_store(path)
    if code == sqlite3.SQLITE_CORRUPT:
        return HansuError("{path} is damaged: {text}", RECOVER, path=path, text=text)
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return HansuError("{path} cannot be written: {text}", "choose another --store", path=path, text=text)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        what = Message("{path}: another process has been writing for {seconds:.0f} s", path=path, seconds=BUSY_SECONDS)
        return HansuError(what, "try again")
    return HansuError("{path}: {text}", path=path, text=text)


def versions() -> dict[str, str]:
    """The versions and the machine, which results may depend on."""
    from importlib import metadata

    versions = {"hansu": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "onnxruntime"):
        versions[package] = metadata.version(package)
    return {**versions, "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"}
