// The search X-ray: the tree of a search, step by step, with folding, a board for the selected node, and a quiz.

import { element, fill } from "./dom.js";
import { picker } from "./form.js";
import { Guess, guessPanel } from "./guess.js";
import { icon, iconButton } from "./icons.js";
import { isIn } from "./keys.js";
import { inLanguage, t } from "./language.js";
import { errorText } from "./notices.js";
import { RequestError } from "./socket.js";
import { compilingBar, compilingText } from "./status.js";
import { gather, layout, NEAREST, PAD, Tree } from "./tree.js";
import { TreeDrawing, View } from "./tree_drawing.js";
import { XrayInset, xrayLegend } from "./xray_inset.js";

/**
 * @import { XrayReply } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 * @import { TreeNode } from "./tree.js"
 */

/**
 * @typedef {object} ShownTree
 * @property {string} player of the search; another one may be chosen by now
 * @property {XrayReply} reply
 * @property {Tree} tree
 */

const STEP_TIME = 500;
const READABLE = 30; // minimum pixels per unit, unless the whole tree is shown

export class Xray {
  /** @type {ShownTree | null} */
  #shown = null;
  #step = 0;
  #timer = 0;
  #whole = false; // whether the whole tree is shown, however small
  #requests = 0; // number of requested trees
  /** @type {Guess | null} during a quiz */
  #guess = null;

