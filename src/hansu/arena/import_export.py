"""Games out of a store and into it: JSON lines, CSV, a game's own format; lines of `hansu match --save`, other stores.

A file names no code: a game that is not of the package is only read where its file is given.
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


def game_of(spec: str, given: Game | None = None) -> Game:
    """The game that a record names: one of the package, or the one that is given."""
    name = split_spec(spec)[0]
    if given is not None and name in (given.name, given.path):
        return given
    if name in registry.names():
        return registry.built_in(name)
    raise HansuError("games of {name!r} are read only where its file is given", "--game path/to/its/file.py", name=name)


def export(store: Store, wanted: GameFilter, path: Path, format: str = "", given: Game | None = None) -> int:
    """Write games to a file whose ending says how: jsonl, csv, or a format of the game's own (pgn, sgf, psq). A folder
    gets a file for each game. Gives their number."""
    format = (format or path.suffix).removeprefix(".").lower()
    found = list(store.games(wanted))
    if not found:
        raise HansuError("there are no such games to export")
    try:
        if path.is_dir():
            for played in found:
                text = _text(store, played, format, given)
                (path / f"{played.id}.{format}").write_text(text, encoding="utf-8")
        else:
            if len(found) > 1 and format not in COLLECTIONS | {"jsonl", "csv"}:
                _formats_of(store, found[0], format, given)
                raise HansuError(
                    "a .{format} file holds one game, and these are {count:,}",
                    "name a folder that is there, and --format {format}",
                    format=format,
                    count=len(found),
                )
            _text(store, found[0], format, given)  # an unknown format is told before the file is touched
            with path.open("w", encoding="utf-8", newline="") as file:
                _write(store, found, format, file, given)
    except OSError as error:
        raise not_written(path, error) from None
    return len(found)


def _write(store: Store, found: list[StoredGame], format: str, file: TextIO, given: Game | None) -> None:
    if format == "csv":
        rows = csv.writer(file)
        rows.writerow(CSV_COLUMNS)
        rows.writerows(_rows(store, found))
    else:
        between = "\n" if format in COLLECTIONS else ""
        for number, played in enumerate(found):
            file.write((between if number else "") + _text(store, played, format, given))


def _text(store: Store, played: StoredGame, format: str, given: Game | None) -> str:
    """One game in a format."""
    if format == "jsonl":
        return json.dumps(store.record(played.id), ensure_ascii=False) + "\n"
    if format == "csv":
        return ",".join(CSV_COLUMNS) + "\n"
    told, game = _formats_of(store, played, format, given)
    text = game.files.writers[format](Record.from_json(told, game))
    return text if text.endswith("\n") else text + "\n"


def _formats_of(store: Store, played: StoredGame, format: str, given: Game | None) -> tuple[dict[str, Any], Game]:
    told = store.record(played.id)
    game = game_of(told["game"], given)
    if format not in game.files.writers:
        known = ", ".join(["jsonl", "csv", *game.files.writers])
        hint = Message("one of: {names}", names=known)
        if not format:
            raise HansuError("{game} is not written as a file without an ending", hint, game=game.name)
        raise HansuError("{game} is not written as {format}", hint, game=game.name, format=format)
    return told, game


def _rows(store: Store, found: list[StoredGame]) -> Iterator[tuple[Any, ...]]:
    events, names = store.events(), shown_names(store.players())
    for one in found:
        event, told = events[one.event], store.record(one.id)
        when = datetime.fromtimestamp(one.finished).astimezone().isoformat(timespec="seconds")
        yield (
            one.id, one.event, event.kind, event.game, one.slot, names[one.first], names[one.second], one.outcome,
            one.ended, one.plies, f"{one.first_seconds:.6f}", f"{one.second_seconds:.6f}", when, told["start"],
            " ".join(told["opening"]), " ".join(told["moves"]),
        )  # fmt: skip


def bring_in(store: Store, path: Path, given: Game | None = None) -> tuple[int, int]:
    """Take in the games of a file: those that are new, and those that were there already. Nothing is taken in where a
    line cannot be read."""
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
        records = [_read(line, number, path, given) for number, line in lines if line.strip()]
    known = {(one.digest, one.first_seconds, one.second_seconds) for one in store.games()}  # of any event
    fresh, slot = 0, 0
    before: dict[str, Any] = {}
    for told in records:
        mates = (told["first"], told["second"], told["opening"]) == (
            before.get("second"), before.get("first"), before.get("opening"),
        )  # fmt: skip
        if not mates:
            slot = digest(json.dumps(told, sort_keys=True))
        before = {} if mates else told
        if (moves_digest(told), *seconds_of(told)) in known:
            continue
        event = store.event(told["game"], "import", {})
        first, second = (store.player(Contestant(told[seat], told[seat])) for seat in ("first", "second"))
        opening = store.opening(told["game"], Opening(told.get("start") or "start", tuple(told["opening"])))
        fresh += store.add(event, slot, first, second, opening, told) is not None
    return fresh, len(records) - fresh


def _read(line: bytes, number: int, path: Path, given: Game | None) -> dict[str, Any]:
    """A line as a record, played through by the rules."""
    try:
        told = json.loads(line)
        Record.from_json(told, game_of(str(told["game"]), given))
    except HansuError as error:
        raise HansuError(
            "{path}, line {number}: {what}", error.hint, path=path, number=number, what=error.what
        ) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise HansuError("{path}, line {number}: not a record of a game", path=path, number=number) from None
    return told  # type: ignore[no-any-return]


def _merge(store: Store, other: Store) -> tuple[int, int]:
    """Every game of another store, with its event, players and opening."""
    events, players, openings, runs = other.events(), other.players(), other.openings(), other.runs()
    fresh = total = 0
    for one in other.games():
        event = events[one.event]
        here = store.event(event.game, event.kind, event.settings)
        first, second = store.player(players[one.first]), store.player(players[one.second])
        opening, run = store.opening(event.game, openings[one.opening]), store.run_of(*runs[one.run])
        record = other.record(one.id)
        fresh += store.add(here, one.slot, first, second, opening, record, one.finished, run) is not None
        total += 1
    return fresh, total - fresh
