"""A traced search as a picture, and as a page that replays it step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from math import inf

from hansu.core.control import Control
from hansu.core.generic import CHANCE, mover, over
from hansu.core.language import languages
from hansu.core.message import Message
from hansu.core.position import Position
from hansu.scene.page_style import PAPER
from hansu.scene.scene import Scene
from hansu.scene.svg import svg
from hansu.scene.tree import Twig, tree_scene
from hansu.search.players import TreeSearch
from hansu.search.watch import Trace, TraceNode

RUN, PAUSE = Message("run"), Message("pause")  # labels of the button that plays the steps
ZOOM = {"closer": Message("Zoom in (+)"), "farther": Message("Zoom out (-)"), "whole": Message("Whole tree (0)")}
_TONES = {0: "first", CHANCE: "chance"}  # circles for player 0, squares for the others


@dataclass(frozen=True)
class TracePicture:
    """The visited tree, and a description of each step of the search."""

    root: Twig
    scene: Scene
    steps: tuple[Message, ...]
    lit: tuple[int, ...]  # the number of the node of each step
    summary: Message
    nodes: int
    cut: int


def traced(
    position: Position, player: TreeSearch, most: int, depth: int | None = None, control: Control | None = None
) -> TracePicture:
    """Run the player's algorithm interpreted, and draw the visited tree. Raises HansuError beyond `most` nodes."""
    trace = Trace(most)
    depth = depth or player.depth or player.rounds or (-1 if position.game.small else position.game.default_depth)
    result = player.search(position, depth, control or Control(), trace=trace)
    value = result.value
    assert trace.root is not None and value is not None
    root = _twig(position, trace.root)
    scene = tree_scene(root, f"{player.name} on {position.game.name}", spacing=2.1)
    steps = _steps(position, trace.root)
    cut = sum(len(node.cut) for node in _all(trace.root))
    best = " ".join(position.line_text(result.line))
    summary = Message(
        "{nodes} nodes visited, {cut} branches cut, value {value:g}, best line {best}",
        nodes=result.nodes,
        cut=cut,
        value=value + 0.0,
        best=best or Message("none"),
    )
    texts, lit = tuple(text for _, text in steps), tuple(node for node, _ in steps)
    return TracePicture(root, scene, texts, lit, summary, result.nodes, cut)


def _all(root: TraceNode) -> list[TraceNode]:
    nodes = [root]
    for node in nodes:  # grows while it is walked
        nodes.extend(node.children)
    return nodes


def _twig(position: Position, root: TraceNode) -> Twig:
    """The drawing of a visited tree; pruned branches become twigs without a value."""
    text = position.game.move_text

    def one(node: TraceNode) -> Twig:
        if over(node.state):
            twig = Twig("", "quiet", square=True)
        else:
            who = mover(node.state)
            twig = Twig("", _TONES.get(who, "second"), square=who != 0)
        twig.value = _value_text(node)
        if node.window is not None and node.window != (-inf, inf):
            twig.note = f"({_bound(node.window[0])}, {_bound(node.window[1])})"
        twig.born, twig.done = node.entered, node.left
        return twig

    drawing = one(root)
    stack = [(root, drawing)]
    while stack:
        node, twig = stack.pop()
        for child in node.children:
            branch = one(child)
            branch.edge = text(node.state, child.action)
            twig.children.append(branch)
            stack.append((child, branch))
        for action in node.cut:
            twig.children.append(Twig("", cut=True, edge=text(node.state, action), born=node.left, done=node.left))
    return drawing


def _value_text(node: TraceNode) -> str:
    if node.shares:
        return " ".join(f"{share:g}" for share in node.shares)
    return "" if node.value is None else f"{node.value + 0.0:g}"  # there is no negative zero


def _bound(value: float) -> str:
    return "-∞" if value == -inf else "∞" if value == inf else f"{value + 0.0:g}"


def _steps(position: Position, root: TraceNode) -> list[tuple[int, Message]]:
    """The steps in order, each with its node: every call of V begins once and ends once."""
    events: list[tuple[int, int, Message]] = []
    stack = [(root, "")]
    while stack:
        node, path = stack.pop()
        name = path.strip() or Message("the root")
        window = ""
        if node.window is not None:
            window = f" (α, β) = ({_bound(node.window[0])}, {_bound(node.window[1])})"
        visit = Message("visit {name}{window}", name=name, window=window)
        events.append((node.entered, node.entered, visit))
        cut = ", ".join(position.game.move_text(node.state, a) for a in node.cut)
        value = _value_text(node) or "?"
        result = Message("{name} has value {value}", name=name, value=value)
        if cut:
            result = Message("{name} has value {value}; {cut} cut", name=name, value=value, cut=cut)
        events.append((node.left, node.entered, result))
        for child in node.children:
            stack.append((child, f"{path} {position.game.move_text(node.state, child.action)}"))
    events.sort(key=lambda event: event[0])
    return [(node, text) for _, node, text in events]