  /**
   * @param {Game} game
   * @param {GameInfo} info
   * @param {{ moved: (player: string, step: number) => void, closed: () => void }} listener
   */
  constructor(game, info, listener) {
    this.game = game;
    this.info = info;
    this.listener = listener;
    this.picker = this.#pickerFor(this.#opponent());
    this.most = element("input", { type: "number", id: "most", min: 2, max: 2000, value: 400 });
    this.drawing = new TreeDrawing(t("xray_tree"), info.tones, {
      press: (node) => this.#press(node),
      spread: (node) => this.view.dragged || this.#spread(node),
    });
    this.drawing.svg.addEventListener("keydown", (event) => this.#key(event));
    this.view = new View(this.drawing.svg);
    this.inset = new XrayInset(game, (node) => this.#fold(node));
    this.empty = element("p", { class: "xray-empty" }, t("xray_empty"));
    this.legend = element("div", { class: "xray-legend" });
    this.text = element("output", { class: "step-text", "aria-live": "polite" });
    this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": t("step") });
    this.slider.addEventListener("input", () => this.#goTo(Number(this.slider.value)));
    this.run = element("button", { class: "icon-button", "data-do": "xray-run", onclick: () => this.#toggle() });
    this.guessing = element(
      "button",
      { type: "button", class: "chip", "data-do": "guess", "aria-pressed": "false", onclick: () => this.#turnGuess() },
      t("guess"),
    );
    this.question = guessPanel({ answered: () => this.#show(this.#step + 1), next: () => this.#askNext() });
    this.summary = element("p", { class: "quiet summary" });
    this.node = this.#build();
    this.#drawRun();
  }

  /** The opponent, if its search can be shown. */
  #opponent() {
    const kinds = this.info.xray;
    const seated = this.game.state?.seats.find((seat) => seat.xray !== null)?.xray;
    return seated ?? (kinds.includes("alphabeta") ? "alphabeta" : kinds[0]);
  }

  /** @param {string} spec */
  #pickerFor(spec) {
    return picker(this.info, spec, { label: t("whose_search"), kinds: this.info.xray, brief: true });
  }

  /** @returns {HTMLDialogElement} */
  #build() {
    /** @param {SubmitEvent} event */
    const submit = (event) => {
      event.preventDefault();
      this.#request(0);
    };
    const closed = () => {
      this.#stop();
      this.listener.closed();
    };
    return element(
      "dialog",
      { class: "xray", "aria-label": t("xray"), onclose: closed, onkeydown: this.#keyBeside.bind(this) },
      element(
        "form",
        { class: "xray-head", onsubmit: submit },
        element("h2", {}, t("xray")),
        this.picker.node,
        element("div", { class: "field" }, element("label", { for: "most" }, t("most_nodes")), this.most),
        element("button", { class: "primary", type: "submit", "data-do": "look" }, t("look_inside")),
        this.guessing,
        iconButton("close", "close", () => this.node.close(), { type: "button" }),
      ),
      this.legend,
      element(
        "div",
        { class: "xray-body" },
        this.empty,
        this.drawing.svg,
        this.inset.node,
        element(
          "div",
          { class: "zoom" },
          iconButton("nearer", "plus", () => this.view.zoom(0.7)),
          iconButton("farther", "minus", () => this.view.zoom(1.4)),
          iconButton("whole_tree", "fit", () => this.#fitWhole()),
        ),
      ),
      element(
        "footer",
        { class: "xray-foot" },
        this.question.node,
        element(
          "div",
          { class: "replay" },
          iconButton("to_start", "first", () => this.#goTo(0)),
          iconButton("one_back", "back", () => this.#goTo(this.#step - 1)),
          this.slider,
          iconButton("one_on", "next", () => this.#goTo(this.#step + 1)),
          iconButton("to_end", "last", () => this.#goTo(Infinity)),
          this.run,
        ),
        this.text,
        this.summary,
      ),
    );
  }

  get isOpen() {
    return this.node.open;
  }

  close() {
    this.node.close();
  }

  /**
   * @param {string | null} player null: as before
   * @param {number | null} step the first one to show
   */
  open(player, step) {
    if (player !== null) {
      const chosen = this.#pickerFor(player);
      this.picker.node.replaceWith(chosen.node);
      this.picker = chosen;
    }
    if (!this.node.isConnected) document.body.append(this.node);
    if (!this.node.open) {
      this.node.showModal();
      this.slider.focus(); // arrow keys step; in the picker they would choose another player
    }
    this.#request(step ?? 0);
  }

  /** Show the progress of the requested search. */
  update() {
    if (!this.node.classList.contains("busy")) return;
    const compiling = this.game.task?.compiling;
    if (compiling) fill(this.empty, compilingText(compiling), compilingBar(compiling));
    else fill(this.empty, t("xray_wait"));
  }

  /**
   * Request the tree of the shown position.
   * @param {number} step the first one to show
   */
  async #request(step) {
    const request = (this.#requests += 1);
    this.#stop();
    this.node.classList.add("busy");
    this.update();
    try {
      const player = this.picker.spec;
      this.#take(player, await this.game.xray(player, Number(this.most.value) || 400), step);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (request !== this.#requests) return; // a newer request is running
      const [text, hint] = errorText(error);
      this.#shown = null;
      this.drawing.clear();
      fill(this.empty, text, hint ? element("small", {}, hint) : null);
      this.node.classList.remove("full");
    }
    if (request === this.#requests) this.node.classList.remove("busy");
  }

  /**
   * @param {string} player
   * @param {XrayReply} reply
   * @param {number} step
   */
  #take(player, reply, step) {
    const tree = new Tree(reply.tree);
    this.#shown = { player, reply, tree };
    this.inset.hide();
    this.node.classList.remove("chosen");
    this.node.classList.add("full");
    this.slider.max = String(reply.steps.length);
    this.view.moved = this.#whole = false;
    const { shape, most } = this.#room;
    gather(tree, shape, most);
    fill(this.legend, xrayLegend(reply, tree, this.info));
    this.legend.tabIndex = this.legend.scrollWidth > this.legend.clientWidth ? 0 : -1; // keyboard scrolling on a phone
    this.#step = -1;
    this.#draw();
    this.#show(step);
    if (this.#guess) this.#beginGuess();
  }

  #draw() {
    if (!this.#shown) return;
    const { shape, most } = this.#room;
    this.drawing.draw(this.#shown.tree, shape, most);
  }

  /** Width over height of the view, and the readable units across. */
  get #room() {
    const { clientWidth, clientHeight } = this.drawing.svg;
    const most = this.#whole || !clientWidth ? Infinity : clientWidth / READABLE;
    return { shape: (clientWidth || 2) / (clientHeight || 1), most };
  }

  /**
   * Show the whole tree if that is readable or requested, else the part around the current step.
   * @returns {boolean} whether the whole tree is shown
   */
  #fit() {
    if (!this.#shown) return true;
    const { tree, reply } = this.#shown;
    const { shape, most } = this.#room;
    const { width, height } = layout(tree, shape, most);
    if (width + 2 * PAD <= most) {
      const more = Math.max(NEAREST - width - 2 * PAD, 0) / 2;
      this.view.fit(-PAD - more, -PAD, width + 2 * (PAD + more), height + 2 * PAD);
      return true;
    }
    const now = this.#step > 0 ? reply.steps[this.#step - 1].now : [];
    const here = tree.born.get(now[now.length - 1] ?? -2) ?? tree.root;
    const left = Math.min(Math.max(here.x - most / 2, -PAD), width + PAD - most);
    const high = Math.min(height + 2 * PAD, most / shape);
    this.view.fit(left, Math.max(here.y + PAD - high, -PAD), most, high);
    return false;
  }

  /** Show the whole tree from now on. */
  #fitWhole() {
    this.#whole = true;
    this.view.moved = false;
    this.#draw();
    this.#show(this.#step);
  }

  // Stepping.

  /** @param {number} step */
  #goTo(step) {
    this.#stop();
    this.#show(step);
  }

  /**
   * Show the tree at a step of the search.
   * @param {number} step
   */
  #show(step) {
    if (!this.#shown) return;
    const { player, reply, tree } = this.#shown;
    const last = reply.steps.length;
    this.#step = Math.max(0, Math.min(step, last));
    this.slider.value = String(this.#step);
    if (tree.follow(reply, this.#step)) this.#draw();
    this.drawing.show(reply, this.#step);
    if (this.inset.chosen) this.drawing.choose(this.inset.chosen);
    this.inset.show(reply, tree, this.#step, this.drawing.rounded);
    if (!this.view.moved) this.#fit();
    const words = this.#step ? inLanguage(reply.steps[this.#step - 1].text) : t("xray_begin");
    this.text.textContent = `${this.#step} / ${last} · ${this.drawing.rounded(words)}`;
    const summary = this.#step === last ? this.drawing.rounded(inLanguage(reply.summary)) : "";
    fill(this.summary, [inLanguage(reply.remark), summary].filter(Boolean).join(" · "));
    this.listener.moved(player, this.#step);
  }

  get #atEnd() {
    return this.#step >= (this.#shown?.reply.steps.length ?? 0);
  }

  #toggle() {
    if (this.#timer) {
      this.#stop();
      return;
    }
    if (!this.#shown) return;
    if (this.#atEnd) this.#show(0);
    this.#timer = setInterval(() => {
      this.#show(this.#step + 1);
      if (this.#atEnd) this.#stop();
    }, STEP_TIME);
    this.#drawRun();
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#drawRun();
  }

  #drawRun() {
    fill(this.run, icon(this.#timer ? "pause" : "play"));
    this.run.setAttribute("aria-label", this.#timer ? t("pause") : t("run"));
  }

  // Quiz.

  #turnGuess() {
    if (this.#guess) {
      this.#guess = null;
      this.question.hide();
    } else {
      this.#beginGuess();
    }
    this.guessing.setAttribute("aria-pressed", String(this.#guess !== null));
    this.node.classList.toggle("guessing", this.#guess !== null);
  }

  /** Start at the current step, or at the first one if the search has ended. */
  #beginGuess() {
    if (!this.#shown) return;
    this.#stop();
    this.#guess = new Guess(this.#shown.reply, this.#shown.tree, this.drawing.rounded);
    if (this.#atEnd) this.#show(0);
    this.#askNext();
  }

  #askNext() {
    const guess = this.#guess;
    if (!guess) return;
    this.#goTo(guess.next(this.#step));
    const question = guess.question(this.#step);
    this.question.ask(guess, question);
    this.drawing.light(question?.about ?? []);
    const node = question && this.#shown?.tree.born.get(question.about[0]);
    if (node) this.#lookAt(node);
  }

  /**
   * Zoom to a node and its branches.
   * @param {TreeNode} node
   */
  #lookAt(node) {
    const all = [node, ...(this.#shown?.tree.shownBranches(node) ?? [])];
    const [left, right] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x))];
    const below = Math.max(...all.map(({ y }) => y));
    const wide = Math.max(right - left + 2 * PAD, NEAREST / 2);
    this.view.fit((left + right - wide) / 2, node.y - PAD, wide, below - node.y + 2 * PAD);
  }

  // Selection and folding.

  /** @param {TreeNode} node */
  #press(node) {
    if (this.view.dragged) return;
    if (this.inset.chosen === node && node.children.length) this.#fold(node);
    else this.#choose(node);
  }

  /** @param {TreeNode} node */
  #fold(node) {
    if (!this.#shown) return;
    node.folded = !this.#shown.tree.isFolded(node);
    node.opened = node.spread = false;
    this.#redraw(node);
    this.#choose(node);
  }

  /**
   * Show all branches of a node.
   * @param {TreeNode} node
   */
  #spread(node) {
    node.spread = true;
    this.#redraw(node);
  }

  /**
   * Redraw after a change below a node.
   * @param {TreeNode} node
   */
  #redraw(node) {
    if (!this.#shown) return;
    this.#draw();
    this.drawing.show(this.#shown.reply, this.#step);
    if (this.inset.chosen) this.drawing.choose(this.inset.chosen);
    if (this.view.moved) this.view.reveal(node.x, node.y);
    else this.#fit();
  }

  /** @param {TreeNode} node */
  #choose(node) {
    if (!this.#shown) return;
    const fresh = !this.inset.chosen;
    this.drawing.choose(node);
    this.inset.choose(node);
    if (fresh) this.#makeRoom(node);
    this.inset.show(this.#shown.reply, this.#shown.tree, this.#step, this.drawing.rounded);
  }

  /**
   * Refit the tree: the board of the selected node takes some of its space.
   * @param {TreeNode} node
   */
  #makeRoom(node) {
    this.node.classList.add("chosen");
    this.#draw();
    this.#show(this.#step);
    if (this.view.moved || !this.#fit()) this.view.reveal(node.x, node.y);
  }

  /**
   * Outside the tree, arrow keys step unless the focused element uses them.
   * @param {KeyboardEvent} event
   */
  #keyBeside(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || this.#guess || event.defaultPrevented || isIn(event, "input, select, .search-tree")) return;
    this.#goTo(this.#step + by);
    event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.#shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const { chosen } = this.inset;
    /** @type {Record<string, () => unknown>} */
    const acts = {
      Enter: () => chosen?.children.length && this.#fold(chosen),
      "+": () => this.view.zoom(0.7),
      "=": () => this.view.zoom(0.7),
      "-": () => this.view.zoom(1.4),
      0: () => this.#fitWhole(),
      ".": () => this.#goTo(this.#step + 1),
      ",": () => this.#goTo(this.#step - 1),
    };
    if (event.key.startsWith("Arrow")) this.#walk(event.key, this.#shown.tree);
    else if (event.key === " ") acts.Enter();
    else if (event.key in acts) acts[event.key]();
    else if (this.#guess && event.key >= "1" && event.key <= "9") this.question.press(Number(event.key) - 1);
    else return;
    event.preventDefault();
  }

  /**
   * Select a neighbour of the selected node; at first the root.
   * @param {string} key
   * @param {Tree} tree
   */
  #walk(key, tree) {
    const { chosen } = this.inset;
    const at = chosen ?? tree.root;
    const parent = tree.parent(at);
    /** @param {number} by */
    const beside = (by) => parent?.children[parent.children.indexOf(at) + by] ?? null;
    const below = tree.shownBranches(at)[0] ?? null;
    /** @type {Record<string, TreeNode | null>} */
    const ways = { ArrowUp: parent, ArrowDown: below, ArrowLeft: beside(-1), ArrowRight: beside(1) };
    const next = chosen ? ways[key] : at;
    if (!next) return;
    if (parent && next.parent === at.parent && tree.hiddenBranches(parent).includes(next)) this.#spread(parent);
    this.#choose(next);
    if (this.view.moved) this.view.reveal(next.x, next.y);
  }
}
