// The beginning: which page this is, its head, and what lies over every page.

import * as address from "./address.js";
import { catalogue, gameInfo } from "./catalogue.js";
import { element, fill, find } from "./dom.js";
import { header } from "./header.js";
import { home } from "./home.js";
import { helpSheet, listen } from "./keys.js";
import { inLanguage, switchLanguage, t } from "./language.js";
import { applyMotion } from "./motion.js";
import { GamePage } from "./page.js";
import { inWords, speakers } from "./say.js";
import { applyTheme, switchTheme } from "./theme.js";

const RETRY = 2000; // milliseconds

applyTheme();
applyMotion();
const app = find("#app");
let page = null;

async function draw() {
  const wishes = address.read(location);
  const info = wishes.name ? await gameInfo(wishes.name) : null;
  const title = info ? inLanguage(info.title) : "";
  document.title = title ? `${title} · hansu` : t("page_title");
  const head = header({ title, onlanguage, ontheme: switchTheme, onhelp: helpSheet });
  if (!info) return fill(app, head, home(await catalogue()));
  if (page) page.build();
  else page = new GamePage(info, wishes);
  return fill(app, head, page.root);
}

function onlanguage() {
  switchLanguage();
  draw();
}

async function begin() {
  document.body.append(...speakers());
  listen({ "?": helpSheet, l: onlanguage, t: () => find("[data-do=theme]").click() });
  for (;;) {
    try {
      await draw();
      return;
    } catch (trouble) {
      if (!trouble.code) throw trouble;
      const [text, hint] = inWords(trouble);
      fill(app, element("main", { class: "lonely" }, element("h1", {}, text), element("p", {}, hint)));
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
}

begin();
