// Deep links: what the address says of a game, and the address that says it.
//
//     /connect_four?first=human&second=solver:…&time=2&width=8&start=…&moves=4,4,3&view=analysis
//
// Keys that are not ours are options of the game.

const OURS = ["first", "second", "time", "depth", "nodes", "start", "moves", "auto", "pace", "view"];

/** The wishes in an address. A field that was not given is null. */
export function read(location) {
  const name = decodeURIComponent(location.pathname.replace(/^\/+|\/+$/g, ""));
  const query = new URLSearchParams(location.search);
  const wishes = { name, options: {} };
  for (const key of OURS) wishes[key] = query.get(key);
  for (const [key, value] of query) if (!OURS.includes(key)) wishes.options[key] = value;
  for (const key of ["time", "depth", "nodes", "pace"]) {
    const number = Number(wishes[key]);
    wishes[key] = wishes[key] === null || wishes[key] === "" || !Number.isFinite(number) ? null : number;
  }
  wishes.auto = wishes.auto === null ? null : wishes.auto !== "false" && wishes.auto !== "0";
  wishes.moves = wishes.moves ? wishes.moves.split(",") : [];
  return wishes;
}

/** The address of a choice (see choice.js), with its moves where a game in the middle is meant. */
export function write(choice, { moves = [], view = null } = {}) {
  const query = new URLSearchParams();
  if (choice.chosen) {
    query.set("first", choice.first);
    query.set("second", choice.second);
  }
  for (const key of ["time", "depth", "nodes"]) if (choice.limit[key] !== null) query.set(key, choice.limit[key]);
  for (const [key, value] of Object.entries(choice.options)) query.set(key, value);
  if (choice.start !== "start") query.set("start", choice.start);
  if (moves.length) query.set("moves", moves.join(","));
  if (!choice.auto) query.set("auto", "false");
  if (choice.pace) query.set("pace", choice.pace);
  if (view) query.set("view", view);
  // These may stand in a query as they are, and read better so.
  const plain = { "%3A": ":", "%2C": ",", "%2F": "/", "%3D": "=" };
  const text = query.toString().replace(/%(3A|2C|2F|3D)/g, (code) => plain[code]);
  return `/${choice.name}${text ? `?${text}` : ""}`;
}
