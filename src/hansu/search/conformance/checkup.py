"""A game looked over from its first state to its speed: what is wrong, in words."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hansu.core import registry
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message
from hansu.search.conformance import compiled_checks, presentation_checks, rules_checks, search_checks
from hansu.search.conformance.speed_checks import Speed, advice, measured
from hansu.search.object_state import needs_object_state

Check = Callable[[Game], None]

PLAIN: dict[str, Check] = {
    "start": rules_checks.start,
    "fields": rules_checks.fields,
    "answers": rules_checks.answers,
    "moves": rules_checks.moves,
    "random moves": rules_checks.drawn,
    "chance": rules_checks.chance,
    "keys": rules_checks.keys,
    "repetition": rules_checks.repetition,
    "notation": presentation_checks.notation,
    "look": presentation_checks.look,
    "symmetries": presentation_checks.symmetries,
    "planes": presentation_checks.planes,
}
"""Run as plain Python. What follows "moves" needs all before it."""
COMPILED: dict[str, Check] = {
    "compiled rules": compiled_checks.rules_both_ways,
    "compiled playouts": compiled_checks.playouts_both_ways,
    "rows": compiled_checks.rows,
    "perft": compiled_checks.counts,
    "compiled planes": compiled_checks.planes_both_ways,
}
SEARCHES: dict[str, Check] = {
    "players": search_checks.general_players,
    "values": search_checks.values,
    "nodes": search_checks.nodes,
}
"""Compiles every general player: half a minute or more, the first time."""
CHECKS = PLAIN | COMPILED | SEARCHES
ABOUT = {
    "start": Message("start() gives a state of the game's class"),
    "fields": Message("the fields of a state are whole numbers of 63 bits, and keep their shape"),
    "answers": Message("every word answers, and with something that makes sense"),
    "moves": Message("moves come in ascending order, all of them are legal, and nothing else is"),
    "random moves": Message("random_action draws every legal move and nothing else"),
    "chance": Message("what chance may play has probabilities that add up to one"),
    "keys": Message("states that differ in what may be played have different keys"),
    "repetition": Message("repetition can compare its keys, and says None or a score"),
    "notation": Message("every move has a text of its own, which is read back; so has every position"),
    "look": Message("every position has a picture and a text, and a move has points of its own to touch"),
    "symmetries": Message("a symmetry of the board keeps the moves, the result and whose turn it is"),
    "planes": Message("planes writes every cell of its array, and numbers only"),
    "compiled rules": Message("the compiled rules say what the interpreted ones say"),
    "compiled playouts": Message("a compiled random game is the interpreted one"),
    "rows": Message("states travel in arrays, and masks say what is legal"),
    "perft": Message("perft counts what counting by hand gives"),
    "compiled planes": Message("compiled planes are the interpreted ones"),
    "players": Message("the general players play legal moves to the end"),
    "values": Message("compiled searches find the values of plain minimax"),
    "nodes": Message("searches visit the same nodes compiled and interpreted"),
}
"""What each check looks at, for people: its function's docstring in every language."""
BASIC = ("start", "fields", "answers", "moves")
NUMBERS = ("fields", "random moves", "keys", "planes")  # mean something only where states and actions are numbers
OPTIONAL = {
    "look": Message("the browser and the terminal show the fields of the state"),
    "touch": Message("the browser offers moves in a list"),
    "plane_shape": Message("a network sees the bits of the state's fields"),
}


@dataclass(frozen=True)
class CheckResult:
    """One check: passed, or what is wrong and what to do, or skipped because of another."""

    check: str
    about: str
    what: str = ""
    hint: str = ""
    skipped: str = ""

    @property
    def passed(self) -> bool:
        """Was it looked at, and nothing found?"""
        return not self.what and not self.skipped


