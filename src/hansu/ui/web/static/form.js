// Form fields for documented options, and the player picker with its collapsible settings.

import { element, fill } from "./dom.js";
import { capitalized, inLanguage, t } from "./language.js";
import { readSpec, settingWords, writeSpec } from "./setup.js";

/**
 * @import { Words } from "../messages"
 * @import { GameInfo, OptionInfo, PlayerInfo } from "./catalogue.js"
 * @import { Child } from "./dom.js"
 */

const ENDLESS = 1e9; // larger limits are not shown
let number = 0;

/**
 * A field for one option. `value` is a text or undefined (not set); `onchange(text or null)`: null means the default.
 * @param {OptionInfo} option
 * @param {string | undefined} value
 * @param {(text: string | null) => void} onchange
 */
export function field(option, value, onchange) {
  const id = `field${++number}`;
  const help = [capitalized(option.help), rangeText(option)].filter(Boolean).join(" · ");
  const note = help ? element("small", { id: `${id}help` }, help) : null;
  const common = { id, name: option.name, "aria-describedby": help ? `${id}help` : null };
  const label = element("label", { for: id }, capitalized(option.title));
  /** @param {string} text */
  const change = (text) => onchange(text === "" || text === String(option.default ?? "") ? null : text);
  if (option.kind === "bool") {
    const checked = (value ?? String(option.default)) === "true";
    /** @type {HTMLInputElement} */
    const box = element("input", { ...common, type: "checkbox", checked, onchange: () => change(String(box.checked)) });
    return element("div", { class: "field tick" }, box, label, note);
  }
  const shown = value ?? (option.default === null ? "" : String(option.default));
  if (option.choices.length) {
    const options = option.choices.map((choice, i) =>
      element("option", { value: choice }, capitalized(option.choice_titles[i])),
    );
    /** @type {HTMLSelectElement} */
    const select = element("select", { ...common, onchange: () => change(select.value) }, options);
    select.value = shown;
    return element("div", { class: "field" }, label, select, note);
  }
  const numeric = option.kind === "int" || option.kind === "float";
  /** @type {HTMLInputElement} */
  const input = element("input", {
    ...common,
    type: numeric ? "number" : "text",
    value: shown,
    min: numeric ? option.low : null,
    max: numeric ? option.high : null,
    step: option.kind === "int" ? 1 : "any",
    placeholder: option.default === null ? t("not_set") : null,
    spellcheck: "false",
    autocomplete: "off",
    onchange: () => {
      input.classList.toggle("wrong", !input.checkValidity());
      if (input.checkValidity()) change(input.value.trim());
    },
  });
  return element("div", { class: "field" }, label, input, note);
}

/** @param {OptionInfo} option */
function rangeText({ kind, low, high }) {
  if (kind !== "int" && kind !== "float") return "";
  if (low === null) return "";
  if (high === null || high >= ENDLESS) return t("or_more", { low: low.toLocaleString() });
  return `${low.toLocaleString()} – ${high.toLocaleString()}`;
}

/**
 * Fields for all options; changes are written to `values`.
 * @param {OptionInfo[]} options
 * @param {Record<string, string>} values
 * @param {() => void} onchange
 */
export function fields(options, values, onchange) {
  return options.map((option) =>
    field(option, values[option.name], (text) => {
      if (text === null) delete values[option.name];
      else values[option.name] = text;
      onchange();
    }),
  );
}

const LEVEL = "level";
const MIDDLE = "3"; // the level without a number
let pickerNumber = 0;

/**
 * A player picker: { node, spec }, where `spec` is the player as text.
 * @param {GameInfo} info
 * @param {string} spec
 * @param {object} more
 * @param {string} more.label
 * @param {boolean} [more.human] whether a person may be chosen
 * @param {string[] | null} [more.kinds] only these
 * @param {Child} [more.mark] before the label
 * @param {boolean} [more.brief] without the description
 * @param {(spec: string) => void} [more.onchange]
 */
