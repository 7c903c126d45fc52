// The X-ray of a page: created when it is first opened, with its own entry in the browser's history.

import { t } from "./language.js";
import { notify } from "./notices.js";
import { Xray } from "./xray.js";

/** @import { GamePage } from "./page.js" */

export class PageXray {
  /** @type {Xray | null} */
  #xray = null;

  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * @param {string | null} player null: the opponent, or the last one
   * @param {number | null} step
   */
  open(player = null, step = null) {
    const { game, info, history: own, mode } = this.page;
    if (!info.xray.length || !game.state || this.#xray?.isOpen) return;
    if (game.over) {
      notify(t("xray_over"));
      return;
    }
    this.#xray ??= new Xray(game, info, {
      moved: (xray, at) => own.inXray && own.follow(this.page.address({ xray, step: at }), this.page.mode),
      closed: () => {
        if (own.inXray) history.back();
        this.page.glance?.ask(); // which was postponed
      },
    });
    if (!own.inXray) {
      own.follow(this.page.address(), mode); // the place to return to, also for a direct link
      own.push(this.page.address(), mode, true);
    }
    this.#xray.open(player, step);
  }

  /** The progress of the search has changed. */
  update() {
    this.#xray?.update();
  }

  close() {
    this.#xray?.close();
  }

  /** Discard it after a change of language or game. */
  forget() {
    this.#xray?.node.remove();
    this.#xray = null;
  }
}
