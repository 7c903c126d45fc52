"""What a store looks like: ratings with their intervals, who beats whom, the course of a rating, how long games take
and where they are decided."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hansu.arena.chart import Axis, Chart, short
from hansu.arena.standings import Standing, Standings, points
from hansu.arena.store import GameFilter, Store, StoredGame
from hansu.core.message import Message

WIDTH = 760.0
NAME_ROOM = 190.0
ROW = 26.0
TOP, BOTTOM, RIGHT = 46.0, 40.0, 24.0
MOST_PLAYERS = 40
MOST_READ = 2_000  # games whose moves are looked at
LETTERS = 28  # of a name


def pictures(store: Store, wanted: GameFilter, found: Standings) -> dict[str, Chart]:
    """Every picture of some games by its name; those that would show nothing are left out."""
    made = {"ratings": ratings_picture(found), "crosstable": cross_picture(found)}
    for number, family in enumerate(families(found.rows), 1):
        made["course" if number == 1 else f"course_{number}"] = course_picture(family)
    games = list(store.games(wanted))
    if games:
        made["length"] = length_picture(games)
    if any(one.first_seconds + one.second_seconds > 0 for one in games):
        lengths = {id: len(opening.moves) for id, opening in store.openings().items()}
        made["time"] = time_picture(games, found, lengths)
    shares = decided_shares(store, games)
    if shares:
        made["decided"] = decided_picture(shares)
    return made


def ratings_picture(found: Standings) -> Chart:
    """A dot and an interval for each player, the strongest on top."""
    rows = found.rows[:MOST_PLAYERS]
    height = TOP + ROW * len(rows) + BOTTOM
    chart = Chart(WIDTH, height, Message("ratings"))
    chart.text(12, 20, Message("Rating (Elo) with its 95 % interval"), bold=True, size=14)
    ends = [end for row in rows for end in (row.rating.low, row.rating.value, row.rating.high) if math.isfinite(end)]
    spread = max(max(ends) - min(ends), 20)
    axis = Axis(min(ends) - 0.05 * spread, max(ends) + 0.05 * spread, NAME_ROOM + 16, WIDTH - RIGHT)
    _upright_marks(chart, axis, TOP - 6, height - BOTTOM)
    for number, row in enumerate(rows):
        y, rating = TOP + ROW * (number + 0.5), row.rating
        chart.text(NAME_ROOM, y, _short_name(row.name), anchor="end")
        left = axis.at(rating.low) if math.isfinite(rating.low) else NAME_ROOM + 16
        right = axis.at(rating.high) if math.isfinite(rating.high) else WIDTH - RIGHT
        chart.line(left, y, right, y, "one", 2)
        for x, end, way in ((left, rating.low, 1), (right, rating.high, -1)):
            if math.isfinite(end):
                chart.line(x, y - 5, x, y + 5, "one", 2)
            else:  # an arrow: the games do not bound it
                chart.path([(x + 6 * way, y - 5), (x, y), (x + 6 * way, y + 5)], "one", 2)
        chart.dot(axis.at(rating.value), y, "one", f"{row.name}: {rating}")
    return chart


def cross_picture(found: Standings) -> Chart:
    """Who took which share of the points from whom."""
    rows = found.rows[: min(MOST_PLAYERS, 24)]
    cell = min(44.0, (WIDTH - NAME_ROOM - 40) / max(len(rows), 1))
    height = TOP + 22 + cell * len(rows) + 16
    chart = Chart(WIDTH, height, Message("cross table"))
    title = Message("Share of the points of each row against each column")
    chart.text(12, 20, title, bold=True, size=14)
    for i, row in enumerate(rows):
        y = TOP + 22 + cell * i
        chart.text(NAME_ROOM, y + cell / 2, f"{i + 1}  {_short_name(row.name)}", anchor="end")
        chart.text(NAME_ROOM + 16 + cell * (i + 0.5), TOP + 10, str(i + 1), "quiet", "middle")
        for j, other in enumerate(rows):
            result = found.between(row.player, other.player)
            if i != j and any(result):
                _heat_cell(chart, NAME_ROOM + 16 + cell * j, y, cell, result, f"{row.name} - {other.name}")
    return chart


def _heat_cell(chart: Chart, x: float, y: float, size: float, result: Sequence[int], names: str) -> None:
    share = points(result) / sum(result)
    won, drawn, lost = result
    tone, depth = ("one", share - 0.5) if share >= 0.5 else ("two", 0.5 - share)
    hint = f"{names}: +{won} ={drawn} -{lost}"
    chart.box(x + 1, y + 1, size - 2, size - 2, tone, 0.08 + 1.3 * depth, hint)
    if size >= 26:
        chart.text(x + size / 2, y + size / 2, f"{100 * share:.0f}", anchor="middle", size=11)


@dataclass(frozen=True)
class Family:
    """Players that differ in one number of their names (a depth, a training step), or the versions of one player."""

    name: str  # with an N where the number or the version stands
    members: tuple[tuple[float, Standing], ...]


def families(rows: Sequence[Standing], least: int = 3) -> list[Family]:
    """Those of three members or more, the largest first; nobody is in two of them."""
    found = _versions(rows)
    for row in rows:
        for number in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?|(?<=[_a-zA-Z])\d+", row.name.partition("#")[0]):
            name = f"{row.name[: number.start()]}N{row.name[number.end() :]}"
            found.setdefault(name, []).append((float(number[0]), row))
    made: list[Family] = []
    taken: set[int] = set()
    for name, members in sorted(found.items(), key=lambda item: -len(item[1])):
        free = [(number, row) for number, row in members if row.player not in taken]
        if len(free) >= least and len({number for number, _ in free}) == len(free):
            made.append(Family(name, tuple(sorted(free, key=lambda each: each[0]))))
            taken |= {row.player for _, row in free}
    return made


def _versions(rows: Sequence[Standing]) -> dict[str, list[tuple[float, Standing]]]:
    """Players of one name, numbered in the order in which they came to the store."""
    found: dict[str, list[tuple[float, Standing]]] = {}
    for row in sorted(rows, key=lambda row: row.player):
        name, mark, _ = row.name.partition("#")
        if mark:
            members = found.setdefault(f"{name}#N", [])
            members.append((len(members) + 1, row))
    return found


def course_picture(family: Family) -> Chart:
    """The ratings of a family over its number."""
    height = 320.0
    chart = Chart(WIDTH, height, family.name)
    title = Message("Rating over N in {name}", name=family.name)
    chart.text(12, 20, title, bold=True, size=14)
    numbers = [number for number, _ in family.members]
    ends = [
        end for _, row in family.members for end in (row.rating.low, row.rating.value, row.rating.high)
        if math.isfinite(end)
    ]  # fmt: skip
    log = numbers[0] > 0 and numbers[-1] / numbers[0] >= 8
    room = 0.0 if log else 0.04 * (numbers[-1] - numbers[0])
    across = Axis(numbers[0] - room, numbers[-1] + room, 70, WIDTH - RIGHT, log)
    up = Axis(min(ends), max(ends), height - BOTTOM, TOP)
    _level_marks(chart, up, 60, WIDTH - RIGHT)
    for mark in across.marks:
        chart.text(across.at(mark), height - BOTTOM + 16, short(mark), "quiet", "middle", 11)
    chart.path([(across.at(number), up.at(row.rating.value)) for number, row in family.members], "one", 1.5)
    for number, row in family.members:
        x, rating = across.at(number), row.rating
        low = up.at(rating.low) if math.isfinite(rating.low) else height - BOTTOM
        high = up.at(rating.high) if math.isfinite(rating.high) else TOP
        chart.line(x, low, x, high, "one", 2)
        chart.dot(x, up.at(rating.value), "one", f"{row.name}: {rating}")
    return chart


def length_picture(games: Sequence[StoredGame]) -> Chart:
    """How many games took how many plies."""
    title = Message("Length of games (plies)")
    hint = "{low:g}-{high:g}: {count}"
    return _columns([float(one.plies) for one in games], title, hint, whole=True)


def decided_picture(shares: Sequence[float]) -> Chart:
    """From where on the winner was ahead in everybody's eyes, as a share of the game."""
    title = Message(
        "Where games are decided: from which part of the game on every value said is in the winner's favour (%)"
    )
    return _columns([100 * share for share in shares], title, "{low:g}-{high:g} %: {count}", bounds=(0, 100))


