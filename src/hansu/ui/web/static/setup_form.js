// The set-up form: players, limits, options, start position. The board beside it follows.

import { element, fill, find } from "./dom.js";
import { fileButton } from "./files.js";
import { dot, field, fields, picker } from "./form.js";
import { icon, iconButton } from "./icons.js";
import { capitalized, inLanguage, t } from "./language.js";

/**
 * @import { GameInfo } from "./catalogue.js"
 * @import { Limit, Setup } from "./setup.js"
 */

const NO_CHOICES = { default: null, choices: [], choice_titles: [] };

/** @typedef {[name: string, first: string, second: string]} Way a choice of players */

/**
 * A form that writes to `setup`, and calls `changed` after every change, `play` or `analyse` at the end.
 * @param {GameInfo} info
 * @param {Setup} setup
 * @param {{ changed: () => void, play: () => void, analyse: () => void, share: () => void, rules: () => void,
 *   load: (file: File) => void }} acts
 */
export function setupForm(info, setup, { changed, play, analyse, share, rules, load }) {
  const seats = element("div", { class: "seats-form" });
  const error = element("p", { class: "form-trouble", role: "alert", hidden: true });

  function drawSeats() {
    const machine = setup.second !== "human" ? setup.second : setup.first !== "human" ? setup.first : info.second;
    /** @type {Way[]} */
    const ways = [
      ["you_first", "human", machine],
      ["you_second", machine, "human"],
      ["two_people", "human", "human"],
      ["machines", info.second === "human" ? info.analyst : info.second, machine],
    ];
    /** @param {Way} way */
    const chosen = ([, first, second]) =>
      (first === "human") === (setup.first === "human") && (second === "human") === (setup.second === "human");
    const chips = ways.map((way) =>
      element(
        "button",
        {
          type: "button",
          class: "chip",
          "aria-pressed": String(chosen(way)),
          onclick: () => choose(way),
          "data-way": way[0],
        },
        t(way[0]),
      ),
    );
    /**
     * @param {"first" | "second"} key
     * @param {0 | 1} seat
     */
    const side = (key, seat) =>
      picker(info, setup[key], {
        label: inLanguage(info.seats[seat]),
        mark: dot(info.tones[seat]),
        human: true,
        onchange: (spec) => {
          setup[key] = spec;
          ways.forEach((way, i) => chips[i].setAttribute("aria-pressed", String(chosen(way))));
          changed();
        },
      }).node;
    fill(
      seats,
      element("div", { class: "chips", role: "group", "aria-label": t("who_plays") }, chips),
      side("first", 0),
      side("second", 1),
    );
  }

  /** @param {Way} way */
  function choose([name, first, second]) {
    Object.assign(setup, { first, second });
    if (name === "machines" && !setup.pace) setup.pace = 0.5;
    drawSeats();
    changed();
    find(`[data-way="${name}"]`, seats).focus();
  }

  /**
   * @param {keyof Limit} name
   * @param {"int" | "float"} kind
   * @param {number} low
   * @param {number} high
   * @param {string} help
   */
  const limitField = (name, kind, low, high, help) =>
    field(
      { ...NO_CHOICES, name, title: { en: t(`limit_${name}`) }, kind, low, high, help: { en: help } },
      setup.limit[name] === null ? undefined : String(setup.limit[name]),
      (text) => {
        setup.limit[name] = text === null ? null : Number(text);
        changed();
      },
    );

  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    play();
  };

  /** @type {HTMLInputElement} */
  const position = element("input", {
    id: "begin",
    type: "text",
    value: setup.start === "start" ? "" : setup.start,
    placeholder: t("from_start"),
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": "beginhelp",
    onchange: () => {
      setup.start = position.value.trim() || "start";
      changed();
    },
  });

  drawSeats();
  const node = element(
    "form",
    { class: "setup", onsubmit: submit },
    element(
      "header",
      {},
      element("h1", {}, inLanguage(info.title)),
      element("p", { class: "lead" }, capitalized(info.about)),
      info.rules
        ? element("button", { type: "button", class: "plain rules", "data-do": "rules", onclick: rules }, t("rules"))
        : null,
    ),
    element("fieldset", {}, element("legend", {}, t("who_plays")), seats, clockFields(setup, changed)),
    element(
      "fieldset",
      {},
      element("legend", {}, t("thinking_time")),
      element("div", { class: "fields" }, limitField("time", "float", 0.01, 60, t("limit_time_help"))),
      element(
        "details",
        { class: "fold", open: setup.limit.depth !== null || setup.limit.nodes !== null },
        element("summary", {}, t("more_limits")),
        element(
          "div",
          { class: "fields" },
          limitField("depth", "int", 1, 10000, t("limit_depth_help")),
          limitField("nodes", "int", 1, 2 ** 40, t("limit_nodes_help")),
        ),
      ),
    ),
    info.options.length
      ? element(
          "fieldset",
          {},
          element("legend", {}, t("the_board")),
          element("div", { class: "fields" }, fields(info.options, setup.options, changed)),
        )
      : null,
    element(
      "details",
      { class: "fold outer", open: setup.start !== "start" },
      element("summary", {}, t("begin_elsewhere")),
      element(
        "div",
        { class: "field" },
        element("label", { for: "begin" }, t("position")),
        position,
        element("small", { id: "beginhelp" }, t("for_example", { text: info.example })),
        fileButton(info.files, load),
      ),
    ),
    element(
      "div",
      { class: "setup-buttons" },
      error,
      element("button", { class: "primary", type: "submit", "data-do": "start" }, icon("play"), t("start_game")),
      element("button", { type: "button", onclick: analyse, "data-do": "analyse" }, icon("chart"), t("analyse")),
      iconButton("copy_link", "link", share, { type: "button" }),
    ),
  );

  return {
    node,
    /**
     * Show the server's error about this set-up; null: none.
     * @param {string | null} text
     */
    complain(text, hint = "") {
      error.hidden = !text;
      fill(error, text ?? "", hint ? element("small", {}, hint) : null);
    },
  };
}

/**
 * The game clock, collapsed by default.
 * @param {Setup} setup
 * @param {() => void} changed
 */
function clockFields(setup, changed) {
  const [minutes = "", seconds = ""] = (setup.clock ?? "").split("+");
  const typed = { clock_minutes: minutes, clock_seconds: seconds };
  /**
   * @param {keyof typeof typed} name
   * @param {"int" | "float"} kind
   * @param {number} low
   */
  const one = (name, kind, low) =>
    field(
      { ...NO_CHOICES, name, title: { en: t(name) }, kind, low, high: 180, help: { en: t(`${name}_help`) } },
      typed[name] || undefined,
      (text) => {
        typed[name] = text ?? "";
        const set = typed.clock_minutes !== "";
        setup.clock = set ? `${typed.clock_minutes}+${typed.clock_seconds || 0}` : undefined;
        changed();
      },
    );
  return element(
    "details",
    { class: "fold", open: Boolean(setup.clock) },
    element("summary", {}, t("clock")),
    element("div", { class: "fields" }, one("clock_minutes", "float", 0.1), one("clock_seconds", "int", 0)),
    element("p", { class: "quiet" }, t("clock_honest")),
  );
}
