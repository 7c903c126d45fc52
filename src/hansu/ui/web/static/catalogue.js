// What the server has: games with their options, players and pictures. Asked for once.

import { Trouble } from "./socket.js";

let known = null;

export async function catalogue() {
  if (known === null) {
    const answer = await fetch("/api/catalogue").catch(() => null);
    if (!answer?.ok) throw new Trouble({ code: "offline" });
    known = await answer.json();
  }
  return known;
}

export async function gameInfo(name) {
  return (await catalogue()).games.find((game) => game.name === name) ?? null;
}
