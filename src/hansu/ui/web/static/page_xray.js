// The X-ray of a page: made when it is first wanted, and a place of its own in the browser's history.

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
   * @param {string | null} player whose search; null: the opponent's, or the last that was looked into
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
        this.page.glance?.ask(); // which had to wait
      },
    });
    if (!own.inXray) {
      own.follow(this.page.address(), mode); // where one comes back to, also from a link that led here at once
      own.push(this.page.address(), mode, true);
    }
    this.#xray.open(player, step);
  }

  /** What a search waits for has changed. */
  update() {
    this.#xray?.update();
  }

  close() {
    this.#xray?.close();
  }

  /** In another language, or for another game. */
  forget() {
    this.#xray?.node.remove();
    this.#xray = null;
  }
}
