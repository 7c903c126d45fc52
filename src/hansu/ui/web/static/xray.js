// Search X-ray: the tree that a search visited, drawn, folded and stepped through, with a board for the chosen node.
// It opens at the beginning; the way to where the search is stays open. Its steps can be guessed.

import { element, fill } from "./dom.js";
import { picker } from "./form.js";
import { Guess, guessPanel } from "./guess.js";
import { icon, iconButton } from "./icons.js";
import { isIn } from "./keys.js";
import { inLanguage, t } from "./language.js";
import { troubleText } from "./notices.js";
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
 * @typedef {object} Seen what the server told
 * @property {string} player whose search it is; another may be chosen by now
 * @property {XrayReply} told
 * @property {Tree} tree
 */

const STEP_TIME = 500;
const READABLE = 30; // pixels a unit takes at least, unless the whole is asked for

export class Xray {
  /** @type {Seen | null} */
  #seen = null;
  #step = 0;
  #timer = 0;
  #whole = false; // is all of the tree to be seen, however small?
  #looks = 0; // how often a tree was asked for
  /** @type {Guess | null} while steps are guessed */
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

  /** The search of the actual opponent, where it can be looked into. */
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
      this.#look(0);
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
   * @param {string | null} player whose search; null: as before
   * @param {number | null} step where to begin
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
      this.slider.focus(); // arrow keys step; in the first field they would choose another search
    }
    this.#look(step ?? 0);
  }

  /** What is waited for, as long as something is. */
  update() {
    if (!this.node.classList.contains("busy")) return;
    const compiling = this.game.task?.compiling;
    if (compiling) fill(this.empty, compilingText(compiling), compilingBar(compiling));
    else fill(this.empty, t("xray_wait"));
  }

  /**
   * Ask for the tree of the shown position.
   * @param {number} step to show at first
   */
  async #look(step) {
    const look = (this.#looks += 1);
    this.#stop();
    this.node.classList.add("busy");
    this.update();
    try {
      const player = this.picker.spec;
      this.#take(player, await this.game.xray(player, Number(this.most.value) || 400), step);
    } catch (trouble) {
      if (!(trouble instanceof RequestError)) throw trouble;
      if (look !== this.#looks) return; // the next one is under way
      const [text, hint] = troubleText(trouble);
      this.#seen = null;
      this.drawing.clear();
      fill(this.empty, text, hint ? element("small", {}, hint) : null);
      this.node.classList.remove("full");
    }
    if (look === this.#looks) this.node.classList.remove("busy");
  }

  /**
   * @param {string} player
   * @param {XrayReply} told
   * @param {number} step
   */
  #take(player, told, step) {
    const tree = new Tree(told.tree);
    this.#seen = { player, told, tree };
    this.inset.hide();
    this.node.classList.remove("chosen");
    this.node.classList.add("full");
    this.slider.max = String(told.steps.length);
    this.view.moved = this.#whole = false;
    const { shape, most } = this.#room;
    gather(tree, shape, most);
    fill(this.legend, xrayLegend(told, tree, this.info));
    this.legend.tabIndex = this.legend.scrollWidth > this.legend.clientWidth ? 0 : -1; // keys scroll it on a phone
    this.#step = -1;
    this.#draw();
    this.#show(step);
    if (this.#guess) this.#beginGuess();
  }

  #draw() {
    if (!this.#seen) return;
    const { shape, most } = this.#room;
    this.drawing.draw(this.#seen.tree, shape, most);
  }

  /** Width over height of what a tree has to fill, and the units across that can be read at once. */
  get #room() {
    const { clientWidth, clientHeight } = this.drawing.svg;
    const most = this.#whole || !clientWidth ? Infinity : clientWidth / READABLE;
    return { shape: (clientWidth || 2) / (clientHeight || 1), most };
  }

  /**
   * The whole tree, where it can be read or is wanted; else the part where the search is.
   * @returns {boolean} is it the whole?
   */
  #fit() {
    if (!this.#seen) return true;
    const { tree, told } = this.#seen;
    const { shape, most } = this.#room;
    const { width, height } = layout(tree, shape, most);
    if (width + 2 * PAD <= most) {
      const more = Math.max(NEAREST - width - 2 * PAD, 0) / 2;
      this.view.fit(-PAD - more, -PAD, width + 2 * (PAD + more), height + 2 * PAD);
      return true;
    }
    const now = this.#step > 0 ? told.steps[this.#step - 1].now : [];
    const here = tree.born.get(now[now.length - 1] ?? -2) ?? tree.root;
    const left = Math.min(Math.max(here.x - most / 2, -PAD), width + PAD - most);
    const high = Math.min(height + 2 * PAD, most / shape);
    this.view.fit(left, Math.max(here.y + PAD - high, -PAD), most, high);
    return false;
  }

  /** All of the tree, from now on. */
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
   * The tree after so many steps of the search.
   * @param {number} step
   */
  #show(step) {
    if (!this.#seen) return;
    const { player, told, tree } = this.#seen;
    const last = told.steps.length;
    this.#step = Math.max(0, Math.min(step, last));
    this.slider.value = String(this.#step);
    if (tree.follow(told, this.#step)) this.#draw();
    this.drawing.show(told, this.#step);
    if (this.inset.chosen) this.drawing.choose(this.inset.chosen);
    this.inset.show(told, tree, this.#step, this.drawing.rounded);
    if (!this.view.moved) this.#fit();
    const words = this.#step ? inLanguage(told.steps[this.#step - 1].text) : t("xray_begin");
    this.text.textContent = `${this.#step} / ${last} · ${this.drawing.rounded(words)}`;
    const summary = this.#step === last ? this.drawing.rounded(inLanguage(told.summary)) : "";
    fill(this.summary, [inLanguage(told.remark), summary].filter(Boolean).join(" · "));
    this.listener.moved(player, this.#step);
  }

  get #atEnd() {
    return this.#step >= (this.#seen?.told.steps.length ?? 0);
  }

  #toggle() {
    if (this.#timer) {
      this.#stop();
      return;
    }
    if (!this.#seen) return;
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

  // Guessing.

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

  /** From where the search is, or from its beginning where it has ended. */
  #beginGuess() {
    if (!this.#seen) return;
    this.#stop();
    this.#guess = new Guess(this.#seen.told, this.#seen.tree, this.drawing.rounded);
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
    const node = question && this.#seen?.tree.born.get(question.about[0]);
    if (node) this.#lookAt(node);
  }

  /**
   * A node with its branches, as near as can be read well.
   * @param {TreeNode} node
   */
  #lookAt(node) {
    const all = [node, ...(this.#seen?.tree.seen(node) ?? [])];
    const [left, right] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x))];
    const below = Math.max(...all.map(({ y }) => y));
    const wide = Math.max(right - left + 2 * PAD, NEAREST / 2);
    this.view.fit((left + right - wide) / 2, node.y - PAD, wide, below - node.y + 2 * PAD);
  }

  // Choosing and folding.

  /** @param {TreeNode} node */
  #press(node) {
    if (this.view.dragged) return;
    if (this.inset.chosen === node && node.children.length) this.#fold(node);
    else this.#choose(node);
  }

  /** @param {TreeNode} node */
  #fold(node) {
    if (!this.#seen) return;
    node.folded = !this.#seen.tree.isFolded(node);
    node.opened = node.spread = false;
    this.#redraw(node);
    this.#choose(node);
  }

  /**
   * All branches of a node, however many.
   * @param {TreeNode} node
   */
  #spread(node) {
    node.spread = true;
    this.#redraw(node);
  }

  /**
   * What is seen below a node has changed.
   * @param {TreeNode} node
   */
  #redraw(node) {
    if (!this.#seen) return;
    this.#draw();
    this.drawing.show(this.#seen.told, this.#step);
    if (this.inset.chosen) this.drawing.choose(this.inset.chosen);
    if (this.view.moved) this.view.reveal(node.x, node.y);
    else this.#fit();
  }

  /** @param {TreeNode} node */
  #choose(node) {
    if (!this.#seen) return;
    const fresh = !this.inset.chosen;
    this.drawing.choose(node);
    this.inset.choose(node);
    if (fresh) this.#makeRoom(node);
    this.inset.show(this.#seen.told, this.#seen.tree, this.#step, this.drawing.rounded);
  }

  /**
   * The board of the chosen node takes some of the tree's room.
   * @param {TreeNode} node
   */
  #makeRoom(node) {
    this.node.classList.add("chosen");
    this.#draw();
    this.#show(this.#step);
    if (this.view.moved || !this.#fit()) this.view.reveal(node.x, node.y);
  }

  /**
   * Beside the tree, arrows step, wherever they mean nothing else.
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
    if (!this.#seen || event.ctrlKey || event.metaKey || event.altKey) return;
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
    if (event.key.startsWith("Arrow")) this.#walk(event.key, this.#seen.tree);
    else if (event.key === " ") acts.Enter();
    else if (event.key in acts) acts[event.key]();
    else if (this.#guess && event.key >= "1" && event.key <= "9") this.question.press(Number(event.key) - 1);
    else return;
    event.preventDefault();
  }

  /**
   * To a neighbour of the chosen node; at first to the root.
   * @param {string} key
   * @param {Tree} tree
   */
  #walk(key, tree) {
    const { chosen } = this.inset;
    const at = chosen ?? tree.root;
    const parent = tree.parent(at);
    /** @param {number} by */
    const beside = (by) => parent?.children[parent.children.indexOf(at) + by] ?? null;
    const below = tree.seen(at)[0] ?? null;
    /** @type {Record<string, TreeNode | null>} */
    const ways = { ArrowUp: parent, ArrowDown: below, ArrowLeft: beside(-1), ArrowRight: beside(1) };
    const next = chosen ? ways[key] : at;
    if (!next) return;
    if (parent && next.parent === at.parent && tree.unseen(parent).includes(next)) this.#spread(parent);
    this.#choose(next);
    if (this.view.moved) this.view.reveal(next.x, next.y);
  }
}
