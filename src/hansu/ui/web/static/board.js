// The board: the server's picture, and above it the targets for pointer, finger and keys.
//
//     <div class="board">  <div class="picture">  the picture, replaced for every position
//                          <svg class="over">     overlay, hints, the line of a drag, targets; in the same units

import { element, fill, picture, shape } from "./dom.js";
import { move } from "./effects.js";
import { t } from "./language.js";
import { distance, neighbour, samePoint, Touches } from "./touch.js";

/**
 * @import { Children } from "./dom.js"
 * @import { Point, Target, Touchable } from "./touch.js"
 */

/**
 * @typedef {Touchable & { action: number }} Offered a legal move on the board
 * @typedef {"up" | "down" | "left" | "right" | "stop"} Direction
 *
 * @typedef {object} BoardListener
 * @property {(move: Offered) => void} choose
 * @property {(moves: Offered[]) => void} ask the same touches could mean several moves
 * @property {(way: Direction | null) => void} steer null: released
 * @property {() => void} source a source was selected, a target has to follow
 * @property {(move: Offered | null) => void} confirm a first tap on a small board
 * @property {(point: Point) => void} missed a touch where no move is legal
 *
 * @typedef {object} Press a pressed pointer
 * @property {number} id
 * @property {number} x
 * @property {number} y
 * @property {Target<Offered> | null} target
 * @property {boolean} fresh it has selected a source
 * @property {boolean} steered
 */

