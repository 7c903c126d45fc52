// Small line drawings for buttons, on a grid of 24 by 24.

import { element, shape } from "./dom.js";
import { t } from "./language.js";

/** @type {Record<string, string>} */
const PATHS = {
  undo: "M9 7 4.5 11.5 9 16 M5 11.5h9a5 5 0 0 1 0 10h-3",
  hint: "M9.5 18h5 M10.5 21h3 M12 3a6 6 0 0 0-3.6 10.8c.9.7 1.1 1.5 1.1 2.2h5c0-.7.2-1.5 1.1-2.2A6 6 0 0 0 12 3z",
  flag: "M6 21V4 M6 5c4-2.5 7 2.5 12 0v8c-5 2.5-8-2.5-12 0",
  again: "M19 12a7 7 0 1 1-2-4.9 M19 3.5v4.5h-4.5",
  sliders: "M4 7h9 M17 7h3 M4 17h3 M11 17h9 M15 4.8v4.4 M9 14.8v4.4",
  swap: "M7 4v15 M3.5 15.5 7 19l3.5-3.5 M17 20V5 M13.5 8.5 17 5l3.5 3.5",
  copy: "M9 9h10v11H9z M15 9V4H5v11h4",
  download: "M12 4v11 M7.5 11 12 15.5 16.5 11 M5 20h14",
  image: "M4 5h16v14H4z M4 16l5-5 4 4 2.5-2.5L20 17 M15.5 9.5h.01",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.6-5.6l-1.2 1.2 M14 10a4 4 0 0 0-6-.4l-3 3A4 4 0 0 0 10.600 18.200l1.2-1.2",
  play: "M8 5.500v13l10.500-6.500z",
  pause: "M8.500 5.500v13 M15.500 5.500v13",
  step: "M7 5.500v13l8.500-6.500z M18 6v12",
  first: "M18 6l-7 6 7 6z M6.500 6v12",
  back: "M15.500 5.500 9 12l6.500 6.500",
  next: "M8.500 5.500 15 12l-6.500 6.500",
  last: "M6 6l7 6-7 6z M17.500 6v12",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z M12 2.500v2 M12 19.500v2 M2.500 12h2 M19.500 12h2 M5.300 5.300l1.400 1.400 M17.300 17.300l1.400 1.400 M5.300 18.700l1.400-1.400 M17.300 6.700l1.400-1.400",
  moon: "M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z",
  help: "M9.200 9.200a2.900 2.900 0 1 1 4.300 2.600c-1 .6-1.500 1.100-1.500 2.200 M12 17.500h.01",
  tree: "M12 4v4 M12 8 6 12.500 M12 8l6 4.500 M6 12.500V16 M18 12.500V16 M6 16l-2.500 4 M6 16l2.500 4 M18 16v4",
  chart: "M4 19.500h16 M4.500 15.500 9 10l4 3.500 6.500-8",
  heat: "M12 3c.5 3.500 5.500 5.500 5.500 11a5.500 5.500 0 0 1-11 0c0-2 .8-3.200 1.800-4.200.4 1.200 1 1.900 1.700 2.200C9.500 8.500 10.500 5.500 12 3z",
  pencil: "M5 19l1-4L16 5l3 3L9 18z M14 7l3 3",
  folder: "M4 6h5.500l2 2.500H20v10H4z",
  sound: "M4 10v4h3.5l4.5 4V6l-4.5 4z M15.500 9a4.200 4.200 0 0 1 0 6 M18 6.500a8 8 0 0 1 0 11",
  close: "M6 6l12 12 M18 6 6 18",
  stop: "M7 7h10v10H7z",
  plus: "M12 6v12 M6 12h12",
  minus: "M6 12h12",
  fit: "M4 9V4h5 M20 9V4h-5 M4 15v5h5 M20 15v5h-5",
  up: "M5.500 15 12 8.500 18.500 15",
  down: "M5.500 9 12 15.500 18.500 9",
  more: "M5.500 12h.01 M12 12h.01 M18.500 12h.01",
};

/** @param {string} name */
export function icon(name) {
  return shape("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, shape("path", { d: PATHS[name] }));
}

/**
 * A button with an icon only; its text is a label for screen readers and a tooltip.
 * @param {string} name
 * @param {string} drawing
 * @param {() => unknown} act
 */
export function iconButton(name, drawing, act, settings = {}) {
  const words = { "aria-label": t(name), title: t(name) };
  return element("button", { class: "icon-button", "data-do": name, onclick: act, ...words, ...settings }, icon(drawing));
}
