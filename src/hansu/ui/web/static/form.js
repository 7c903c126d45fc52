// Forms made from documented options: the right kind of field, its range, its help.

import { element } from "./dom.js";
import { inLanguage, t } from "./language.js";

const ENDLESS = 1e9; // a limit that nobody will meet is not worth telling
let number = 0;

/** @import { OptionInfo } from "./catalogue.js" */

/**
 * A field for one option. `value` is a text or undefined (not set); `onchange(text or null)`: null means the default.
 * @param {OptionInfo} option
 * @param {string | undefined} value
 * @param {(text: string | null) => void} onchange
 */
export function field(option, value, onchange) {
  const id = `field${++number}`;
  const help = [inLanguage(option.help), rangeText(option)].filter(Boolean).join(" · ");
  const told = help ? element("small", { id: `${id}help` }, help) : null;
  const common = { id, name: option.name, "aria-describedby": help ? `${id}help` : null };
  const label = element("label", { for: id }, inLanguage(option.title));
  /** @param {string} text */
  const change = (text) => onchange(text === "" || text === String(option.default ?? "") ? null : text);
  if (option.kind === "bool") {
    const checked = (value ?? String(option.default)) === "true";
    /** @type {HTMLInputElement} */
    const box = element("input", { ...common, type: "checkbox", checked, onchange: () => change(String(box.checked)) });
    return element("div", { class: "field tick" }, box, label, told);
  }
  const shown = value ?? (option.default === null ? "" : String(option.default));
  if (option.choices.length) {
    const options = option.choices.map((choice, i) =>
      element("option", { value: choice }, inLanguage(option.choice_titles[i])),
    );
    /** @type {HTMLSelectElement} */
    const select = element("select", { ...common, onchange: () => change(select.value) }, options);
    select.value = shown;
    return element("div", { class: "field" }, label, select, told);
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
  return element("div", { class: "field" }, label, input, told);
}

/** @param {OptionInfo} option */
function rangeText({ kind, low, high }) {
  if (kind !== "int" && kind !== "float") return "";
  if (low === null) return "";
  if (high === null || high >= ENDLESS) return t("or_more", { low: low.toLocaleString() });
  return `${low.toLocaleString()} – ${high.toLocaleString()}`;
}

/**
 * Fields for all options; `values` is changed as the person goes.
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
