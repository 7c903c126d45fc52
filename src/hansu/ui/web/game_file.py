"""A game from a file that a page sends: hansu's JSON, or a format of the game's readers (SGF, psq, PGN, ...).

Readers need a path, so the content is written to a temporary folder. Of the page's file name only the extension is
used.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath

from hansu.core import Game, HansuError, Message, Position, Variation
from hansu.core.record import Record
from hansu.ui.web.catalogue import Catalogue, readable
from hansu.ui.web.messages import LONGEST_NAME, LONGEST_VARIATION, MOST_MOVES, LoadReply, VariationLine
from hansu.ui.web.translations import Refused

MOST_GAMES = 200  # games of a file that are counted


def loaded(name: str, data: str, number: int, game: Game, catalogue: Catalogue, re: int | None) -> LoadReply:
    """The game with this number in a file (from 0), ready to be opened."""
    ending = PurePath(name).suffix.lower().removeprefix(".")
    if ending not in readable(game):
        what = Message("this game cannot read {ending!r} files", ending=ending)
        raise Refused("refused", what, ", ".join(readable(game)))
    try:
        content = base64.b64decode(data, validate=True)
    except binascii.Error:
        raise Refused("malformed", Message("the file arrived damaged")) from None
    last, games, others = _from_json(content, game) if ending == "json" else _read(content, ending, number, game)
    if len(last.history) > MOST_MOVES:
        raise Refused("too_large", Message("a game has {most} plies at most", most=MOST_MOVES))
    spec = catalogue.spec_of(last.game)
    catalogue.game(spec)  # a file may not use more than a page may
    variations = [
        VariationLine(name=name[:LONGEST_NAME], moves=last.origin.line_text(actions[:LONGEST_VARIATION]))
        for actions, name in others
    ]
    return LoadReply(
        re=re, game=spec, start=last.origin_text, moves=list(last.moves), games=games, variations=variations
    )  # fmt: skip


def _from_json(content: bytes, game: Game) -> tuple[Position, int, tuple[Variation, ...]]:
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise Refused("refused", Message("the file is not JSON")) from None
    record = Record.from_json(data, game)
    return record.last, 1, record.variations


def _read(content: bytes, ending: str, number: int, game: Game) -> tuple[Position, int, tuple[Variation, ...]]:
    reasons: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"game.{ending}"
        path.write_bytes(content)
        for fitting in _settings(game):
            games = list(islice(fitting.files.readers[ending](fitting, path, reasons.append), MOST_GAMES))
            if games:
                break
        else:
            what = Message("the file contains no game that can be shown")
            raise Refused("refused", what, reasons[0] if reasons else "")
    played = games[min(number, len(games) - 1)]
    first = fitting.first
    at = first if played.first == first.state else Position(fitting, played.first, first.tables)
    with contextlib.suppress(HansuError):  # moves after an illegal one are left out
        for action in played.actions:
            at = at.play(action)
    return at, len(games), played.variations


def _settings(game: Game) -> Iterator[Game]:
    """The game with its current settings, then with other rules and sizes: a reader only returns games that fit."""
    yield game
    known = {option.name: option for option in game.options if option.name in ("rule", "size")}
    rules = known["rule"].choices if "rule" in known else ()
    size = known.get("size")
    sizes = range(int(size.low or 0), int(size.high or 0) + 1) if size is not None else ()
    for rule in rules:
        yield game.with_values({"rule": rule})
        for each in sizes:
            yield game.with_values({"rule": rule, "size": each})
