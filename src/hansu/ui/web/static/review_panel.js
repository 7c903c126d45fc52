// The review of the game, beside the board: how well each side played, the mistakes one by one, and what was better.

import { element, fill } from "./dom.js";
import { GRADES } from "./grade.js";
import { icon } from "./icons.js";
import { inLanguage, t } from "./language.js";
import { dot } from "./picker.js";
import { nextMistake, reviewOf } from "./review.js";
import { valueWords } from "./value.js";
import { lineWalk } from "./why.js";

/**
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 * @import { Preview } from "./preview.js"
 * @import { GameReview, ReviewedMove } from "./review.js"
 */

const SECONDS = 60; // for the whole game at most

/**
 * @param {Game} game
 * @param {GameInfo} info
 * @param {Preview} preview
 */
export function reviewPanel(game, info, preview) {
  const running = () => game.task?.task === "review";
  const toggle = () => (running() ? game.stop() : game.review(info.analyst, SECONDS));
  const start = element("button", { "data-do": "review", onclick: toggle });
  const back = stepButton("mistake_back", "back", -1);
  const on = stepButton("mistake_on", "next", 1);
  const count = element("progress", { max: 1, value: 0, "aria-label": t("review") });
  const shares = element("div", { class: "review-shares" });
  const told = element("div", { class: "review-move", "aria-live": "polite" });
  const node = element(
    "details",
    { class: "panel review", open: true },
    element("summary", {}, element("h2", {}, t("review"))),
    element("div", { class: "row" }, start, back, on, count),
    shares,
    told,
  );
  let drawn = "";

  /**
   * @param {string} name
   * @param {string} drawing
   * @param {1 | -1} way
   */
  function stepButton(name, drawing, way) {
    const act = () => {
      const found = nextMistake(reviewOf(game), game.state?.ply ?? 0, way);
      if (found) game.jump(found.ply + 1);
    };
    const words = { "aria-label": t(name), title: t(name) };
    return element("button", { class: "icon-button", "data-do": name, onclick: act, ...words }, icon(drawing));
  }

  function update() {
    const { state } = game;
    if (!state) return;
    const review = reviewOf(game);
    fill(start, icon(running() ? "stop" : "chart"), running() ? t("stop") : t("review_game"));
    start.disabled = !game.online || !game.moves.length || (game.thinkingMove && !running());
    count.hidden = !running();
    count.value = game.reviewed.size / Math.max(game.moves.length, 1);
    for (const [button, way] of /** @type {const} */ ([[back, -1], [on, 1]])) {
      button.hidden = !review.moves.length;
      button.disabled = nextMistake(review, state.ply, way) === null;
    }
    fill(shares, review.moves.length ? state.seats.map((_, seat) => share(review, seat)) : null);
    const here = review.moves.find(({ ply }) => ply === state.ply - 1) ?? null;
    const key = JSON.stringify(here);
    if (key === drawn) return; // a line that is walked must not be redrawn under the pointer
    drawn = key;
    fill(told, here ? judgement(here) : null);
  }

  /**
   * @param {GameReview} review
   * @param {number} seat
   */
  function share({ shares: all, moves }, seat) {
    const { good, all: made } = all[seat];
    const who = game.state?.seats[seat];
    if (!made || !who) return null;
    const bad = moves.filter(({ mover, grade }) => mover === seat && grade >= 3).length;
    const words = t("review_share", { who: inLanguage(who.name), n: Math.round((100 * good) / made), bad });
    return element("p", {}, dot(who.tone), element("span", {}, words));
  }

  /** @param {ReviewedMove} played */
  function judgement({ ply, mover, move, grade, before, after, turned }) {
    const seats = game.state?.seats ?? [];
    const who = inLanguage(seats[mover]?.name);
    const worth = valueWords({ ...after, plies: after.plies ? after.plies - 1 : after.plies }, seats, game.info);
    return [
      element(
        "p",
        { class: "review-grade" },
        element("span", { class: `grade-box grade-bg-${grade}`, "aria-hidden": "true" }),
        element("strong", {}, t("review_said", { who, move, grade: t(`grade_${GRADES[grade]}`) })),
      ),
      element("p", { class: "quiet" }, [worth, ...(turned ? [t("turning_point")] : [])].join(" · ")),
      ...(grade > 0 && before.line.length
        ? [
            element("h3", {}, t("review_better", { worth: valueWords(before, seats, game.info) })),
            lineWalk(before.line, ply, who, preview),
          ]
        : []),
    ];
  }

  return { node, update, toggle };
}
