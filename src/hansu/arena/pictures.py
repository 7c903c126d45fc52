"""Charts of a store: ratings with intervals, a cross table, ratings over a parameter, the length of games, the time per
move, and when games are decided."""

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
NAME_WIDTH = 190.0
ROW = 26.0
TOP, BOTTOM, RIGHT = 46.0, 40.0, 24.0
MAX_PLAYERS = 40
MAX_READ = 2_000  # games whose records are read
MAX_NAME = 28  # characters


def pictures(store: Store, selection: GameFilter, table: Standings) -> dict[str, Chart]:
    """All charts of the selected games by name, without empty ones."""
    charts = {"ratings": ratings_picture(table), "crosstable": cross_picture(table)}
    for number, family in enumerate(families(table.rows), 1):
        charts["course" if number == 1 else f"course_{number}"] = course_picture(family)
    games = list(store.games(selection))
    if games:
        charts["length"] = length_picture(games)
    if any(one.first_seconds + one.second_seconds > 0 for one in games):
        lengths = {id: len(opening.moves) for id, opening in store.openings().items()}
        charts["time"] = time_picture(games, table, lengths)
    shares = decided_shares(store, games)
    if shares:
        charts["decided"] = decided_picture(shares)
    return charts


def ratings_picture(table: Standings) -> Chart:
    """A dot and an interval for each player, the strongest on top."""
    rows = table.rows[:MAX_PLAYERS]
    height = TOP + ROW * len(rows) + BOTTOM
    chart = Chart(WIDTH, height, Message("ratings"))
    chart.text(12, 20, Message("Rating (Elo) with its 95 % interval"), bold=True, size=14)
    ends = [end for row in rows for end in (row.rating.low, row.rating.value, row.rating.high) if math.isfinite(end)]
    spread = max(max(ends) - min(ends), 20)
    axis = Axis(min(ends) - 0.05 * spread, max(ends) + 0.05 * spread, NAME_WIDTH + 16, WIDTH - RIGHT)
    _vertical_marks(chart, axis, TOP - 6, height - BOTTOM)
    for number, row in enumerate(rows):
        y, rating = TOP + ROW * (number + 0.5), row.rating
        chart.text(NAME_WIDTH, y, _short_name(row.name), anchor="end")
        left = axis.at(rating.low) if math.isfinite(rating.low) else NAME_WIDTH + 16
        right = axis.at(rating.high) if math.isfinite(rating.high) else WIDTH - RIGHT
        chart.line(left, y, right, y, "one", 2)
        for x, end, way in ((left, rating.low, 1), (right, rating.high, -1)):
            if math.isfinite(end):
                chart.line(x, y - 5, x, y + 5, "one", 2)
            else:  # unbounded: an arrow
                chart.path([(x + 6 * way, y - 5), (x, y), (x + 6 * way, y + 5)], "one", 2)
        chart.dot(axis.at(rating.value), y, "one", f"{row.name}: {rating}")
    return chart


def cross_picture(table: Standings) -> Chart:
    """The share of the points that each player took from each other."""
    rows = table.rows[: min(MAX_PLAYERS, 24)]
    cell = min(44.0, (WIDTH - NAME_WIDTH - 40) / max(len(rows), 1))
    height = TOP + 22 + cell * len(rows) + 16
    chart = Chart(WIDTH, height, Message("cross table"))
    title = Message("Share of the points of each row against each column")
    chart.text(12, 20, title, bold=True, size=14)
    for i, row in enumerate(rows):
        y = TOP + 22 + cell * i
        chart.text(NAME_WIDTH, y + cell / 2, f"{i + 1}  {_short_name(row.name)}", anchor="end")
        chart.text(NAME_WIDTH + 16 + cell * (i + 0.5), TOP + 10, str(i + 1), "quiet", "middle")
        for j, other in enumerate(rows):
            result = table.between(row.player, other.player)
            if i != j and any(result):
                _heat_cell(chart, NAME_WIDTH + 16 + cell * j, y, cell, result, f"{row.name} - {other.name}")
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
    """Players that differ in one number of their name (a depth, a training step), or the versions of one player."""

    name: str  # with N instead of the number or version
    members: tuple[tuple[float, Standing], ...]


def families(rows: Sequence[Standing], least: int = 3) -> list[Family]:
    """Families of at least `least` members, the largest first. A player belongs to at most one of them."""
    candidates = _versions(rows)
    for row in rows:
        for number in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?|(?<=[_a-zA-Z])\d+", row.name.partition("#")[0]):
            name = f"{row.name[: number.start()]}N{row.name[number.end() :]}"
            candidates.setdefault(name, []).append((float(number[0]), row))
    result: list[Family] = []
    taken: set[int] = set()
    for name, members in sorted(candidates.items(), key=lambda item: -len(item[1])):
        free = [(number, row) for number, row in members if row.player not in taken]
        if len(free) >= least and len({number for number, _ in free}) == len(free):
            result.append(Family(name, tuple(sorted(free, key=lambda each: each[0]))))
            taken |= {row.player for _, row in free}
    return result


def _versions(rows: Sequence[Standing]) -> dict[str, list[tuple[float, Standing]]]:
    """Players with versions by name, numbered in the order in which they entered the store."""
    versions: dict[str, list[tuple[float, Standing]]] = {}
    for row in sorted(rows, key=lambda row: row.player):
        name, mark, _ = row.name.partition("#")
        if mark:
            members = versions.setdefault(f"{name}#N", [])
            members.append((len(members) + 1, row))
    return versions


