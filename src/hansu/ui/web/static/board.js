// The board: the server's picture, and over it the points that can be touched, by pointer, finger or keys.
//
//     <div class="board">  <div class="picture">  the picture, replaced with every position
//                          <svg class="over">     heat, hints, the line of a drag, targets; in the same units
//
// Events: "choose" (a move), "ask" (several moves that the same touches mean), "steer" (up, down, left, right),
// "touched" (a source was chosen or given up).

import { element, fill, picture, shape } from "./dom.js";
import { t } from "./language.js";
import { move } from "./motion.js";
import { distance, neighbour, samePoint, Touches } from "./touch.js";

const FEW = 90; // with more points than this only the one under the pointer is shown
const SMALL = 26; // pixels: a finger cannot be sure of a smaller cell, so a second tap confirms
const FINE = 20; // pixels: smaller cells than this get larger targets
const SWIPE = 22; // pixels
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board extends EventTarget {
  #size = [1, 1];
  #touches = new Touches([]);
  #tone = "text";
  #cursor = null; // the point that the keys are at
  #press = null; // a pointer that is down: { id, x, y, source, fresh, steered }
  #pending = null; // a first tap on a small board
  #frozen = true;

  constructor({ lanes = false, steering = false, label = "" } = {}) {
    super();
    this.lanes = lanes;
    this.steering = steering;
    this.picture = element("div", { class: "picture", "aria-hidden": "true" });
    this.layers = {};
    this.over = shape("svg", { class: "over", role: "group", "aria-label": label });
    for (const name of ["ground", "draft", "heat", "hint", "drag", "targets"]) {
      this.layers[name] = shape("g", { class: `layer ${name}` });
      this.over.append(this.layers[name]);
    }
    this.layers.ground.append(shape("rect", { class: "ground", width: "100%", height: "100%" }));
    for (const name of ["draft", "heat", "hint", "drag"]) this.layers[name].setAttribute("aria-hidden", "true");
    this.node = element("div", { class: "board" }, this.picture, this.over);
    this.#listen();
  }

  /** Show a picture of `width` by `height` units. */
  show(text, width, height, { animate = true } = {}) {
    const newer = picture(text);
    newer.removeAttribute("role");
    const older = this.picture.firstElementChild;
    this.#size = [width, height];
    this.over.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.node.style.aspectRatio = `${width} / ${height}`;
    this.node.style.setProperty("--shape", width / height);
    this.picture.append(newer);
    if (animate) move(older, newer, { lanes: this.lanes });
    older?.remove();
  }

  get svg() {
    return this.picture.firstElementChild;
  }

  /** The moves that may be made now, for a mover whose pieces have this tone; none: only looking. */
  offer(choices, tone = "text") {
    const focused = this.layers.targets.contains(document.activeElement);
    this.#touches = new Touches(choices, this.lanes);
    this.#tone = tone;
    this.#frozen = choices.length === 0;
    this.#pending = null;
    this.#press = null;
    this.node.classList.toggle("open", !this.#frozen);
    this.node.classList.toggle("dragged", this.steering || this.#touches.ways.some(({ points }) => points.length > 1));
    this.#drawTargets();
    if (focused && !this.#frozen) this.focus();
  }

  /** A ring around the points of a move. */
  hint(choice) {
    fill(this.layers.hint, choice ? path(choice, "hinted") : []);
  }

  /** Shapes for the layer of heat. */
  glow(shapes) {
    fill(this.layers.heat, shapes);
  }

  /** Shapes that hide the picture: a position that is being set up. */
  draft(shapes) {
    fill(this.layers.draft, shapes);
  }

  focus() {
    const targets = this.#touches.targets;
    if (!targets.length) return;
    const here = this.#cursor ?? [this.#size[0] / 2, this.#size[1] / 2];
    const nearest = targets.reduce((a, b) => (distance(a.point, here) <= distance(b.point, here) ? a : b));
    this.#moveCursor(nearest.point);
  }

  cancel() {
    if (!this.#touches.cancel() && !this.#pending) return false;
    this.#pending = null;
    this.#drawTargets();
    this.#tell("touched", null);
    return true;
  }

  // Drawing.

  #drawTargets() {
    const { targets, asides, chosen } = this.#touches;
    const all = [...targets, ...asides];
    this.node.classList.toggle("few", all.length <= FEW);
    this.node.classList.toggle("second", chosen.length > 0);
    if (!all.some(({ point }) => this.#cursor && samePoint(point, this.#cursor))) this.#cursor = null;
    const tabbed = this.#cursor ?? all[0]?.point;
    fill(
      this.layers.targets,
      chosen.map(([x, y]) => circle("source", x, y, 0.46 * this.#large)),
      all.map((target) => this.#target(target, tabbed)),
    );
    fill(this.layers.drag);
  }

  #target(target, tabbed) {
    const [x, y] = target.point;
    const moves = target.choices.map((choice) => choice.move);
    const label = target.done.length
      ? t("play_move", { move: target.done[0].move })
      : t("from_here", { moves: moves.slice(0, 6).join(", ") + (moves.length > 6 ? " …" : "") });
    // Where a stone is put: its ghost and a dot. Where there is something already: a ring around it.
    const single = target.choices[0].touch.length === 1;
    const large = this.#large;
    const dot = single
      ? [circle(`ghost tone-${this.#tone}`, x, y, 0.36 * large), circle("dot", x, y, 0.09 * large)]
      : [circle("dot ringed", x, y, (target.done.length ? 0.28 : 0.44) * large)];
    const group = shape(
      "g",
      {
        class: `target${target.done.length ? " done" : ""}${target.back && !target.done.length ? " far" : ""}`,
        role: "button",
        tabindex: samePoint(target.point, tabbed) ? 0 : -1,
        "aria-label": label,
        "data-move": target.done.length ? target.done[0].move : null,
        "data-point": `${x},${y}`,
      },
      ...dot,
      circle("reach", x, y, 0.46 * large),
    );
    group.point = target.point;
    return group;
  }

  #node(point) {
    return [...this.layers.targets.querySelectorAll(".target")].find((node) => samePoint(node.point, point)) ?? null;
  }

  #light(target) {
    for (const node of this.layers.targets.querySelectorAll(".target.lit")) node.classList.remove("lit");
    if (target) this.#node(target.point)?.classList.add("lit");
    this.node.classList.toggle("pointing", Boolean(target));
  }

  // Touching.

  #touch(target) {
    this.#pending = null;
    const done = this.#touches.touch(target);
    if (done.length === 1) {
      this.#cursor = target.point;
      this.#tell("choose", done[0]);
    } else if (done.length > 1) {
      this.#tell("ask", done);
    } else {
      this.#tell("touched", target.point);
    }
    this.#drawTargets();
  }

  #listen() {
    const { over } = this;
    over.addEventListener("pointerdown", (event) => this.#down(event));
    over.addEventListener("pointermove", (event) => this.#moved(event));
    over.addEventListener("pointerup", (event) => this.#up(event));
    over.addEventListener("pointercancel", () => this.#release());
    over.addEventListener("pointerleave", () => !this.#press && this.#light(null));
    over.addEventListener("keydown", (event) => this.#key(event));
    // A click that no pointer made comes from a screen reader or another aid.
    over.addEventListener("click", (event) => {
      const node = event.target.closest(".target");
      if (event.detail === 0 && event.pointerId !== 1 && node && !this.#press) this.#touchPoint(node.point);
    });
    over.addEventListener("contextmenu", (event) => this.cancel() && event.preventDefault());
  }

  #touchPoint(point) {
    const target = [...this.#touches.targets, ...this.#touches.asides].find((one) => samePoint(one.point, point));
    if (target) this.#touch(target);
    return Boolean(target);
  }

  #place(event) {
    const matrix = this.over.getScreenCTM();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  }

  get #cell() {
    return this.over.getBoundingClientRect().width / this.#size[0];
  }

  /** On a very fine board what is touched has to be larger than its cell. */
  get #large() {
    return Math.max(1, FINE / (this.#cell || FINE));
  }

  #near(x, y) {
    return this.#touches.near(x, y, 0.62 * this.#large);
  }

  #down(event) {
    if (event.button !== 0 || (this.#press && this.#press.id !== event.pointerId)) return;
    const [x, y] = this.#place(event);
    const target = this.#frozen ? null : this.#near(x, y);
    this.#press = { id: event.pointerId, x: event.clientX, y: event.clientY, target, fresh: false, steered: false };
    if (this.steering) return this.over.setPointerCapture(event.pointerId);
    if (this.#frozen) return undefined;
    const chosen = this.#touches.chosen;
    if (!target) {
      if (!chosen.some((point) => distance(point, [x, y]) < 0.5)) {
        this.cancel();
        // A touch elsewhere gives up the source; it may be another source at once.
        const again = this.#near(x, y);
        if (again) return this.#down(event);
      }
      return undefined;
    }
    if (!target.done.length) {
      this.over.setPointerCapture(event.pointerId);
      this.#touch(target);
      this.#press.fresh = true;
    }
    return undefined;
  }

  #moved(event) {
    const press = this.#press;
    if (press && this.steering) return this.#swipe(event, press);
    if (this.#frozen) return undefined;
    const [x, y] = this.#place(event);
    const target = this.#near(x, y);
    if (event.pointerType !== "touch" || press) this.#light(target);
    const [source] = this.#touches.chosen.slice(-1);
    if (source && (press || event.pointerType === "mouse")) {
      const [toX, toY] = target ? target.point : [x, y];
      fill(this.layers.drag, shape("line", { x1: source[0], y1: source[1], x2: toX, y2: toY }));
    }
    return undefined;
  }

  #up(event) {
    const press = this.#press;
    this.#press = null;
    if (!press || press.id !== event.pointerId || this.#frozen) return;
    if (this.steering && press.steered) return this.#tell("steer", null);
    const [x, y] = this.#place(event);
    const target = this.#near(x, y);
    if (press.fresh) {
      // Drawn from the source to somewhere: a drag that ends on a target makes the move.
      const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > 8;
      if (far && target) this.#touch(target);
      return;
    }
    if (target && press.target && samePoint(target.point, press.target.point)) {
      if (event.pointerType === "touch" && this.#cell < SMALL && !this.lanes && !this.#confirmed(target)) return;
      this.#touch(target);
      return;
    }
    // A second touch of the source gives it up.
    if (!target && this.#touches.chosen.some((point) => distance(point, [x, y]) < 0.5)) this.cancel();
  }

  /** On a small board the first tap only shows where the stone would be. */
  #confirmed(target) {
    if (this.#pending && samePoint(this.#pending, target.point)) return true;
    this.#pending = target.point;
    this.#light(target);
    this.#tell("confirm", target.done[0] ?? null);
    return false;
  }

  #swipe(event, press) {
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE) return;
    press.steered = true;
    [press.x, press.y] = [event.clientX, event.clientY];
    this.#tell("steer", Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "right" : "left") : dy > 0 ? "down" : "up");
  }

  #release() {
    if (this.steering && this.#press?.steered) this.#tell("steer", null);
    this.#press = null;
    this.#light(null);
  }

  // Keys.

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#frozen) return;
    if (event.key in ARROWS && !this.steering) {
      const from = this.#cursor ?? [this.#size[0] / 2, this.#size[1] / 2];
      const all = [...this.#touches.targets, ...this.#touches.asides];
      const next = neighbour(all, from, ...ARROWS[event.key]);
      if (next) this.#moveCursor(next.point);
    } else if (event.key === "Enter" || event.key === " ") {
      const node = event.target.closest(".target");
      if (!node || event.repeat) return;
      const again = this.#touches.chosen.length === 0;
      this.#touchPoint(node.point);
      if (again && this.#touches.chosen.length) this.focus(); // on to the second touch
    } else if (event.key === "Escape") {
      if (!this.cancel()) return;
      this.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #moveCursor(point) {
    this.#cursor = point;
    for (const node of this.layers.targets.querySelectorAll(".target")) {
      const here = samePoint(node.point, point);
      node.setAttribute("tabindex", here ? 0 : -1);
      if (here) node.focus({ preventScroll: true });
    }
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function circle(name, x, y, r) {
  return shape("circle", { class: name, cx: x, cy: y, r });
}

/** The points of a move, ringed, with a line where there are two. */
export function path(choice, name) {
  const points = choice.touch;
  const shapes = points.map(([x, y]) => circle(`${name} ring`, x, y, 0.46));
  if (points.length > 1) {
    const corners = points.map(([x, y]) => `${x},${y}`).join(" ");
    shapes.unshift(shape("polyline", { class: `${name} way`, points: corners }));
  }
  return shapes;
}
