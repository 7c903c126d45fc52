// Guessing what a search does next: the exercise of the lecture. Before a step that can be foreseen the page asks, and
// keeps score.
//
//     bounds   is the next branch looked at or cut?  which value goes up from here?
//     visits   which branch does the next simulation take?

import { element, fill } from "./dom.js";
import { t } from "./language.js";

/**
 * @import { XrayReply } from "../messages"
 * @import { Tree, TreeNode } from "./tree.js"
 */

/**
 * @typedef {object} Question
 * @property {string} words
 * @property {string[]} options
 * @property {string} right one of them
 * @property {number[]} about numbers of the nodes that it is about
 */

const MOST = 7; // options to choose from

export class Guess {
  right = 0;
  asked = 0;

  /**
   * @param {XrayReply} told
   * @param {Tree} tree
   * @param {(text: string) => string} rounded
   */
  constructor(told, tree, rounded) {
    this.told = told;
    this.tree = tree;
    this.rounded = rounded;
    this.cuts = tree.all.some((node) => node.cut);
    /** @type {Map<number, TreeNode>} */
    this.done = new Map(tree.all.filter((node) => !node.cut).map((node) => [node.done, node]));
  }

  /**
   * The first step from `step` on before which something can be asked, or the last step.
   * @param {number} step
   */
  next(step) {
    while (step < this.told.steps.length && !this.question(step)) step += 1;
    return step;
  }

  /**
   * What can be asked before a step is made; null: nothing.
   * @param {number} step
   * @returns {Question | null}
   */
  question(step) {
    if (step >= this.told.steps.length) return null;
    if (this.told.kind === "visits") return this.#branch(step);
    return this.#cut(step) ?? this.#value(step);
  }

  /**
   * @param {Question} question
   * @param {string} option
   */
  answer(question, option) {
    const right = option === question.right;
    this.asked += 1;
    if (right) this.right += 1;
    return right;
  }

  /**
   * A branch has just been valued and others are left: is the next one looked at?
   * @param {number} step
   * @returns {Question | null}
   */
  #cut(step) {
    const before = this.done.get(step - 1);
    const node = before ? this.tree.parent(before) : null;
    if (!this.cuts || !before || !node?.note) return null;
    const next = node.children[node.children.indexOf(before) + 1];
    if (!next) return null;
    const options = [t("guess_looked"), t("guess_cut")];
    const words = t("guess_next", { node: this.#name(node), move: next.move, window: this.rounded(node.note) });
    return { words, options, right: options[next.cut ? 1 : 0], about: [node.born] };
  }

  /**
   * All branches that matter are valued: what goes up?
   * @param {number} step
   * @returns {Question | null}
   */
  #value(step) {
    const node = this.done.get(step);
    const seen = node?.children.filter((child) => !child.cut) ?? [];
    const options = [...new Set(seen.map((child) => this.rounded(child.value)))];
    const right = node ? this.rounded(node.value) : "";
    if (!node || options.length < 2 || !options.includes(right)) return null;
    const far = (/** @type {string} */ option) => Math.abs(Number(option) - Number(right));
    const nearest = [...options].sort((a, b) => far(a) - far(b)).slice(0, MOST);
    const words = t("guess_value", { node: this.#name(node) });
    return { words, options: options.filter((option) => nearest.includes(option)), right, about: [node.born] };
  }

  /**
   * Which branch of the root comes next? Once every one has been tried, it can be foreseen.
   * @param {number} step
   * @returns {Question | null}
   */
  #branch(step) {
    const branches = this.tree.root.children;
    const [, taken] = this.told.steps[step].now;
    const node = branches.find((child) => child.born === taken);
    const fresh = branches.some((child) => child.born >= step);
    if (!node || fresh || branches.length > MOST || branches.length < 2) return null;
    const options = branches.map((child) => child.move);
    return { words: t("guess_branch"), options, right: node.move, about: [this.tree.root.born] };
  }

  /** @param {TreeNode} node */
  #name(node) {
    return this.tree.path(node).join(" ") || t("the_root");
  }
}

/**
 * `answered` goes on to the next question after a moment to read.
 * @param {{ answered: () => void, next: () => void }} acts
 */
export function guessPanel({ answered, next }) {
  const words = element("p", { class: "guess-words", "aria-live": "assertive" });
  const options = element("div", { class: "guess-options" });
  const score = element("p", { class: "quiet" });
  const node = element("div", { class: "guess", hidden: true }, words, options, score);

  /** @param {Guess} guess */
  function count({ right, asked }) {
    score.textContent = t("guess_score", { right, asked });
  }

  return {
    node,
    /**
     * @param {Guess} guess
     * @param {Question | null} question null: there is nothing left to ask
     */
    ask(guess, question) {
      node.hidden = false;
      words.textContent = question ? question.words : t("guess_end");
      count(guess);
      /** @param {string} option */
      const press = (option) => {
        if (!question) return;
        const good = guess.answer(question, option);
        answered();
        words.textContent = good ? t("guess_right") : t("guess_wrong", { right: question.right });
        count(guess);
        const on = element("button", { class: "primary", "data-do": "guess-next", onclick: next }, t("guess_on"));
        fill(options, on);
        on.focus();
      };
      fill(
        options,
        (question?.options ?? []).map((option) =>
          element("button", { "data-guess": option, onclick: () => press(option) }, option),
        ),
      );
    },
    /** @param {number} i */
    press(i) {
      const button = options.children[i];
      if (button instanceof HTMLElement) button.click();
    },
    hide() {
      node.hidden = true;
    },
  };
}
