// A searched tree as rows, laid out: leaves side by side, each parent over the middle of its children. Folded nodes
// count as leaves.

export const ACROSS = 1.7;
export const DOWN = 1.9;

export class Twigs {
  /** Rows in drawing order, each with the index of its parent (-1: the root). */
  constructor(rows) {
    this.all = rows.map((row, i) => ({ ...row, i, children: [], folded: false, x: 0, y: 0 }));
    for (const twig of this.all) if (twig.parent >= 0) this.all[twig.parent].children.push(twig);
    this.root = this.all[0];
  }

  parent(twig) {
    return this.all[twig.parent] ?? null;
  }

  /** The moves from the root to a node. */
  path(twig) {
    const moves = [];
    for (let at = twig; at && at.parent >= 0; at = this.parent(at)) moves.unshift(at.move);
    return moves;
  }

  below(twig) {
    let sum = 0;
    const open = [...twig.children];
    while (open.length) {
      const one = open.pop();
      sum += 1;
      open.push(...one.children);
    }
    return sum;
  }

  /** Give every visible node its place; returns the visible nodes and the size of the whole. */
  layout() {
    const visible = [];
    let leaf = 0;
    let deepest = 0;
    const place = (twig, level) => {
      visible.push(twig);
      deepest = Math.max(deepest, level);
      twig.y = level * DOWN;
      if (twig.folded || !twig.children.length) {
        twig.x = leaf++ * ACROSS;
        return;
      }
      for (const child of twig.children) place(child, level + 1);
      twig.x = (twig.children[0].x + twig.children.at(-1).x) / 2;
    };
    place(this.root, 0);
    return { visible, width: Math.max(leaf - 1, 0) * ACROSS, height: deepest * DOWN };
  }
}
