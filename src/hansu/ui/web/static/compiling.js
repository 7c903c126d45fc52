// A player that is being prepared, for the first time on this machine: who it is and about how long, and a bar.

import { element } from "./dom.js";
import { inLanguage, t } from "./language.js";

/** @import { Compiling } from "../messages" */

/** @param {Compiling} compiling */
export function compilingText({ what }) {
  return t("compiling", { what: inLanguage(what) });
}

/**
 * How much of it is done, where that is known.
 * @param {Compiling} compiling
 */
export function compilingBar({ share }) {
  return share === null ? null : element("progress", { value: share, "aria-hidden": "true" });
}
