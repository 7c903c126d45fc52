"""A game as one self-contained HTML page: board after board, with the evaluation of each move."""

from __future__ import annotations

import json
from html import escape

from hansu.arena.chart import Chart, style
from hansu.core.language import languages
from hansu.core.message import Message, in_languages
from hansu.core.player import Decision
from hansu.core.record import Record
from hansu.scene.page_style import PAPER
from hansu.scene.svg import svg

WIDTH, HEIGHT = 640, 120  # of the curve of values
RESULTS = {1: Message("the first player wins"), 0: Message("a draw"), -1: Message("the second player wins")}


def replay_page(record: Record, title: str, back: str = "") -> str:
    """The page of a record. `back`: the address of a link back."""
    steps = {code: _steps(record, code) for code in languages()}
    data = {"names": {code: language.name for code, language in languages().items()}, "steps": steps}
    boards = "".join(f"<li hidden>{svg(at.scene, sheet=False)}</li>" for at in (*record.last.way, record.last))
    link = f'<a href="{escape(back)}" aria-label="back">↩</a> ' if back else ""
    return (
        _PAGE.replace("{{title}}", escape(title))
        .replace("{{back}}", link)
        .replace("{{paper}}", PAPER)
        .replace("{{style}}", style())
        .replace("{{boards}}", boards)
        .replace("{{curve}}", _curve(record))
        .replace("{{data}}", json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))
    )


def _steps(record: Record, language: str) -> list[str]:
    """The text next to each board."""
    return [in_languages(_step(record, ply))[language] for ply in range(len(record.last.moves) + 1)]


def _step(record: Record, ply: int) -> Message:
    if ply == 0:
        return Message("{first} against {second}", first=record.players[0], second=record.players[1])
    at, move = record.last.way[ply - 1], record.last.moves[ply - 1]
    decision = _decision(record, ply)
    if decision is None:
        text = Message("{ply}. {move}", ply=ply, move=move)
    else:
        who = record.players[at.team] if at.team in (0, 1) else ""
        value = "" if decision.report.value is None else f"{decision.report.value:+.2f}"
        text = Message(
            "{ply}. {move} ({who}) {value} {why}", ply=ply, move=move, who=who, value=value, why=decision.why
        )
    if ply < len(record.last.moves) or record.outcome is None:
        return text
    end = record.fault or record.adjudicated
    result = RESULTS[record.outcome]
    if end:
        return Message("{text}. {result} ({end})", text=text, result=result, end=end)
    return Message("{text}. {result}", text=text, result=result)


def _decision(record: Record, ply: int) -> Decision | None:
    place = ply - 1 - record.opening
    return record.decisions[place] if 0 <= place < len(record.decisions) else None


def _curve(record: Record) -> str:
    """The chart of the values, from the first player's side, with a line for each player."""
    plies, unit = max(len(record.last.moves), 1), record.last.game.score_range
    chart = Chart(WIDTH, HEIGHT, Message("Values during the game"))
    chart.line(0, HEIGHT / 2, WIDTH, HEIGHT / 2)
    for team, tone in ((0, "two"), (1, "one")):
        points = []
        for ply in range(1, plies + 1):
            decision = _decision(record, ply)
            if decision is None or decision.report.value is None or record.last.way[ply - 1].team != team:
                continue
            share = max(-1.0, min(1.0, float(decision.report.value) / unit))
            points.append((WIDTH * ply / plies, HEIGHT / 2 - share * (HEIGHT / 2 - 6)))
        if points:
            chart.path(points, tone)
    return chart.svg(alone=False)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
  {{paper}}
  body { margin: 0 auto; max-width: 44rem; padding: 1rem }
  h1 { font-size: 1.1rem; margin: 0 0 .5rem }
  ul { list-style: none; margin: 0; padding: 0; text-align: center }
  li svg { max-width: 100%; max-height: 60vh; height: auto }
  nav { display: flex; gap: .5rem; align-items: center } input { flex: 1 }
  output { display: block; min-height: 3em; overflow-wrap: anywhere } figure { margin: 0 }
  figure svg { width: 100%; height: auto } #language { float: right }
  {{style}}
</style></head><body>
<main>
<button id="language"></button>
<h1>{{back}}{{title}}</h1>
<ul>{{boards}}</ul>
<nav><button id="back" aria-label="back">◀</button><input id="ply" type="range" min="0" value="0" aria-label="ply">
<button id="on" aria-label="on">▶</button></nav>
<output id="text" aria-live="polite"></output>
<figure>{{curve}}</figure>
</main>
<script>
const { names, steps } = {{data}}, codes = Object.keys(names);
const boards = [...document.querySelectorAll("li")], slider = document.getElementById("ply");
const preferred = navigator.languages.map(tag => tag.toLowerCase().split("-")[0]);
let language = preferred.find(code => codes.includes(code)) ?? "en", ply = 0;
const next = () => codes[(codes.indexOf(language) + 1) % codes.length];
function show(to) {
  boards[ply].hidden = true;
  ply = Math.max(0, Math.min(boards.length - 1, to));
  boards[ply].hidden = false;
  slider.value = ply;
  document.getElementById("text").textContent = steps[language][ply];
  document.documentElement.lang = language;
  document.getElementById("language").textContent = names[next()];
}
slider.max = boards.length - 1;
slider.oninput = () => show(Number(slider.value));
document.getElementById("back").onclick = () => show(ply - 1);
document.getElementById("on").onclick = () => show(ply + 1);
document.getElementById("language").onclick = () => { language = next(); show(ply); };
const KEYS = { ArrowLeft: () => ply - 1, ArrowRight: () => ply + 1, Home: () => 0, End: () => boards.length };
document.onkeydown = event => {
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  show(KEYS[event.key]());
};
show(0);
</script></body></html>
"""
