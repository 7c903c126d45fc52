"""Renju game files: reading, writing and round trips of each format; invalid games are reported with their place."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import Run

import hansu
from hansu.core import HansuError, Record, Variation
from hansu.core.variation import MOST_VARIATIONS
from hansu.games.renju.files.formats import Assumed, encoding_of, format_of, read_games, write_games
from hansu.games.renju.files.game_record import GameRecord, Mistake, read_move, validation_error
from hansu.games.renju.files.lib import read_lib, write_lib
from hansu.games.renju.files.lines import read_lines
from hansu.games.renju.files.psq import psq_text, read_psq
from hansu.games.renju.files.rif import read_rif, write_rif
from hansu.games.renju.files.sgf import read_sgf, sgf_text


def cells(text: str, size: int = 15) -> tuple[int, ...]:
    return tuple(read_move(word, size) for word in text.split())


def split(results: Iterator[GameRecord | Mistake]) -> tuple[list[GameRecord], list[Mistake]]:
    everything = list(results)
    return [g for g in everything if isinstance(g, GameRecord)], [m for m in everything if isinstance(m, Mistake)]


# SGF.

SGF = r"""notes of a collection
(;FF[4]GM[4]SZ[15]PB[Kim \] "A"]PW[이]RE[B+Resign]DT[2020-01-02]EV[Cup]RO[3]PC[Seoul]RU[Taraguchi-10]ON[d1 Kansei]
;B[hh];W[hg]C[a [direct\] one
in two lines, with a back\\slash];B [ ig ]
(;W[gi];B[HJ])(;W[jh](;B[aa])(;B[bb]))
)
(;GM[4]SZ[19];B[ss];W[aa];B[tt];W[])  (;FF[4];B[h8];W[i9])
"""


def test_sgf_is_read() -> None:
    games, mistakes = split(read_sgf(SGF.splitlines(keepends=True)))
    assert not mistakes and len(games) == 3
    first, second, third = games
    assert first.moves == cells("h8 h9 i9 g7 h6") and first.where == "line 2"
    assert (first.black, first.white, first.result) == ('Kim ] "A"', "이", "1-0")
    assert (first.event, first.round, first.place, first.date) == ("Cup", "3", "Seoul", "2020-01-02")
    assert (first.rule, first.opening_rule, first.opening) == ("renju", "Taraguchi-10", "d1 Kansei")
    assert first.comments == ((2, "a [direct] one\nin two lines, with a back\\slash"),)
    assert second.size == 19 and second.moves == (18 * 19 + 18, 0, 361, 361)
    assert third.moves == cells("h8 i9") and third.result == "*"


def test_sgf_keeps_variations() -> None:
    text = "(;GM[4];B[hh];W[hg](;B[ig](;W[gi])(;W[jh]N[sharper];B[aa]))(;B[gi])(;B[zz];W[aa])C[nobody's])"
    (game,), mistakes = split(read_sgf([text]))
    assert not mistakes and game.moves == cells("h8 h9 i9 g7") and not game.comments
    assert game.variations == (Variation(cells("h8 h9 i9 j8 a15"), "sharper"), Variation(cells("h8 h9 g7")))
    (again,), _ = split(read_sgf(sgf_text(game).splitlines(keepends=True)))
    assert (again.moves, again.variations) == (game.moves, game.variations)
    assert "\n(;B[ig]\n(;W[gi])\n(;W[jh]N[sharper];B[aa]))\n(;B[gi]))" in sgf_text(game)
    many = "(;B[hh]" + "(;W[hg])" * 100 + ")"
    assert len(split(read_sgf([many]))[0][0].variations) == MOST_VARIATIONS


@pytest.mark.parametrize(
    "text, result",
    [("RE[W+3]", "0-1"), ("RE[0]", "1/2-1/2"), ("RE[Draw]", "1/2-1/2"), ("RE[?]", "*"), ("RE[1-0]", "1-0"), ("", "*")],
)
def test_sgf_results(text: str, result: str) -> None:
    assert split(read_sgf([f"(;GM[4]{text};B[hh])"]))[0][0].result == result


def test_sgf_rules() -> None:
    rules = {"": "freestyle", "Renju": "renju", "Gomoku": "standard", "Swap2": "standard", "Freestyle": "freestyle"}
    for word, rule in rules.items():
        assert split(read_sgf([f"(;RU[{word}];B[hh])"], "freestyle"))[0][0].rule == rule


def test_invalid_sgf_is_reported_by_line_and_the_rest_is_read() -> None:
    bad = [
        ("(;GM[1];B[aa])", "line 2", "GM[1] is another game"),
        ("(;GM[4]SZ[99];B[aa])", "line 2", "SZ[99]"),
        ("(;GM[4];B[hh];B[ii])", "line 2", "out of turn"),
        ("(;GM[4];B[hh]\n;W[zz])", "line 2", "not a point"),
        ("(;GM[4]\n;B[hh]\n what)", "line 4", "expected a bracket, a semicolon or a property, found 'what)'"),
        ("(;GM[4]AB[hh]AW[ii];B[aa])", "line 2", "sets up"),
        ("()", "line 2", "no nodes"),
        ("(B[hh])", "line 2", "before the first node"),
        ("(;GM[4];B[hh];W[ii", "line 2", "not a point"),
        ("(;GM[4]" + ";B[hh];W[hi]" * 300 + ")", "line 2", "more than 500"),
    ]
    for text, where, what in bad:
        lines = f"(;GM[4];B[aa])\n{text}\n(;GM[4];B[bb])\n".splitlines(keepends=True)
        games, mistakes = split(read_sgf(lines))
        assert [game.moves for game in games] == [(0,), (16,)], text
        assert [mistake.where for mistake in mistakes] == [where] and what in mistakes[0].what, text


def test_too_many_unclosed_brackets_end_the_file() -> None:
    _, mistakes = split(read_sgf(["(;GM[\n"] * 2000))
    assert len(mistakes) == 100 and "is skipped" in mistakes[-1].what
    assert len(split(read_sgf(["(;C[\n"] * 5000))[1]) == 1


# psq.

PSQ = """Piskvorky 20x20, 11:11, 0
11,11,1500
12,10,20
11,10,0
PISQ7.zip
pbrain-noesis.exe
-1
2,Standard
"""


def test_psq_is_read() -> None:
    (game,), mistakes = split(read_psq(PSQ.splitlines()))
    assert not mistakes and game.moves == (10 * 20 + 10, 9 * 20 + 11, 9 * 20 + 10) and game.size == 20
    assert (game.black, game.white, game.result, game.rule) == ("PISQ7", "noesis", "0-1", "standard")
    assert game.seconds == (1.5, 0.02, 0.0)
    (swapped,), _ = split(read_psq(PSQ.replace(", 0\n", ", 1\n", 1).splitlines()))
    assert (swapped.black, swapped.white, swapped.result) == ("noesis", "PISQ7", "1-0")
    (bare,), _ = split(read_psq(["Piskvorky 15x15, 0:0, 0", "8,8", "9,9"], "renju"))
    assert bare.moves == (112, 128) and bare.rule == "renju" and bare.result == "*"


def test_invalid_psq_is_reported_by_line() -> None:
    text = "rubbish\nmore\nPiskvorky 15x10, 0:0, 0\n1,1,0\nPiskvorky 15x15, 0:0, 0\n1,1,0\n16,1,0\nPiskvorky x\n" + PSQ
    games, mistakes = split(read_psq(text.splitlines()))
    assert len(games) == 1
    assert [m.where for m in mistakes] == ["line 1", "line 3", "line 7", "line 8"]
    assert split(read_psq([]))[1] == [Mistake("line 1", "the file is empty")]


# rif.

RIF = """<?xml version="1.0" encoding="UTF-8"?>
<database version="1.0">
<countries><country id="1" name="Estonia" abbr="EST"/></countries>
<cities><city id="2" name="Tallinn" country="1"/></cities>
<rules><rule id="1" name="RIF"><info>three stones &amp; swap</info></rule><rule id="2" name="Gomoku swap2"/></rules>
<openings><opening id="4" name="Kansei" abbr="1d"/></openings>
<players><player id="7" name="Ando" surname="Meritee" country="1"/><player id="9" name="Kazuto" surname="H."/></players>
<tournaments><tournament id="3" name="World &quot;Cup&quot;" country="1" city="2" start="1999-08-01"/></tournaments>
<games>
<game id="1" publisher="x" tournament="3" round="2" rule="1" black="7" white="9" bresult="1" opening="4" alt="j9 note"
 swap="001">
