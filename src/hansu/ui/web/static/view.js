// A view of a large drawing: drag to move it, wheel, pinch or keys to come nearer.

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

export class View {
  /** @type {Map<number, PointerEvent>} */
  #pointers = new Map();
  /** @type {Box} */
  #box = { x: 0, y: 0, width: 10, height: 10 };

  /** @param {SVGSVGElement} svg */
  constructor(svg) {
    this.svg = svg;
    /** @param {WheelEvent} event */
    const wheel = (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0015), event.clientX, event.clientY);
    };
    svg.addEventListener("wheel", wheel, { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#pointers.set(event.pointerId, event));
    svg.addEventListener("pointermove", (event) => this.#moved(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) {
      svg.addEventListener(name, (event) => this.#released(event));
    }
    this.dragged = false; // was the last press a drag and no click?
    this.moved = false; // has somebody chosen what to look at?
  }

  /** @param {PointerEvent} event */
  #released(event) {
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size) return;
    setTimeout(() => {
      this.dragged = false;
    });
  }

  /**
   * Show this part of the drawing whole.
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  fit(x, y, width, height) {
    this.moved = false;
    const shape = (this.svg.clientWidth || 1) / (this.svg.clientHeight || 1);
    const [wide, high] = [Math.max(width, height * shape), Math.max(height, width / shape)];
    this.#set({ x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high });
  }

  /**
   * @param {number} factor
   * @param {number | null} clientX
   * @param {number | null} clientY
   */
  zoom(factor, clientX = null, clientY = null) {
    this.moved = true;
    const box = this.#box;
    const wide = Math.min(Math.max(box.width * factor, 4), 4000);
    const real = wide / box.width;
    const rect = this.svg.getBoundingClientRect();
    const fx = clientX === null ? 0.5 : (clientX - rect.left) / rect.width; // this point stays where it is
    const fy = clientY === null ? 0.5 : (clientY - rect.top) / rect.height;
    const [x, y] = [box.x + box.width * fx * (1 - real), box.y + box.height * fy * (1 - real)];
    this.#set({ x, y, width: wide, height: box.height * real });
  }

  /**
   * Bring a point into sight, with a little room around it.
   * @param {number} x
   * @param {number} y
   */
  reveal(x, y) {
    const box = { ...this.#box };
    const [roomX, roomY] = [box.width * 0.15, box.height * 0.15];
    box.x = Math.min(Math.max(box.x, x - box.width + roomX), x - roomX);
    box.y = Math.min(Math.max(box.y, y - box.height + roomY), y - roomY);
    this.#set(box);
  }

  /** @param {PointerEvent} event */
  #moved(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.#pointers.values()].filter((one) => one.pointerId !== event.pointerId);
    if (others.length === 1) {
      const [other] = others;
      /** @param {PointerEvent} one */
      const span = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      const [x, y] = [(event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2];
      this.zoom(span(before) / Math.max(span(event), 1), x, y);
    } else {
      const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
      if (!this.dragged && Math.hypot(dx, dy) < 4) return;
      const scale = this.#box.width / (this.svg.clientWidth || 1);
      this.#set({ ...this.#box, x: this.#box.x - dx * scale, y: this.#box.y - dy * scale });
    }
    this.dragged = this.moved = true;
    this.#pointers.set(event.pointerId, event);
  }

  /** @param {Box} box */
  #set(box) {
    this.#box = box;
    this.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  }
}