@dataclass(frozen=True)
class Checkup:
    """Everything that was looked at, how fast it is and what would make it better.

    >>> import hansu
    >>> hansu.check("tictactoe", speed=False).flaws
    ()
    """

    game: str
    outcomes: tuple[CheckResult, ...]
    speed: Speed | None = None
    advice: tuple[str, ...] = field(default=())

    @property
    def flaws(self) -> tuple[CheckResult, ...]:
        """What is wrong."""
        return tuple(outcome for outcome in self.outcomes if outcome.what)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        told: dict[str, Any] = {"game": self.game, "sound": not self.flaws, "checks": []}
        for one in self.outcomes:
            result = "passed" if one.passed else "wrong" if one.what else "skipped"
            more = {key: value for key in ("what", "hint", "skipped") if (value := getattr(one, key))}
            told["checks"].append({"check": one.check, "about": one.about, "result": result, **more})
        if self.speed is not None:
            told["speed"] = {
                "playouts_a_second": round(self.speed.playouts),
                "plies_a_playout": round(self.speed.plies, 1),
                "nanoseconds": {word: round(spent, 1) for word, spent in self.speed.nanoseconds.items()},
            }
        told["advice"] = list(self.advice)
        return told


def checkup(
    game: Game, *, players: bool = False, speed: bool = True, on_outcome: Callable[[CheckResult], None] | None = None
) -> Checkup:
    """Look a game over. `players`: let the general players play, too. `speed`: measure it."""
    outcomes = []
    for outcome in _looked_at(game, players):
        outcomes.append(outcome)
        if on_outcome is not None:
            on_outcome(outcome)
    if any(not outcome.passed for outcome in outcomes) or needs_object_state(game.first.state):
        return Checkup(game.spec, tuple(outcomes))
    found = measured(game) if speed else None
    hints = list(advice(game, found)) if found else []
    hints += [
        Message("Game({name}=...) is not given: {then}.", name=name, then=then)
        for name, then in OPTIONAL.items()
        if getattr(game, name) is None
    ]
    return Checkup(game.spec, tuple(outcomes), found, tuple(hints))


def _looked_at(game: Game, players: bool) -> Iterator[CheckResult]:
    wrong: list[str] = []
    foreign = False
    for name, check in (PLAIN | COMPILED | (SEARCHES if players else {})).items():
        needs = [each for each in BASIC if each in wrong]
        if name in COMPILED or name in SEARCHES:
            needs = list(wrong)
        if needs and not (name in BASIC and "start" not in needs):
            yield _outcome(name, skipped=Message("first mend {names}", names=", ".join(needs)))
        elif foreign and (name in COMPILED or name in NUMBERS):
            why = Message("{state} is no NamedTuple, so it runs interpreted only", state=game.state.__name__)
            yield _outcome(name, skipped=why)
        else:
            outcome = _asked(name, check, game)
            if outcome.what:
                wrong.append(name)
            elif name == "start":
                foreign = needs_object_state(game.first.state)
            yield outcome


def _asked(name: str, check: Check, game: Game) -> CheckResult:
    try:
        check(game)
    except HansuError as error:
        return _outcome(name, what=error.what, hint=error.hint)
    except Exception as error:
        where = _place(error, game)
        return _outcome(
            name,
            what=f"{where}{type(error).__name__}: {error}",
            hint=Message("the function raised where it should answer"),
        )
    return _outcome(name)


def _outcome(name: str, **more: str) -> CheckResult:
    return CheckResult(name, ABOUT[name], **more)


def _place(error: Exception, game: Game) -> str:
    """The file and line of the game where something raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if game.path and frame.filename == game.path]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""


def unreadable(spec: str, error: HansuError) -> Checkup:
    """What there is to say of a file that does not even load."""
    return Checkup(spec, (CheckResult("file", Message("the file defines a GAME"), error.what, error.hint),))


def check(
    given: str | Game, *, players: bool = False, speed: bool = True,
    on_outcome: Callable[[CheckResult], None] | None = None,
) -> Checkup:  # fmt: skip
    """Check a game: its mistakes in words, its speed, and what would make it faster.

    >>> import hansu
    >>> result = hansu.check("tictactoe", speed=False)
    >>> result.flaws, result.outcomes[0].about
    ((), "start() gives a state of the game's class")
    """
    if isinstance(given, str):
        if path := registry.file_of(given):
            try:
                registry.from_file(path)
            except HansuError as error:
                return unreadable(given, error)
        given = registry.game(given)
    return checkup(given, players=players, speed=speed, on_outcome=on_outcome)
