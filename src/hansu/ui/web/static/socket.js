// One socket to the server. It reconnects after a loss, with growing pauses, and reports both.

/** @import { ClientMessage, Hello, ServerMessage, Words } from "../messages" */

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
const NOT_FINAL = new Set(["thinking", "progress", "compiling"]);

export class RequestError extends Error {
  /**
   * A request that the server rejected, or that was lost with the connection.
   * @param {{ code: string, text?: Words | null, hint?: Words | null }} message
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
  #pending = new Map();
  #next = 1;
  #wait = FIRST_WAIT;
  #timer = 0;
  up = false;

  /**
   * `up` receives the server's hello, `down` the time until the next attempt and the close code, `message` every other
   * message.
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
    socket.addEventListener("message", (event) => this.#receive(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      if (socket === this.#socket) this.#lost(event.code);
    });
  }

  /** Try to connect now, because a person or the system expects it to work. */
  retry() {
    if (!this.up && this.#socket?.readyState !== WebSocket.CONNECTING) this.connect();
  }

  /**
   * Send a request. The promise resolves with its final reply, or rejects with an error.
   * @param {ClientMessage} message
   * @returns {Promise<any>}
   */
  ask(message) {
    if (!this.up) return Promise.reject(new RequestError({ code: "offline" }));
    const id = this.#next++;
    this.send({ ...message, id });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
  }

  /** The id of the newest request. */
  get newest() {
    return this.#next - 1;
  }

  /**
   * Send a message without a reply.
   * @param {ClientMessage} message
   */
  send(message) {
    if (this.up) this.#socket?.send(JSON.stringify(message));
  }

  /** @param {ServerMessage} message */
  #receive(message) {
    if (message.type === "hello") {
      this.up = true;
      this.#wait = FIRST_WAIT;
      this.listener.up(message);
      return;
    }
    this.listener.message(message);
    if (message.re === null || NOT_FINAL.has(message.type)) return;
    const pending = this.#pending.get(message.re);
    this.#pending.delete(message.re);
    if (message.type === "error") pending?.reject(new RequestError(message));
    else pending?.resolve(message);
  }

  /** @param {number} code */
  #lost(code) {
    this.up = false;
    for (const { reject } of this.#pending.values()) reject(new RequestError({ code: "offline" }));
    this.#pending.clear();
    // The server is full or has shut this page out: a quick retry would not help.
    if (code === 1008 || code === 1013) this.#wait = LONGEST_WAIT;
    this.listener.down({ wait: this.#wait, code });
    this.#timer = setTimeout(() => this.connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }
}
