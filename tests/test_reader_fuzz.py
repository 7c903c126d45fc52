"""Thousands of files that were sound until somebody changed a little in them, for every reader of files: games or a
message, never another error, and no more memory than before. Most changes leave a file readable, so that they get past
the first look."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.file_readers import first_of, pgn, recording, renju, saved
from support.sample_arrays import some
from support.small_network import write_network

from hansu.arena.import_export import bring_in
from hansu.arena.match import play_game
from hansu.arena.openings import read_openings
from hansu.arena.roster import player
from hansu.arena.store import Store
from hansu.core import HansuError, Limit, Record, registry
from hansu.core.machine import resident
from hansu.core.record import read_record
from hansu.games.ataxx.pgn import from_records, pgn_text
from hansu.games.connect_four.solver.book import OpeningBook
from hansu.games.connect_four.training.data import read as read_data
from hansu.games.pacman import contest
from hansu.games.pacman import layout as layouts
from hansu.games.renju.files.formats import write_games
from hansu.games.renju.files.lines import of_record
from hansu.games.tree import LECTURE
from hansu.learn.game_files import ReadTally, match_lines
from hansu.learn.recipe import settings_file
from hansu.learn.run import read_arrays, save_arrays
from hansu.learn.run_report import write_report
from hansu.learn.samples import Board, block, read_all
from hansu.search.network import game_network

FILES = 1_000  # of each reader
MOST_BYTES = 1 << 29  # that the process may grow by
ODD = [b"", b"-", b"0", b"-1", b"9" * 25, b"1e999", b"NaN", b"null", b"[]", b"{}", b'"', b"'", b"\\", b"(", b")", b"[",
       b"]", b";", b",", b"\t", b"\r", b"\n", b"\x00", b"\xff", "한".encode(), "²".encode(), b"&a;", b"<", b">",
       b"%"]  # fmt: skip


class Reader(NamedTuple):
    """How a kind of file is read, the name it needs, and sound files of the kind."""

    read: Callable[[Path], object]
    name: str
    sound: list[bytes]


def records(spec: str, count: int = 4) -> list[Record]:
    game = registry.game(spec)
    return [
        play_game(game.first, player(f"random:seed={i}", game), player("mcts:simulations=9", game), Limit(),
                  random.Random(i)) for i in range(count)
    ]  # fmt: skip


def lines(spec: str) -> bytes:
    return "".join(json.dumps(record.as_json(moves=True)) + "\n" for record in records(spec)).encode()


def written(suffix: str, folder: Path) -> bytes:
    path = folder / f"seed{suffix}"
    write_games(path, [of_record(record) for record in records("renju")])
    return path.read_bytes()


def arrays(**given: Any) -> bytes:
    made = io.BytesIO()
    np.savez(made, **given)
    return made.getvalue()


def to_learn_from(path: Path) -> object:
    return list(match_lines(registry.game("ataxx"), path, ReadTally(log=lambda _: None)))


def saved_game(path: Path) -> object:
    return read_record(path.read_text("utf-8", "replace"), registry.built_in("tictactoe"))


def run_folder(path: Path) -> object:
    """A run's own words lie in one file here: its facts in the first line, its log in the others."""
    facts, _, log = path.read_bytes().partition(b"\n")
    (path.parent / "run.json").write_bytes(facts)
    (path.parent / "log.jsonl").write_bytes(log)
    return write_report(path.parent)


def network(path: Path) -> object:
    """Loaded, and asked."""
    made = game_network(path, registry.game("tictactoe").first)
    return made(np.zeros((2, 2, 3, 3), np.float32))


def whole_store(path: Path) -> object:
    with Store(path, read_only=True) as store:
        found = [store.record(each.id) for each in store.games()]
        store.results(), store.faults(), store.by_opening(), store.counts(), store.runs(), store.events()
        store.players(), store.openings()
        return found


def store_of_games(path: Path) -> bytes:
    with Store(path, make=True) as store:
        (path.parent / "games.jsonl").write_bytes(lines("tictactoe"))
        bring_in(store, path.parent / "games.jsonl")
    return path.read_bytes()


