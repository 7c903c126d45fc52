"""Ataxx games in PGN: reading, writing, streaming, errors with their line."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from support.commands import Run

from hansu.core import HansuError, generic
from hansu.core.registry import built_in
from hansu.games.ataxx.notation import read_fen
from hansu.games.ataxx.pgn import RESULT_OF, PgnGame, pgn_text, read_pgn
from hansu.games.ataxx.rules import over, play, start

GAPS = "x5o/7/2-1-2/7/2-1-2/7/o5x o 3 8"


def random_game(seed: int) -> PgnGame:
    rng = random.Random(seed)
    s = first = read_fen(GAPS) if seed % 2 else start()
    actions = []
    while not over(s) and len(actions) < 60:
        actions.append(rng.choice(list(generic.actions(s))))
        s = play(s, actions[-1])
    return PgnGame(
        {"Event": 'a "quoted" \\ name', "Black": "engine, the"},
        first,
        actions,
        RESULT_OF[generic.score(s) if over(s) else None],
    )


def test_games_survive_a_round_trip() -> None:
    games = [random_game(seed) for seed in range(20)]
    text = "".join(map(pgn_text, games))
    assert max(len(line) for line in text.splitlines()) <= 80
    copies = list(read_pgn(io.StringIO(text)))
    for old, new in zip(games, copies, strict=True):
        assert (new.first, new.actions, new.result) == (old.first, old.actions, old.result)
        assert new.tags["Event"] == old.tags["Event"] and new.tags["Black"] == "engine, the"
        assert len(list(new.states())) == len(new.actions) + 1


def test_comments_variations_and_glyphs_are_skipped() -> None:
    text = """\
[Event "?"]
[FEN "x5o/7/7/7/7/7/o5x x 0 1"]
[Result "*"]

% an escaped line
1. g2 {a comment
over two lines (with a bracket} a2! 2. a7a5 $1 (2. f1 ; no move g7 }
(2. f2) a3) 2... a3 ; the rest is not read 1-0
3.f1 *
"""
    (game,) = read_pgn(text.splitlines(keepends=True))
    assert len(game.actions) == 5 and game.result == "*" and game.line == 1


def test_variations_are_kept() -> None:
    text = """\
[Result "*"]

1. g2 a2 ({the other
corner} 1... b1 2. g3) ({named} 1... b2 2. g3 (2. f2 b1)) 2. a7a5 (2. f9) (2. f2 *) *
"""
    (game,) = read_pgn(text.splitlines(keepends=True))

    def moves(actions: Iterable[int]) -> str:
        return " ".join(built_in("ataxx").first.line_text(tuple(actions)))

    assert moves(game.actions) == "g2 a2 a7a5"  # the last two variations are illegal and skipped
    named = [(moves(actions), name) for actions, name in game.variations]
    assert named == [("g2 b1 g3", "the other"), ("g2 b2 f2 b1", ""), ("g2 b2 g3", "named")]
    (again,) = read_pgn(pgn_text(game).splitlines(keepends=True))
    assert again.actions == game.actions
    assert {actions for actions, _ in again.variations} == {actions for actions, _ in game.variations}
    assert "({the other} 1... b1 2. g3)" in pgn_text(game)


def test_a_result_may_be_in_the_tag_only() -> None:
    text = '[Result "1-0"]\n\n1. g2 a2\n\n[Result "0-1"]\n\n1. g2\n'
    assert [(g.result, len(g.actions), g.line) for g in read_pgn(text.splitlines())] == [("1-0", 2, 1), ("0-1", 1, 5)]


@pytest.mark.parametrize(
    "text, message",
    [
        ('[Event "?"]\n\n1. g2\n2. g2 *', "line 4: 'g2' is not a legal move"),
        ('[Event "?]\n', "line 1: cannot read the tag"),
        ('[Event "?"]\n[FEN "x5o/7"]\n', "line 2: FEN"),
        ("1. g2 a2\n{never\nclosed", "line 2: the comment"),
        ("1. g2\n(a2", "line 2: the variation"),
        ("1. g2\na2 )", "line 2: unmatched"),
        ("1. g2 a2\n", "line 1: the previous game has no result"),
        ('[Result "0-1"]\n1. g2 1-0\n', "line 2: the moves end with 1-0"),
        ('[FEN "x5o/7/7/7/7/7/o5x x 100 1"]\n\n1. g2 *', "line 3: 'g2' is after the end"),
    ],
)
def test_errors_name_their_line(text: str, message: str) -> None:
    with pytest.raises(HansuError, match=message.replace("(", r"\(")):
        list(read_pgn(text.splitlines(keepends=True)))


def test_games_are_read_one_at_a_time() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield from pgn_text(PgnGame(actions=[43])).splitlines(keepends=True)

    assert [game.actions for game in islice(read_pgn(endless()), 500)] == [[43]] * 500


def test_a_match_is_converted_to_pgn(tmp_path: Path, hansu: Run) -> None:
    games, output = tmp_path / "games.jsonl", tmp_path / "games.pgn"
    match = hansu("match", "ataxx:gaps=c3 e5", "random:seed=1", "random:seed=2", "--games", "4", "--save", str(games))
    assert match.returncode == 0
    done = hansu("pgn", "ataxx", str(games), "-o", str(output))
    assert done.stdout.startswith("4 games"), done.stderr
    assert hansu("pgn", "ataxx", str(output)).stdout == done.stdout
    assert output.read_text().count('[FEN "x5o/7/4-2/7/2-4/7/o5x x 0 1"]') == 4
    output.write_text(output.read_text().replace("1.", "1. z9", 1))
    wrong = hansu("pgn", "ataxx", str(output))
    assert wrong.returncode == 2 and "'z9' is not a legal move" in wrong.stderr and "line 10" in wrong.stderr
    assert hansu("pgn", "ataxx", str(tmp_path / "none.pgn")).returncode == 2
