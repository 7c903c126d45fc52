// Search X-ray: the tree that a search visited, drawn, folded and stepped through, with a board for the chosen node.

import { element, fill, picture } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { inLanguage, count, t } from "./language.js";
import { troubleText } from "./notices.js";
import { picker } from "./picker.js";
import { Trouble } from "./socket.js";
import { Tree } from "./tree.js";
import { TreeDrawing } from "./tree_drawing.js";
import { View } from "./view.js";

/**
 * @import { XrayTold } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 * @import { TreeNode } from "./tree.js"
 */

const PAD = 1.2;
const STEP_TIME = 500;
const READABLE = 34; // pixels a unit takes at first at least

export class Xray {
  /** @type {{ told: XrayTold, tree: Tree } | null} what the server told */
  #seen = null;
  #step = 0;
  #timer = 0;
  /** @type {TreeNode | null} */
  #chosen = null;

  /**
   * @param {Game} game
   * @param {GameInfo} info
   */
  constructor(game, info) {
    this.game = game;
    const kinds = info.xray;
    const first = kinds.includes("alphabeta") ? "alphabeta" : kinds[0];
    this.picker = picker(info, first, { label: t("whose_search"), kinds });
    this.most = element("input", { type: "number", id: "most", min: 2, max: 2000, value: 400 });
    this.drawing = new TreeDrawing(t("xray_tree"), info.tones, (node) => this.#press(node));
    this.drawing.svg.addEventListener("keydown", (event) => this.#key(event));
    this.view = new View(this.drawing.svg);
    this.inset = element("div", { class: "inset", hidden: true });
    this.empty = element("p", { class: "xray-empty" }, t("xray_empty"));
    this.text = element("output", { class: "step-text", "aria-live": "polite" });
    this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": t("step") });
    this.slider.addEventListener("input", () => this.#goTo(Number(this.slider.value)));
    this.run = element("button", { class: "icon-button", "data-do": "xray-run", onclick: () => this.#toggle() });
    this.summary = element("p", { class: "quiet summary" });
    this.node = this.#build();
    this.#drawRun();
  }

  /** @returns {HTMLDialogElement} */
  #build() {
    /** @param {SubmitEvent} event */
    const submit = (event) => {
      event.preventDefault();
      this.#look();
    };
    return element(
      "dialog",
      { class: "xray", "aria-label": t("xray"), onclose: () => this.#stop() },
      element(
        "form",
        { class: "xray-head", onsubmit: submit },
        element("h2", {}, t("xray")),
        this.picker.node,
        element("div", { class: "field" }, element("label", { for: "most" }, t("most_nodes")), this.most),
        element("button", { class: "primary", type: "submit", "data-do": "look" }, t("look_inside")),
        iconButton("close", "close", () => this.node.close(), { type: "button" }),
      ),
      element(
        "div",
        { class: "xray-body" },
        this.empty,
        this.drawing.svg,
        this.inset,
        element(
          "div",
          { class: "zoom" },
          iconButton("nearer", "plus", () => this.view.zoom(0.7)),
          iconButton("farther", "minus", () => this.view.zoom(1.4)),
          iconButton("whole_tree", "fit", () => this.#fit()),
        ),
      ),
      element(
        "footer",
        { class: "xray-foot" },
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

  open() {
    if (!this.node.isConnected) document.body.append(this.node);
    if (!this.node.open) this.node.showModal();
    this.#look();
  }

  /** Ask for the tree of the shown position. */
  async #look() {
    this.#stop();
    this.node.classList.add("busy");
    fill(this.empty, t("xray_wait"));
    try {
      this.#take(await this.game.xray(this.picker.spec, Number(this.most.value) || 400));
    } catch (trouble) {
      if (!(trouble instanceof Trouble)) throw trouble;
      const [text, hint] = troubleText(trouble);
      this.#seen = null;
      this.drawing.clear();
      fill(this.empty, text, hint ? element("small", {}, hint) : null);
      this.node.classList.remove("full");
    } finally {
      this.node.classList.remove("busy");
    }
  }

  /** @param {XrayTold} told */
  #take(told) {
    const tree = new Tree(told.tree);
    this.#seen = { told, tree };
    this.#chosen = null;
    this.inset.hidden = true;
    this.node.classList.add("full");
    this.slider.max = String(told.steps.length);
    this.summary.textContent = inLanguage(told.summary);
    this.drawing.draw(tree);
    this.#begin(tree);
    this.#show(told.steps.length);
  }

  /**
   * At first the root and what hangs below it, large enough to be read.
   * @param {Tree} tree
   */
  #begin(tree) {
    const { width, height } = tree.layout();
    const { clientWidth, clientHeight } = this.drawing.svg;
    const most = clientWidth / READABLE;
    if (!clientWidth || width + 2 * PAD <= most) {
      this.#fit(); // without a size: the sheet is closed again
      return;
    }
    const high = Math.min(height + 2 * PAD, (most * clientHeight) / clientWidth);
    this.view.fit(tree.root.x - most / 2, -PAD, most, high);
  }

  #fit() {
    if (!this.#seen) return;
    const { width, height } = this.#seen.tree.layout();
    this.view.fit(-PAD, -PAD, width + 2 * PAD, height + 2 * PAD);
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
    const { told } = this.#seen;
    this.#step = Math.max(0, Math.min(step, told.steps.length));
    this.slider.value = String(this.#step);
    this.drawing.show(told, this.#step);
    const words = this.#step ? inLanguage(told.steps[this.#step - 1].text) : t("xray_begin");
    this.text.textContent = `${this.#step} / ${told.steps.length} · ${words}`;
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

  // Choosing and folding.

  /** @param {TreeNode} node */
  #press(node) {
    if (this.view.dragged) return;
    if (this.#chosen === node && node.children.length) this.#fold(node);
    else this.#choose(node);
  }

  /** @param {TreeNode} node */
  #fold(node) {
    if (!this.#seen) return;
    node.folded = !node.folded;
    this.drawing.draw(this.#seen.tree);
    this.#show(this.#step);
    this.#choose(node);
    this.view.reveal(node.x, node.y);
  }

  /** @param {TreeNode} node */
  async #choose(node) {
    if (!this.#seen) return;
    this.#chosen = node;
    this.drawing.choose(node);
    const moves = this.#seen.tree.path(node);
    const frame = element("div", { class: "inset-board" });
    this.inset.hidden = false;
    fill(
      this.inset,
      frame,
      element("p", {}, moves.length ? moves.join(" ") : t("this_position")),
      element("p", { class: "quiet" }, this.#facts(node)),
      node.children.length ? this.#foldButton(node, this.#seen.tree.below(node)) : null,
    );
    const svg = moves.length ? (await this.game.line(moves))?.frames.at(-1)?.svg : this.game.state?.svg;
    if (svg && this.#chosen === node) fill(frame, picture(svg));
  }

  /** @param {TreeNode} node */
  #facts(node) {
    const worth = node.cut ? t("was_cut") : node.value ? t("worth", { value: node.value }) : "";
    const bounds = node.note && this.#seen?.told.kind === "bounds" ? `(α, β) = ${node.note}` : "";
    return [worth, bounds].filter(Boolean).join(" · ");
  }

  /**
   * @param {TreeNode} node
   * @param {number} below
   */
  #foldButton(node, below) {
    const words = `${node.folded ? t("unfold") : t("fold")} (${count("nodes_below", below)})`;
    return element("button", { class: "plain", "data-do": "fold", onclick: () => this.#fold(node) }, words);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.#seen || event.ctrlKey || event.metaKey || event.altKey) return;
    const chosen = this.#chosen;
    /** @type {Record<string, () => unknown>} */
    const acts = {
      Enter: () => chosen?.children.length && this.#fold(chosen),
      "+": () => this.view.zoom(0.7),
      "=": () => this.view.zoom(0.7),
      "-": () => this.view.zoom(1.4),
      0: () => this.#fit(),
      ".": () => this.#show(this.#step + 1),
      ",": () => this.#show(this.#step - 1),
    };
    if (event.key.startsWith("Arrow")) this.#walk(event.key, this.#seen.tree);
    else if (event.key === " ") acts.Enter();
    else if (event.key in acts) acts[event.key]();
    else return;
    event.preventDefault();
  }

  /**
   * To a neighbour of the chosen node; at first to the root.
   * @param {string} key
   * @param {Tree} tree
   */
  #walk(key, tree) {
    const at = this.#chosen ?? tree.root;
    const parent = tree.parent(at);
    /** @param {number} by */
    const beside = (by) => parent?.children[parent.children.indexOf(at) + by] ?? null;
    const below = at.folded ? null : (at.children[0] ?? null);
    /** @type {Record<string, TreeNode | null>} */
    const ways = { ArrowUp: parent, ArrowDown: below, ArrowLeft: beside(-1), ArrowRight: beside(1) };
    const next = this.#chosen ? ways[key] : at;
    if (!next) return;
    this.#choose(next);
    this.view.reveal(next.x, next.y);
  }
}
