// The review of a game: the loss of every move, and better moves.
//
// The loss of a move is the difference between the values of the positions before and after it.

import { element, fill } from "./dom.js";
import { dot } from "./form.js";
import { icon } from "./icons.js";
import { inLanguage, t } from "./language.js";
import { gradeOf, GRADES, lost } from "./report.js";
import { chanceOf, valueWords } from "./value.js";
import { lineWalk } from "./why.js";

/**
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 * @import { Preview } from "./preview.js"
 * @import { ShownReport } from "./report.js"
 * @import { Judged } from "./value.js"
 */

/**
 * @typedef {object} ReviewedMove
 * @property {number} ply before the move
 * @property {number} mover
 * @property {string} move
 * @property {number} grade 0 best, 1 good, 2 inaccuracy, 3 mistake, 4 blunder
 * @property {ShownReport} before the report on the position, with the best move
 * @property {Judged} after the value after the move
 * @property {boolean} turned whether the lead changed
 *
 * @typedef {object} GameReview
 * @property {ReviewedMove[]} moves the reviewed moves, in order
 * @property {{ good: number, all: number }[]} shares of each seat
 */

const AHEAD = 0.6; // a winning chance that counts as a lead

/**
 * The review so far.
 * @param {Game} game
 * @returns {GameReview}
 */
export function reviewOf(game) {
  /** @type {ReviewedMove[]} */
  const moves = [];
  const shares = [0, 1].map(() => ({ good: 0, all: 0 }));
  if (!game.reviewed.size) return { moves, shares };
  let leader = -1;
  game.moves.forEach((move, ply) => {
    const before = game.reviewed.get(ply);
    const after = afterwards(game, ply + 1);
    const mover = game.movers[ply];
    if (!before || before.value === null || !after || mover < 0) return;
    const grade = before.move === move ? 0 : gradeOf(lost(before, after, mover, game.range));
    const now = lead(after, game.range);
    const turned = now >= 0 && leader >= 0 && now !== leader;
    if (now >= 0) leader = now;
    moves.push({ ply, mover, move, grade, before, after, turned });
    shares[mover].all += 1;
    if (grade < 2) shares[mover].good += 1;
  });
  return { moves, shares };
}

/**
 * The value of a position as seen one ply earlier. If chance moves there, the value after its move.
 * @param {Game} game
 * @param {number} ply
 * @returns {Judged | null}
 */
function afterwards(game, ply) {
  while (game.movers[ply] < 0) ply += 1;
  const ended = ply === game.moves.length && game.result?.how === "played";
  const found = ended ? game.worthAt(ply) : game.reviewed.get(ply);
  if (!found || found.value === null) return null;
  const plies = found.plies ?? null;
  return { ...found, plies: plies === null ? null : plies + 1 };
}

/**
 * The seat that is ahead; -1: neither.
 * @param {Judged} worth
 * @param {number} range
 */
function lead(worth, range) {
  const chance = chanceOf(worth, range);
  return chance >= AHEAD ? 0 : chance <= 1 - AHEAD ? 1 : -1;
}

/**
 * The next or previous mistake, seen from a ply.
 * @param {GameReview} review
 * @param {number} ply the shown ply, after the current move
 * @param {1 | -1} way
 */
export function nextMistake({ moves }, ply, way) {
  const bad = moves.filter(({ grade }) => grade >= 3);
  return (way > 0 ? bad.find((one) => one.ply + 1 > ply) : bad.findLast((one) => one.ply + 1 < ply)) ?? null;
}

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
  const panel = element("div", { class: "review-move", "aria-live": "polite" });
  const node = element(
    "details",
    { class: "panel review", open: true },
    element("summary", {}, element("h2", {}, t("review"))),
    element("div", { class: "row" }, start, back, on, count),
    shares,
    panel,
  );
  let drawn = "";

  /**
   * @param {string} name
   * @param {string} drawing
   * @param {1 | -1} way
   */
  function stepButton(name, drawing, way) {
    const act = () => {
      const mistake = nextMistake(reviewOf(game), game.state?.ply ?? 0, way);
      if (mistake) game.jump(mistake.ply + 1);
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
    if (key === drawn) return; // a line must not be redrawn under the pointer
    drawn = key;
    fill(panel, here ? judgement(here) : null);
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
