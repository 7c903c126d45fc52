"""A store as one self-contained HTML file: standings, charts, results by seat, openings, faults, versions."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from html import escape
from typing import NamedTuple

from hansu.arena.chart import style, translations
from hansu.arena.pictures import pictures
from hansu.arena.standings import Standings, points, shown_names, standings
from hansu.arena.store import GameFilter, Store
from hansu.core.language import languages
from hansu.core.message import Message
from hansu.scene.page_style import PAPER

MAX_OPENINGS = 12
MAX_FAULTS = 20
PAGE_GAMES = 200


class Link(NamedTuple):
    """A table cell with a link."""

    text: str
    kind: str  # CSS class
    address: str


Cell = str | tuple[str, str] | Link  # a text, or a text and its CSS class


def page(store: Store, selection: GameFilter = GameFilter(), more: str = "") -> str:
    """The page of the selected games, with a section for each game and its settings. `more`: HTML for the end."""
    specs = [spec for spec in store.counts() if selection.game in ("", spec)]
    sections = [_section(store, replace(selection, game=spec)) for spec in specs]
    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    title = Message("Arena: {name}", name=store.path.name)
    names = {code: language.name for code, language in languages().items()}
    head = f"<h1>{_localized(title)}</h1><p class=quiet>{when}</p>"
    return (
        _PAGE.replace("{{title}}", escape(title))
        .replace("{{paper}}", PAPER)
        .replace("{{style}}", style())
        .replace("{{languages}}", json.dumps(names, ensure_ascii=False).replace("<", "\\u003c"))
        .replace("{{body}}", head + "".join(sections) + _runs(store) + more)
    )


def games_list(store: Store, address: str, number: int) -> str:
    """Page `number`, from 1, of the list of games, newest first, each with a link to `address/id`."""
    games = list(store.games())[::-1]
    names = shown_names(store.players())
    pages = max(1, math.ceil(len(games) / PAGE_GAMES))
    number = max(1, min(number, pages))
    rows: list[list[Cell]] = []
    for one in games[(number - 1) * PAGE_GAMES : number * PAGE_GAMES]:
        result = {1: "1-0", 0: "½-½", -1: "0-1"}.get(one.outcome if one.outcome is not None else 2, "*")
        players: list[Cell] = [(names[one.first], "name"), (names[one.second], "name")]
        rows.append([Link(str(one.id), "", f"{address}/{one.id}"), *players, result, str(one.plies)])
    heads = ["#", Message("first"), Message("second"), Message("result"), Message("plies")]
    neighbours = [(n, sign) for n, sign in ((number - 1, "◀"), (number + 1, "▶")) if 1 <= n <= pages]
    links = " ".join(f'<a href="{escape(address)}?page={n}">{sign}</a>' for n, sign in neighbours)
    table = _with_title(Message("Games, newest first"), _table(heads, rows))
    return f"<section>{table}<p>{number} / {pages} {links}</p></section>"


def _section(store: Store, selection: GameFilter) -> str:
    table = standings(store.results(selection), store.players(), store.faults(selection))
    if not table.rows:
        return ""
    summary = Message(
        "{games:,} games, {different:,} of them different; {players} players",
        games=table.games, different=store.different(selection), players=len(table.rows),
    )  # fmt: skip
    parts = [
        f"<section><h2>{escape(selection.game)}</h2><p>{_localized(summary)}</p>",
        _standings(table),
        f"<p>{_localized(table.seat_summary)}</p>",
    ]
    parts += [f"<figure>{chart.svg(alone=False)}</figure>" for chart in pictures(store, selection, table).values()]
    parts += [_better(table), _seats(table), _openings(store, selection), _faults(store, selection), "</section>"]
    return "".join(parts)


def _standings(table: Standings) -> str:
    heads = [
        "#", Message("player"), "Elo", Message("95 % interval"), Message("games"),
        Message("points"), Message("won"), Message("drawn"), Message("lost"),
        Message("better than the next"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for number, row in enumerate(table.rows, 1):
        interval = f"{_elo(row.rating.low)} … {_elo(row.rating.high)}"
        cells: list[Cell] = [str(number), (row.name, "name"), (_elo(row.rating.value), "strong"), interval]
        cells += [f"{row.games:,}", f"{row.points / max(row.games, 1):.1%}", *(f"{n:,}" for n in row.row)]
        rows.append([*cells, _percent(row.ahead)])
    return _table(heads, rows)


def _better(table: Standings) -> str:
    if not 2 < len(table.rows) <= 24:
        return ""
    matrix = table.likely_better()
    heads: list[str] = ["", *(str(number) for number in range(1, len(table.rows) + 1))]
    rows: list[list[Cell]] = []
    for number, (row, line) in enumerate(zip(table.rows, matrix, strict=True), 1):
        rows.append([(f"{number} {row.name}", "name"), *((_percent(x), _significance(x)) for x in line)])
    return _with_title(Message("How likely each row is better than each column"), _table(heads, rows))


def _seats(table: Standings) -> str:
    heads = [
        Message("player"), Message("first: won, drawn, lost"), Message("points"),
        Message("second: won, drawn, lost"), Message("points"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for row in table.rows:
        cells: list[Cell] = [(row.name, "name")]
        for seat in (row.as_first, row.as_second):
            cells += [" ".join(f"{n:,}" for n in seat), _share(seat)]
        rows.append(cells)
    return _with_title(Message("By seat"), _table(heads, rows))


def _openings(store: Store, selection: GameFilter) -> str:
    """The most one-sided openings."""
    known, results = store.openings(), store.by_opening(selection)
    order = sorted(results, key=lambda id: (-abs(points(results[id]) - sum(results[id]) / 2), id))[:MAX_OPENINGS]
    heads = [
        Message("opening"), Message("games"), Message("first seat: won, drawn, lost"),
        Message("points"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for id in order:
        opening, row = known[id], results[id]
        start = "" if opening.start == "start" else opening.start
        text = " ".join(filter(None, (start, *opening.moves))) or "start"
        rows.append([(text, "name"), f"{sum(row):,}", " ".join(f"{n:,}" for n in row), _share(row)])
    title = Message("The most one-sided of {openings:,} openings", openings=len(results))
    return _with_title(title, _table(heads, rows))


def _faults(store: Store, selection: GameFilter) -> str:
    if selection.ended not in ("", "fault"):
        return ""
    games = list(store.games(replace(selection, ended="fault", last=MAX_FAULTS)))
    if not games:
        return ""
    names = shown_names(store.players())
    rows: list[list[Cell]] = [
        [str(one.id), f"{names[one.first]} - {names[one.second]}", (str(store.record(one.id)["fault"]), "name")]
        for one in games
    ]
    return _with_title(Message("The last games lost by a fault"), _table(["", "", ""], rows))


def _runs(store: Store) -> str:
    runs: dict[tuple[tuple[str, str], ...], float] = {}
    for started, versions in store.runs().values():
        runs.setdefault(tuple(versions.items()), started)
    rows: list[list[Cell]] = []
    for items, started in runs.items():
        when = datetime.fromtimestamp(started).astimezone().strftime("%Y-%m-%d %H:%M")
        rows.append([when, (", ".join(f"{name} {version}" for name, version in items), "name")])
    return _with_title(Message("Played with"), _table([Message("since"), ""], rows))


def _with_title(title: Message, table: str) -> str:
    return f"<h3>{_localized(title)}</h3>{table}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """An HTML table. Names are aligned left, numbers right."""
    lines = [[(_cell_html(cell), cell[1] if isinstance(cell, tuple) else "") for cell in row] for row in rows]
    kinds = [kind if kind == "name" else "" for _, kind in lines[0]] if lines else [""] * len(heads)
    top = "".join(
        f"<th{_class(kind)}>{_localized(head)}</th>" if head else "<td></td>"  # an empty corner
        for head, kind in zip(heads, kinds, strict=True)
    )
    body = "".join(
        "<tr>" + "".join(f"<td{_class(kind)}>{html}</td>" for html, kind in line) + "</tr>" for line in lines
    )
    return f"<div class=wide tabindex=0><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"


def _cell_html(cell: Cell) -> str:
    text = cell[0] if isinstance(cell, tuple) else cell
    return f'<a href="{escape(cell.address)}">{escape(text)}</a>' if isinstance(cell, Link) else escape(text)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _localized(text: str) -> str:
    """HTML of a text with its translations."""
    return f"<span{translations(text)}>{escape(text)}</span>" if isinstance(text, Message) else escape(text)


def _elo(value: float) -> str:
    return ("+∞" if value > 0 else "−∞") if math.isinf(value) else f"{round(value):+d}".replace("-", "−")


def _share(row: Sequence[int]) -> str:
    return f"{points(row) / sum(row):.1%}" if sum(row) else ""


def _percent(value: float | None) -> str:
    if value is None:
        return ""
    return ">99.9 %" if value > 0.9995 else "<0.1 %" if value < 0.0005 else f"{100 * value:.1f} %"


def _significance(value: float | None) -> str:
    return "" if value is None else "yes" if value > 0.975 else "no" if value < 0.025 else ""


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
  {{paper}}
  :root { --yes: #2e7d4f; --no: #b3261e }
  @media (prefers-color-scheme: dark) { :root { --yes: #5fc48a; --no: #ff8a80 } }
  body { margin: 0 auto; max-width: 60rem; padding: 1rem }
  h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.2rem; margin: 2rem 0 0 }
  h3 { font-size: 1rem; margin: 1.5rem 0 .3rem }
  #language { float: right }
  .quiet { color: var(--quiet); margin: 0 }
  .wide { overflow-x: auto }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem }
  th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap }
  th { font-weight: 400; color: var(--quiet) }
  .name { text-align: left } td.name { max-width: 28rem; white-space: normal; overflow-wrap: anywhere }
  td.strong { font-weight: 700 } td.yes { color: var(--yes) } td.no { color: var(--no) }
  figure { margin: 1.2rem 0; overflow-x: auto } figure svg { max-width: 100%; height: auto }
  {{style}}
</style></head><body>
<main>
<button id="language"></button>
{{body}}
</main>
<script>
const names = {{languages}}, codes = Object.keys(names);
const selector = codes.slice(1).map(code => `[data-${code}]`).join();
const words = [...document.querySelectorAll(selector || "none")].map(e => ({ e, english: e.textContent }));
const wished = navigator.languages.map(tag => tag.toLowerCase()).flatMap(tag => [tag, tag.split("-")[0]]);
let language = wished.find(code => codes.includes(code)) ?? "en";
const next = () => codes[(codes.indexOf(language) + 1) % codes.length];
function show() {
  for (const { e, english } of words) e.textContent = e.getAttribute(`data-${language}`) ?? english;
  document.documentElement.lang = language;
  document.getElementById("language").textContent = names[next()];
}
document.getElementById("language").onclick = () => { language = next(); show(); };
show();
</script></body></html>
"""
