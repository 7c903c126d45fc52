// The question of a guess under the tree: options to press (or digits), what was right, and the score.

import { element, fill } from "./dom.js";
import { t } from "./language.js";

/** @import { Guess, Question } from "./guess.js" */

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
