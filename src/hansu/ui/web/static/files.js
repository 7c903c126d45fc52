// Taking things along: the clipboard, files, pictures.

import { element } from "./dom.js";

/**
 * @param {string} name
 * @param {string} mime
 * @param {string | Blob} content
 */
export function save(name, mime, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: mime }));
  const way = element("a", { href: address, download: name });
  document.body.append(way);
  way.click();
  way.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the right to the clipboard (a page that is not on localhost): the old way through a selection.
    const box = element("textarea", { class: "unseen", value: text, "aria-hidden": "true" });
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}

/**
 * An SVG that stands alone as a PNG, `scale` times its natural size.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function png(svg, scale = 2) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = element("canvas", { width: image.naturalWidth * scale, height: image.naturalHeight * scale });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((made) => (made ? resolve(made) : reject(new Error("no picture"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
