// One socket to the server. It comes back by itself after a loss, a little later each time, and tells when it does.

/** @import { ClientMessage, Hello, ServerMessage, Words } from "../messages" */

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
const NOT_FINAL = new Set(["thinking", "progress", "compiling"]);

export class RequestError extends Error {
  /**
   * What the server, or the loss of it, made of a request.
   * @param {{ code: string, text?: Words | null, hint?: Words | null }} told
   */
  constructor({ code, text = null, hint = null }) {
    super(text?.en ?? code);
    this.code = code;
    this.text = text;
    this.hint = hint;
  }
}

/** @typedef {{ resolve: (answer: any) => void, reject: (error: RequestError) => void }} Pending */

export class Link {
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<number, Pending>} */
  #asked = new Map();
  #next = 1;
  #wait = FIRST_WAIT;
  #timer = 0;
  up = false;

  /**
   * `up` hears the server's hello, `down` how long until the next attempt and why the socket was closed, `message`
   * everything else that comes.
   * @param {{
   *   up: (hello: Hello) => void,
   *   down: (loss: { wait: number, code: number }) => void,
   *   message: (message: ServerMessage) => void,
   * }} listener
   * @param {string} path
   */
  constructor(listener, path = "/play") {
    this.listener = listener;
    this.address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retry();
    });
  }

  connect() {
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.address);
    this.#socket = socket;
    socket.addEventListener("message", (event) => this.#heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      if (socket === this.#socket) this.#lost(event.code);
    });
  }

  /** Try now, where a person or the system says that it may work again. */
  retry() {
    if (!this.up && this.#socket?.readyState !== WebSocket.CONNECTING) this.connect();
  }

  /**
   * Send a message; the promise is kept by the message that answers it for good, or broken by an error.
   * @param {ClientMessage} message
   * @returns {Promise<any>}
   */
  ask(message) {
    if (!this.up) return Promise.reject(new RequestError({ code: "offline" }));
    const id = this.#next++;
    this.send({ ...message, id });
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
    });
  }

  /** The number of the newest message that was asked for. */
  get newest() {
    return this.#next - 1;
  }

  /**
   * Send what nothing answers.
   * @param {ClientMessage} message
   */
  send(message) {
    if (this.up) this.#socket?.send(JSON.stringify(message));
  }

  /** @param {ServerMessage} message */
  #heard(message) {
    if (message.type === "hello") {
      this.up = true;
      this.#wait = FIRST_WAIT;
      this.listener.up(message);
      return;
    }
    this.listener.message(message);
    if (message.re === null || NOT_FINAL.has(message.type)) return;
    const asked = this.#asked.get(message.re);
    this.#asked.delete(message.re);
    if (message.type === "error") asked?.reject(new RequestError(message));
    else asked?.resolve(message);
  }

  /** @param {number} code */
  #lost(code) {
    this.up = false;
    for (const { reject } of this.#asked.values()) reject(new RequestError({ code: "offline" }));
    this.#asked.clear();
    // No room for another session, or a page that was shut out: hurrying would not help.
    if (code === 1008 || code === 1013) this.#wait = LONGEST_WAIT;
    this.listener.down({ wait: this.#wait, code });
    this.#timer = setTimeout(() => this.connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }
}
