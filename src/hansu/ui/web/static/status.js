// Above the board: the players, and one status line with its action.

import { element, fill } from "./dom.js";
import { play } from "./effects.js";
import { dot } from "./form.js";
import { count, inLanguage, t } from "./language.js";
import { announce } from "./notices.js";
import { fullName, playerName } from "./setup.js";

/**
 * @import { Compiling, State } from "../messages"
 * @import { Clock } from "./clock.js"
 * @import { Children } from "./dom.js"
 * @import { Game } from "./game.js"
 * @import { Preview } from "./preview.js"
 * @import { Mode } from "./saved_game.js"
 */

/** @param {Compiling} compiling */
export function compilingText({ what }) {
  return t("compiling", { what: inLanguage(what) });
}

/**
 * The completed share, if known.
 * @param {Compiling} compiling
 */
export function compilingBar({ share }) {
  return share === null ? null : element("progress", { value: share, "aria-hidden": "true" });
}

/** @typedef {"offline" | "thinking" | "past" | "over" | "turn" | "waits"} StatusKind */

/**
 * @param {Game} game
 * @param {Mode} mode
 * @param {Preview} preview
 * @param {{ again: () => void, playFromHere: () => void, review: () => void }} commands
 * @returns {{ text: string, kind: StatusKind, action?: Children }}
 */
export function status(game, mode, preview, { again, playFromHere, review }) {
  const { state } = game;
  const task = game.task?.quiet ? null : game.task;
  /**
   * @param {string} words
   * @param {() => unknown} act
   */
  const plain = (words, act) => element("button", { class: "plain", onclick: act }, words);
  if (!game.online || !state) {
    const text = game.full ? t("server_full") : t("connection_lost");
    return { text, kind: "offline", action: plain(t("try_now"), () => game.retry()) };
  }
  if (task?.compiling) {
    return { text: compilingText(task.compiling), kind: "thinking", action: compilingBar(task.compiling) };
  }
  if (task?.queued) return { text: count("queued", task.queued), kind: "thinking" };
  if (preview.kept) {
    return { text: t("looking_ahead"), kind: "past", action: plain(t("return"), () => preview.leave(true)) };
  }
  if (!game.atEnd && mode === "play") {
    const ways = [plain(t("return"), () => game.jump(state.plies)), plain(t("from_this_on"), playFromHere)];
    return { text: t("looking_back", { ply: state.ply, plies: state.plies }), kind: "past", action: ways };
  }
  if (state.over) {
    const action = mode === "play" ? [plain(t("rematch"), again), plain(t("review_game"), review)] : null;
    return { text: [ownEnd(game), inLanguage(state.result?.text) || t("over")].join(""), kind: "over", action };
  }
  const seat = state.seats[state.mover];
  if (!seat) return { text: t("chance_moves"), kind: "thinking" };
  if (game.thinkingMove) {
    return { text: t("is_thinking", { who: playerName(game.info, task?.player ?? seat.player) }), kind: "thinking" };
  }
  if (task?.task === "hint") return { text: t("looking_for_hint"), kind: "thinking" };
  const turn = t("to_move", { who: inLanguage(seat.name) });
  if (mode === "analysis") return { text: turn, kind: task ? "thinking" : "turn" };
  if (seat.human) return { text: game.people === 1 ? t("your_turn") : turn, kind: "turn" };
  // Two machines have their own controls; a person's opponent that failed may try again.
  const action = game.people ? plain(t("try_now"), () => game.auto(true, state.pace)) : null;
  return { text: t("waits_for_step", { who: playerName(game.info, seat.player) }), kind: "waits", action };
}

/**
 * The result from the view of the only person, if there is one.
 * @param {Game} game
 */
function ownEnd({ people, state }) {
  if (people !== 1 || !state?.result || state.result.how === "too_long") return "";
  const { winner } = state.result;
  if (winner === null) return t("you_drew");
  return state.seats[winner].human ? t("you_won") : t("you_lost");
}

/**
 * Announce the new state to screen readers and in the title of the tab.
 * @param {Game} game
 * @param {Mode} mode
 * @param {string} now the status line
 * @param {string} title of the game
 */
export function announceState(game, mode, now, title) {
  const { state } = game;
  if (!state) return;
  const seat = state.seats[state.movers.at(-1) ?? -1];
  const move = state.moves.at(-1);
  const moved = grew(state) && mode === "play" && seat && move;
  if (moved || (state.over && grew(state))) play(state.over ? "end" : "move");
  const news = moved ? [t("plays", { who: inLanguage(seat.name), move }), turnedWords(before, state)] : [];
  announce([...news, now].filter(Boolean).join(". "));
  before = state;
  const wanted = game.personToMove && game.people === 1 && mode === "play";
  document.title = `${state.over || wanted ? "● " : ""}${now} · ${title}`;
}

/** @type {State | null} the previously announced state */
let before = null;

/**
 * The captured pieces of a move, in words.
 * @param {State | null} old
 * @param {State} state
 */
function turnedWords(old, { pieces, seats }) {
  if (!pieces || !old?.pieces) return "";
  const [first, second] = old.pieces;
  return [second, first]
    .map((theirs, seat) => {
      const squares = (pieces[seat] ?? []).filter((square) => theirs.includes(square));
      return squares.length ? t("turned", { who: inLanguage(seats[seat].name), squares: squares.join(", ") }) : "";
    })
    .filter(Boolean)
    .join(". ");
}

/**
 * The board in words, for screen readers.
 * @param {State} state
 */
export function boardWords({ pieces, seats, position }) {
  if (!pieces) return t("position_is", { text: position ?? "" });
  const sides = pieces.map((squares, seat) =>
    t("holds", { who: inLanguage(seats[seat].name), squares: squares.join(", ") || t("nothing") }),
  );
  return sides.join(". ");
}

/**
 * Whether this state has new moves, and is not a jump or a reopened game.
 * @param {State} state
 */
function grew(state) {
  return state.moves.length > 0 && (state.since > 0 || state.plies === 1);
}

const ROOM = 18; // characters of a name on one line

/**
 * `names`: whether the players are shown, or only the seats.
 * @param {Game} game
 * @param {{ names: boolean, clock: Clock, status: () => ReturnType<typeof status> }} more
 */
export function playerBar(game, { names, clock, status: now }) {
  const sides = [element("div", { class: "seat" }), element("div", { class: "seat right" })];
  const line = element("p", { class: "status", id: "status" });
  const node = element("div", { class: "seats" }, sides[0], line, sides[1]);

  function update() {
    const { state } = game;
    node.classList.toggle("offline", !game.online && state !== null);
    if (!state) {
      fill(line, game.online || !game.waiting ? t("opening") : t("no_server"));
      return;
    }
    state.seats.forEach((seat, i) => {
      const name = seat.human ? (game.people === 1 ? t("you") : t("a_person")) : fullName(game.info, seat.player);
      const turn = !state.over && state.mover === i;
      sides[i].classList.toggle("turn", turn);
      sides[i].classList.toggle("won", state.over && state.result?.winner === i);
      sides[i].classList.toggle("thinks", turn && game.thinkingMove);
      sides[i].classList.toggle("long", names && name.length > ROOM);
      const words = names ? element("span", { class: "who", title: name }, name) : null;
      fill(sides[i], dot(seat.tone), element("strong", {}, inLanguage(seat.name)), words, clock.faces[i]);
    });
    const { text, kind, action } = now();
    node.dataset.kind = kind;
    fill(line, element("span", {}, text), action ?? null);
  }

  return { node, update };
}
