// One socket to the server. It comes back by itself after a loss, a little later each time, and tells when it does.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
const NOT_FINAL = new Set(["thinking", "progress", "compiling"]);

export class Trouble extends Error {
  /** What the server, or the loss of it, made of a request. */
  constructor(message) {
    super(message.text?.en ?? message.code);
    this.code = message.code;
    this.text = message.text;
    this.hint = message.hint;
  }
}

export class Link extends EventTarget {
  // Events: "up" (with the server's hello), "down" (with { wait, code }), "message" (every message that came).
  #socket = null;
  #asked = new Map(); // id -> { resolve, reject }
  #next = 1;
  #wait = FIRST_WAIT;
  #timer = 0;
  #closed = false;
  up = false;

  constructor(path = "/play") {
    super();
    this.address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.retry());
  }

  connect() {
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.address);
    this.#socket = socket;
    socket.addEventListener("message", (event) => this.#heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => socket === this.#socket && this.#lost(event.code));
  }

  /** Try now, where a person or the system says that it may work again. */
  retry() {
    if (!this.up && !this.#closed && this.#socket?.readyState !== WebSocket.CONNECTING) this.connect();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  /** Send a message; the promise is kept by the message that answers it for good, or broken by an error. */
  ask(message) {
    if (!this.up) return Promise.reject(new Trouble({ code: "offline" }));
    const id = this.#next++;
    this.#socket.send(JSON.stringify({ ...message, id }));
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }));
  }

  /** Send what nothing answers. */
  send(message) {
    if (this.up) this.#socket.send(JSON.stringify(message));
  }

  #heard(message) {
    if (message.type === "hello") {
      this.up = true;
      this.#wait = FIRST_WAIT;
      this.#tell("up", message);
      return;
    }
    this.#tell("message", message);
    if (message.re === undefined || message.re === null || NOT_FINAL.has(message.type)) return;
    const asked = this.#asked.get(message.re);
    this.#asked.delete(message.re);
    if (message.type === "error") asked?.reject(new Trouble(message));
    else asked?.resolve(message);
  }

  #lost(code) {
    this.up = false;
    for (const { reject } of this.#asked.values()) reject(new Trouble({ code: "offline" }));
    this.#asked.clear();
    if (this.#closed) return;
    // No room for another session, or a page that was shut out: hurrying would not help.
    if (code === 1008 || code === 1013) this.#wait = LONGEST_WAIT;
    this.#tell("down", { wait: this.#wait, code });
    this.#timer = setTimeout(() => this.connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