def page(picture: TracePicture) -> str:
    """A self-contained HTML page: buttons, a slider and the arrow keys step through the search."""
    words = {"run": RUN, "pause": PAUSE, "summary": picture.summary, **ZOOM}
    texts = {
        code: {
            "name": language.name,
            "steps": [text.to(code) for text in picture.steps],
            **{name: text.to(code) for name, text in words.items()},
        }
        for code, language in languages().items()
    }
    return (
        _PAGE.replace("{{title}}", escape(picture.scene.title))
        .replace("{{paper}}", PAPER)
        .replace("{{svg}}", svg(picture.scene, sheet=False))
        .replace("{{languages}}", json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c"))
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
  {{paper}}
  @media (prefers-color-scheme: dark) {
    .tone-text { fill: #e6e8ec } .tone-quiet { fill: #98a0ae } .stroke-line { stroke: #8b93a3 }
    .tone-faint { fill: #5a6270 } .stroke-faint { stroke: #5a6270 }
    circle.tone-quiet, rect.tone-quiet { fill: #4a515d }
  }
  body { margin: 0; display: flex; flex-direction: column; height: 100dvh }
  header, footer { padding: .6rem 1rem; display: flex; gap: .6rem; align-items: center; flex-wrap: wrap }
  h1 { font-size: 1rem; margin: 0; flex: 1 }
  main { flex: 1; min-height: 0; overflow: auto; display: grid; place-items: safe center }
  svg { display: block }
  text:is(.tone-quiet, .tone-faint) { paint-order: stroke; stroke: var(--ground); stroke-width: .16px } /* over edges */
  input[type=range] { flex: 1; min-width: 8rem }
  output { flex-basis: 100%; min-height: 1.5em }
  small { color: var(--quiet) }
  g.off { visibility: hidden } g.now > :is(circle, rect) { stroke: #d9822b; stroke-width: .1 }
</style></head><body>
<header><h1>{{title}}</h1>
<button id="farther">−</button><button id="whole">⤢</button><button id="closer">+</button>
<button id="language"></button></header>
<main tabindex="0">{{svg}}</main>
<footer>
  <button id="back" aria-label="back">◀</button><input id="step" type="range" min="0" value="0" aria-label="step">
  <button id="on" aria-label="on">▶</button><button id="run"></button>
  <output id="step-text" aria-live="polite"></output><small id="summary"></small>
</footer>
<script>
const languages = {{languages}}, codes = Object.keys(languages);
const wished = navigator.languages.map(tag => tag.toLowerCase()).flatMap(tag => [tag, tag.split("-")[0]]);
let language = wished.find(code => codes.includes(code)) ?? "en", timer = 0;
const next = () => codes[(codes.indexOf(language) + 1) % codes.length];
const $ = id => document.getElementById(id);
const groups = [...document.querySelectorAll("g[data-name]")].map(g => {
  const name = g.dataset.name; return { g, at: Number(name.slice(4)), born: name.startsWith("born") };
});
const last = languages.en.steps.length;
$("step").max = last;
function show(n) {
  const words = languages[language], { steps } = words;
  n = Math.max(0, Math.min(steps.length, n));
  $("step").value = n;
  for (const { g, at, born } of groups) {
    g.classList.toggle("off", at >= n);
    g.classList.toggle("now", born && at === n - 1);
  }
  $("step-text").textContent = `${n} / ${steps.length}  ${n ? steps[n - 1] : ""}`;
  $("run").textContent = words[timer ? "pause" : "run"];
  $("summary").textContent = words.summary;
  $("language").textContent = languages[next()].name;
  for (const name of ["closer", "farther", "whole"]) $(name).ariaLabel = $(name).title = words[name];
  document.documentElement.lang = language;
}
function stop() { clearInterval(timer); timer = 0; }
function move(by) { show(Number($("step").value) + by); }
$("step").oninput = () => { stop(); show(Number($("step").value)); };
$("back").onclick = () => { stop(); move(-1); };
$("on").onclick = () => { stop(); move(1); };
$("run").onclick = () => {
  if (timer) stop();
  else {
    if (Number($("step").value) >= last) show(0);
    timer = setInterval(() => { if (Number($("step").value) >= last) stop(); move(1); }, 600);
  }
  move(0);
};
$("language").onclick = () => { language = next(); move(0); };
addEventListener("keydown", e => {
  if (e.target === $("step") || e.ctrlKey || e.metaKey || e.altKey) return; // the browser handles these
  if (e.key === "ArrowRight") { stop(); move(1); } else if (e.key === "ArrowLeft") { stop(); move(-1); }
  else if (e.key === "Home") show(0); else if (e.key === "End") show(last);
  else if (e.key === "+") zoomTo(1.5 * zoom); else if (e.key === "-") zoomTo(zoom / 1.5);
  else if (e.key === "0") zoomTo(1);
});
show(last);
const view = document.querySelector("main"), tree = view.querySelector("svg");
const { width, height } = tree.viewBox.baseVal;
let zoom = 1; // 1: the whole tree
function zoomTo(wish) {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = view;
  const x = (scrollLeft + clientWidth / 2) / scrollWidth, y = (scrollTop + clientHeight / 2) / scrollHeight; // stays
  zoom = Math.min(Math.max(wish, 1), 64);
  const unit = zoom * Math.min(clientWidth / width, clientHeight / height, 64);
  tree.style.width = `${unit * width}px`;
  tree.style.height = `${unit * height}px`;
  view.scrollTo(x * view.scrollWidth - clientWidth / 2, y * view.scrollHeight - clientHeight / 2);
}
$("closer").onclick = () => zoomTo(1.5 * zoom);
$("farther").onclick = () => zoomTo(zoom / 1.5);
$("whole").onclick = () => zoomTo(1);
addEventListener("resize", () => zoomTo(zoom));
zoomTo(1);
</script></body></html>
"""
