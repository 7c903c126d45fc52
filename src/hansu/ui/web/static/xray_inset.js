// The chosen node of an X-ray: its position on a small board, and what the search knows of it at a step.

import { element, fill, picture } from "./dom.js";
import { count, t } from "./language.js";
import { labelsAt } from "./tree.js";

/**
 * @import { XrayTold } from "../messages"
 * @import { Game } from "./game.js"
 * @import { Tree, TreeNode } from "./tree.js"
 */

export class XrayInset {
  /** @type {TreeNode | null} */
  chosen = null;
  /** @type {TreeNode | null} the node whose board is drawn */
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
   * @param {XrayTold} told
   * @param {Tree} tree
   * @param {number} step
   * @param {(text: string) => string} rounded
   */
  show(told, tree, step, rounded) {
    const node = this.chosen;
    if (!node) return;
    const moves = tree.path(node);
    this.node.hidden = false;
    fill(
      this.words,
      element("p", {}, moves.length ? moves.join(" ") : t("this_position")),
      facts(told, node, step, rounded).map((fact) => element("p", { class: "quiet" }, fact)),
      this.#foldButton(tree, node, told.kind === "visits" ? step : Infinity),
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
   * @param {number} step by which nodes below it count
   */
  #foldButton(tree, node, step) {
    const below = tree.below(node, step);
    if (!below) return null;
    const words = `${tree.isFolded(node) ? t("unfold") : t("fold")} (${count("nodes_below", below)})`;
    return element("button", { class: "plain", "data-do": "fold", onclick: () => this.fold(node) }, words);
  }
}

/**
 * What is known of a node at a step.
 * @param {XrayTold} told
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
