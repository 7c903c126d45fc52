// The browser's history of a page: the address describes the place in the game; back and forward move between set-up,
// game, analysis and X-ray.

/**
 * @import { Mode } from "./saved_game.js"
 * @typedef {{ id: string, mode: Mode, from: Mode | null, xray: boolean }} Entry
 */

// Browsers limit the rate of address changes: allow a burst, then one per interval.
const AT_ONCE = 20;
const EVERY = 500; // milliseconds

export class PageHistory {
  #timer = 0;
  #free = AT_ONCE; // changes that are allowed now
  #at = 0; // when `#free` was updated
  /** @type {string | null} the address to write soon */
  #wanted = null;

  /** @param {(entry: Entry) => void} arrived called for back and forward */
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

  /** The mode that the back button returns to. */
  get from() {
    return entry()?.from ?? null;
  }

  get inXray() {
    return entry()?.xray ?? false;
  }

  /**
   * Replace the address of the current entry.
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
   * Add an entry.
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
