// What a person takes along: the position, a link, the game as a file, the picture.

import * as address from "./address.js";
import { copy, png, save } from "./files.js";
import { t } from "./language.js";
import { note } from "./say.js";
import { isDark } from "./theme.js";

export class Souvenirs {
  constructor(page) {
    this.page = page;
  }

  async copyPosition() {
    const { position } = this.page.game.state;
    if (position === null) return note(t("too_long"));
    await copy(position);
    return note(t("copied_position"));
  }

  /** A link to this very position of this very game. */
  async copyLink() {
    const { mode, game, choice } = this.page;
    const moves = mode === "setup" ? [] : game.moves;
    const view = mode === "analysis" ? "analysis" : null;
    await copy(location.origin + address.write({ ...choice, chosen: true }, { moves, view }));
    note(t("copied_link"));
  }

  async file(format) {
    const told = await this.page.game.file(format);
    if (told) save(told.name, told.mime, told.text);
  }

  /** `kind`: "svg" or "png", in the colours of the page. */
  async picture(kind) {
    const told = await this.page.game.picture(isDark());
    if (!told) return;
    if (kind === "svg") save(told.name, "image/svg+xml", told.svg);
    else save(told.name.replace(/svg$/, "png"), "image/png", await png(told.svg));
  }
}
