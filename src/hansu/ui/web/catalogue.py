"""The games and players that pages may use, with the options that are safe to set.

Pages cannot set text options that could name a file or a command, nor use players that need one. Such players are
available only if the server was started with them, under a label. Table sizes are limited.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from hansu.arena import roster
from hansu.arena.levels import strength
from hansu.core import Game, HansuError, Lesson, Message, Option, Player, Position, agents
from hansu.core.file_errors import not_there
from hansu.core.options import did_you_mean, read_settings, split_spec
from hansu.scene.svg import svg
from hansu.search.chance import step_chance
from hansu.search.players.level import LEVELS
from hansu.ui.web.board_text import Point, square_names
from hansu.ui.web.limits import Bounds
from hansu.ui.web.translations import Refused, words

SAMPLE_PLIES = 8
MOST_BOARDS = 64  # boards whose square names are cached


@dataclass(frozen=True)
class Given:
    """A player that the server was started with: its label on pages, and its spec."""

    label: str
    spec: str
    game: str = ""  # for this game only


def open_options(options: Iterable[Option], bounds: Bounds) -> tuple[Option, ...]:
    """The options that a page may set, with safe ranges."""
    safe = []
    for each in options:
        if each.processors:
            continue  # all pages share the processors
        if each.kind is str and not each.choices:
            if each.known:
                each = replace(each, choices=each.known)
            elif not each.plain:
                continue
        if each.bytes_each:
            most = bounds.player_bytes // each.bytes_each
            each = replace(each, high=most if each.high is None else min(each.high, most))
        safe.append(each)
    return tuple(safe)


class Catalogue:
    """Games by name, players by game."""

    def __init__(self, games: Iterable[Game], given: Iterable[Given] = (), bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self.games: dict[str, Game] = {}
        for game in games:
            name, number = game.name, 2
            while name in self.games:
                name, number = f"{game.name}_{number}", number + 1
            self.games[name] = game if game.colours is None else replace(game, seats=game.colours)
        self.given = tuple(given)
        self._described: dict[str, Any] | None = None
        self._square_names: dict[str, dict[Point, str]] = {}
        self._lessons: dict[str, list[dict[str, Any]]] = {}

    def name_of(self, game: Game) -> str:
        """The name of this game on pages, or of the served game that it was derived from by settings."""

        def fits(known: Game) -> bool:
            same = (known.name, known.path) == (game.name, game.path)
            return same and all(game.settings.get(key) == value for key, value in known.settings.items())

        return max((name for name in self.games if fits(self.games[name])), key=lambda n: len(self.games[n].settings))

    def spec_of(self, game: Game) -> str:
        """The spec of this game on pages, without the settings that the server was started with."""
        name = self.name_of(game)
        own = self.games[name].settings
        settings = ",".join(f"{key}={_shown(value)}" for key, value in game.settings.items() if key not in own)
        return f"{name}:{settings}" if settings else name

    def game(self, spec: str) -> Game:
        """The game that a page names, if it is offered with these settings."""
        name, settings = split_spec(spec)
        if name not in self.games:
            hint = did_you_mean(name, self.games, "games")
            raise Refused("refused", Message("there is no game {name!r}", name=name), hint)
        game = self.games[name]
        free = [option for option in game.options if option.name not in game.settings]
        values = read_settings(open_options(free, self.bounds), settings, name)
        return game.with_values(values)

    def player(self, spec: str, game: Game) -> Player:
        """The player that a page names; by path or command only if the server was started with it."""
        name, settings = split_spec(spec)
        given = self._given(name, game)
        if given is not None and not settings:
            return roster.player(given.spec, game)
        known = self.kinds(game)
        if name not in known:
            hint = did_you_mean(name, [*known, *(g.label for g in self._given_for(game))], "players")
            what = Message("there is no player {name!r} here", name=name)
            raise Refused("refused", what, hint)
        options = open_options(known[name].options(), self.bounds)
        return known[name](**read_settings(options, known[name].named(settings), name))

    def kinds(self, game: Game) -> Mapping[str, type[Player]]:
        """The kinds of players that a page may use in this game."""
        return {kind: cls for kind, cls in roster.kinds(game).items() if cls.ready_for(game)}

    def _given_for(self, game: Game) -> list[Given]:
        name = self.name_of(game)
        return [given for given in self.given if given.game in ("", name)]

    def _given(self, label: str, game: Game) -> Given | None:
        return next((given for given in self._given_for(game) if given.label == label), None)

    def lessons(self, name: str) -> list[dict[str, Any]]:
        """The rules of a game, with pictures; created once."""
        if name not in self._lessons:
            game = self.games[name]
            self._lessons[name] = [
                {"text": words(lesson.text), "svg": _shown_lesson(game, lesson)} for lesson in game.lessons
            ]
        return self._lessons[name]

    def square_names(self, game: Game) -> dict[Point, str]:
        """The names of a board's squares; created once for each setting of a game."""
        if game.spec not in self._square_names:
            if len(self._square_names) >= MOST_BOARDS:
                self._square_names.clear()
            self._square_names[game.spec] = square_names(game)
        return self._square_names[game.spec]

    def described(self) -> dict[str, Any]:
        """The whole catalogue as in docs/internals/web_protocol.md; created once."""
        if self._described is None:
            from hansu import __version__

            games = [self._game(name, game) for name, game in self.games.items()]
            self._described = {"version": __version__, "games": games}
        return self._described

    def _game(self, name: str, game: Game) -> dict[str, Any]:
        kinds = self.kinds(game)
        shown = sample(game)
        levels = range(1, LEVELS + 1)
        return {
            "name": name,
            "title": words(game.title),
            "about": words(game.about),
            "seats": [words(seat) for seat in game.seats],
            "options": [_option(o) for o in open_options(game.options, self.bounds) if o.name not in game.settings],
            "players": self._players(game, kinds),
            "levels": [None if text is None else words(text) for text in map(partial(strength, game), levels)],
            "first": "human",
            "second": game.opponent,
            "analyst": roster.adviser(game),
            "xray": [kind for kind, cls in kinds.items() if cls.traced_as],
            "files": readable(game),
            "rules": bool(game.lessons),
            "exports": [{"format": name, "name": words(title)} for name, title in exports(game).items()],
            "touch": game.touch is not None,
            "columns": game.controls.whole_columns,
            "barred": game.controls.forbidden is not None,
            "steering": bool(game.controls.keys),
            "editor": game.controls.editor is not None,
            "tones": list(game.tones),
            "agents": int(agents(shown.state)),
            "score_range": game.score_range,
            "unit": words(game.unit),
            "example": shown.text,
            "svg": svg(shown.scene, sheet=False),
        }

    def _players(self, game: Game, kinds: Mapping[str, type[Player]]) -> list[dict[str, Any]]:
        players = [
            {
                "kind": kind,
                "title": words(cls.title or kind),
                "about": words(cls.about),
                "given": False,
                "options": [_option(o) for o in open_options(cls.options(), self.bounds)],
            }
            for kind, cls in kinds.items()
        ]
        about = words(Message("a player from the server's command line"))
        for given in self._given_for(game):
            players.append(
                {"kind": given.label, "title": words(given.label), "about": about, "given": True, "options": []}
            )
        return players