def _columns(
    values: Sequence[float], title: str, hint: str, whole: bool = False, bounds: tuple[float, float] | None = None
) -> Chart:
    """How often values fall where."""
    height = 260.0
    chart = Chart(WIDTH, height, title)
    chart.text(12, 20, title, bold=True, size=14 if len(title) < 70 else 12.5)
    low, high = bounds or (min(values), max(values) + (1 if whole else 0))
    wide = max((high - low) / 40, 1e-9)
    if whole:
        wide = float(max(1, math.ceil(wide)))
    elif bounds is not None:
        wide = (high - low) / 20
    bins = [0] * max(1, math.ceil((high - low) / wide - 1e-9))
    for value in values:
        bins[min(int((value - low) / wide), len(bins) - 1)] += 1
    across = Axis(low, low + wide * len(bins), 60, WIDTH - RIGHT)
    up = Axis(0, max(bins), height - BOTTOM, TOP, marks=4)
    _level_marks(chart, up, 50, WIDTH - RIGHT)
    for mark in across.marks:
        chart.text(across.at(mark), height - BOTTOM + 16, short(mark), "quiet", "middle", 11)
    for number, count in enumerate(bins):
        start = low + number * wide
        left, right = across.at(start), across.at(start + wide)
        text = hint.format(low=start, high=start + wide - (1 if whole else 0), count=f"{count:,}")
        chart.box(left + 0.5, up.at(count), right - left - 1, up.at(0) - up.at(count), "one", 0.75, text)
    return chart


