// Motion and sound: how the board changes from one position to the next.

import { preference, setPreference } from "./preferences.js";

/** @typedef {{ node: SVGGraphicsElement, x: number, y: number, tone: string }} Stone */

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const TIME = 200;

export function moving() {
  const choice = preference("motion");
  return choice ? choice === "on" : !calm.matches;
}

/** @param {boolean} on */
export function setMoving(on) {
  setPreference("motion", on ? "on" : "off");
  applyMotion();
}

/** For the transitions of the style sheet. */
export function applyMotion() {
  document.documentElement.dataset.motion = moving() ? "on" : "off";
}

calm.addEventListener("change", applyMotion);

/**
 * Animate from the older to the newer picture; both are in the page. `falling`: stones fall into their places.
 * @param {SVGSVGElement} older
 * @param {SVGSVGElement} newer
 */
export function move(older, newer, { falling = false, time = TIME } = {}) {
  if (!moving() || document.hidden) return;
  const named = slideNamed(older, newer, time);
  const before = stones(older);
  const after = stones(newer);
  if (Math.abs(before.size - after.size) > 40) return; // a different board
  const added = [];
  const turned = [];
  for (const [place, stone] of after) {
    const was = before.get(place);
    if (named.has(stone.node)) continue;
    if (!was || (was.tone === "hole" && stone.tone !== "hole")) added.push(stone);
    else if (was.tone !== stone.tone && stone.tone !== "hole") turned.push(stone);
  }
  if (added.length > 8) return;
  const gone = [...before].filter(([place]) => !after.has(place)).map(([, stone]) => stone);
  if (added.length) late(newer, falling ? 1.6 * time : time);
  for (const stone of added) {
    const source = gone.find((one) => one.tone === stone.tone && !named.has(one.node));
    if (source) slide(stone.node, source.x - stone.x, source.y - stone.y, time);
    else if (falling) slide(stone.node, 0, -stone.y, time * 1.6, "cubic-bezier(.45, 0, .9, .6)");
    else grow(stone.node, time);
  }
  for (const stone of turned) grow(stone.node, time);
}

/**
 * @param {SVGSVGElement} older
 * @param {SVGSVGElement} newer
 * @param {number} time
 */
function slideNamed(older, newer, time) {
  /** @type {Set<Element>} */
  const moved = new Set();
  for (const group of newer.querySelectorAll("g")) {
    const { name } = group.dataset;
    const was = name ? [...older.querySelectorAll("g")].find((one) => one.dataset.name === name) : null;
    if (!was) continue;
    for (const node of [...group.querySelectorAll("*"), ...was.querySelectorAll("*")]) moved.add(node);
    const [a, b] = [was.getBBox(), group.getBBox()];
    const [dx, dy] = [a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2];
    const far = Math.abs(dx) + Math.abs(dy);
    if (far > 0.01 && far < 2) slide(group, dx, dy, time, "linear"); // farther: it was moved home by the game
  }
  return moved;
}

/** @param {SVGSVGElement} picture */
function stones(picture) {
  /** @type {Map<string, Stone>} */
  const places = new Map();
  for (const node of picture.querySelectorAll(".edge")) {
    if (!(node instanceof SVGGraphicsElement)) continue;
    const box = node.getBBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    places.set(`${x.toFixed(2)} ${y.toFixed(2)}`, { node, x, y, tone: tone(node) });
  }
  return places;
}

/**
 * @param {SVGElement} node
 * @param {number} dx
 * @param {number} dy
 * @param {number} time
 */
function slide(node, dx, dy, time, easing = "ease-out") {
  node.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: time, easing });
}

/**
 * @param {SVGElement} node
 * @param {number} time
 */
function grow(node, time) {
  node.style.transformBox = "fill-box";
  node.style.transformOrigin = "center";
  const frames = [{ transform: "scale(.5)", opacity: 0.2 }, { transform: "none", opacity: 1 }];
  node.animate(frames, { duration: time, easing: "ease-out" });
}

/**
 * Show the ring of the last move after its stone has arrived.
 * @param {SVGSVGElement} picture
 * @param {number} time
 */
function late(picture, time) {
  for (const ring of picture.querySelectorAll(".stroke-last")) {
    ring.animate([{ opacity: 0 }, { opacity: 0, offset: 0.9 }, { opacity: 1 }], { duration: time });
  }
}

/**
 * The tone of a stone is the first of its classes: `tone-first edge`.
 * @param {SVGElement} node
 */
function tone(node) {
  return node.classList[0].replace("tone-", "");
}

/** @type {AudioContext | null} */
let context = null;

export function sounding() {
  return preference("sound") === "on";
}

export function switchSound() {
  setPreference("sound", sounding() ? "off" : "on");
  play("move");
}

/** @type {Record<"move" | "end", [frequency: number, seconds: number][]>} */
const TONES = { move: [[520, 0.06]], end: [[520, 0.12], [390, 0.25]] };

/** @param {"move" | "end"} what */
export function play(what) {
  if (!sounding()) return;
  context ??= new AudioContext();
  let at = context.currentTime;
  for (const [frequency, seconds] of TONES[what]) {
    const oscillator = context.createOscillator();
    const loudness = context.createGain();
    oscillator.type = "triangle";
    oscillator.frequency.value = frequency;
    loudness.gain.setValueAtTime(0.2, at);
    loudness.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    oscillator.connect(loudness).connect(context.destination);
    oscillator.start(at);
    oscillator.stop(at + seconds);
    at += seconds;
  }
}
