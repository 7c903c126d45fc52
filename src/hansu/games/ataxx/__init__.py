"""Ataxx: rules, notation, an engine that speaks UAI, and networks.

rules.py       bitboards, perft, symmetries, planes    drawing.py     the board as a scene
notation.py    moves and FEN                           pgn.py         games in PGN
encoding.py    policies and planes as arrays           players.py     `engine`, `alphazero`, `uai`
commands.py    `hansu engine ataxx`, `hansu pgn`       engine/        evaluation, move ordering, search
uai/           the UAI protocol, both sides            training/      recipes of `hansu train ataxx`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hansu.compile import compiled
from hansu.core import Controls, Editor, Files, Game, HansuError, Lesson, Message, Option, Played, Player, Record
from hansu.core.game_extensions import Commands
from hansu.games.ataxx.drawing import look, squares, touch
from hansu.games.ataxx.notation import arranged, count_text, fen, move_text, read_move, read_position
from hansu.games.ataxx.rules import SYMMETRIES, Ataxx, perft_bulk, start


def players() -> Mapping[str, type[Player]]:
    from hansu.games.ataxx.players import AtaxxAlphaZero, AtaxxEnginePlayer, Uai

    return {player.kind: player for player in (AtaxxEnginePlayer, AtaxxAlphaZero, Uai)}


def commands(line: Commands) -> None:
    from hansu.games.ataxx.commands import add_to

    add_to(line)


def pgn(record: Record) -> str:
    from hansu.games.ataxx.pgn import of_record, pgn_text

    return pgn_text(of_record(record))


def read_pgn_file(game: Game, path: Path, report_skipped: Callable[[str], None]) -> Iterator[Played]:
    """Games to train on. Reading stops at the first error in a file."""
    from hansu.games.ataxx.pgn import RESULT_OF, read_pgn

    outcomes = {text: outcome for outcome, text in RESULT_OF.items()}
    with path.open(encoding="utf-8", errors="replace") as lines:
        try:
            for pgn_game in read_pgn(lines, bool(game.option("contest"))):
                yield Played(
                    pgn_game.first,
                    tuple(pgn_game.actions),
                    outcomes[pgn_game.result],
                    f"line {pgn_game.line}",
                    tuple(pgn_game.variations),
                )
        except HansuError as error:
            report_skipped(f"{error.what}; the rest of the file is skipped")


def perft(s: Ataxx, depth: int) -> int:
    return int(compiled(perft_bulk, Ataxx)(s, depth))


def training() -> Sequence[type[Any]]:
    from hansu.games.ataxx.training.recipes import RECIPES

    return RECIPES


def networks() -> Mapping[str, Callable[[Any, Any], Any]]:
    from hansu.games.ataxx.training.sidus import build

    return {"sidus": build}


GAME = Game(
    name="ataxx",
    title=Message("Ataxx"),
    about=Message("clone or jump, and flip adjacent enemy pieces; the most pieces win"),
    state=Ataxx,
    start=start,
    options=(
        Option(
            "gaps",
            str,
            "",
            Message("blocked squares, separated by spaces: c3 e3 c5 e5"),
            title=Message("blocked squares"),
            plain=True,
        ),
        Option(
            "contest",
            bool,
            False,
            Message("at most 512 turns; a side that cannot move loses the empty squares to the other side"),
            title=Message("contest rules"),
        ),
    ),
    move_text=move_text,
    read_move=read_move,
    read_position=read_position,
    position_text=fen,
    controls=Controls(editor=Editor(squares, {".": "board", "x": "first", "o": "second", "-": "hole"}, arranged)),
    look=look,
    touch=touch,
    seats=("x", "o"),
    colours=(Message("Red"), Message("Blue")),
    count_text=count_text,
    symmetries=SYMMETRIES,
    plane_shape=(3, 7, 7),
    opening_plies=2,  # after more random plies one side is often lost already
    players=players,
    levels=(
        "casual:plies=1,temperature=2",
        "casual:plies=1,temperature=0.8",
        "casual:plies=1,temperature=0.4",
        "casual:plies=2,temperature=0.7",
        "casual:plies=2,temperature=0.25",
        "casual:plies=3,temperature=0.2",
        "engine@nodes=1400",
        "engine@nodes=5500",
        "engine@nodes=27000",
        "engine@nodes=270000",
    ),
    lessons=(
        Lesson(
            Message("Choose an empty square next to one of your pieces: a new piece grows there."),
            moves="f2",
        ),
        Lesson(
            Message("Or choose a piece and an empty square two steps away: the piece jumps there."),
            moves="g1e3",
        ),
        Lesson(
            Message("Every enemy piece next to the target square becomes yours."),
            start="7/7/2o1o2/7/2o1o2/3x3/7 x 0 1",
            moves="d2d4",
        ),
        Lesson(Message("When neither side can move, the side with more pieces wins.")),
    ),
    sample="x4oo/xx2ooo/xxx1oo1/1xxo3/2xoo2/ooo2xx/oo4x x 0 1",
    commands=commands,
    training=training,
    networks=networks,
    files=Files(writers={"pgn": pgn}, readers={"pgn": read_pgn_file}),
    perft=perft,
)