export function picker(info, spec, more) {
  const { label, human = false, kinds = null, mark = null, brief = false, onchange = () => {} } = more;
  const players = info.players.filter((player) => kinds === null || kinds.includes(player.kind));
  const read = readSpec(spec);
  /** @param {string} kind */
  const known = (kind) => players.find((player) => player.kind === kind);
  const state = { kind: read.kind, settings: read.settings };
  if (state.kind === LEVEL) state.settings = levelSettings(state.settings);
  if (!(human && state.kind === "human") && !known(state.kind)) {
    Object.assign(state, { kind: players[0]?.kind ?? "human", settings: {} });
  }
  const id = `picker${++pickerNumber}`;
  const about = element("p", { class: "about", id: `${id}about` });
  const settings = element("div", { class: "settings" });
  const summary = element("span");
  /** @type {HTMLSelectElement} */
  const select = element(
    "select",
    { id, "aria-describedby": brief ? null : `${id}about`, onchange: chosen },
    human ? element("option", { value: "human" }, t("a_person")) : null,
    known(LEVEL) ? element("optgroup", { label: t("levels") }, info.levels.map(levelOption)) : null,
    element(
      "optgroup",
      { label: t("players") },
      players
        .filter(({ kind }) => kind !== LEVEL)
        .map(({ kind, title, given }) =>
          element("option", { value: kind }, `${given ? "★ " : ""}${capitalized(title)}`),
        ),
    ),
  );

  /** The summary shows non-default settings. */
  function summarize() {
    summary.textContent = [t("settings"), ...settingWords(known(state.kind), state.settings)].join(" · ");
  }

  function chosen() {
    choose(select.value);
    changed();
  }

  /** @param {string} value a kind, or a level */
  function choose(value) {
    const { kind, settings: values } = readSpec(value);
    if (value !== valueOf(state)) Object.assign(state, { kind, settings: values });
    const player = known(kind);
    about.textContent = aboutWords(player);
    const options = (player?.options ?? []).filter(({ name }) => kind !== LEVEL || name !== "strength");
    summarize();
    fill(
      settings,
      options.length
        ? element(
            "details",
            { class: "fold" },
            element("summary", {}, summary),
            element("div", { class: "fields" }, fields(options, state.settings, changed)),
          )
        : null,
    );
  }

  function changed() {
    summarize();
    onchange(handle.spec);
  }

  const handle = {
    node: element(
      "div",
      { class: brief ? "picker brief" : "picker" },
      element("label", { for: id }, mark, element("span", {}, label)),
      select,
      brief ? null : about,
      settings,
    ),
    get spec() {
      return writeSpec(state.kind, state.settings);
    },
  };
  select.value = valueOf(state);
  choose(select.value);
  return handle;
}

/** @param {PlayerInfo | undefined} player */
function aboutWords(player) {
  if (!player) return t("about_person");
  return player.kind === LEVEL ? t("about_level") : capitalized(player.about);
}

/** @param {{ kind: string, settings: Record<string, string> }} player */
function valueOf({ kind, settings }) {
  return kind === LEVEL ? writeSpec(kind, { "": settings[""] }) : kind;
}

/**
 * The settings of a level, with its number under the empty name.
 * @param {Record<string, string>} settings
 */
function levelSettings({ strength = MIDDLE, ...others }) {
  return { "": strength, ...others };
}

/**
 * @param {Words | null} strength
 * @param {number} i
 */
function levelOption(strength, i) {
  const name = t("level", { number: i + 1 });
  const text = strength === null ? name : `${name} · ${inLanguage(strength)}`;
  return element("option", { value: `${LEVEL}:${i + 1}` }, text);
}

/**
 * A dot in a seat's colour.
 * @param {string} tone
 */
export function dot(tone) {
  return element("span", { class: `dot dot-${tone}`, "aria-hidden": "true" });
}
