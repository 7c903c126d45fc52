// The entry point: chooses the page of the address and draws it with its header.

import * as address from "./address.js";
import { catalogue, gameInfo, puzzleSet } from "./catalogue.js";
import { element, fill, find } from "./dom.js";
import { applyMotion } from "./effects.js";
import { header } from "./header.js";
import { home } from "./home.js";
import { helpSheet, listen } from "./keys.js";
import { inLanguage, switchLanguage, t } from "./language.js";
import { noticeBoards, errorText } from "./notices.js";
import { GamePage } from "./page.js";
import { applyTheme, switchTheme } from "./preferences.js";
import { PuzzlePage } from "./puzzle_page.js";
import { RequestError } from "./socket.js";

const RETRY = 2000; // milliseconds
const PUZZLES = "puzzles/";

applyTheme();
applyMotion();
const app = find("#app");
/** @type {GamePage | PuzzlePage | null} */
let page = null;

async function draw() {
  const link = address.read(location);
  if (link.name.startsWith(PUZZLES)) return drawPuzzles(link.name.slice(PUZZLES.length));
  const info = link.name ? await gameInfo(link.name) : null;
  const title = info ? inLanguage(info.title) : "";
  document.title = title ? `${title} · hansu` : t("page_title");
  const head = header({ title, onlanguage, ontheme: switchTheme, onhelp: helpSheet });
  if (!info) return fill(app, head, home(await catalogue()));
  if (page) page.build();
  else page = new GamePage(info, address.checked(link, info));
  return fill(app, head, page.root);
}

/** @param {string} name */
async function drawPuzzles(name) {
  const set = await puzzleSet(name);
  if (!set) return location.assign("/");
  document.title = `${set.title} · hansu`;
  const head = header({ title: set.title, onlanguage, ontheme: switchTheme, onhelp: helpSheet });
  if (page) page.build();
  else page = new PuzzlePage(set, (await catalogue()).games);
  return fill(app, head, page.root);
}

function onlanguage() {
  switchLanguage();
  draw();
}

async function begin() {
  document.body.append(...noticeBoards());
  listen({ "?": helpSheet, l: onlanguage, t: () => find("[data-do=theme]").click() });
  for (;;) {
    try {
      await draw();
      return;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const [text, hint] = errorText(error);
      fill(app, element("main", { class: "lonely" }, element("h1", {}, text), element("p", {}, hint)));
      await new Promise((resolve) => {
        setTimeout(resolve, RETRY);
      });
    }
  }
}

begin();