def readers(folder: Path) -> dict[str, Reader]:
    position = registry.game("pacman:layout=testClassic").first
    played = contest.play_game(position, lambda at: (at.actions[0], ""), contest.Ghosts(contest.Haunting(), 1))
    contest.save(folder / "recorded.json", position.state, [played] * 3)
    connect_four = Board(registry.game("connect_four"))
    save_arrays(folder / "arrays.npz", {"network/a": np.ones((3, 4), np.float32)}, {"described": {}, "notes": {}})
    row = {"kind": "game", "first": "start", "moves": ["1", "5"], "seconds": 3.5}
    progress = {"kind": "progress", "seconds": 61.5, "games": 7, "policy_loss": 0.5, "simulations_a_second": 900}
    facts = {"game": "tictactoe", "recipe": "alphazero", "parameters": 1234, "settings": {"channels": 8, "seed": 1}}
    run = "\n".join(
        json.dumps(each)
        for each in (facts, progress, row, {"kind": "rating", "seconds": 9, "elo": 5, "against": "mcts"})
    )
    tree = json.dumps({"children": [{"name": "b", "value": 3}, {"player": "min", "children": [{"value": 1}]}]})
    data = [["b"] * 42 for _ in range(3)]
    data[1][0], data[1][6], data[2][0], data[2][1] = "x", "o", "x", "o"
    return {
        **{suffix[1:]: Reader(renju, f"a{suffix}", [written(suffix, folder)])
           for suffix in (".sgf", ".psq", ".rif", ".lib", ".txt")},
        "jsonl of Renju": Reader(renju, "a.jsonl", [lines("renju")]),
        "jsonl of Ataxx": Reader(saved, "a.jsonl", [lines("ataxx")]),
        "jsonl to learn from": Reader(to_learn_from, "a.jsonl", [lines("ataxx")]),
        "a saved game": Reader(saved_game, "a.json", lines("tictactoe").splitlines()),
        "pgn": Reader(pgn, "a.pgn",
                      ["\n".join(map(pgn_text, from_records(lines("ataxx").decode().splitlines()))).encode()]),
        "tree": Reader(first_of("tree:file"), "a.txt", [LECTURE.encode(), tree.encode()]),
        "points": Reader(first_of("triangles:file"), "a.csv", [b"x,y\n0,0\n6,1\n4,5\n2,3\n1,6\n", b"0 0\n5 5\n6 1\n"]),
        "layout": Reader(first_of("pacman:layout"), "a.lay", [file.read_bytes() for file in layouts.FOLDER.iterdir()]),
        "recording": Reader(recording, "a.json", [(folder / "recorded.json").read_bytes()]),
        "data": Reader(read_data, "a.data", ["".join(",".join([*each, "win"]) + "\n" for each in data).encode()]),
        "book": Reader(OpeningBook, "a.npz", [arrays(keys=np.array([3, 5, 9]), scores=np.zeros(3, np.int8),
                                             moves=np.zeros(3, np.int8))]),
        "arrays": Reader(read_arrays, "a.npz", [(folder / "arrays.npz").read_bytes()]),
        "samples": Reader(lambda path: read_all([path], connect_four), "a.shard",
                          [b"".join(block(some(connect_four, 9, seed), connect_four) for seed in range(3))]),
        "settings": Reader(settings_file, "a.toml", [b'channels = 64\nsimulations = [24, 160]\nagainst = "mcts"\n']),
        "run": Reader(run_folder, "a.run", [run.encode()]),
        "network": Reader(network, "a.onnx", [write_network(folder / "n.onnx", (2, 3, 3), 9).read_bytes()]),
        "store": Reader(whole_store, "a.db", [store_of_games(folder / "games.db")]),
        "openings": Reader(lambda path: list(read_openings(path, registry.game("connect_four"))), "a.txt",
                           [b"4 4 3\n1 2\nstart\n7 7 7\n"]),
    }  # fmt: skip


def changed(content: bytes, chance: random.Random) -> bytes:
    """With a small change or some."""
    for _ in range(chance.choice([1, 1, 1, 3])):
        content = (slightly if chance.random() < 0.75 else roughly)(content, chance)
    return content