const FEW = 90; // with more targets only the one under the pointer is shown
const SMALL = 26; // pixels: smaller cells need a second tap to confirm
const FINE = 20; // pixels: smaller cells get enlarged targets
const SWIPE = 22; // pixels
/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  /** @type {[number, number]} */
  #size = [1, 1];
  /** @type {Touches<Offered>} */
  #touches = new Touches([]);
  #tone = "text";
  /** @type {Point | null} the keyboard cursor */
  #cursor = null;
  /** @type {Press | null} */
  #press = null;
  /** @type {Point | null} a first tap on a small board */
  #pending = null;
  #frozen = true;
  /** @type {Map<Element, Point>} the centre of each target */
  #points = new Map();
  /** @type {Point[]} places of texts in the picture */
  #written = [];
  /** @type {Point[]} places of stones */
  #stones = [];

  /**
   * @param {{ columns: boolean, steering: boolean, label: string }} about
   * @param {BoardListener} listener
   */
  constructor({ columns, steering, label }, listener) {
    this.columns = columns;
    this.steering = steering;
    this.listener = listener;
    this.picture = element("div", { class: "picture", "aria-hidden": "true" });
    /** @param {string} name */
    const layer = (name, hidden = true) =>
      shape("g", { class: `layer ${name}`, "aria-hidden": hidden ? "true" : null });
    this.layers = {
      ground: layer("ground", false),
      draft: layer("draft"),
      heat: layer("heat"),
      hint: layer("hint"),
      drag: layer("drag"),
      targets: layer("targets", false),
    };
    this.layers.ground.append(shape("rect", { class: "ground", width: "100%", height: "100%" }));
    const layers = Object.values(this.layers);
    this.over = shape("svg", { class: "over", role: "group", "aria-label": label }, layers);
    this.node = element("div", { class: "board" }, this.picture, this.over);
    this.#listen();
  }

  /**
   * Show a picture of `width` by `height` units.
   * @param {string} text
   * @param {number} width
   * @param {number} height
   */
  show(text, width, height, { animate = true } = {}) {
    const newer = picture(text);
    newer.removeAttribute("role");
    const older = this.picture.querySelector("svg");
    this.#size = [width, height];
    this.#written = [...newer.querySelectorAll("text")].map((words) => [
      Number(words.getAttribute("x")),
      Number(words.getAttribute("y")),
    ]);
    this.#stones = [...newer.querySelectorAll(".edge:not(.tone-hole)")].map((stone) => [
      Number(stone.getAttribute("cx")),
      Number(stone.getAttribute("cy")),
    ]);
    this.over.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.node.style.aspectRatio = `${width} / ${height}`;
    document.documentElement.style.setProperty("--shape", String(width / height)); // the page layout depends on it
    this.picture.append(newer);
    if (animate && older) move(older, newer, { falling: this.columns });
    older?.remove();
  }

  /**
   * Offer these legal moves; `tone` is the colour of the mover's pieces. No moves: the board is read-only.
   * @param {Offered[]} choices
   */
  offer(choices, tone = "text") {
    const focused = this.layers.targets.contains(document.activeElement);
    this.#touches = new Touches(choices, this.columns);
    this.#tone = tone;
    this.#frozen = choices.length === 0;
    this.#pending = null;
    this.#press = null;
    this.node.classList.toggle("open", !this.#frozen);
    this.node.classList.toggle("dragged", this.steering || this.#touches.ways.some(({ points }) => points.length > 1));
    this.#drawTargets();
    if (focused && !this.#frozen) this.focus();
  }

  /**
   * A ring around the points of a move.
   * @param {Touchable | null} choice
   */
  hint(choice) {
    fill(this.layers.hint, choice ? path(choice, "hinted") : []);
  }

  /**
   * Shapes of the overlay.
   * @param {Children} shapes
   */
  heat(shapes) {
    fill(this.layers.heat, shapes);
    this.node.classList.toggle("heated", this.layers.heat.hasChildNodes());
  }

  /**
   * Shapes of a position in the editor, which hide the picture.
   * @param {Children} shapes
   */
  draft(shapes) {
    fill(this.layers.draft, shapes);
    this.node.classList.toggle("drafted", this.layers.draft.hasChildNodes());
  }

  focus() {
    const targets = this.#touches.targets;
    if (!targets.length) return;
    const here = this.#here;
    const nearest = targets.reduce((a, b) => (distance(a.point, here) <= distance(b.point, here) ? a : b));
    this.#moveCursor(nearest.point);
  }

  /** Deselect the source; false if nothing was selected. */
  cancel() {
    if (!this.#touches.cancel() && !this.#pending) return false;
    this.#pending = null;
    this.#drawTargets();
    return true;
  }

  /**
   * The keyboard cursor, or the middle of the board.
   * @returns {Point}
   */
  get #here() {
    return this.#cursor ?? [this.#size[0] / 2, this.#size[1] / 2];
  }

  // Drawing.

  #drawTargets() {
    const { targets, asides, chosen } = this.#touches;
    const all = [...targets, ...asides];
    this.node.classList.toggle("few", all.length <= FEW);
    this.node.classList.toggle("second", chosen.length > 0);
    const cursor = this.#cursor;
    if (cursor && !all.some(({ point }) => samePoint(point, cursor))) this.#cursor = null;
    const tabbed = this.#cursor ?? all[0]?.point;
    this.#points.clear();
    fill(
      this.layers.targets,
      chosen.map(([x, y]) => circle("source", x, y, 0.46 * this.#large)),
      all.map((target) => this.#target(target, tabbed)),
    );
    fill(this.layers.drag);
  }

  /**
   * @param {Target<Offered>} target
   * @param {Point} tabbed
   */
  #target(target, tabbed) {
    const [x, y] = target.point;
    const moves = target.choices.map((choice) => choice.move);
    const label = target.done.length
      ? t("play_move", { move: target.done[0].move })
      : t("from_here", { moves: moves.slice(0, 6).join(", ") + (moves.length > 6 ? " …" : "") });
    // A new stone: its ghost and a dot. An occupied place: a ring around it.
    const single = target.choices[0].touch.length === 1;
    const large = this.#large;
    /** @param {Point[]} places */
    const isAt = (places) => places.some((place) => distance(place, target.point) < 0.3);
    const state = target.done.length ? "done" : target.back && !isAt(this.#stones) ? "far" : "";
    const dot = single
      ? [circle(`ghost tone-${this.#tone}`, x, y, 0.36 * large), circle("dot", x, y, 0.09 * large)]
      : [circle("dot ringed", x, y, (target.done.length ? 0.28 : 0.44) * large)];
    const group = shape(
      "g",
      {
        class: ["target", state, isAt(this.#written) ? "written" : ""].filter(Boolean).join(" "),
        role: "button",
        tabindex: samePoint(target.point, tabbed) ? 0 : -1,
        "aria-label": label,
        "data-move": target.done.length ? target.done[0].move : null,
        "data-point": `${x},${y}`,
      },
      ...dot,
      circle("reach", x, y, 0.46 * large),
    );
    this.#points.set(group, target.point);
    return group;
  }

  /** @param {Target<Offered> | null} target */
  #light(target) {
    for (const [node, point] of this.#points) {
      node.classList.toggle("lit", target !== null && samePoint(point, target.point));
    }
    this.node.classList.toggle("pointing", Boolean(target));
  }

  // Touching.

  /** @param {Target<Offered>} target */
  #touch(target) {
    this.#pending = null;
    const done = this.#touches.touch(target);
    if (done.length === 1) {
      this.#cursor = target.point;
      this.listener.choose(done[0]);
    } else if (done.length > 1) {
      this.listener.ask(done);
    } else {
      this.listener.source();
    }
    this.#drawTargets();
  }

  #listen() {
    const { over } = this;
    over.addEventListener("pointerdown", (event) => this.#down(event));
    over.addEventListener("pointermove", (event) => this.#moved(event));
    over.addEventListener("pointerup", (event) => this.#up(event));
    over.addEventListener("pointercancel", () => this.#release());
    over.addEventListener("pointerleave", () => {
      if (!this.#press) this.#light(null);
    });
    over.addEventListener("keydown", (event) => this.#key(event));
    // A click without a pointer comes from assistive technology.
    over.addEventListener("click", (event) => {
      const byPointer = event instanceof PointerEvent && event.pointerId === 1;
      if (event.detail === 0 && !byPointer && !this.#press) this.#touchNode(event.target);
    });
    over.addEventListener("contextmenu", (event) => {
      if (this.cancel()) event.preventDefault();
    });
  }

  /**
   * Touch the target that contains a node of the page; false if none does.
   * @param {EventTarget | null} inside
   */
  #touchNode(inside) {
    const node = inside instanceof Element ? inside.closest(".target") : null;
    const point = node && this.#points.get(node);
    if (!point) return false;
    const target = [...this.#touches.targets, ...this.#touches.asides].find((one) => samePoint(one.point, point));
    if (target) this.#touch(target);
    return true;
  }

  /**
   * The pointer's position in board units.
   * @param {PointerEvent} event
   * @returns {Point}
   */
  #place(event) {
    const matrix = this.over.getScreenCTM();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix?.inverse());
    return [point.x, point.y];
  }

  get #cell() {
    return this.over.getBoundingClientRect().width / this.#size[0];
  }

  /** On a board with tiny cells the targets are larger than the cells. */
  get #large() {
    return Math.max(1, FINE / (this.#cell || FINE));
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #near(x, y) {
    return this.#touches.near(x, y, 0.62 * this.#large);
  }

  /**
   * @param {PointerEvent} event
   * @returns {void}
   */
  #down(event) {
    if (event.button !== 0 || (this.#press && this.#press.id !== event.pointerId)) return;
    const [x, y] = this.#place(event);
    const target = this.#frozen ? null : this.#near(x, y);
    this.#press = { id: event.pointerId, x: event.clientX, y: event.clientY, target, fresh: false, steered: false };
    if (this.steering) return this.over.setPointerCapture(event.pointerId);
    if (this.#frozen) return;
    if (!target) {
      if (this.#touches.chosen.some((point) => distance(point, [x, y]) < 0.5)) return;
      // A touch elsewhere deselects the source; it may select another one.
      this.cancel();
      if (this.#near(x, y)) this.#down(event);
      else this.listener.missed([x, y]);
      return;
    }
    if (!target.done.length) {
      this.over.setPointerCapture(event.pointerId);
      this.#touch(target);
      this.#press.fresh = true;
    }
  }

  /** @param {PointerEvent} event */
  #moved(event) {
    const press = this.#press;
    if (press && this.steering) {
      this.#swipe(event, press);
      return;
    }
    if (this.#frozen) return;
    const [x, y] = this.#place(event);
    const target = this.#near(x, y);
    if (event.pointerType !== "touch" || press) this.#light(target);
    const [source] = this.#touches.chosen.slice(-1);
    if (source && (press || event.pointerType === "mouse")) {
      const [toX, toY] = target ? target.point : [x, y];
      fill(this.layers.drag, shape("line", { x1: source[0], y1: source[1], x2: toX, y2: toY }));
    }
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const press = this.#press;
    this.#press = null;
    if (!press || press.id !== event.pointerId || this.#frozen) return;
    if (this.steering && press.steered) {
      this.listener.steer(null);
      return;
    }
    const [x, y] = this.#place(event);
    const target = this.#near(x, y);
    if (press.fresh) {
      // A drag from the source that ends on a target plays the move.
      const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > 8;
      if (far && target) this.#touch(target);
      return;
    }
    if (target && press.target && samePoint(target.point, press.target.point)) {
      if (event.pointerType === "touch" && this.#cell < SMALL && !this.columns && !this.#confirmed(target)) return;
      this.#touch(target);
      return;
    }
    // A second touch of the source deselects it.
    if (!target && this.#touches.chosen.some((point) => distance(point, [x, y]) < 0.5)) this.cancel();
  }

  /**
   * On a small board the first tap only marks the target.
   * @param {Target<Offered>} target
   */
  #confirmed(target) {
    if (this.#pending && samePoint(this.#pending, target.point)) return true;
    this.#pending = target.point;
    this.#light(target);
    this.listener.confirm(target.done[0] ?? null);
    return false;
  }

  /**
   * @param {PointerEvent} event
   * @param {Press} press
   */
  #swipe(event, press) {
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE) return;
    press.steered = true;
    [press.x, press.y] = [event.clientX, event.clientY];
    this.listener.steer(Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "right" : "left") : dy > 0 ? "down" : "up");
  }

  #release() {
    if (this.steering && this.#press?.steered) this.listener.steer(null);
    this.#press = null;
    this.#light(null);
  }

  // Keys.

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.#frozen) return;
    if (event.key in ARROWS && !this.steering) {
      const all = [...this.#touches.targets, ...this.#touches.asides];
      const next = neighbour(all, this.#here, ...ARROWS[event.key]);
      if (next) this.#moveCursor(next.point);
    } else if (event.key === "Enter" || event.key === " ") {
      const again = this.#touches.chosen.length === 0;
      if (event.repeat || !this.#touchNode(event.target)) return;
      if (again && this.#touches.chosen.length) this.focus(); // for the second touch
    } else if (event.key === "Escape") {
      if (!this.cancel()) return;
      this.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Point} point */
  #moveCursor(point) {
    this.#cursor = point;
    for (const [node, place] of this.#points) {
      const here = samePoint(place, point);
      node.setAttribute("tabindex", here ? "0" : "-1");
      if (here && node instanceof SVGElement) node.focus({ preventScroll: true });
    }
  }
}

/**
 * @param {string} name
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function circle(name, x, y, r) {
  return shape("circle", { class: name, cx: x, cy: y, r });
}

/**
 * Rings around the points of a move, connected by a line.
 * @param {Touchable} choice
 * @param {string} name
 */
function path(choice, name) {
  const points = choice.touch;
  /** @type {SVGElement[]} */
  const shapes = points.map(([x, y]) => circle(`${name} ring`, x, y, 0.46));
  if (points.length > 1) {
    const corners = points.map(([x, y]) => `${x},${y}`).join(" ");
    shapes.unshift(shape("polyline", { class: `${name} way`, points: corners }));
  }
  return shapes;
}
