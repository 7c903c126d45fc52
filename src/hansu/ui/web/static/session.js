// The game of this tab, so that a page that is loaded again goes on with it.

const KEY = "hansu.game";

export function store({ game, mode, before, choice }) {
  const { choice: opened, moves, resigned } = game.memo();
  const address = location.pathname + location.search;
  const kept = { address, mode, before, choice: mode === "play" ? opened : choice, opened, moves, resigned };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing: then a reload begins anew.
  }
}

/** What was stored, where the page was loaded again or come back to; a link that was followed begins anew. */
export function recall() {
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate") return null;
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY));
    return kept?.address === location.pathname + location.search ? kept : null;
  } catch {
    return null;
  }
}

export function forget() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // nothing was kept
  }
}