def time_picture(games: Sequence[StoredGame], found: Standings, opening_plies: Mapping[int, int]) -> Chart:
    """What each player takes for a move: the middle of its games, and from the 10th to the 90th of a hundred."""
    rows = found.rows[:MOST_PLAYERS]
    height = TOP + ROW * len(rows) + BOTTOM
    chart = Chart(WIDTH, height, Message("time"))
    title = Message("Milliseconds a move: median of the games, 10 % to 90 %")
    chart.text(12, 20, title, bold=True, size=14)
    spent: dict[int, list[float]] = {row.player: [] for row in rows}
    for one in games:
        moves = max((one.plies - opening_plies[one.opening]) / 2, 0.5)
        for player, seconds in ((one.first, one.first_seconds), (one.second, one.second_seconds)):
            if player in spent and seconds > 0:
                spent[player].append(1000 * seconds / moves)
    shown = {player: sorted(each) for player, each in spent.items() if each}
    ends = [_part(each, share) for each in shown.values() for share in (0.1, 0.9)]
    axis = Axis(max(min(ends), 1e-4), max(*ends, 2e-4), NAME_ROOM + 16, WIDTH - RIGHT, log=True)
    _upright_marks(chart, axis, TOP - 6, height - BOTTOM)
    for number, row in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        chart.text(NAME_ROOM, y, _short_name(row.name), anchor="end")
        if each := shown.get(row.player):
            low, middle, high = (_part(each, share) for share in (0.1, 0.5, 0.9))
            chart.line(axis.at(max(low, 1e-4)), y, axis.at(max(high, 1e-4)), y, "one", 5)
            chart.dot(axis.at(max(middle, 1e-4)), y, "two", f"{row.name}: {middle:.3g} ms ({low:.3g} - {high:.3g})")
    return chart


def _part(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def decided_shares(store: Store, games: Sequence[StoredGame]) -> list[float]:
    """For games that somebody won and in which values were said: where they were decided. Of many games, some."""
    won = [one for one in games if one.outcome and one.ended != "fault"]
    step = max(1, len(won) // MOST_READ)
    found = (decided_at(store.record(one.id)) for one in won[::step])
    return [share for share in found if share is not None]


def decided_at(told: Mapping[str, Any]) -> float | None:
    """The part of a game, 0 to 1, from which on every value that was said is in the winner's favour; None where too
    little was said."""
    opening, plies = len(told["opening"]), len(told["opening"]) + len(told["moves"])
    spoken = [
        (opening + ply, thought["value"]) for ply, thought in enumerate(told.get("thoughts") or ())
        if thought is not None and thought.get("value") is not None
    ]  # fmt: skip
    if not told["outcome"] or not plies or 2 * len(spoken) < plies - opening:
        return None
    decided = plies
    for ply, value in reversed(spoken):
        if value * told["outcome"] <= 0:
            break
        decided = ply
    return decided / plies


def _upright_marks(chart: Chart, axis: Axis, top: float, bottom: float) -> None:
    for mark in axis.marks:
        x = axis.at(mark)
        chart.line(x, top, x, bottom)
        chart.text(x, bottom + 14, short(mark), "quiet", "middle", 11)


def _level_marks(chart: Chart, axis: Axis, left: float, right: float) -> None:
    for mark in axis.marks:
        y = axis.at(mark)
        chart.line(left, y, right, y)
        chart.text(left - 6, y, short(mark), "quiet", "end", 11)


def _short_name(name: str) -> str:
    return name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
