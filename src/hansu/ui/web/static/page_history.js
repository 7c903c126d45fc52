// The browser's history of a page: its address says where in a game one is, and the buttons back and on lead through
// set-up, game, analysis and X-ray.

/**
 * @import { Mode } from "./saved_game.js"
 * @typedef {{ id: string, mode: Mode, from: Mode | null, xray: boolean }} Entry
 */

// Browsers do not take more changes of an address than some a second: so many at once, then one every so often.
const AT_ONCE = 20;
const EVERY = 500; // milliseconds

export class PageHistory {
  #timer = 0;
  #free = AT_ONCE; // changes that may be made now
  #at = 0; // when they were counted
  /** @type {string | null} an address that is to be shown soon */
  #wanted = null;

  /** @param {(entry: Entry) => void} arrived by the browser's buttons */
  constructor(arrived) {
    const own = entry();
    this.id = own?.id ?? `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
    addEventListener("popstate", () => {
      const now = entry();
      this.#forget();
      if (now?.id === this.id) arrived(now);
      else location.reload();
    });
  }

  /** Where one came from, by a step that back takes back. */
  get from() {
    return entry()?.from ?? null;
  }

  get inXray() {
    return entry()?.xray ?? false;
  }

  /**
   * The place where one is has another address.
   * @param {string} address
   * @param {Mode} mode
   */
  follow(address, mode) {
    if (entry()?.mode !== mode) this.#replace(address, { mode, from: null, xray: false });
    this.#wanted = address;
    const now = performance.now();
    this.#free = Math.min(AT_ONCE, this.#free + (now - this.#at) / EVERY);
    this.#at = now;
    if (this.#free >= 1) this.#write();
    else this.#timer ||= setTimeout(() => this.#write(), EVERY);
  }

  /**
   * A step to another place, which back takes back.
   * @param {string} address
   * @param {Mode} mode
   */
  push(address, mode, xray = false) {
    this.#write();
    const from = xray ? this.from : (entry()?.mode ?? null);
    history.pushState({ id: this.id, mode, from, xray }, "", address);
  }

  #write() {
    const address = this.#wanted;
    this.#forget();
    if (address === null) return;
    this.#free -= 1;
    history.replaceState(history.state, "", address);
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#wanted = null;
  }

  /**
   * @param {string} address
   * @param {Omit<Entry, "id">} now
   */
  #replace(address, now) {
    this.#forget();
    history.replaceState({ id: this.id, ...now }, "", address);
  }
}

/** @returns {Entry | null} */
function entry() {
  return history.state?.id ? history.state : null;
}
