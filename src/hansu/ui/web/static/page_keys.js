// The keys of a game's page, mode by mode.

import { listen } from "./keys.js";

const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const LETTERS = { w: "up", a: "left", s: "down", d: "right" };

export function listenToKeys(page) {
  const table = { ...common(page), ...{ setup: {}, play: playing(page), analysis: analysing(page) }[page.mode] };
  const ready = (act) => (event) => (page.game.state ? act(event) : false); // before there is a board, keys do nothing
  listen(Object.fromEntries(Object.entries(table).map(([key, act]) => [key, ready(act)])), page.alive);
  const release = (event) => (event.key in ARROWS || event.key in LETTERS) && page.steer(null);
  addEventListener("keyup", release, { signal: page.alive });
  addEventListener("blur", () => page.steer(null), { signal: page.alive });
}

function common(page) {
  const { game } = page;
  const table = { b: () => page.board.focus(), m: () => page.heat.next(), x: () => page.openXray() };
  for (const [key, way] of Object.entries(ARROWS)) {
    table[key] = (event) => {
      if (event.target.closest?.("[role=slider], input, summary")) return false;
      if (page.info.steering) return page.steer(way);
      return page.board.node.contains(document.activeElement) ? false : page.board.focus();
    };
  }
  if (page.mode === "setup") return table;
  const inField = (event) => event.target.closest?.("input");
  return {
    ...table,
    ",": () => game.jump(game.state.ply - 1),
    ".": () => game.jump(game.state.ply + 1),
    Home: (event) => (inField(event) ? false : game.jump(0)),
    End: (event) => (inField(event) ? false : game.jump(game.state.plies)),
    u: () => page.undo(),
  };
}

function playing(page) {
  const { game } = page;
  const table = {
    h: () => page.hint(),
    n: () => page.again(),
    s: () => page.change(),
    w: () => page.swap(),
    a: () => page.analyseThis(),
    "]": () => game.people === 0 && game.step(),
    " ": () => (game.people === 0 ? page.machine.toggle() : false),
  };
  if (!page.info.steering) return table;
  for (const [key, way] of Object.entries(LETTERS)) table[key] = () => (game.people ? page.steer(way) : false);
  return table;
}

function analysing(page) {
  return { " ": () => page.analysis.toggle(), a: () => page.leaveAnalysis() };
}
