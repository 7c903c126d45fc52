// Holding a button, by mouse or finger: something is shown until it is let go. A short press stays a press.

const HELD_AFTER = 300; // milliseconds

/**
 * @param {HTMLButtonElement} button
 * @param {{ show: () => unknown, leave: () => void }} acts
 */
export function holdable(button, { show, leave }) {
  let timer = 0;
  let held = false;

  /** @param {PointerEvent} event */
  const down = (event) => {
    held = false;
    if (event.button !== 0) return;
    timer = setTimeout(() => {
      held = true;
      show();
    }, HELD_AFTER);
  };
  const up = () => {
    clearTimeout(timer);
    if (held) leave();
  };
  /** @param {Event} event what a browser makes of a long press */
  const swallow = (event) => {
    if (!held) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  button.classList.add("holdable");
  button.addEventListener("pointerdown", down);
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(end, up);
  for (const name of ["click", "contextmenu"]) button.addEventListener(name, swallow, { capture: true });
  return button;
}
