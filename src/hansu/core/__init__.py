"""The contract between games, players and interfaces. Importing it loads neither NumPy nor Numba.

generic.py    the common words (`legal`, `play`, `over`, ...) that every game defines; `rules.py` registers them
game.py       a `Game`: rules, notation, picture, controls, players, files; `registry.py` finds games
position.py   a `Position`: a state with its history; illegal moves raise
player.py     a `Player` takes a position and returns a `Decision`, within a `Limit`, watched by a `Control`
report.py     the result of a search; `record.py` stores a whole game
bits.py       bit operations for rules; `wide.py`: boards of more than 63 bits; `tables.py`: data of one board
options.py    documented options and the specs that set them; `message.py`: translated texts; `errors.py`
types.py      type aliases
"""

from hansu.core.bits import (
    compiled_as,
    flat,
    item,
    lowest,
    mix,
    monotonic_ns,
    next_bit,
    next_random,
    pack,
    pick,
    popcount,
    random_bit,
    unpack,
    with_item,
)
from hansu.core.control import Control
from hansu.core.errors import HansuError, IllegalMove
from hansu.core.game import Game
from hansu.core.game_extensions import Controls, Editor, Files, ForcedMove, Framework, Lesson, Played, Tactics
from hansu.core.generic import (
    CHANCE,
    action_count,
    actions,
    agents,
    evaluate,
    evaluate_for,
    key,
    legal,
    legal_mask,
    mover,
    next_action,
    over,
    planes,
    play,
    probability,
    random_action,
    score,
    score_for,
    symmetric,
    symmetric_action,
    team,
)
from hansu.core.limit import Limit
from hansu.core.message import Message, in_language
from hansu.core.options import Option
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.record import Record
from hansu.core.repetition import Repetition
from hansu.core.report import MoveValue, Report, Value
from hansu.core.rules import rules
from hansu.core.tables import Table, labels, table
from hansu.core.types import Action, State
from hansu.core.variation import Variation
from hansu.core.wide import Bits, bit, bits_in, has_bit, shifted, turned_board, turned_cell, wide

__all__ = [
    "CHANCE",
    "Action",
    "Bits",
    "Control",
    "Controls",
    "Decision",
    "Editor",
    "Files",
    "ForcedMove",
    "Framework",
    "Game",
    "HansuError",
    "IllegalMove",
    "Lesson",
    "Limit",
    "Message",
    "MoveValue",
    "Option",
    "Played",
    "Player",
    "Position",
    "Record",
    "Repetition",
    "Report",
    "State",
    "Table",
    "Tactics",
    "Value",
    "Variation",
    "action_count",
    "actions",
    "agents",
    "bit",
    "bits_in",
    "compiled_as",
    "evaluate",
    "evaluate_for",
    "flat",
    "has_bit",
    "in_language",
    "item",
    "key",
    "labels",
    "legal",
    "legal_mask",
    "lowest",
    "mix",
    "monotonic_ns",
    "mover",
    "next_action",
    "next_bit",
    "next_random",
    "option",
    "over",
    "pack",
    "pick",
    "planes",
    "play",
    "popcount",
    "probability",
    "random_action",
    "random_bit",
    "rules",
    "score",
    "score_for",
    "shifted",
    "symmetric",
    "symmetric_action",
    "table",
    "team",
    "turned_board",
    "turned_cell",
    "unpack",
    "wide",
    "with_item",
]  # fmt: skip


_MOVED = {
    "compiled": "from hansu.compile import compiled",
    "kernel": "from hansu.compile import kernel",
    "Phrase": "from hansu.core import Message",
    "Tactic": "from hansu.core import ForcedMove",
}
"""Names that were here in 0.1, and their new imports."""


def __getattr__(name: str) -> object:
    if name in _MOVED:
        raise HansuError("{name} is no longer in hansu.core", "write: {new}", name=name, new=_MOVED[name])
    raise AttributeError(f"module 'hansu.core' has no attribute {name!r}")
