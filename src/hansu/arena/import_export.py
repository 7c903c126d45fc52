"""Export and import of a store's games: JSON lines, CSV, the formats of a game; files of `hansu match --save`, stores.

A file of games cannot load code: games of a user's own game are read only if the caller passes that game.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from hansu.arena.contestant import Contestant
from hansu.arena.game_row import digest, moves_digest, seconds_of
from hansu.arena.openings import Opening
from hansu.arena.standings import shown_names
from hansu.arena.store import GameFilter, Store, StoredGame
from hansu.core import registry
from hansu.core.errors import HansuError
from hansu.core.file_errors import not_read, not_written
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.core.options import split_spec
from hansu.core.reading import lines_of, opened
from hansu.core.record import Record

COLLECTIONS = {"pgn", "sgf"}  # formats whose files may hold many games
CSV_COLUMNS = (
    "id", "event", "kind", "game", "slot", "first", "second", "outcome", "ended", "plies", "first_seconds",
    "second_seconds", "finished", "start", "opening", "moves",
)  # fmt: skip


def game_of(spec: str, own: Game | None = None) -> Game:
    """The game that a record names: a game of the package, or `own`."""
    name = split_spec(spec)[0]
    if own is not None and name in (own.name, own.path):
        return own
    if name in registry.names():
        return registry.built_in(name)
    raise HansuError("games of {name!r} can only be read with its file", "--game path/to/its/file.py", name=name)


def export(store: Store, selection: GameFilter, path: Path, format: str = "", own: Game | None = None) -> int:
    """Write games to a file, and return their number. The extension chooses the format: jsonl, csv, or a format of the
    game (pgn, sgf, psq). A folder gets one file per game."""
    format = (format or path.suffix).removeprefix(".").lower()
    games = list(store.games(selection))
    if not games:
        raise HansuError("no games to export")
    try:
        if path.is_dir():
            for played in games:
                text = _text(store, played, format, own)
                (path / f"{played.id}.{format}").write_text(text, encoding="utf-8")
        else:
            if len(games) > 1 and format not in COLLECTIONS | {"jsonl", "csv"}:
                _writable(store, games[0], format, own)
                raise HansuError(
                    "a .{format} file can hold only one of the {count:,} games",
                    "name an existing folder, and --format {format}",
                    format=format,
                    count=len(games),
                )
            _text(store, games[0], format, own)  # reports an unknown format before the file is touched
            with path.open("w", encoding="utf-8", newline="") as file:
                _write(store, games, format, file, own)
    except OSError as error:
        raise not_written(path, error) from None
    return len(games)


def _write(store: Store, games: list[StoredGame], format: str, file: TextIO, own: Game | None) -> None:
    if format == "csv":
        rows = csv.writer(file)
        rows.writerow(CSV_COLUMNS)
        rows.writerows(_rows(store, games))
    else:
        between = "\n" if format in COLLECTIONS else ""
        for number, played in enumerate(games):
            file.write((between if number else "") + _text(store, played, format, own))


def _text(store: Store, played: StoredGame, format: str, own: Game | None) -> str:
    """One game in a format."""
    if format == "jsonl":
        return json.dumps(store.record(played.id), ensure_ascii=False) + "\n"
    if format == "csv":
        return ",".join(CSV_COLUMNS) + "\n"
    record, game = _writable(store, played, format, own)
    text = game.files.writers[format](Record.from_json(record, game))
    return text if text.endswith("\n") else text + "\n"


def _writable(store: Store, played: StoredGame, format: str, own: Game | None) -> tuple[dict[str, Any], Game]:
    """The record of a game, and the game; raises if the game has no such format."""
    record = store.record(played.id)
    game = game_of(record["game"], own)
    if format not in game.files.writers:
        known = ", ".join(["jsonl", "csv", *game.files.writers])
        hint = Message("one of: {names}", names=known)
        if not format:
            raise HansuError("{game} has no format for files without an extension", hint, game=game.name)
        raise HansuError("{game} has no format {format}", hint, game=game.name, format=format)
    return record, game


def _rows(store: Store, games: list[StoredGame]) -> Iterator[tuple[Any, ...]]:
    events, names = store.events(), shown_names(store.players())
    for one in games:
        event, record = events[one.event], store.record(one.id)
        when = datetime.fromtimestamp(one.finished).astimezone().isoformat(timespec="seconds")
        yield (
            one.id, one.event, event.kind, event.game, one.slot, names[one.first], names[one.second], one.outcome,
            one.ended, one.plies, f"{one.first_seconds:.6f}", f"{one.second_seconds:.6f}", when, record["start"],
            " ".join(record["opening"]), " ".join(record["moves"]),
        )  # fmt: skip


def import_games(store: Store, path: Path, own: Game | None = None) -> tuple[int, int]:
    """Import the games of a file. Returns the numbers of new and of known games. If a line cannot be read, nothing is
    imported."""
    path = path.expanduser()
    try:
        with path.open("rb") as file:
            is_store = file.read(16) == b"SQLite format 3\0"
        if is_store:
            with Store(path, read_only=True) as other:
                return _merge(store, other)
    except OSError as error:
        raise not_read(path, error) from None
    with opened(path) as (_, stream):
        lines = enumerate(lines_of(stream), 1)
        records = [_read(line, number, path, own) for number, line in lines if line.strip()]
    known = {(one.digest, one.first_seconds, one.second_seconds) for one in store.games()}  # of any event
    new, slot = 0, 0
    before: dict[str, Any] = {}
    for record in records:
        completes_pair = (record["first"], record["second"], record["opening"]) == (
            before.get("second"), before.get("first"), before.get("opening"),
        )  # fmt: skip
        if not completes_pair:
            slot = digest(json.dumps(record, sort_keys=True))
        before = {} if completes_pair else record
        if (moves_digest(record), *seconds_of(record)) in known:
            continue
        event = store.event(record["game"], "import", {})
        first, second = (store.player(Contestant(record[seat], record[seat])) for seat in ("first", "second"))
        opening = store.opening(record["game"], Opening(record.get("start") or "start", tuple(record["opening"])))
        new += store.add(event, slot, first, second, opening, record) is not None
    return new, len(records) - new


def _read(line: bytes, number: int, path: Path, own: Game | None) -> dict[str, Any]:
    """A line as a record, validated by the rules."""
    try:
        record = json.loads(line)
        Record.from_json(record, game_of(str(record["game"]), own))
    except HansuError as error:
        raise HansuError(
            "{path}, line {number}: {what}", error.hint, path=path, number=number, what=error.what
        ) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HansuError("{path}, line {number}: not a record of a game", path=path, number=number) from None
    return record  # type: ignore[no-any-return]


def _merge(store: Store, other: Store) -> tuple[int, int]:
    """Import every game of another store, with its event, players and opening."""
    events, players, openings, runs = other.events(), other.players(), other.openings(), other.runs()
    new = total = 0
    for one in other.games():
        event = events[one.event]
        here = store.event(event.game, event.kind, event.settings)
        first, second = store.player(players[one.first]), store.player(players[one.second])
        opening, run = store.opening(event.game, openings[one.opening]), store.run_of(*runs[one.run])
        record = other.record(one.id)
        new += store.add(here, one.slot, first, second, opening, record, one.finished, run) is not None
        total += 1
    return new, total - new
