"""The report of a run: curves, example games, the size of the network. One self-contained HTML file, in English and
Korean."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hansu.core import registry
from hansu.core.errors import HansuError
from hansu.core.game import Game
from hansu.core.message import Message, in_language
from hansu.core.options import split_spec
from hansu.core.record import game_of
from hansu.learn.run import Run, save
from hansu.scene.page_style import PAPER
from hansu.scene.svg import svg

WIDTH, HEIGHT = 420, 200  # of a curve
LEFT, BOTTOM, TOP, RIGHT = 58, 26, 12, 12  # margins
MOST_GAMES = 6
COLOURS = ("#2a6fdb", "#d9632a", "#2a9d5c", "#8a4fc7", "#b0487f")

STYLE = (
    PAPER
    + """
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
section { display: flex; flex-wrap: wrap; gap: 1.5rem } figure { margin: 0; max-width: 100% }
figure svg { max-width: 100%; height: auto } figcaption { color: var(--quiet) }
table { border-collapse: collapse } td { padding: .1rem 1rem .1rem 0; vertical-align: top; overflow-wrap: anywhere }
td:first-child { color: var(--quiet) } .game { width: 11rem } .game svg { width: 100%; height: auto }
.moves { font-size: .8rem; overflow-wrap: anywhere } button { float: right }
html[lang=en] .ko, html[lang=ko] .en { display: none }
"""
)
SCRIPT = """
const page = document.documentElement;
page.lang = navigator.language.startsWith("ko") ? "ko" : "en";
document.querySelector("button").onclick = () => { page.lang = page.lang === "ko" ? "en" : "ko" };
"""


def write_report(folder: Path, game: Game | None = None) -> Path:
    """Write the report of a run; returns its path."""
    path = folder / "report.html"
    save(path, report_page(folder, game).encode())
    return path


def report_page(folder: Path, game: Game | None = None) -> str:
    """The report of a run as HTML. A run of a user's game needs `game`: a run's files may only name games of the
    package."""
    run = Run(folder)
    facts, rows = run.read_facts(), run.read_log()
    if not rows:
        raise HansuError("the log of {folder} is still empty", "wait for its first row", folder=folder)
    try:
        return page(folder, facts, rows, game)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
        raise HansuError("{folder} does not contain the files of a run", folder=folder) from None


def page(
    folder: Path, facts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], game: Game | None = None
) -> str:  # fmt: skip
    progress = [row for row in rows if row.get("kind") == "progress"]
    ratings = [row for row in rows if row.get("kind") == "rating"]
    played = [row for row in rows if row.get("kind") == "game"]
    title = f"{facts.get('game', '?')} · {facts.get('recipe', '?')}"
    parts = [
        f"<h1>{_safe(title)}</h1>", _overview(folder, facts, progress), "<section>",
        _losses(progress), _elo(ratings), _speed(progress), _shares(progress), _lengths(progress), "</section>",
        "<h2>" + _both(Message("Games of the run")) + "</h2><section>",
        *(_game(facts, row, game) for row in played[-MOST_GAMES:]), "</section>",
        "<h2>" + _both(Message("Settings")) + "</h2>",
        _table((_safe(key), value) for key, value in facts.get("settings", {}).items()),
    ]  # fmt: skip
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{_safe(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
        f"<main><button>한국어 / English</button>{''.join(parts)}</main><script>{SCRIPT}</script></html>"
    )


def _safe(text: Any) -> str:
    return html.escape(str(text))


def _both(text: str) -> str:
    return f'<span class="en">{_safe(text)}</span><span class="ko">{_safe(in_language(text, "ko"))}</span>'


def _table(pairs: Iterable[tuple[str, Any]]) -> str:
    """A table; keys are HTML, values are plain text."""
    lines = "".join(f"<tr><td>{key}</td><td>{_safe(value)}</td></tr>" for key, value in pairs)
    return f"<table>{lines}</table>"


def _overview(folder: Path, facts: Mapping[str, Any], progress: Sequence[Mapping[str, Any]]) -> str:
    last = progress[-1] if progress else {}
    champion = folder / "champion.onnx"
    lines = {
        Message("network"): facts.get("network_text", ""),
        Message("parameters"): f"{facts.get('parameters', 0):,}",
        Message("file"): f"{champion.stat().st_size:,} bytes" if champion.is_file() else "-",
        Message("time"): f"{last.get('seconds', 0) / 60:.1f} min, {facts.get('device', '')}",
        Message("games"): f"{last.get('games', 0):,}",
        Message("positions"): f"{last.get('positions', 0):,}",
        Message("training steps"): f"{last.get('steps', 0):,}",
        Message("simulations"): f"{last.get('simulations_in_all', 0):,}",
    }
    return _table((_both(key), value) for key, value in lines.items())


def _points(rows: Iterable[Mapping[str, Any]], name: str, factor: float = 1.0) -> list[tuple[float, float]]:
    return [(row["seconds"] / 60, factor * row[name]) for row in rows if isinstance(row.get(name), int | float)]


def _losses(progress: Sequence[Mapping[str, Any]]) -> str:
    names = sorted({name for row in progress for name in row if name.endswith("_loss")})
    curves = {name.replace("_", " "): _points(progress, name) for name in names}
    return plot(Message("Losses"), curves)


def _elo(ratings: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(row["against"] for row in ratings))
    curves = {name: _points([row for row in ratings if row["against"] == name], "elo") for name in names}
    return plot(Message("Elo against fixed players"), curves)


def _speed(progress: Sequence[Mapping[str, Any]]) -> str:
    return plot(Message("Simulations per second"), {"": _points(progress, "simulations_a_second")})


def _shares(progress: Sequence[Mapping[str, Any]]) -> str:
    names = {"searching": "search", "waiting": "search waits for network", "learner_waiting": "learner waits for games"}
    return plot(Message("Shares of time, %"),
                {label: _points(progress, name, 100.0) for name, label in names.items()})  # fmt: skip


def _lengths(progress: Sequence[Mapping[str, Any]]) -> str:
    return plot(Message("Plies per game"), {"": _points(progress, "game_length")})


def plot(title: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Curves over minutes as inline SVG; empty if no curve has two points."""
    curves = {name: points for name, points in curves.items() if len(points) > 1}
    if not curves:
        return ""
    xs = [x for points in curves.values() for x, _ in points]
    ys = [y for points in curves.values() for _, y in points]
    low, high = min(ys), max(ys)
    if high == low:
        low, high = low - 1, high + 1
    end = max(xs) or 1.0

    def place(x: float, y: float) -> str:
        across = LEFT + x / end * (WIDTH - LEFT - RIGHT)
        down = TOP + (high - y) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    shapes = []
    for i in range(5):
        y = low + i * (high - low) / 4
        down = place(0, y).split(",")[1]
        shapes.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down}" y2="{down}" stroke="var(--line)"/>')
        shapes.append(f'<text x="{LEFT - 6}" y="{float(down) + 4:.0f}" text-anchor="end">{_number(y)}</text>')
    shapes.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">{end:.1f} min</text>')
    for number, (name, points) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(place(x, y) for x, y in points)
        shapes.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        if name:
            at = f'x="{LEFT + 8}" y="{TOP + 14 + 15 * number}"'
            shapes.append(f'<text {at} style="fill: {colour}">{_safe(name)}</text>')
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    style = "font-size: 11px; fill: var(--quiet)"
    return (
        f'<figure><svg {size} style="{style}">{"".join(shapes)}</svg><figcaption>{_both(title)}</figcaption></figure>'
    )


def _number(value: float) -> str:
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _game(facts: Mapping[str, Any], row: Mapping[str, Any], named: Game | None) -> str:
    """The last position of a game, with its moves."""
    try:
        spec = str(facts["game"])
        game = named if named and named.spec == spec else game_of(spec, named or registry.built_in(split_spec(spec)[0]))
        position = game.position(row["first"])
        for move in row["moves"]:
            position = position.play_move(move)
    except (HansuError, KeyError):
        return ""  # a user's game that was not named, or its rules have changed
    caption = f"{row['seconds'] / 60:.1f} min · {position.result_text if position.over else ''}"
    picture = svg(position.scene, sheet=False)
    moves = f'<div class="moves">{_safe(" ".join(row["moves"]))}</div>'
    return f'<figure class="game">{picture}<figcaption>{_safe(caption)}{moves}</figcaption></figure>'
