// What people call players and their settings: "Level 3", "Alpha-beta · look-ahead 4".

import { inLanguage, t } from "./language.js";
import { readSpec } from "./setup.js";

/** @import { GameInfo, PlayerInfo } from "./catalogue.js" */

/**
 * Who a spec names. Without its settings, where there is little room.
 * @param {GameInfo} info
 * @param {string} spec
 */
export function playerName(info, spec) {
  const { kind, settings } = readSpec(spec);
  const player = info.players.find((one) => one.kind === kind);
  const number = settings[""] ?? settings.strength;
  if (kind === "level" && number) return t("level", { number });
  return player ? inLanguage(player.title) : kind;
}

/**
 * The same with what was set.
 * @param {GameInfo} info
 * @param {string} spec
 */
export function fullName(info, spec) {
  const { kind, settings } = readSpec(spec);
  const player = info.players.find((one) => one.kind === kind);
  return [playerName(info, spec), ...settingWords(player, settings)].join(" · ");
}

/**
 * What differs from the defaults.
 * @param {PlayerInfo | undefined} player
 * @param {Record<string, string>} settings
 */
export function settingWords(player, settings) {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!name || name === "strength") return []; // a level's number is in its name
    const option = player?.options.find((one) => one.name === name);
    if (!option) return [`${name} ${value}`];
    const title = inLanguage(option.title);
    if (option.kind === "bool") return [value === "true" ? title : t("without", { what: title })];
    const choice = option.choices.indexOf(value);
    return [`${title} ${choice < 0 ? value : inLanguage(option.choice_titles[choice])}`];
  });
}
