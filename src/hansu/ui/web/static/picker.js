// Choosing a player: the levels for people, then every kind; what the chosen one does (unless it has to be brief), and
// its settings behind a fold.

import { element, fill } from "./dom.js";
import { fields } from "./form.js";
import { inLanguage, t } from "./language.js";
import { settingWords } from "./names.js";
import { readSpec, writeSpec } from "./setup.js";

const LEVEL = "level";
const MIDDLE = "3"; // where no number is given
let number = 0;

/**
 * @import { Child } from "./dom.js"
 * @import { Words } from "../messages"
 * @import { GameInfo, PlayerInfo } from "./catalogue.js"
 */

/**
 * { node, spec }: `spec` is the player as text.
 * @param {GameInfo} info
 * @param {string} spec
 * @param {object} more
 * @param {string} more.label
 * @param {boolean} [more.human] may a person sit here?
 * @param {string[] | null} [more.kinds] only these
 * @param {Child} [more.mark] before the label
 * @param {boolean} [more.brief]
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
  const id = `picker${++number}`;
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
          element("option", { value: kind }, `${given ? "★ " : ""}${inLanguage(title)}`),
        ),
    ),
  );

  /** What differs from the defaults is seen without unfolding. */
  function tell() {
    summary.textContent = [t("settings"), ...settingWords(known(state.kind), state.settings)].join(" · ");
  }

  function chosen() {
    choose(select.value);
    changed();
  }

  /** @param {string} value a kind, or a level */
  function choose(value) {
    const { kind, settings: given } = readSpec(value);
    if (value !== valueOf(state)) Object.assign(state, { kind, settings: given });
    const player = known(kind);
    about.textContent = aboutWords(player);
    const options = (player?.options ?? []).filter(({ name }) => kind !== LEVEL || name !== "strength");
    tell();
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
    tell();
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
  return player.kind === LEVEL ? t("about_level") : inLanguage(player.about);
}

/** @param {{ kind: string, settings: Record<string, string> }} player */
function valueOf({ kind, settings }) {
  return kind === LEVEL ? writeSpec(kind, { "": settings[""] }) : kind;
}

/**
 * The number without a name, however it was given.
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
 * A spot of a seat's colour.
 * @param {string} tone
 */
export function dot(tone) {
  return element("span", { class: `dot dot-${tone}`, "aria-hidden": "true" });
}
