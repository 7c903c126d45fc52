// The header of every page: title, and the switches of language, theme and motion.

import { element, fill, shape } from "./dom.js";
import { moving, setMoving } from "./effects.js";
import { icon, iconButton } from "./icons.js";
import { nextLanguage, t } from "./language.js";
import { isDark } from "./preferences.js";

/**
 * `title`: the game's, on its page.
 * @param {{ title?: string, onlanguage: () => void, ontheme: () => void, onhelp: () => void }} settings
 */
export function header({ title = "", onlanguage, ontheme, onhelp }) {
  const theme = element("button", { class: "icon-button", "data-do": "theme", onclick: turnTheme });
  const motion = element("button", { class: "icon-button", "data-do": "motion", onclick: turnMotion });

  function turnTheme() {
    ontheme();
    draw();
  }

  function turnMotion() {
    setMoving(!moving());
    draw();
  }

  function draw() {
    const name = isDark() ? "to_light" : "to_dark";
    fill(theme, icon(isDark() ? "sun" : "moon"));
    theme.setAttribute("aria-label", t(name));
    theme.title = t(name);
    const still = moving() ? "motion_off" : "motion_on";
    fill(motion, movement(moving()));
    motion.setAttribute("aria-label", t(still));
    motion.title = t(still);
  }

  draw();
  const next = nextLanguage();
  return element(
    "header",
    { class: "top" },
    element("a", { class: "skip", href: "#main" }, t("skip")),
    element(
      "a",
      { class: "mark", href: "/", title: t("to_home") },
      element("span", { class: "mark-stone", "aria-hidden": "true" }),
      element("b", { lang: "ko" }, "한 수"),
      " ",
      element("span", {}, "hansu"),
    ),
    title ? element("span", { class: "crumb" }, title) : null,
    element(
      "nav",
      { "aria-label": t("switches") },
      element(
        "button",
        { class: "quiet-button", "data-do": "language", lang: next.code, onclick: onlanguage },
        next.name,
      ),
      theme,
      motion,
      iconButton("keyboard", "help", onhelp),
    ),
  );
}

/**
 * The icon of the motion switch.
 * @param {boolean} on
 */
function movement(on) {
  const lines = on ? "M3 9h6 M2 13h6 M4 17h5" : "";
  return shape(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    shape("circle", { cx: 16, cy: 13, r: 4.5 }),
    lines ? shape("path", { d: lines }) : null,
  );
}
