// Numbers that follow from a seed alone: each action draws from a generator of its own, so that how often one draws moves no other.

/** FNV-1a of a text, 32 bits. */
export function hashOf(text) {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return h >>> 0;
}

/** mulberry32: small, and good enough to choose buttons. */
export class Random {
  constructor(...seed) {
    this.state = hashOf(seed.join(' '));
    for (let i = 0; i < 4; i++) this.share();
  }

  /** A number in [0, 1). */
  share() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  below(n) {
    return Math.floor(this.share() * n);
  }

  between(low, high) {
    return low + this.share() * (high - low);
  }

  chance(share) {
    return this.share() < share;
  }

  /** One of a list; undefined of an empty one. */
  of(list) {
    return list[this.below(list.length)];
  }

  /** A key of {key: weight}. */
  weighted(weights) {
    const all = Object.entries(weights);
    let rest = this.share() * all.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of all) {
      rest -= weight;
      if (rest < 0) return key;
    }
    return all[all.length - 1][0];
  }
}
