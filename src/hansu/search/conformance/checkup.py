"""`hansu check`: runs all checks on a game, reports mistakes, and measures its speed."""

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
from hansu.search.conformance.speed_checks import Speed, advice, measure_speed
from hansu.search.object_state import needs_object_state

Check = Callable[[Game], None]

PLAIN: dict[str, Check] = {
    "start": rules_checks.start,
    "fields": rules_checks.fields,
    "answers": rules_checks.answers,
    "moves": rules_checks.moves,
    "random moves": rules_checks.random_moves,
    "chance": rules_checks.chance,
    "keys": rules_checks.keys,
    "repetition": rules_checks.repetition,
    "notation": presentation_checks.notation,
    "look": presentation_checks.look,
    "symmetries": presentation_checks.symmetries,
    "planes": presentation_checks.planes,
}
"""Run as plain Python. Checks after "moves" need all of those before."""
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
"""Compile every general player: half a minute or more the first time."""
CHECKS = PLAIN | COMPILED | SEARCHES
ABOUT = {
    "start": Message("start() returns a state of the game's class"),
    "fields": Message("the fields of a state are integers of at most 63 bits, and tuples keep their length"),
    "answers": Message("every function of the rules returns a valid value"),
    "moves": Message("legal moves come in ascending order, and legal() agrees with them"),
    "random moves": Message("random_action samples every legal move and nothing else"),
    "chance": Message("the probabilities of chance moves add up to 1"),
    "keys": Message("states with different legal moves have different keys"),
    "repetition": Message("repetition has hashable keys and returns None or a score"),
    "notation": Message("every move and every position has a text of its own that can be read back"),
    "look": Message("every position has a picture and a text, and every move its own points to touch"),
    "symmetries": Message("symmetries preserve the legal moves, the result and the player to move"),
    "planes": Message("planes fills its whole array with finite numbers"),
    "compiled rules": Message("compiled and interpreted rules return the same values"),
    "compiled playouts": Message("compiled and interpreted random games are the same"),
    "rows": Message("states survive a round trip through arrays, and legal_mask is right"),
    "perft": Message("perft agrees with a plain count"),
    "compiled planes": Message("compiled and interpreted planes are the same"),
    "players": Message("the general players play legal moves to the end of the game"),
    "values": Message("compiled searches return the values of plain minimax"),
    "nodes": Message("compiled and interpreted searches visit the same nodes"),
}
"""What each check tests: the docstring of its function, in every language."""
BASIC = ("start", "fields", "answers", "moves")
NUMBERS = ("fields", "random moves", "keys", "planes")  # apply only if states and actions are integers
OPTIONAL = {
    "look": Message("the browser and the terminal show the fields of the state instead of a picture"),
    "touch": Message("the browser shows a list of moves instead of a board to click on"),
    "plane_shape": Message("the input of a network is the bits of the state's fields"),
}


@dataclass(frozen=True)
class CheckResult:
    """The result of one check: passed, failed (`what` and `hint`) or skipped (and why)."""

    check: str
    about: str
    what: str = ""
    hint: str = ""
    skipped: str = ""

    @property
    def passed(self) -> bool:
        """Whether the check ran and found no mistake."""
        return not self.what and not self.skipped


@dataclass(frozen=True)
class Checkup:
    """The results of all checks, the speed of the game, and advice.

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
        """The failed checks."""
        return tuple(outcome for outcome in self.outcomes if outcome.what)

    def as_json(self) -> dict[str, Any]:
        """The results as JSON."""
        data: dict[str, Any] = {"game": self.game, "sound": not self.flaws, "checks": []}
        for one in self.outcomes:
            result = "passed" if one.passed else "wrong" if one.what else "skipped"
            more = {key: value for key in ("what", "hint", "skipped") if (value := getattr(one, key))}
            data["checks"].append({"check": one.check, "about": one.about, "result": result, **more})
        if self.speed is not None:
            data["speed"] = {
                "playouts_a_second": round(self.speed.playouts),
                "plies_a_playout": round(self.speed.plies, 1),
                "nanoseconds": {word: round(spent, 1) for word, spent in self.speed.nanoseconds.items()},
            }
        data["advice"] = list(self.advice)
        return data


def checkup(
    game: Game, *, players: bool = False, speed: bool = True, on_outcome: Callable[[CheckResult], None] | None = None
) -> Checkup:
    """Run the checks of a game, with `players` also those of the general players; measure its `speed`."""
    outcomes = []
    for outcome in _outcomes(game, players):
        outcomes.append(outcome)
        if on_outcome is not None:
            on_outcome(outcome)
    if any(not outcome.passed for outcome in outcomes) or needs_object_state(game.first.state):
        return Checkup(game.spec, tuple(outcomes))
    measurement = measure_speed(game) if speed else None
    hints = list(advice(game, measurement)) if measurement else []
    hints += [
        Message("Game({name}=...) is not set: {then}.", name=name, then=then)
        for name, then in OPTIONAL.items()
        if getattr(game, name) is None
    ]
    return Checkup(game.spec, tuple(outcomes), measurement, tuple(hints))


def _outcomes(game: Game, players: bool) -> Iterator[CheckResult]:
    failed: list[str] = []
    interpreted_only = False
    for name, check in (PLAIN | COMPILED | (SEARCHES if players else {})).items():
        needs = [each for each in BASIC if each in failed]
        if name in COMPILED or name in SEARCHES:
            needs = list(failed)
        if needs and not (name in BASIC and "start" not in needs):
            yield _outcome(name, skipped=Message("fix this first: {names}", names=", ".join(needs)))
        elif interpreted_only and (name in COMPILED or name in NUMBERS):
            why = Message("{state} is not a NamedTuple, so it can only run interpreted", state=game.state.__name__)
            yield _outcome(name, skipped=why)
        else:
            outcome = _run_check(name, check, game)
            if outcome.what:
                failed.append(name)
            elif name == "start":
                interpreted_only = needs_object_state(game.first.state)
            yield outcome


def _run_check(name: str, check: Check, game: Game) -> CheckResult:
    try:
        check(game)
    except HansuError as error:
        return _outcome(name, what=error.what, hint=error.hint)
    except Exception as error:
        where = _place(error, game)
        return _outcome(
            name,
            what=f"{where}{type(error).__name__}: {error}",
            hint=Message("a function of the game raised an exception; fix the line named here"),
        )
    return _outcome(name)


def _outcome(name: str, **more: str) -> CheckResult:
    return CheckResult(name, ABOUT[name], **more)


def _place(error: Exception, game: Game) -> str:
    """The file and line of the game that raised an exception."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if game.path and frame.filename == game.path]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}: " if own else ""


def unreadable(spec: str, error: HansuError) -> Checkup:
    """The result for a file that cannot be loaded."""
    return Checkup(spec, (CheckResult("file", Message("the file defines a GAME"), error.what, error.hint),))


def check(
    game: str | Game, *, players: bool = False, speed: bool = True,
    on_outcome: Callable[[CheckResult], None] | None = None,
) -> Checkup:  # fmt: skip
    """Check a game: report mistakes, measure its speed, and suggest how to make it faster.

    >>> import hansu
    >>> result = hansu.check("tictactoe", speed=False)
    >>> result.flaws, result.outcomes[0].about
    ((), "start() returns a state of the game's class")
    """
    if isinstance(game, str):
        if path := registry.file_of(game):
            try:
                registry.from_file(path)
            except HansuError as error:
                return unreadable(game, error)
        game = registry.game(game)
    return checkup(game, players=players, speed=speed, on_outcome=on_outcome)
