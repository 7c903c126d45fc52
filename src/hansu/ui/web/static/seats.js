// Over the board: who plays which side, whose turn it is, and what is going on, in one line.

import { kindOf } from "./choice.js";
import { element, fill } from "./dom.js";
import { count, inLanguage, t } from "./language.js";
import { dot } from "./picker.js";

export function seats(page) {
  const { game } = page;
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
      const name = seat.human ? (game.people === 1 ? t("you") : t("a_person")) : seat.label;
      const turn = !state.over && state.mover === i;
      const won = state.over && state.result?.winner === i;
      sides[i].classList.toggle("turn", turn);
      sides[i].classList.toggle("won", won);
      sides[i].classList.toggle("thinks", turn && game.thinkingMove);
      const words = page.mode === "analysis" ? [] : [element("span", { class: "who" }, name)];
      fill(sides[i], dot(seat.tone), element("strong", {}, inLanguage(seat.name)), words);
    });
    const { text, kind, action } = status(page);
    node.dataset.kind = kind;
    fill(line, element("span", {}, text), action ?? null);
  }

  return { node, update };
}

/** What is going on: { text, kind, action }. */
export function status(page) {
  const { game, mode } = page;
  const { state } = game;
  const task = game.task?.quiet ? null : game.task;
  if (!game.online) {
    const again = element("button", { class: "plain", onclick: () => game.retry() }, t("try_now"));
    return { text: game.full ? t("server_full") : t("connection_lost"), kind: "offline", action: again };
  }
  if (task?.compiling) return { text: t("compiling", { what: inLanguage(task.compiling) }), kind: "thinking" };
  if (task?.queued) return { text: count("queued", task.queued), kind: "thinking" };
  const plain = (words, act) => element("button", { class: "plain", onclick: act }, words);
  if (page.peeking.kept) {
    return { text: t("looking_ahead"), kind: "past", action: plain(t("return"), () => page.peeking.leave(true)) };
  }
  if (!game.atEnd && mode === "play") {
    const ways = [plain(t("return"), () => page.returnToEnd()), plain(t("from_this_on"), () => page.playFromHere())];
    return { text: t("looking_back", { ply: state.ply, plies: state.plies }), kind: "past", action: ways };
  }
  if (state.over) {
    const again = mode === "play" ? plain(t("again"), () => page.again()) : null;
    return { text: inLanguage(state.result?.text) || t("over"), kind: "over", action: again };
  }
  const seat = state.seats[state.mover];
  if (!seat) return { text: t("chance_moves"), kind: "thinking" };
  if (game.thinkingMove) {
    return { text: t("is_thinking", { who: task?.player ? kindOf(task.player) : seat.label }), kind: "thinking" };
  }
  if (task?.task === "hint") return { text: t("looking_for_hint"), kind: "thinking" };
  const turn = t("to_move", { who: inLanguage(seat.name) });
  if (mode === "analysis") return { text: turn, kind: task ? "thinking" : "turn" };
  if (seat.human) return { text: game.people === 1 ? t("your_turn") : turn, kind: "turn" };
  return { text: t("waits_for_step", { who: seat.label }), kind: "waits" };
}
