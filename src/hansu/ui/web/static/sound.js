// Sounds by choice: a stone that is put down, the end of a game. Made by the browser, so there is nothing to load.

import { preference, setPreference } from "./preferences.js";

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
    const tone = context.createOscillator();
    const loudness = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = frequency;
    loudness.gain.setValueAtTime(0.2, at);
    loudness.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    tone.connect(loudness).connect(context.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += seconds;
  }
}
