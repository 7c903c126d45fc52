// Search X-ray: the tree that a search visited, drawn, folded and stepped through, with a board for the chosen node.

import { element, fill, picture, shape } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { count, inLanguage, t } from "./language.js";
import { picker } from "./picker.js";
import { inWords } from "./say.js";
import { Twigs } from "./twigs.js";
import { View } from "./view.js";

const PAD = 1.2;
const STEP_TIME = 500;
const READABLE = 34; // pixels a unit takes at first at least

export class Xray {
  #twigs = null;
  #told = null; // the server's message
  #step = 0;
  #timer = 0;
  #chosen = null;
  #nodes = new Map(); // twig -> its <g>

  constructor(page) {
    this.page = page;
    const kinds = page.info.xray;
    const first = kinds.includes("alphabeta") ? "alphabeta" : kinds[0];
    this.picker = picker(page.info, first, { label: t("whose_search"), kinds });
    this.most = element("input", { type: "number", id: "most", min: 2, max: 2000, value: 400 });
    this.drawing = shape("svg", { class: "twigs", tabindex: 0, role: "application", "aria-label": t("xray_tree") });
    this.drawing.addEventListener("keydown", (event) => this.#key(event));
    this.view = new View(this.drawing);
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

  #build() {
    return element(
      "dialog",
      { class: "xray", "aria-label": t("xray"), onclose: () => this.#stop() },
      element(
        "form",
        { class: "xray-head", onsubmit: (event) => (event.preventDefault(), this.look()) },
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
        this.drawing,
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
    this.look();
  }

  /** Ask for the tree of the shown position. */
  async look() {
    this.#stop();
    this.node.classList.add("busy");
    fill(this.empty, t("xray_wait"));
    try {
      this.#take(await this.page.game.xray(this.picker.spec, Number(this.most.value) || 400));
    } catch (trouble) {
      const [text, hint] = inWords(trouble);
      this.#twigs = null;
      fill(this.drawing);
      fill(this.empty, text, hint ? element("small", {}, hint) : null);
      this.node.classList.remove("full");
    } finally {
      this.node.classList.remove("busy");
    }
  }

  #take(told) {
    this.#told = told;
    this.#twigs = new Twigs(told.tree);
    this.#chosen = null;
    this.inset.hidden = true;
    this.node.classList.add("full");
    this.slider.max = told.steps.length;
    this.summary.textContent = inLanguage(told.summary);
    this.#draw();
    this.#begin();
    this.show(told.steps.length);
  }

  // Drawing.

  #draw() {
    const { visible } = this.#twigs.layout();
    this.#nodes.clear();
    const lines = [];
    const nodes = [];
    for (const twig of visible) {
      const parent = this.#twigs.parent(twig);
      const group = shape("g", { class: twig.cut ? "twig cut" : "twig", "data-born": twig.born });
      twig.edge = parent ? branch(parent, twig) : null;
      if (twig.edge) lines.push(twig.edge);
      group.append(...this.#knob(twig));
      group.addEventListener("click", () => !this.view.dragged && this.#click(twig));
      nodes.push(group);
      this.#nodes.set(twig, group);
    }
    fill(this.drawing, lines, nodes);
  }

  #knob(twig) {
    const { x, y } = twig;
    const word = (name, dx, dy, settings, text = "") =>
      shape("text", { class: name, x: x + dx, y: y + dy, ...settings }, text);
    const centred = { "text-anchor": "middle" };
    if (twig.cut) return [word("scissors", 0, 0, { ...centred, "font-size": 0.34, dy: "0.1em" }, "✂")];
    const tone = { first: this.page.info.tones[0], second: this.page.info.tones[1] }[twig.tone] ?? twig.tone;
    const knob = twig.square
      ? shape("rect", { class: `knob tone-${tone}`, x: x - 0.4, y: y - 0.4, width: 0.8, height: 0.8, rx: 0.12 })
      : shape("circle", { class: `knob tone-${tone}`, cx: x, cy: y, r: 0.4 });
    return [
      knob,
      word(`value on-${tone}`, 0, 0, { ...centred, dy: "0.36em" }),
      word("window", 0.46, 0.02, { "font-size": 0.2, dy: "0.36em" }),
      twig.folded && word("more-below", 0, 0.72, { ...centred, "font-size": 0.26 }, `+${this.#twigs.below(twig)}`),
    ].filter(Boolean);
  }

  /** At first the root and what hangs below it, large enough to be read. */
  #begin() {
    const { width, height } = this.#twigs.layout();
    const { clientWidth, clientHeight } = this.drawing;
    const most = clientWidth / READABLE;
    if (!clientWidth || width + 2 * PAD <= most) return this.#fit(); // without a size: the sheet is closed again
    const high = Math.min(height + 2 * PAD, (most * clientHeight) / clientWidth);
    return this.view.fit(this.#twigs.root.x - most / 2, -PAD, most, high);
  }

  #fit() {
    if (!this.#twigs) return;
    const { width, height } = this.#twigs.layout();
    this.view.fit(-PAD, -PAD, width + 2 * PAD, height + 2 * PAD);
  }

  // Stepping.

  #goTo(step) {
    this.#stop();
    this.show(step);
  }

  /** The tree after so many steps of the search. */
  show(step) {
    if (!this.#twigs) return;
    const { steps, kind } = this.#told;
    this.#step = Math.max(0, Math.min(step, steps.length));
    this.slider.value = this.#step;
    const labels = kind === "visits" ? this.#labels() : null;
    const now = this.#step ? steps[this.#step - 1].now : [];
    for (const [twig, group] of this.#nodes) {
      const born = twig.born < this.#step;
      group.classList.toggle("off", !born);
      twig.edge?.classList.toggle("off", !born);
      group.classList.toggle("now", now.includes(twig.born));
      if (twig.cut) continue;
      const own = [twig.done < this.#step ? twig.value : "", twig.note];
      const [text, windowText] = labels ? labels.get(twig.born) ?? ["", ""] : own;
      const value = group.querySelector(".value");
      value.textContent = text;
      value.setAttribute("font-size", Math.min(0.32, 1.15 / Math.max(text.length, 1)).toFixed(3));
      group.querySelector(".window").textContent = windowText;
    }
    const words = this.#step ? inLanguage(steps[this.#step - 1].text) : t("xray_begin");
    this.text.textContent = `${this.#step} / ${steps.length} · ${words}`;
  }

  /** What each node of a tree of visits says at this step. */
  #labels() {
    const said = new Map();
    for (const { labels } of this.#told.steps.slice(0, this.#step)) {
      for (const [born, ...texts] of labels) said.set(born, texts);
    }
    return said;
  }

  #toggle() {
    if (this.#timer) return this.#stop();
    if (!this.#told) return undefined;
    if (this.#step >= this.#told.steps.length) this.show(0);
    this.#timer = setInterval(() => {
      this.show(this.#step + 1);
      if (this.#step >= this.#told.steps.length) this.#stop();
    }, STEP_TIME);
    return this.#drawRun();
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#drawRun();
  }

  #drawRun() {
    const name = this.#timer ? "pause" : "run";
    fill(this.run, icon(this.#timer ? "pause" : "play"));
    this.run.setAttribute("aria-label", t(name));
  }

  // Choosing and folding.

  #click(twig) {
    if (this.#chosen === twig && twig.children.length) this.#fold(twig);
    else this.#choose(twig);
  }

  #fold(twig) {
    twig.folded = !twig.folded;
    this.#draw();
    this.show(this.#step);
    this.#choose(twig);
    this.view.reveal(twig.x, twig.y);
  }

  async #choose(twig) {
    this.#chosen = twig;
    for (const [one, group] of this.#nodes) group.classList.toggle("chosen", one === twig);
    const moves = this.#twigs.path(twig);
    const frame = element("div", { class: "inset-board" });
    this.inset.hidden = false;
    fill(
      this.inset,
      frame,
      element("p", {}, moves.length ? moves.join(" ") : t("this_position")),
      element("p", { class: "quiet" }, this.#facts(twig)),
      twig.children.length ? this.#foldButton(twig) : null,
    );
    if (!moves.length) return fill(frame, picture(this.page.game.state.svg));
    const told = await this.page.game.line(moves);
    if (told && this.#chosen === twig && told.frames.length) fill(frame, picture(told.frames.at(-1).svg));
    return undefined;
  }

  #facts(twig) {
    const worth = twig.cut ? t("was_cut") : twig.value ? t("worth", { value: twig.value }) : "";
    const bounds = twig.note && this.#told.kind === "bounds" ? `(α, β) = ${twig.note}` : "";
    return [worth, bounds].filter(Boolean).join(" · ");
  }

  #foldButton(twig) {
    const words = `${twig.folded ? t("unfold") : t("fold")} (${count("nodes_below", this.#twigs.below(twig))})`;
    return element("button", { class: "plain", "data-do": "fold", onclick: () => this.#fold(twig) }, words);
  }

  #key(event) {
    if (!this.#twigs || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#chosen ?? this.#twigs.root;
    const parent = this.#twigs.parent(at);
    const beside = parent ? parent.children[parent.children.indexOf(at) + (event.key === "ArrowLeft" ? -1 : 1)] : null;
    const below = at.folded ? null : at.children[0];
    const wish = { ArrowUp: parent, ArrowDown: below, ArrowLeft: beside, ArrowRight: beside }[event.key];
    if (wish !== undefined) {
      const next = this.#chosen ? wish : at;
      if (next) {
        this.#choose(next);
        this.view.reveal(next.x, next.y);
      }
    } else if ((event.key === "Enter" || event.key === " ") && this.#chosen?.children.length) this.#fold(this.#chosen);
    else if (event.key === "+" || event.key === "=") this.view.zoom(0.7);
    else if (event.key === "-") this.view.zoom(1.4);
    else if (event.key === "0") this.#fit();
    else if (event.key === ".") this.show(this.#step + 1);
    else if (event.key === ",") this.show(this.#step - 1);
    else return;
    event.preventDefault();
  }
}

/** The line from a node to its parent, with the move. */
function branch(parent, twig) {
  const [top, bottom] = [parent.y + 0.4, twig.y - (twig.cut ? 0.3 : 0.4)];
  const near = 0.66; // the word stands nearer to the child, where lines are apart
  const left = twig.x < parent.x - 0.01;
  const x = parent.x + (twig.x - parent.x) * near + (left ? -0.1 : 0.1);
  const y = top + (twig.y - 0.4 - top) * near;
  return shape(
    "g",
    { class: twig.cut ? "branch cut" : "branch" },
    shape("line", { x1: parent.x, y1: top, x2: twig.x, y2: bottom }),
    shape("text", { x, y, "text-anchor": left ? "end" : "start", "font-size": 0.26 }, twig.move),
  );
}
