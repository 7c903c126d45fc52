"""Every reader of files and what is bad input to it: games or a message, never another error, and bounded memory."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from support.file_readers import first_of, pgn, recording, renju, saved

from hansu.core import HansuError, reading
from hansu.core.reading import lines_of, opened, read_whole, whole_number
from hansu.games.connect_four.solver.book import OpeningBook
from hansu.games.connect_four.training.data import read as read_data
from hansu.games.pacman import layout as layouts

HUGE = b"9" * 5_000
ODD = [b"", b"\x00", b"\xff\xfe", b"\xff" * 100, b"\x1f\x8b", b"\x1f\x8b\x08" + b"\x00" * 20,
       gzip.compress(b"abc")[:-6], gzip.compress(b"")[:-1] + b"x", b"{" * 50_000, b"[" * 50_000,
       b"(" * 50_000, b"<" * 50_000, b"\r\r\n\n\r",
       HUGE, b"\xef\xbb\xbf", "²³".encode(), b"PK\x03\x04" + b"\x00" * 30]  # fmt: skip


READERS: dict[str, tuple[Callable[[Path], object], list[bytes]]] = {
    "sgf": (renju, [
        b"(;GM[4]CA[zlib]PB[\xff])", b"(;GM[4]CA[rot13]PB[\xff])", b"(;GM[4]CA[undefined]PB[\xff])",
        b"(;GM[4]CA[idna]PB[\xff];B[hh])", b"(;GM[4]CA[punycode]PB[\xff];B[hh])", b"(;GM[4]CA[utf-16]PB[\xff];B[hh])",
        b"(;GM[4]CA[base64]\xff)", b"(;GM[4]CA[unicode_escape]PB[\xff\\x];B[hh])", b"(;GM[4]CA[hex]PB[\xff];B[hh])",
        b"(;GM[4]SZ[" + HUGE + b"])", b"(;GM[" + HUGE + b"])", b"(;GM[4];B[h" + HUGE + b"])", b"(;GM[4];B[\\",
        b"(;[]])",
    ]),
    "psq": (renju, [
        b"Piskvorky " + HUGE + b"x" + HUGE + b", 11:11, 0\n", b"Piskvorky 15x15, " + HUGE + b":1, 0\n1,1,0\n",
        b"Piskvorky 15x15, 1:1, " + HUGE + b"\n1,1,0\n", b"Piskvorky 15x15, 11:11, 0\n" + HUGE + b",1,0\n",
        b"Piskvorky 15x15, 11:11, 0\n8,8," + HUGE + b"\n", "Piskvorky ١٥x١٥, 1:1, 0\n".encode(),
        b"Piskvorky 15x15, 11:11, 0\n8,8,0\na\nb\n-1\n" + HUGE + b"\n",
    ]),
    "rif": (renju, [
        b'<?xml version="1.0" encoding="utf-16"?><database><games><game><move>h8</move></game>\n<game>\n</x>\n<game>',
        b'<?xml version="1.0" encoding="utf-32"?><database/>', b'<?xml version="1.0" encoding="zlib"?><database/>',
        b'<?xml version="1.0" encoding="punycode"?><database/>', b'<?xml version="1.0" encoding="utf-7"?><database/>',
        b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', b"<database><games><game><move>h" + HUGE + b"</move></game>",
        b"<database " + b"a" * 3_000_000, b"<database><!--" + b"a" * 3_000_000, b"<database a='" + b"a" * 3_000_000,
        b"<a>" * 100_000, b"<database><games><game a='1' a='2'></game></games></database>",
    ]),
    "lib": (renju, [
        b"\xffRenLib\xff", b"\xffRenLib\xff\x03\x04" + b"\xff" * 10, b"\x78", b"\x78\x00", b"\x78\x08" + b"a" * 200_000,
        b"\x78\x00" * 2_000, b"\xffRenLib\xff\x09\x09" + b"\xff" * 10 + b"\x00\x00",
    ]),
    "txt": (renju, [b"h" + HUGE, b"h8 " * 10_000, b"h8h8", HUGE + b".h8", b"1." * 100_000]),
    "jsonl": (renju, [b'{"game": ' + HUGE + b"}", b'{"game": ["renju"]}', b'{"game": "renju", "first": ["a"]}']),
    "jsonl of Ataxx": (saved, [b'{"game": ' + HUGE + b"}", b'{"game": "ataxx", "first": {}}', b"[[[[1]]]]"]),
    "pgn": (pgn, [
        b'[FEN ""]\n', b'[FEN "' + HUGE + b'"]\n', b"1. " + HUGE, HUGE + b". g2 *", b"{", b"(" * 100_000, b"; \n*",
        b"$" + HUGE + b" *",
        b'[Result "1-0"]\n[FEN "x5o/7/7/7/7/7/o5x x ' + HUGE + b' 1"]\n*',
    ]),
    "tree": (first_of("tree:file"), [
        b"A " + HUGE, "A ²\n  1\n  2".encode(), b"A max\n  " + HUGE + b"\n", b'{"value": ' + HUGE + b"}",
        b"A max\n  1e999\n",
        b'{"player": ' + HUGE + b', "children": [{"value": 1}]}', b'{"player": "\xc2\xb2", "children": [{"value": 1}]}',
        b'{"player": -1, "children": [{"value": 1}]}', b'{"player": true, "children": [{"value": 1}]}',
        b'{"value": 1e400}', b'{"value": ' + b"9" * 400 + b"}", b'{"value": null}', b'{"children": {}}', b'{"name": 1}',
        b"A max\n  (" + HUGE + b"): 1\n", b'{"children": [' * 50_000,
        b"A\n" + b"".join(b" " * n + b"A max\n" for n in range(3_000)),
    ]),
    "points": (first_of("triangles:file"), [
        b"1," + HUGE + b"\n", HUGE, b"1,2\n1,2\n1,2\n", b"0,0\n1,1\n", "²,³".encode(), b"0,0\n" * 100_000, b"x\ny\n1,1",
    ]),
    "layout": (first_of("pacman:layout"), [
        b"%%%\n%P%\n%%%", b"%P.%\xff", b"\x00" * 10, b"P" * 100, b"%%\n%P.G%%%%%G\n%%", b"." * 3_000_000,
        b"P\n" + b".\n" * 70_000,
        b"P" + b"G" * 20, b"\n\n\n",
    ]),
    "recording": (recording, [
        json.dumps(data).encode() for data in (
            [], {}, {"game": "pacman"}, {"game": "pacman", "format": 1, "layout": 1, "rows": 5, "ghosts": 1, "stop": 0},
            {"game": "pacman", "format": 1, "layout": "x", "rows": ["%P.%"], "ghosts": "x", "stop": 0, "games": []},
            {"game": "pacman", "format": 1, "layout": "x", "rows": ["%P.%"], "ghosts": 1e300, "stop": 0, "games": []},
            {"game": "pacman", "format": 1, "layout": "x", "rows": ["%P.%"], "ghosts": -5, "stop": 0, "games": [3]},
            {"game": "pacman", "format": 1, "layout": "x", "rows": ["%P.%"], "ghosts": 0, "stop": 0,
             "games": [{"score": 1, "won": True, "moves": "Q"}]},
            {"game": "pacman", "format": 1, "layout": "x", "rows": ["%P.%"], "ghosts": 0, "stop": 0,
             "games": [{"score": 1, "won": True, "moves": "WWWW"}]},
        )
    ] + [b'{"game": "pacman", "format": ' + HUGE + b"}"]),
    "data": (read_data, [b"b," * 42 + b"win\n", b"x,o\n", b"b," * 100_000, b"\x80" * 50, b"\n" * 100]),
    "book": (OpeningBook, [b"PK\x05\x06" + b"\x00" * 18, b"\x93NUMPY\x01\x00", b"\x80\x04\x95"]),
}  # fmt: skip

CASES = [(name, number) for name, (_, bad) in READERS.items() for number in range(len(bad) + len(ODD))]


@pytest.mark.parametrize(("name", "number"), CASES, ids=lambda part: str(part))
def test_bad_files(name: str, number: int, tmp_path: Path) -> None:
    read, bad = READERS[name]
    content = (bad + ODD)[number]
    endings = {"points": "csv", "layout": "lay", "recording": "json", "book": "npz"}
    path = tmp_path / f"bad.{endings.get(name, name.split()[0])}"
    path.write_bytes(content)
    try:
        read(path)
    except HansuError as error:
        assert len(str(error)) < 2_000 and not str(error).endswith(": ")
    packed = path.with_suffix(path.suffix + ".gz")
    packed.write_bytes(gzip.compress(content))
    with suppress(HansuError):
        read(packed)


def test_bad_files_are_told() -> None:
    """Some of the above, with their words."""
    for text, told in {"A ²\n  1": "is not a player", "A max\n  " + "9" * 5_000: "too large"}.items():
        from hansu.games.tree.tree_file import read_text

        with pytest.raises(HansuError, match=told):
            read_text(text, "x")


def test_a_binary_layout_is_not_missing(tmp_path: Path) -> None:
    for name in ("maze.lay", "maze.bin"):
        path = tmp_path / name
        path.write_bytes(b"\xff\xfe%P.%")
        with pytest.raises(HansuError, match="as UTF-8 text"):
            layouts.find(str(path))


# Bounds.


def bomb(path: Path, megabytes: int, piece: bytes) -> None:
    """A small file that unpacks to so much."""
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = piece * ((1 << 20) // len(piece))
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(pack.compress(block))
        file.write(pack.flush())


@pytest.mark.parametrize("piece", [b"\x00", b"h8 i9\n", b" ", b"<game>\n", b"(;", b"(;GM[4])\n", b"<player id='1'/>\n"])
def test_a_bomb_is_not_unpacked(tmp_path: Path, piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PACKED_FREELY", 1 << 17)
    monkeypatch.setattr(reading, "MOST_TIMES", 10)
    path = tmp_path / "bomb.gz"
    bomb(path, 16, piece)
    size = 0
    with pytest.raises(HansuError, match="unpacks to more than"), opened(path) as (_, stream):
        while block := stream.read(1 << 16):
            size += len(block)
    assert size < 2 << 20  # of sixteen
    (tmp_path / "sound.txt").write_text("h8 i9\n")
    renju(tmp_path / "sound.txt")  # what is imported and compiled for it fills memory, too
    for read in (renju, read_data):
        tracemalloc.start()
        with suppress(HansuError):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 32 << 20


def test_what_is_packed_well_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that look alike pack well, too: a real file stays far below the bound."""
    monkeypatch.setattr(reading, "PACKED_FREELY", 1 << 16)
    rows = b"".join(b"b," * 41 + b"b," + (b"win", b"draw", b"loss")[n * n % 3] + b"\n" for n in range(5_000))
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(rows, 1))
    if len(rows) < reading.MOST_TIMES * path.stat().st_size:
        assert len(read_data(path)[0]) == 5_000


def test_lines_and_whole_files_have_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.txt"
    path.write_text("a" * 2_000 + "\nb\n")
    with path.open() as file, pytest.raises(HansuError, match="line 1 is longer than 1,000 characters"):
        list(lines_of(file, 1_000))
    with path.open() as file:
        assert [len(line) for line in lines_of(file)] == [2_001, 2]
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000)
    with pytest.raises(HansuError, match="larger than"):
        read_whole(path)


def test_whole_numbers() -> None:
    assert [whole_number(text) for text in ("0", " -12 ", "+7", "9" * 18)] == [0, -12, 7, 10**18 - 1]
    assert all(whole_number(text) is None for text in ("", "-", "1.0", "1_0", "²", "١", "9" * 19, "0x1", "1 2"))