def slightly(content: bytes, chance: random.Random) -> bytes:
    """As people and programs do who mean no harm; what it says may be another thing then."""
    if b"\0" in content:  # numbers: those of an array lie behind its head, of other files most in the middle
        array = content.startswith(b"\x93NUMPY") and len(content) > 128
        at = chance.randrange(128, len(content)) if array else int(len(content) * chance.uniform(0.3, 0.8))
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    match chance.randrange(5):
        case 0:
            return content.replace(b"\n", b"\r\n")
        case 1:
            return content + chance.choice([b"\n", b"\n\n", b" ", b"\r\n"])
        case 2:
            return content.replace(b" ", b"  ", 1)
        case kind:
            spots = [spot.start() for spot in re.finditer(rb"\d" if kind == 3 else rb"[a-z]", content)]
            at = chance.choice(spots or [0])
            other = chance.choice(b"0123456789" if kind == 3 else b"abcdefghijklmnopqrstuvwxyz")
            return content[:at] + bytes([other]) + content[at + 1 :]


def roughly(content: bytes, chance: random.Random) -> bytes:
    made = bytearray(content)
    at = chance.randrange(len(made) or 1)
    match chance.randrange(6):
        case 0 if numbers := list(re.finditer(rb"\d+", made)):
            number = chance.choice(numbers)
            made[slice(*number.span())] = chance.choice([b"15", b"255", number[0] * 2, chance.choice(ODD)])
        case 1:  # a line, doubled or left out
            rows = content.splitlines(keepends=True)
            row = chance.randrange(len(rows) or 1)
            rows[row : row + 1] = rows[row : row + 1] * chance.choice([0, 2])
            return b"".join(rows)
        case 2:
            made[at:at] = chance.choice(ODD)
        case 3:
            del made[at : at + chance.randint(1, 3)]
        case 4:  # a piece of itself
            begin = chance.randrange(len(made) or 1)
            made[at:at] = made[begin : begin + chance.randrange(40)]
        case _:
            made[at : at + 1] = bytes([chance.randrange(256)])
    return bytes(made)


def changed_inside(content: bytes, chance: random.Random) -> bytes:
    """A packed file with a change in one of its parts: its checksums are right."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        chosen = chance.choice(old.namelist())
        for name in old.namelist():
            new.writestr(name, changed(old.read(name), chance) if name == chosen else old.read(name))
    return made.getvalue()


@pytest.fixture(scope="module")
def all_readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reader]:
    return readers(tmp_path_factory.mktemp("seeds"))


NAMES = ["sgf", "psq", "rif", "lib", "txt", "jsonl of Renju", "jsonl of Ataxx", "jsonl to learn from", "a saved game",
         "pgn", "tree", "points", "layout", "recording", "data", "book", "arrays", "samples", "settings",
         "run", "network", "store", "openings"]  # fmt: skip


def test_every_reader_reads_its_sound_files(all_readers: dict[str, Reader], tmp_path: Path) -> None:
    assert list(all_readers) == NAMES
    for reader in all_readers.values():
        for content in reader.sound:
            (tmp_path / reader.name).write_bytes(content)
            reader.read(tmp_path / reader.name)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_files(
    all_readers: dict[str, Reader], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, chance, read = all_readers[name], random.Random(name), 0
    before = resident()
    for number in range(FILES):
        sound = chance.choice(reader.sound)
        packed = sound.startswith(b"PK") and chance.random() < 0.9
        content = (changed_inside if packed else changed)(sound, chance)
        path = tmp_path / str(number) / reader.name
        path.parent.mkdir()
        path.write_bytes(content)
        try:
            reader.read(path)
            read += 1
        except HansuError as error:
            assert len(str(error)) < 5_000, content
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}; file {number}: {content[:2_000]!r}") from error
    with capsys.disabled():
        print(f"\n{name}: {FILES:,} files, {read:,} read, {FILES - read:,} refused")
    assert read > FILES // 20 and resident() - before < MOST_BYTES
