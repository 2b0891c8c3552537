// What the measurements of smoothness share: how long the page's own code runs in each frame, and a line of numbers.

/** Runs in the page: wraps what calls the page's code, and takes the time of each frame. */
export function watchFrames() {
  const seen = { frames: [], scripts: [], long: [], on: false };
  let inFrame = 0;
  const timed = (work) =>
    function (...given) {
      const start = performance.now();
      try {
        return work.apply(this, given);
      } finally {
        inFrame += performance.now() - start;
      }
    };
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (work) => request(timed(work));
  const listen = EventTarget.prototype.addEventListener;
  const given = new WeakMap();
  EventTarget.prototype.addEventListener = function (type, work, options) {
    if (!['wheel', 'mousemove', 'scroll'].includes(type)) return listen.call(this, type, work, options);
    if (!given.has(work)) given.set(work, timed(work));
    return listen.call(this, type, given.get(work), options);
  };
  let last = 0;
  const tick = (now) => {
    if (seen.on && last) {
      seen.frames.push(now - last);
      seen.scripts.push(inFrame);
    }
    inFrame = 0;
    last = now;
    request(tick);
  };
  request(tick);
  new PerformanceObserver((list) => {
    if (seen.on) for (const entry of list.getEntries()) seen.long.push(entry.duration);
  }).observe({ type: 'longtask' });
  window.smooth = seen;
}

/** Prints milliseconds in one line: how many there are, percentiles, and how many are late at 50 frames a second. */
export function line(name, values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  const over = values.filter((v) => v > 20).length;
  console.log(`${name.padEnd(8)} n ${values.length}  p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  longest ${at(1)} ms  above 20 ms: ${over}`);
}