def exports(game: Game) -> dict[str, str]:
    """The file formats of a game, with their titles."""
    own = {name: name.upper() for name in game.files.writers}
    return own | {"txt": Message("moves as text"), "json": Message("JSON for programs")}


def readable(game: Game) -> list[str]:
    """Extensions of the files that a game can be read from."""
    return ["json", *(ending for ending in game.files.readers if ending != "json")]


def _shown_lesson(game: Game, lesson: Lesson) -> str | None:
    if not (lesson.moves or lesson.settings or lesson.start != "start"):
        return None
    at = game.with_settings(lesson.settings).position(lesson.start)
    for move in lesson.moves.split():
        at = at.play_move(move)
    return svg(at.scene, sheet=False)


def sample(game: Game) -> Position:
    """A typical position: the game's sample, or a few random moves with a fixed seed."""
    if game.sample:
        return game.position(game.sample)
    chance = random.Random(game.name)
    at = step_chance(game.first, chance)
    if agents(at.state) > 2:
        return at
    for _ in range(SAMPLE_PLIES // 2 if game.small else SAMPLE_PLIES):
        after = step_chance(at.play(chance.choice(at.actions)), chance)
        if after.over:
            break
        at = after
    return at


def given_players(specs: Iterable[str], games: Mapping[str, Game]) -> list[Given]:
    """The players of `--player`: `./my_agent.py:Name`, `uai:cmd=./engine`, or `GAME=...` for one game only."""
    players: list[Given] = []
    for text in specs:
        game, equals, rest = text.partition("=")
        spec, game = (rest, game) if equals and game in games else (text, "")
        label = base = _label(spec)
        number = 2
        while any(given.label == label for given in players):
            label, number = f"{base}-{number}", number + 1
        _check(spec, [games[game]] if game else list(games.values()))
        players.append(Given(label, spec, game))
    return players


def _check(spec: str, games: list[Game]) -> None:
    """Raise if it is no player of any of these games."""
    if re.match(r"(?!\w+:\w+=).*\.py(?::\w+)?$", spec.strip()):
        path = Path(re.sub(r":\w+$", "", spec.strip())).expanduser()
        if not path.is_file():
            raise not_there(path, Message("name a custom player as path/to/my_agent.py:Name"))
        return
    kind = split_spec(spec)[0]
    if not any(kind in roster.kinds(game) for game in games):
        known = {name for game in games for name in roster.kinds(game)}
        raise HansuError("there is no player {kind!r}", did_you_mean(kind, known, "players"), kind=kind)


def _label(spec: str) -> str:
    """A short name without colons or paths: `my_agent`, `my_agent-Name`, `uai-engine`."""
    by_path = re.match(r"(?!\w+:\w+=)(.*)\.py(?::(\w+))?$", spec.strip())
    if by_path:
        parts = [Path(by_path[1]).name, by_path[2] or ""]
    else:
        kind, settings = split_spec(spec)
        command = settings.pop("cmd", "").split()
        parts = [kind, *(Path(word).stem for word in command[:1]), *(f"{k}_{v}" for k, v in settings.items())]
    return re.sub(r"[^\w.-]+", "_", "-".join(part for part in parts if part))


def _option(o: Option) -> dict[str, Any]:
    return {
        "name": o.name, "title": words(o.title or o.name.replace("_", " ")), "kind": o.kind.__name__,
        "default": o.default, "low": o.low, "high": o.high, "choices": list(o.choices),
        "choice_titles": [words(title) for title in o.choice_titles or o.choices], "help": words(o.help),
    }  # fmt: skip


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
