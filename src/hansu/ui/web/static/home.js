// The first page: a card for each game.

import { element, picture } from "./dom.js";
import { capitalized, inLanguage, t } from "./language.js";

/** @import { Catalogue, GameInfo, PuzzleSetInfo } from "./catalogue.js" */

/** @param {Catalogue} catalogue */
export function home({ games, puzzles, reports }) {
  return element(
    "main",
    { class: "home", id: "main" },
    element(
      "header",
      { class: "welcome" },
      element("h1", {}, t("welcome")),
      element("p", { class: "lead" }, t("welcome_lead")),
      element("p", { class: "quiet first-visit" }, t("first_visit")),
    ),
    puzzles.length ? puzzleLinks(puzzles) : null,
    reports.length ? reportLinks(reports) : null,
    element("ul", { class: "cards" }, games.map(card)),
    element("p", { class: "colophon" }, t("colophon")),
  );
}

/** @param {GameInfo} game */
function card(game) {
  const drawing = picture(game.svg);
  drawing.setAttribute("aria-hidden", "true");
  drawing.removeAttribute("role");
  drawing.querySelector("title")?.remove(); // or it would appear as a tooltip
  return element(
    "li",
    {},
    element(
      "a",
      { class: "card", href: `/${game.name}`, "data-game": game.name },
      element("span", { class: "card-picture" }, drawing),
      element(
        "span",
        { class: "card-words" },
        element("strong", {}, inLanguage(game.title)),
        element("span", {}, capitalized(game.about)),
      ),
    ),
  );
}

/**
 * The puzzle sets of this server.
 * @param {PuzzleSetInfo[]} puzzles
 */
function puzzleLinks(puzzles) {
  const links = puzzles.map(({ name, title, count }) => {
    const href = `/puzzles/${encodeURIComponent(name)}`;
    return element("li", {}, element("a", { href }, title), element("span", { class: "quiet" }, ` · ${count}`));
  });
  return element("section", { class: "offers" }, element("h2", {}, t("puzzles")), element("ul", {}, links));
}

/**
 * The game stores and training runs of this server by their addresses: `/arena/games.db`, `/runs/mine`.
 * @param {string[]} addresses
 */
function reportLinks(addresses) {
  const links = addresses.map((href) => {
    const [, section, name] = href.split("/");
    return element("li", {}, element("a", { href }, t(`report_${section}`, { name: decodeURIComponent(name) })));
  });
  return element("section", { class: "offers" }, element("h2", {}, t("reports")), element("ul", {}, links));
}
