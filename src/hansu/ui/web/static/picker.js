// Choosing a player: a list of kinds, what the chosen one does, and its settings behind a fold.

import { element, fill } from "./dom.js";
import { fields } from "./form.js";
import { inLanguage, t } from "./language.js";
import { readSpec, writeSpec } from "./setup.js";

let number = 0;

/**
 * @import { Child } from "./dom.js"
 * @import { GameInfo } from "./catalogue.js"
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
 * @param {(spec: string) => void} [more.onchange]
 */
export function picker(info, spec, { label, human = false, kinds = null, mark = null, onchange = () => {} }) {
  const players = info.players.filter((player) => kinds === null || kinds.includes(player.kind));
  const read = readSpec(spec);
  /** @param {string} kind */
  const known = (kind) => players.find((player) => player.kind === kind);
  const state = { kind: read.kind, settings: read.settings };
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
    { id, "aria-describedby": `${id}about`, onchange: chosen },
    human ? element("option", { value: "human" }, t("a_person")) : null,
    players.map(({ kind, given }) => element("option", { value: kind }, given ? `★ ${kind}` : kind)),
  );

  /** What differs from the defaults is seen without unfolding. */
  function tell() {
    const set = Object.entries(state.settings).map(([name, value]) => `${name} ${value}`);
    summary.textContent = [t("settings"), ...set].join(" · ");
  }

  function chosen() {
    choose(select.value);
    changed();
  }

  /** @param {string} kind */
  function choose(kind) {
    if (kind !== state.kind) Object.assign(state, { kind, settings: {} });
    const player = known(kind);
    about.textContent = player ? inLanguage(player.about) : t("about_person");
    const options = player?.options ?? [];
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
      { class: "picker" },
      element("label", { for: id }, mark, label),
      select,
      about,
      settings,
    ),
    get spec() {
      return writeSpec(state.kind, state.settings);
    },
  };
  select.value = state.kind;
  choose(state.kind);
  return handle;
}

/**
 * A spot of a seat's colour.
 * @param {string} tone
 */
export function dot(tone) {
  return element("span", { class: `dot dot-${tone}`, "aria-hidden": "true" });
}
