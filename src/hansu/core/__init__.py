"""The contract that games, players and interfaces share. Imports no NumPy and no Numba until something is compiled."""

from hansu.core.bits import (
    compiled_as,
    flat,
    item,
    lowest,
    mix,
    monotonic_ns,
    next_bit,
    next_random,
    pick,
    popcount,
    random_bit,
    with_item,
)
from hansu.core.compiled import compiled, kernel
from hansu.core.control import Control
from hansu.core.errors import HansuError, IllegalMove
from hansu.core.game import Editor, Game
from hansu.core.generic import (
    CHANCE,
    Action,
    State,
    action_count,
    actions,
    agents,
    evaluate,
    key,
    legal,
    mover,
    next_action,
    over,
    planes,
    play,
    probability,
    random_action,
    score,
    symmetric,
    symmetric_action,
    team,
)
from hansu.core.limit import Limit
from hansu.core.options import Option
from hansu.core.phrase import Phrase, in_language
from hansu.core.player import Decision, Player, option
from hansu.core.position import Position
from hansu.core.record import Record
from hansu.core.report import MoveValue, Report, Value
from hansu.core.rules import rules
from hansu.core.tables import Table, labels, table

__all__ = [
    "CHANCE", "Action", "Control", "Decision", "Editor", "Game", "HansuError", "IllegalMove", "Limit", "MoveValue",
    "Option", "Phrase", "Player", "Position", "Record", "Report", "State", "Table", "Value", "action_count",
    "actions", "agents", "compiled", "compiled_as", "evaluate", "flat", "in_language", "item", "kernel", "key",
    "labels", "legal", "lowest", "mix", "monotonic_ns", "mover", "next_action", "next_bit", "next_random", "option",
    "over", "pick", "planes", "play", "popcount", "probability", "random_action", "random_bit", "rules", "score",
    "symmetric", "symmetric_action", "table", "team", "with_item",
]  # fmt: skip