<move>h8 i9 h10</move>
<info>a remark</info>
</game>
<game id="2" rule="2" black="9" white="7" bresult="0.5"><move>a1 o15</move></game>
</games>
</database>
"""


def rif(text: str) -> tuple[list[GameRecord], list[Mistake]]:
    return split(read_rif(io.BytesIO(text.encode())))


def test_rif_is_read() -> None:
    (first, second), mistakes = rif(RIF)
    assert not mistakes
    assert first.moves == cells("h8 i9 h10") and first.result == "1-0" and first.where == "line 10"
    assert (first.black, first.white, first.event, first.round) == ("Ando Meritee", "Kazuto H.", 'World "Cup"', "2")
    assert (first.place, first.date, first.opening) == ("Tallinn, Estonia", "1999-08-01", "Kansei")
    assert (first.rule, first.opening_rule, first.swaps) == ("renju", "RIF", "001")
    assert first.offers == cells("j9") and first.comments == ((0, "a remark"),)
    assert second.moves == cells("a1 o15") and (second.rule, second.result) == ("standard", "1/2-1/2")


def test_invalid_rif_is_reported_by_line_and_the_rest_is_read() -> None:
    games, mistakes = rif(RIF.replace("<move>h8 i9 h10</move>", "<move>h8 i99 h10</move>"))
    assert len(games) == 1 and mistakes == [Mistake("line 10", "'i99' is not a point of the 15×15 board (a1 to o15)")]
    games, mistakes = rif(RIF.replace("<info>a remark</info>", "<info>a <b remark</info>"))
    assert [game.moves for game in games] == [cells("a1 o15")] and games[0].where == "line 15"
    assert len(mistakes) == 1 and mistakes[0].where == "line 13" and "malformed XML" in mistakes[0].what
    games, mistakes = rif(RIF.replace("<info>a remark</info>", "<info>a <b remark</info>").replace("\n", " "))
    assert [game.moves for game in games] == [cells("a1 o15")] and len(mistakes) == 1  # all of it on one line
    games, mistakes = rif(RIF[: RIF.index("</games>")])
    assert len(games) == 2 and "incomplete" in mistakes[0].what
    assert rif("") == ([], [Mistake("line 1", "the file is empty")])


def test_entities_are_rejected() -> None:
    bomb = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><database><games>&b;</games></database>'
    with pytest.raises(HansuError, match="entity"):
        rif(bomb)
    outside = '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><database>&a;</database>'
    with pytest.raises(HansuError, match="entity"):
        rif(outside)
    assert rif(RIF.replace("<database", '<!DOCTYPE database SYSTEM "rif.dtd">\n<database', 1))[1] == []


def test_rif_in_another_encoding() -> None:
    raw = RIF.replace("UTF-8", "ISO-8859-1").replace("Kazuto", "K\xe4zuto").encode("latin-1")
    assert split(read_rif(io.BytesIO(raw)))[0][0].white == "Käzuto H."
    with pytest.raises(HansuError, match="encoding"):
        split(read_rif(io.BytesIO(RIF.replace("UTF-8", "EBCDIC-XX").encode())))


# lib: bytes written by hand.


HEAD = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10


def lib(*nodes: bytes, head: bytes = HEAD) -> tuple[list[GameRecord], list[Mistake]]:
    return split(read_lib(io.BytesIO(head + b"".join(nodes))))


def test_lib_is_read() -> None:
    # root; h8; then h9 with i9 below it, and as its sibling g9, which has a comment and a label
    games, mistakes = lib(
        b"\x00\x00", b"\x78\x00", b"\x68\x80", b"\x69\x40", b"\x67\x49\x00\x01", b"title\x08body!\0", b"A\0",
    )  # fmt: skip
    assert not mistakes
    assert [game.moves for game in games] == [cells("h8 h9 i9"), cells("h8 g9")]
    assert games[1].comments == ((2, "title\nbody!"),) and games[1].where == "byte 28"


def test_old_lib_versions() -> None:
    games, mistakes = lib(b"\x78\x00", b"\x68\x60", b"ol", b"d\xa1", head=b"")  # no header, an old comment
    assert not mistakes and games[0].moves == cells("h8 h9") and games[0].comments == ((2, "old!"),)
    games, _ = lib(b"\x78\x00", b"\x00\x00", b"\x68\x40")  # no root; a pass in the middle
    assert games[0].moves == (112, 225, 97)
    games, _ = lib(b"\x00\x00", b"\x78\x00", b"\x68\x82", b"\x69\x42", b"\x67\x40")  # places for labels are not moves
    assert [game.moves for game in games] == [cells("h8 g9")]


@pytest.mark.parametrize(
    "nodes, where, what",
    [
        ([b"\x00\x00", b"\x78\x00"], "byte 24", "ends inside the tree"),
        ([b"\x00\x00", b"\x70\x40"], "byte 22", "0x70 is not a point"),
        ([b"\x00\x00", b"\xf8\x40"], "byte 22", "0xf8 is not a point"),
        ([b"\x00\x00", b"\x78\x40", b"\x68\x40"], "byte 24", "after the end"),
        ([b"\x00\x00", b"\x78\x48", b"ab"], "byte 26", "ends inside a comment"),
        ([b"\x00\x00", b"\x78\x48", b"ab" * 40_000], "byte 65562", "a comment is longer than"),
        ([], "byte 20", "has no moves"),
        ([b"\x00\x00", b"\x78\x00" * 600], "byte 24", "taken"),
    ],
)
def test_invalid_libs_are_reported_by_byte(nodes: list[bytes], where: str, what: str) -> None:
    games, mistakes = lib(*nodes)
    assert mistakes[0].where == where and what in mistakes[0].what
    assert len(games) <= 1


def test_files_that_are_not_libs() -> None:
    assert split(read_lib(io.BytesIO(b"hello")))[1][0].what.startswith("not a RenLib library")
    assert "newer" in lib(b"\x00\x40", head=b"\xffRenLib\xff\x04\x00" + b"\xff" * 10)[1][0].what
    assert "ends inside its header" in lib(head=b"\xffRenLib\xff\x03")[1][0].what


def test_a_branch_with_a_taken_point_is_skipped() -> None:
    games, mistakes = lib(b"\x00\x00", b"\x78\x00", b"\x68\x80", b"\x78\x00", b"\x69\x40", b"\x67\x40")
    assert [game.moves for game in games] == [cells("h8 g9")] and [m.where for m in mistakes] == ["byte 26"]


def test_games_in_a_lib_share_a_tree() -> None:
    games = [
        GameRecord(cells("h8 h9 i9"), result="1-0", black="Kim", white="Lee"),
        GameRecord(cells("h8 h9"), result="0-1", black="Lee"),  # ends inside another
        GameRecord(
            cells("h8 h9 i9"), result="1/2-1/2", black="A", white="B", comments=((1, "centre"), (3, "x - y 1-0"))
        ),
        GameRecord(cells("a1 pass b2")),
        GameRecord(cells("h8")),
    ]
    out = io.BytesIO()
    assert write_lib(games, out) == 5 and len(out.getvalue()) < 160
    read, mistakes = split(read_lib(io.BytesIO(out.getvalue())))
    assert not mistakes
    key = [(g.moves, g.black, g.white, g.result) for g in games]
    assert sorted((g.moves, g.black, g.white, g.result) for g in read) == sorted(key)
    first = next(game for game in read if game.black == "Kim")
    assert first.comments == ((1, "centre"), (3, "x - y 1-0."))


# Lines.


def test_lines_of_moves() -> None:
    text = "\ufeff# mine\n\nh8i9g7 1-0\nH8, i9 , g7\n1.h8 i9 2. g7 *\nh8 z9\npass h8 0-1\n"
    games, mistakes = split(read_lines(text.splitlines()))
    assert [game.moves for game in games] == [cells("h8 i9 g7")] * 3 + [cells("pass h8")]
    assert [game.result for game in games] == ["1-0", "*", "*", "0-1"] and games[1].where == "line 4"
    assert [mistake.where for mistake in mistakes] == ["line 6"]


# Round trips.

NAME = st.text(st.characters(categories=("L", "Nd"), include_characters=" .'"), max_size=12).map(
    lambda s: " ".join(s.split())
)
WORDS = st.text(st.characters(categories=("L", "N", "P", "S"), include_characters=" \\]["), max_size=20).map(
    lambda s: " ".join(s.split())
)


@st.composite
def records(draw: st.DrawFn, sizes: tuple[int, ...] = (5, 15, 20)) -> GameRecord:
    size = draw(st.sampled_from(sizes))
    moves = draw(st.lists(st.integers(0, size * size - 1), min_size=1, max_size=30, unique=True))
    comments = draw(st.dictionaries(st.integers(0, len(moves)), WORDS.filter(bool), max_size=3))
    return GameRecord(
        tuple(moves), size, "renju", draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"])), draw(NAME), draw(NAME),
        draw(WORDS), draw(NAME), draw(WORDS), draw(NAME), draw(NAME), comments=tuple(sorted(comments.items())),
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(records(), max_size=4))
def test_sgf_round_trip(games: list[GameRecord]) -> None:
    text = "".join(map(sgf_text, games))
    assert split(read_sgf(text.splitlines(keepends=True))) == (games, [])
    assert split(read_sgf(text.replace("\n", "\r\n").splitlines(keepends=True)))[0] == games


@settings(max_examples=60, deadline=None)
@given(st.lists(records((15,)), max_size=4))
def test_rif_round_trip(games: list[GameRecord]) -> None:
    out = io.StringIO()
    assert write_rif(games, out) == len(games)
    read, mistakes = rif(out.getvalue())
    assert not mistakes and len(read) == len(games)
    for ours, theirs in zip(games, read, strict=True):
        for name in ("moves", "result", "black", "white", "event", "round", "place", "date", "opening", "rule"):
            assert getattr(theirs, name) == getattr(ours, name), name


@settings(max_examples=60, deadline=None)
@given(st.lists(records(), min_size=1, max_size=4))
def test_psq_round_trip(games: list[GameRecord]) -> None:
    read, mistakes = split(read_psq("".join(map(psq_text, games)).splitlines(), "renju"))
    assert not mistakes
    for ours, theirs in zip(games, read, strict=True):
        assert (theirs.moves, theirs.size, theirs.result, theirs.rule) == (ours.moves, ours.size, ours.result, "renju")
        assert (theirs.black, theirs.white) == (ours.black, ours.white)


@settings(max_examples=60, deadline=None)
@given(st.lists(records((15,)), max_size=5))
def test_lib_round_trip(games: list[GameRecord]) -> None:
    out = io.BytesIO()
    write_lib(games, out)
    read, mistakes = split(read_lib(io.BytesIO(out.getvalue())))
    if games:
        assert not mistakes
    assert sorted(game.moves for game in read) == sorted(game.moves for game in games)
    assert sorted(game.result for game in read) == sorted(game.result for game in games)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["sgf", "psq", "rif", "lib", "txt", "jsonl"]), st.data())
def test_any_bytes_are_games_or_mistakes(raw: bytes, kind: str, data: st.DataObject) -> None:
    whole = {"sgf": SGF.encode(), "psq": PSQ.encode(), "rif": RIF.encode(), "txt": b"h8i9\n", "jsonl": b"{}"}
    whole["lib"] = HEAD + b"\0\0\x78\0\x68\x80\x69\x40\x67\x48abc\0"
    at = data.draw(st.integers(0, len(whole[kind])))
    path = Path(f"/tmp/never.{kind}")
    from hansu.games.renju.files.formats import _read

    try:
        for found in _read(path, io.BytesIO(whole[kind][:at] + raw + whole[kind][at:]), Assumed()):
            if isinstance(found, GameRecord):
                validation_error(found)
    except HansuError:
        pass


# Whole files.


def test_the_format_is_detected_from_the_content(tmp_path: Path) -> None:
    assert format_of(Path("x"), b"\xffRenLib\xff") == "lib" and format_of(Path("x.lib"), b"\x78\x00") == "lib"
    assert format_of(Path("x.txt"), RIF.encode()) == "rif" and format_of(Path("x"), b"\xef\xbb\xbf (;") == "sgf"
    assert format_of(Path("x.sgf"), b"Piskvorky 15x15, 0:0, 0") == "psq"
    assert format_of(Path("x.SGF"), SGF.encode()) == "sgf" and format_of(Path("x"), b"h8 i9") == "txt"
    assert encoding_of("이".encode()[:2]) == "utf-8-sig" and encoding_of("이".encode("cp949")) == "latin-1"
    assert encoding_of(b"(;CA[EUC-KR]PB[" + "이".encode("cp949")) == "euc_kr"


@pytest.mark.parametrize("suffix", [".sgf", ".psq", ".rif", ".lib", ".txt"])
def test_files_are_written_and_read(tmp_path: Path, suffix: str) -> None:
    games = [GameRecord(cells("h8 h9 i9 g7"), result="1-0"), GameRecord(cells("h8 h9 j10"), result="0-1")]
    path = tmp_path / f"games{suffix}"
    assert write_games(path, games) == 2 and [p.name for p in tmp_path.iterdir()] == [path.name]
    assert {g.moves for g in read_games(path, strict=True)} == {g.moves for g in games}
    packed = tmp_path / f"games{suffix}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert len(list(read_games(packed, strict=True))) == 2


def test_invalid_games_are_skipped_or_raise(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("h8i9\nh8h8\nnonsense\nh8i9j10\n")
    skipped: list[Mistake] = []
    assert len(list(read_games(path, skipped=skipped.append))) == 2
    assert skipped == [
        Mistake("line 2", "move 2, h8, is already taken"),
        Mistake("line 3", "'nonsense' is not a point of the 15×15 board (a1 to o15)"),
    ]
    with pytest.raises(HansuError, match=r"games.txt, line 2: move 2, h8, is already taken"):
        list(read_games(path, strict=True))
    with pytest.raises(HansuError, match="cannot read"):
        list(read_games(tmp_path / "none.sgf"))
    with pytest.raises(HansuError, match="cannot be written"):
        write_games(tmp_path / "games.jsonl", [])
    with pytest.raises(HansuError, match="15×15"):
        write_games(tmp_path / "games.lib", [GameRecord((0,), 20)])
    assert not list(tmp_path.glob("*.part")) and not (tmp_path / "games.lib").exists()


def test_games_are_replayed() -> None:
    five = "a1 a3 b1 b3 c1 c3 d1 d3"
    assert validation_error(GameRecord(cells(f"{five} e1"))) == ""
    assert validation_error(GameRecord(cells(f"{five} e1 e3"))) == "move 10, e3, comes after the end of the game"
    assert validation_error(GameRecord(())) == "the game has no moves"
    assert validation_error(GameRecord((500,))) == "move 1, 500, is not on the board"
    assert validation_error(GameRecord(cells("a1 pass a2 pass a1"))) == "move 5, a1, is already taken"
    six = "a1 o1 b1 o3 c1 o5 e1 o7 f1 o9 d1 a15"
    for rule, fault in {"freestyle": "after the end", "standard": "", "renju": "d1, is forbidden"}.items():
        found = validation_error(GameRecord(cells(six), rule=rule))
        assert fault in found and bool(fault) == bool(found)
    assert validation_error(GameRecord(cells(six)[:-1], result="0-1")) == ""  # black lost by the forbidden move


def test_matches_are_read(hansu: Run, tmp_path: Path) -> None:
    saved = tmp_path / "games.jsonl"
    done = hansu(
        "match", "renju:size=9,rule=standard", "random:seed=1", "random:seed=2", "--games", "4", "--save", str(saved)
    )
    assert done.returncode == 0, done.stderr
    with saved.open("a") as file:
        file.write('{"game": "tictactoe", "opening": [], "moves": [], "first": "", "second": "", "outcome": 0}\n[]\n')
    skipped: list[Mistake] = []
    games = list(read_games(saved, skipped=skipped.append))
    assert len(games) == 4 and {g.size for g in games} == {9} and {g.rule for g in games} == {"standard"}
    assert [m.where for m in skipped] == ["line 5", "line 6"]
    assert {g.black for g in games} == {"random:seed=1", "random:seed=2"}


def test_memory_does_not_grow_with_the_number_of_games(tmp_path: Path) -> None:
    import tracemalloc

    generator = random.Random(1)
    games = [GameRecord(tuple(generator.sample(range(225), 40)), result="1-0", black=f"p{n % 50}") for n in range(1000)]
    for suffix in (".sgf", ".rif", ".psq", ".txt"):
        path = tmp_path / f"games{suffix}"
        write_games(path, games)
        tracemalloc.start()
        count = sum(1 for _ in read_games(path, check=False))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == 1000 and peak < 300_000, suffix


def test_a_played_game_is_saved_and_read_back() -> None:
    """Twice, because the functions `sgf` and `psq` could be replaced by the modules of the same name."""
    position = hansu.game("renju").position("h8 i9 i8 g8 j7")
    for _ in range(2):
        for ending, read in (("sgf", read_sgf), ("psq", read_psq)):
            text = position.game.files.writers[ending](Record(last=position, players=("me", "engine"), outcome=1))
            (game,) = read(text.splitlines(keepends=True))
            assert isinstance(game, GameRecord)
            assert game.moves == tuple(position.history)
            if ending == "sgf":
                assert (game.black, game.white, game.result) == ("me", "engine", "1-0")
