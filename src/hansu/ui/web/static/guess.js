// The X-ray's quiz: predict the next step of a search, as in the lecture's exercise, with a score.
//
//     bounds   is the next branch searched or pruned?  which value does the node return?
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
 * @property {string} right the correct option
 * @property {number[]} about `born` of the nodes in question
 */

const MOST = 7; // options to choose from

export class Guess {
  right = 0;
  asked = 0;

  /**
   * @param {XrayReply} reply
   * @param {Tree} tree
   * @param {(text: string) => string} rounded
   */
  constructor(reply, tree, rounded) {
    this.reply = reply;
    this.tree = tree;
    this.rounded = rounded;
    this.cuts = tree.all.some((node) => node.cut);
    /** @type {Map<number, TreeNode>} */
    this.done = new Map(tree.all.filter((node) => !node.cut).map((node) => [node.done, node]));
  }

  /**
   * The first step from `step` on that has a question, or the last step.
   * @param {number} step
   */
  next(step) {
    while (step < this.reply.steps.length && !this.question(step)) step += 1;
    return step;
  }

  /**
   * The question before a step; null: none.
   * @param {number} step
   * @returns {Question | null}
   */
  question(step) {
    if (step >= this.reply.steps.length) return null;
    if (this.reply.kind === "visits") return this.#branch(step);
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
   * A branch has just got its value and others are left: is the next one searched?
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
   * All relevant branches have values: which one is returned?
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
   * Which branch of the root comes next? Predictable once every branch has been tried.
   * @param {number} step
   * @returns {Question | null}
   */
  #branch(step) {
    const branches = this.tree.root.children;
    const [, taken] = this.reply.steps[step].now;
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
 * The panel of a quiz. `answered` shows the step, `next` goes on to the next question.
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
     * @param {Question | null} question null: no questions are left
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