def course_picture(family: Family) -> Chart:
    """The ratings of a family over its parameter."""
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
    margin = 0.0 if log else 0.04 * (numbers[-1] - numbers[0])
    across = Axis(numbers[0] - margin, numbers[-1] + margin, 70, WIDTH - RIGHT, log)
    up = Axis(min(ends), max(ends), height - BOTTOM, TOP)
    _horizontal_marks(chart, up, 60, WIDTH - RIGHT)
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
    """A histogram of the number of plies."""
    title = Message("Length of games (plies)")
    hint = "{low:g}-{high:g}: {count}"
    return _histogram([float(one.plies) for one in games], title, hint, whole=True)


def decided_picture(shares: Sequence[float]) -> Chart:
    """A histogram of the part of the game after which all values favour the winner."""
    title = Message("When games are decided: part of the game after which all values favour the winner (%)")
    return _histogram([100 * share for share in shares], title, "{low:g}-{high:g} %: {count}", bounds=(0, 100))


def _histogram(
    values: Sequence[float], title: str, hint: str, whole: bool = False, bounds: tuple[float, float] | None = None
) -> Chart:
    """A histogram of values."""
    height = 260.0
    chart = Chart(WIDTH, height, title)
    chart.text(12, 20, title, bold=True, size=14 if len(title) < 70 else 12.5)
    low, high = bounds or (min(values), max(values) + (1 if whole else 0))
    width = max((high - low) / 40, 1e-9)
    if whole:
        width = float(max(1, math.ceil(width)))
    elif bounds is not None:
        width = (high - low) / 20
    bins = [0] * max(1, math.ceil((high - low) / width - 1e-9))
    for value in values:
        bins[min(int((value - low) / width), len(bins) - 1)] += 1
    across = Axis(low, low + width * len(bins), 60, WIDTH - RIGHT)
    up = Axis(0, max(bins), height - BOTTOM, TOP, marks=4)
    _horizontal_marks(chart, up, 50, WIDTH - RIGHT)
    for mark in across.marks:
        chart.text(across.at(mark), height - BOTTOM + 16, short(mark), "quiet", "middle", 11)
    for number, count in enumerate(bins):
        start = low + number * width
        left, right = across.at(start), across.at(start + width)
        text = hint.format(low=start, high=start + width - (1 if whole else 0), count=f"{count:,}")
        chart.box(left + 0.5, up.at(count), right - left - 1, up.at(0) - up.at(count), "one", 0.75, text)
    return chart


def time_picture(games: Sequence[StoredGame], table: Standings, opening_plies: Mapping[int, int]) -> Chart:
    """The time per move of each player: the median of its games, and the 10th to 90th percentile."""
    rows = table.rows[:MAX_PLAYERS]
    height = TOP + ROW * len(rows) + BOTTOM
    chart = Chart(WIDTH, height, Message("time"))
    title = Message("Milliseconds per move: median over games, 10 % to 90 %")
    chart.text(12, 20, title, bold=True, size=14)
    spent: dict[int, list[float]] = {row.player: [] for row in rows}
    for one in games:
        moves = max((one.plies - opening_plies[one.opening]) / 2, 0.5)
        for player, seconds in ((one.first, one.first_seconds), (one.second, one.second_seconds)):
            if player in spent and seconds > 0:
                spent[player].append(1000 * seconds / moves)
    times = {player: sorted(each) for player, each in spent.items() if each}
    ends = [_quantile(each, share) for each in times.values() for share in (0.1, 0.9)]
    axis = Axis(max(min(ends), 1e-4), max(*ends, 2e-4), NAME_WIDTH + 16, WIDTH - RIGHT, log=True)
    _vertical_marks(chart, axis, TOP - 6, height - BOTTOM)
    for number, row in enumerate(rows):
        y = TOP + ROW * (number + 0.5)
        chart.text(NAME_WIDTH, y, _short_name(row.name), anchor="end")
        if each := times.get(row.player):
            low, middle, high = (_quantile(each, share) for share in (0.1, 0.5, 0.9))
            chart.line(axis.at(max(low, 1e-4)), y, axis.at(max(high, 1e-4)), y, "one", 5)
            chart.dot(axis.at(max(middle, 1e-4)), y, "two", f"{row.name}: {middle:.3g} ms ({low:.3g} - {high:.3g})")
    return chart


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def decided_shares(store: Store, games: Sequence[StoredGame]) -> list[float]:
    """When won games were decided, if their values were reported. Of many games a sample is read."""
    won = [one for one in games if one.outcome and one.ended != "fault"]
    step = max(1, len(won) // MAX_READ)
    shares = (decided_at(store.record(one.id)) for one in won[::step])
    return [share for share in shares if share is not None]


def decided_at(record: Mapping[str, Any]) -> float | None:
    """The part of a game, 0 to 1, after which all reported values favour the winner; None if too few were reported."""
    opening, plies = len(record["opening"]), len(record["opening"]) + len(record["moves"])
    values = [
        (opening + ply, thought["value"]) for ply, thought in enumerate(record.get("thoughts") or ())
        if thought is not None and thought.get("value") is not None
    ]  # fmt: skip
    if not record["outcome"] or not plies or 2 * len(values) < plies - opening:
        return None
    decided = plies
    for ply, value in reversed(values):
        if value * record["outcome"] <= 0:
            break
        decided = ply
    return decided / plies


def _vertical_marks(chart: Chart, axis: Axis, top: float, bottom: float) -> None:
    for mark in axis.marks:
        x = axis.at(mark)
        chart.line(x, top, x, bottom)
        chart.text(x, bottom + 14, short(mark), "quiet", "middle", 11)


def _horizontal_marks(chart: Chart, axis: Axis, left: float, right: float) -> None:
    for mark in axis.marks:
        y = axis.at(mark)
        chart.line(left, y, right, y)
        chart.text(left - 6, y, short(mark), "quiet", "end", 11)


def _short_name(name: str) -> str:
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
