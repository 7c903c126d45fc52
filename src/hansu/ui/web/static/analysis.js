// Analysis: any position, any player, the value of every move as it becomes known.

import { element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { both, short, signed, t } from "./language.js";
import { picker } from "./picker.js";
import { lineWalk, meters, verdict } from "./why.js";

export function analysis(page) {
  const { game, info } = page;
  const who = picker(info, page.analyst, {
    label: t("analyst"),
    onchange: (spec) => {
      page.analyst = spec;
      if (running()) go();
    },
  });
  const start = element("button", { class: "primary", "data-do": "analyse-start", onclick: () => (running() ? game.stop() : go()) });
  const body = element("div", { class: "analysis-body" });
  const rows = element("tbody");
  const table = element(
    "table",
    { class: "rated" },
    element("thead", {}, element("tr", {}, ["move", "value", "visits"].map((name) => element("th", { scope: "col", class: name }, t(name))))),
    rows,
  );
  const line = element("div", { class: "analysis-line" });
  const position = element("textarea", { id: "position", rows: 2, spellcheck: "false", "aria-describedby": "positionhelp" });
  const load = element("button", { "data-do": "load", onclick: () => page.setUp(position.value) }, t("load"));
  const live = element("input", { type: "checkbox", id: "follow", checked: page.following, onchange: () => ((page.following = live.checked), live.checked && !running() && go()) });
  let shownAt = "";

  function running() {
    return game.task?.task === "analysis";
  }

  function go() {
    if (game.state && !game.state.over) game.analyse(who.spec, 120);
  }

  const node = element(
    "section",
    { class: "analysis" },
    element(
      "header",
      { class: "side-head" },
      element("h1", {}, t("analysis")),
      element("button", { class: "plain", "data-do": "leave", onclick: () => page.leaveAnalysis() }, page.before ? t("back_to_game") : t("back_to_setup")),
    ),
    who.node,
    element(
      "div",
      { class: "analysis-run" },
      start,
      element("div", { class: "field tick" }, live, element("label", { for: "follow" }, t("follow"))),
    ),
    page.heat.node,
    body,
    table,
    line,
    element(
      "details",
      { class: "panel", open: false },
      element("summary", {}, element("h2", {}, t("set_up"))),
      element(
        "div",
        { class: "field" },
        element("label", { for: "position" }, t("position_text")),
        position,
        element("small", { id: "positionhelp" }, t("for_example", { text: info.example })),
      ),
      element(
        "div",
        { class: "row" },
        info.editor ? element("button", { "data-do": "edit", onclick: () => page.edit() }, icon("pencil"), t("edit_board")) : null,
        load,
        element("button", { onclick: () => page.copyPosition() }, icon("copy"), t("copy_position")),
        element("button", { onclick: () => page.setUp("start") }, t("from_start")),
      ),
    ),
  );

  function update() {
    const { state } = game;
    if (!state) return;
    const on = running();
    fill(start, icon(on ? "stop" : "play"), on ? t("stop") : t("analyse"));
    start.disabled = state.over || !game.online;
    const here = `${state.game} ${state.position} ${state.ply}`;
    if (here !== shownAt) {
      shownAt = here;
      if (document.activeElement !== position) position.value = state.position ?? "";
      if (page.following && !on && !state.over && !game.asked.has(state.ply) && !state.searching) setTimeout(() => page.mode === "analysis" && !running() && go());
    }
    const found = game.foundAt(state.ply);
    fill(body, found ? [verdict(found, state.seats), meters(found)] : element("p", { class: "quiet" }, state.over ? t("over") : t("analysis_empty")), found && both(found.why) ? element("blockquote", {}, both(found.why)) : null);
    drawTable(found, state);
    drawLine(found, state);
  }

  function drawTable(found, state) {
    const rated = found?.moves.length ? found.moves : state.choices.map(({ action, move }) => ({ action, move, value: null, visits: null, bound: "", share: 0 }));
    const sign = state.mover === 1 ? -1 : 1;
    const worth = (move) => (move.value === null ? -Infinity : sign * move.value);
    const sorted = [...rated].sort((a, b) => Number(b.best ?? 0) - Number(a.best ?? 0) || (b.visits ?? 0) - (a.visits ?? 0) || worth(b) - worth(a));
    const counted = sorted.some((move) => move.visits !== null);
    table.classList.toggle("counted", counted);
    const wanted = sorted.slice(0, 60);
    while (rows.children.length > wanted.length) rows.lastChild.remove();
    wanted.forEach((move, i) => {
      const row = rows.children[i] ?? rows.appendChild(entry());
      row.move = move;
      row.classList.toggle("best", Boolean(move.best));
      const [name, value, visits] = row.children;
      name.firstChild.textContent = move.move;
      name.firstChild.dataset.move = move.move;
      const bound = { "<=": "≤ ", ">=": "≥ " }[move.bound] ?? "";
      value.lastChild.textContent = move.value === null ? "–" : bound + signed(move.value) + (move.proved ? " ✓" : "");
      value.firstChild.style.width = `${Math.round(100 * (move.share ?? 0))}%`;
      visits.textContent = move.visits === null ? "" : short(move.visits);
    });
  }

  function entry() {
    const row = element(
      "tr",
      {
        onpointerenter: () => page.point(row.move.action),
        onpointerleave: () => page.point(null),
      },
      element("td", { class: "move" }, element("button", { class: "plain", onclick: () => page.chooseAction(row.move.action), onfocus: () => page.point(row.move.action), onblur: () => page.point(null) })),
      element("td", { class: "value" }, element("span", { class: "bar", "aria-hidden": "true" }), element("span", {})),
      element("td", { class: "visits" }),
    );
    return row;
  }

  let drawnLine = "";
  function drawLine(found, state) {
    const key = JSON.stringify([found?.line, state.ply]);
    if (key === drawnLine) return;
    drawnLine = key;
    fill(line, found?.line.length ? [element("h3", {}, t("expected_line")), lineWalk(page, found, state.ply)] : null);
  }

  return { node, update, toggle: () => (running() ? game.stop() : go()), openSetUp: () => (node.querySelector("details.panel").open = true) };
}
