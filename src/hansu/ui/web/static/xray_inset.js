// Beside the tree of an X-ray: the selected node on a small board, and the legend.

import { element, fill, picture, shape } from "./dom.js";
import { count, inLanguage, t } from "./language.js";
import { labelsAt } from "./tree.js";

/**
 * @import { XrayReply } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 * @import { Tree, TreeNode } from "./tree.js"
 */

export class XrayInset {
  /** @type {TreeNode | null} */
  chosen = null;
  /** @type {TreeNode | null} the node of the drawn board */
  #drawn = null;

  /**
   * @param {Game} game
   * @param {(node: TreeNode) => void} fold
   */
  constructor(game, fold) {
    this.game = game;
    this.fold = fold;
    this.board = element("div", { class: "inset-board" });
    this.words = element("div", { class: "inset-words" });
    this.node = element("div", { class: "inset", hidden: true }, this.board, this.words);
  }

  /** @param {TreeNode} node */
  choose(node) {
    this.chosen = node;
  }

  hide() {
    this.chosen = this.#drawn = null;
    this.node.hidden = true;
  }

  /**
   * @param {XrayReply} reply
   * @param {Tree} tree
   * @param {number} step
   * @param {(text: string) => string} rounded
   */
  show(reply, tree, step, rounded) {
    const node = this.chosen;
    if (!node) return;
    const moves = tree.path(node);
    this.node.hidden = false;
    fill(
      this.words,
      element("p", {}, moves.length ? moves.join(" ") : t("this_position")),
      facts(reply, node, step, rounded).map((fact) => element("p", { class: "quiet" }, fact)),
      this.#foldButton(tree, node, reply.kind === "visits" ? step : Infinity),
    );
    if (this.#drawn !== node) this.#drawBoard(node, moves);
  }

  /**
   * @param {TreeNode} node
   * @param {string[]} moves
   */
  async #drawBoard(node, moves) {
    this.#drawn = node;
    fill(this.board);
    const svg = moves.length ? (await this.game.line(moves))?.frames.at(-1)?.svg : this.game.state?.svg;
    if (svg && this.chosen === node) fill(this.board, picture(svg));
  }

  /**
   * @param {Tree} tree
   * @param {TreeNode} node
   * @param {number} step nodes that exist at this step count
   */
  #foldButton(tree, node, step) {
    const below = tree.below(node, step);
    if (!below) return null;
    const words = `${tree.isFolded(node) ? t("unfold") : t("fold")} (${count("nodes_below", below)})`;
    return element("button", { class: "plain", "data-do": "fold", onclick: () => this.fold(node) }, words);
  }
}

/**
 * The facts about a node at a step.
 * @param {XrayReply} reply
 * @param {TreeNode} node
 * @param {number} step
 * @param {(text: string) => string} rounded
 */
function facts({ kind, steps }, node, step, rounded) {
  if (node.cut) return node.born < step ? [t("was_cut")] : [];
  if (node.born >= step) return [t("not_yet")];
  if (kind === "bounds") {
    const worth = node.done < step && node.value ? [t("worth", { value: rounded(node.value) })] : [];
    return [...worth, ...(node.note ? [`(α, β) = ${rounded(node.note)}`] : [])];
  }
  const [visits, mean] = labelsAt(steps, step).get(node.born) ?? ["0", ""];
  return [
    t("fact_visits", { n: visits }),
    ...(mean ? [t("fact_mean", { value: rounded(mean) })] : []),
    ...(node.prior ? [t("fact_prior", { n: node.prior })] : []),
  ];
}

/**
 * @param {XrayReply} reply
 * @param {Tree} tree
 * @param {GameInfo} info
 */
export function xrayLegend({ kind, cut }, tree, info) {
  const [first, second] = [inLanguage(info.seats[0]), inLanguage(info.seats[info.seats.length - 1])];
  /**
   * @param {SVGElement | string} sign
   * @param {string} words
   */
  const row = (sign, words) =>
    element("li", {}, element("span", { class: "sign", "aria-hidden": "true" }, sign), words);
  const bounds = kind === "bounds";
  return element(
    "ul",
    {},
    row(knob(info.tones[0], false), t(bounds ? "legend_max" : "legend_moves", { who: first })),
    row(knob(info.tones[1], true), t(bounds ? "legend_min" : "legend_moves", { who: second })),
    bounds ? row("(α, β)", t("legend_window")) : row("12", t("legend_visits", { who: first })),
    tree.all.some((one) => one.prior) ? row("34%", t("legend_prior")) : null,
    bounds && cut ? row("✂", t("legend_cut")) : null,
    row("+9", t("legend_folded")),
    tree.all.some((one) => tree.isGathered(one)) ? row(pill(), t("legend_rest")) : null,
  );
}

/**
 * @param {string} tone
 * @param {boolean} square
 */
function knob(tone, square) {
  const inside = square
    ? shape("rect", { class: `tone-${tone}`, x: 1, y: 1, width: 12, height: 12, rx: 2 })
    : shape("circle", { class: `tone-${tone}`, cx: 7, cy: 7, r: 6 });
  return shape("svg", { viewBox: "0 0 14 14", width: 14, height: 14 }, inside);
}

function pill() {
  const outline = shape("rect", { class: "pill", x: 1, y: 1, width: 26, height: 12, rx: 6 });
  const words = shape("text", { x: 14, y: 10.5, "font-size": 9, "text-anchor": "middle" }, "+9");
  return shape("svg", { viewBox: "0 0 28 14", width: 28, height: 14 }, outline, words);
}
