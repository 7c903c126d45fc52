// Before a game: its options, who plays, how long machines may think, where it begins. The board beside it follows.

import { element, fill } from "./dom.js";
import { field, fields } from "./form.js";
import { icon, iconButton } from "./icons.js";
import { inLanguage, t } from "./language.js";
import { dot, picker } from "./picker.js";

/** A form that changes `choice`; calls `changed` with every change, and `play` or `analyse` at the end. */
export function setup(info, choice, { changed, play, analyse, share }) {
  const seats = element("div", { class: "seats-form" });
  const trouble = element("p", { class: "form-trouble", role: "alert", hidden: true });

  function drawSeats() {
    const machine = choice.second !== "human" ? choice.second : choice.first !== "human" ? choice.first : info.second;
    const ways = [
      ["you_first", "human", machine],
      ["you_second", machine, "human"],
      ["two_people", "human", "human"],
      ["machines", info.second === "human" ? info.analyst : info.second, machine],
    ];
    const person = (spec) => spec === "human";
    const chosen = ([, ...sides]) =>
      person(sides[0]) === person(choice.first) && person(sides[1]) === person(choice.second);
    const chips = ways.map(([name, first, second]) =>
      element(
        "button",
        {
          type: "button",
          class: "chip",
          "aria-pressed": String(chosen([name, first, second])),
          onclick: () => {
            Object.assign(choice, { first, second });
            if (name === "machines" && !choice.pace) choice.pace = 0.5;
            drawSeats();
            changed();
            find(seats, name)?.focus();
          },
          "data-way": name,
        },
        t(name),
      ),
    );
    const side = (key, i) =>
      picker(info, choice[key], {
        label: inLanguage(info.seats[i]),
        dot: dot(info.tones[i]),
        human: true,
        onchange: (spec) => {
          choice[key] = spec;
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

  const limitField = (name, kind, low, high, help) =>
    field(
      { name: t(`limit_${name}`), kind, default: null, low, high, choices: [], help: { en: help } },
      choice.limit[name] === null ? undefined : String(choice.limit[name]),
      (text) => {
        choice.limit[name] = text === null ? null : Number(text);
        changed();
      },
    );

  const position = element("input", {
    id: "begin",
    type: "text",
    value: choice.start === "start" ? "" : choice.start,
    placeholder: t("from_start"),
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": "beginhelp",
    onchange: () => {
      choice.start = position.value.trim() || "start";
      changed();
    },
  });

  drawSeats();
  const node = element(
    "form",
    { class: "setup", onsubmit: (event) => (event.preventDefault(), play()) },
    element(
      "header",
      {},
      element("h1", {}, inLanguage(info.title)),
      element("p", { class: "lead" }, inLanguage(info.about)),
    ),
    element("fieldset", {}, element("legend", {}, t("who_plays")), seats),
    element(
      "fieldset",
      {},
      element("legend", {}, t("thinking_time")),
      element("div", { class: "fields" }, limitField("time", "float", 0.01, 60, t("limit_time_help"))),
      element(
        "details",
        { class: "fold", open: choice.limit.depth !== null || choice.limit.nodes !== null },
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
          element("div", { class: "fields" }, fields(info.options, choice.options, changed)),
        )
      : null,
    element(
      "details",
      { class: "fold outer", open: choice.start !== "start" },
      element("summary", {}, t("begin_elsewhere")),
      element(
        "div",
        { class: "field" },
        element("label", { for: "begin" }, t("position")),
        position,
        element("small", { id: "beginhelp" }, t("for_example", { text: info.example })),
      ),
    ),
    trouble,
    element(
      "div",
      { class: "setup-buttons" },
      element("button", { class: "primary", type: "submit", "data-do": "start" }, icon("play"), t("start_game")),
      element("button", { type: "button", onclick: analyse, "data-do": "analyse" }, icon("chart"), t("analyse")),
      iconButton("copy_link", "link", share, { type: "button" }),
    ),
  );

  return {
    node,
    /** What the server said against this choice; null: nothing. */
    complain(text, hint) {
      trouble.hidden = !text;
      fill(trouble, text ?? "", hint ? element("small", {}, hint) : null);
    },
  };
}

function find(within, name) {
  return within.querySelector(`[data-way="${name}"]`);
}
