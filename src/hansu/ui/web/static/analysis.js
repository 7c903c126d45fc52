// Analysis: any position, any player, the value of every move as it becomes known.

import { element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { inLanguage, t } from "./language.js";
import { picker } from "./picker.js";
import { ratedTable } from "./rated.js";
import { lineWalk, meters, verdict } from "./why.js";

const SECONDS = 120;

export function analysis(page) {
  const { game, info } = page;
  const running = () => game.task?.task === "analysis";
  const go = () => game.state && !game.state.over && game.analyse(who.spec, SECONDS);
  const toggle = () => (running() ? game.stop() : go());

  const who = picker(info, page.analyst, {
    label: t("analyst"),
    onchange: (spec) => {
      page.analyst = spec;
      if (running()) go();
    },
  });
  const start = element("button", { class: "primary", "data-do": "analyse-start", onclick: toggle });
  const body = element("div", { class: "analysis-body" });
  const line = element("div", { class: "analysis-line" });
  const table = ratedTable(page);
  const position = element("textarea", { id: "position", rows: 2, spellcheck: "false" });
  const back = page.before ? t("back_to_game") : t("back_to_setup");
  let shownAt = "";
  let drawnLine = "";

  const node = element(
    "section",
    { class: "analysis" },
    element(
      "header",
      { class: "side-head" },
      element("h1", {}, t("analysis")),
      element("button", { class: "plain", "data-do": "leave", onclick: () => page.leaveAnalysis() }, back),
    ),
    who.node,
    element(
      "div",
      { class: "analysis-run" },
      start,
      element("button", { "data-do": "look-inside", onclick: () => page.openXray() }, icon("tree"), t("xray")),
      followBox(page, () => !running() && go()),
    ),
    page.heat.node,
    body,
    table.node,
    line,
    setUpPanel(page, position),
  );

  function update() {
    const { state } = game;
    if (!state) return;
    fill(start, icon(running() ? "stop" : "play"), running() ? t("stop") : t("analyse"));
    start.disabled = state.over || !game.online;
    const here = `${state.game} ${state.position} ${state.ply}`;
    if (here !== shownAt) arrive(here);
    const found = game.foundAt(state.ply);
    fill(body, thoughts(found, state));
    table.update(found, state);
    const key = JSON.stringify([found?.line, state.ply]);
    if (key === drawnLine) return; // a line that is being walked must not be redrawn under the pointer
    drawnLine = key;
    fill(line, found?.line.length ? [element("h3", {}, t("expected_line")), lineWalk(page, found, state.ply)] : null);
  }

  /** At another position: its text, and where that is wanted its analysis. */
  function arrive(here) {
    const { state } = game;
    shownAt = here;
    if (document.activeElement !== position) position.value = state.position ?? "";
    const wanted = page.following && !state.over && !state.searching && !game.asked.has(state.ply);
    if (wanted) setTimeout(() => page.mode === "analysis" && !page.editor && !running() && go());
  }

  return { node, update, toggle };
}

function thoughts(found, state) {
  if (!found) return element("p", { class: "quiet" }, state.over ? t("over") : t("analysis_empty"));
  const words = inLanguage(found.why);
  return [verdict(found, state.seats), meters(found), words ? element("blockquote", {}, words) : null];
}

/** Does the analysis go on by itself at every position? */
function followBox(page, go) {
  const change = () => {
    page.following = box.checked;
    if (box.checked) go();
  };
  const box = element("input", { type: "checkbox", id: "follow", checked: page.following, onchange: change });
  return element("div", { class: "field tick" }, box, element("label", { for: "follow" }, t("follow")));
}

function setUpPanel(page, position) {
  const button = (name, act, ...face) => element("button", { "data-do": name, onclick: act }, face);
  position.setAttribute("aria-describedby", "positionhelp");
  return element(
    "details",
    { class: "panel" },
    element("summary", {}, element("h2", {}, t("set_up"))),
    element(
      "div",
      { class: "field" },
      element("label", { for: "position" }, t("position_text")),
      position,
      element("small", { id: "positionhelp" }, t("for_example", { text: page.info.example })),
    ),
    element(
      "div",
      { class: "row" },
      button("load", () => page.setUp(position.value), t("load")),
      page.info.editor ? button("edit", () => page.edit(), icon("pencil"), t("edit_board")) : null,
      button("copy_position", () => page.souvenirs.copyPosition(), icon("copy"), t("copy_position")),
      button("from_start", () => page.setUp("start"), t("from_start")),
    ),
  );
}
