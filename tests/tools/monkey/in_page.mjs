// What runs inside the page: hooks that are there before its code, and what the checks and the actions read.

/** Before any code of the page: texts and places on canvases, requests, CSP. `window.monkey` is read by the checks. */
export function hooks() {
  const monkey = { canvas: [], writes: 0 };
  window.monkey = monkey;
  const told = (text) => monkey.canvas.length < 20 && monkey.canvas.push(`${text} at ${(new Error().stack ?? '').split('\n').slice(2, 5).map((line) => line.trim().replace(/^at /, '').replace(/https?:\/\/[^/]*\//, '')).join(' < ')}`);
  const context = CanvasRenderingContext2D.prototype;
  for (const name of ['fillText', 'strokeText']) {
    const draw = context[name];
    context[name] = function (text, ...rest) {
      if (/\b(undefined|NaN|Infinity)\b|\[object /.test(text)) told(`a canvas says ${JSON.stringify(String(text).slice(0, 80))}`);
      if (rest.some((at) => at !== undefined && !Number.isFinite(at))) told(`a text of a canvas at ${rest.join()}`);
      return draw.call(this, text, ...rest);
    };
  }
  for (const name of ['fillRect', 'strokeRect', 'clearRect', 'rect', 'moveTo', 'lineTo', 'arc', 'quadraticCurveTo', 'bezierCurveTo', 'translate', 'scale', 'setTransform']) {
    const draw = context[name];
    context[name] = function (...places) {
      if (places.some((at) => typeof at === 'number' && !Number.isFinite(at))) told(`${name} of a canvas at ${places.join()}`);
      return draw.apply(this, places);
    };
  }
  addEventListener('securitypolicyviolation', (e) => console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`));
}

/** What is wrong with what the page shows now: sentences. */
export function lookAround() {
  const wrong = [];
  const shown = (element) => element.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true;
  const odd = /\b(undefined|NaN|Infinity)\b|\[object /;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (odd.test(node.data) && shown(node.parentElement)) wrong.push(`text: ${JSON.stringify(node.data.slice(0, 120))} in ${node.parentElement.className || node.parentElement.tagName}`);
  }
  for (const element of document.querySelectorAll('[title], [aria-label], [placeholder], [style], svg *, a[href]')) {
    for (const { name, value } of element.attributes) {
      if (odd.test(value)) wrong.push(`attribute ${name}=${JSON.stringify(value.slice(0, 120))} of ${element.tagName} ${element.className?.baseVal ?? element.className}`);
    }
  }
  if (/This view stopped/.test(document.body.innerText)) wrong.push(`the view stopped: ${document.querySelector('main')?.innerText.slice(0, 200).replace(/\s+/g, ' ')}`);
  const main = document.querySelector('main') ?? document.body;
  const pictures = [...main.querySelectorAll('canvas, svg.curve')].some((canvas) => canvas.getBoundingClientRect().width > 0);
  const words = main.innerText.trim();
  if (!pictures && words.length < 20) wrong.push(`blank: ${JSON.stringify(words)}`);
  const box = (selector) => document.querySelector(selector)?.getBoundingClientRect();
  const parts = ['.header', '.sidebar', '.strips', 'main'].map((selector) => [selector, box(selector)]).filter(([, at]) => at && at.width > 0 && at.height > 0);
  for (const [i, [a, one]] of parts.entries()) {
    for (const [b, other] of parts.slice(i + 1)) {
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide > 1 && high > 1) wrong.push(`${a} and ${b} overlap by ${Math.round(wide)} x ${Math.round(high)}`);
    }
  }
  const page = document.scrollingElement;
  if (page.scrollWidth > innerWidth + 1) wrong.push(`the page is ${page.scrollWidth} px wide in a window of ${innerWidth}`);
  wrong.push(...coveredButtons());
  wrong.push(...window.monkey.canvas.splice(0));
  return wrong;

  /** Buttons whose middle another element lies over, where nothing is open on top of the page. */
  function coveredButtons() {
    if (document.querySelector('[role=dialog], [role=listbox], [role=menu], dialog, .palette, .pop, .popup, .toast, [popover], .m-map-full')) return [];
    const out = [];
    for (const button of document.querySelectorAll('button, a.btn, a.btn-s, select, input')) {
      if (!button.checkVisibility?.() || button.closest('.vt-row, tr, [role=row], svg')) continue;
      const at = visiblePart(button);
      if (!at) continue;
      const over = document.elementFromPoint(at.x, at.y);
      if (!over || button.contains(over) || over.contains(button) || over.closest('label')?.contains(button)) continue;
      // In a narrow window the details card lies over the view by design; it has its own button to close.
      if (over.closest('.m-card, .t-side, aside, .r-wrong')) continue;
      out.push(`covered: ${button.className || button.tagName} “${(button.innerText || button.getAttribute('aria-label') || '').slice(0, 30)}” by ${over.className || over.tagName} “${(over.innerText ?? '').slice(0, 30)}”`);
    }
    return out;
  }

  /** The middle of an element when all of it can be seen through what it scrolls in. */
  function visiblePart(element) {
    const at = element.getBoundingClientRect();
    if (at.width < 4 || at.height < 4 || at.left < 0 || at.top < 0 || at.right > innerWidth || at.bottom > innerHeight) return null;
    for (let up = element.parentElement; up; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.pointerEvents === 'none') return null;
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const frame = up.getBoundingClientRect();
      if (at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1 || at.bottom > frame.bottom + 1) return null;
    }
    return { x: at.left + at.width / 2, y: at.top + at.height / 2 };
  }
}

/** Everything that can be clicked and is in the window: {x, y, width, height, kind, name}. */
export function targets(kinds) {
  const out = [];
  for (const element of document.querySelectorAll(kinds)) {
    const at = element.getBoundingClientRect();
    const left = Math.max(at.left, 0);
    const top = Math.max(at.top, 0);
    const width = Math.min(at.right, innerWidth) - left;
    const height = Math.min(at.bottom, innerHeight) - top;
    if (width < 2 || height < 2) continue;
    const top0 = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!top0 || !(element.contains(top0) || top0.contains(element))) continue;
    const name = (element.getAttribute('aria-label') || element.innerText || element.getAttribute('placeholder') || '').replace(/\s+/g, ' ').trim().slice(0, 50);
    const kind = `${element.tagName.toLowerCase()}${element.className && typeof element.className === 'string' ? `.${element.className.trim().split(/\s+/).slice(0, 2).join('.')}` : ''}`;
    out.push({ x: left, y: top, width, height, kind, name });
  }
  return out;
}

/** The words of the view, without what only a pointer or a clock put there. */
export function wordsOfView() {
  const main = document.querySelector('main');
  return (main?.innerText ?? '').replace(/\d+ (s|min|h) ago|just now/g, 'ago').split('\n').map((line) => line.trim()).filter(Boolean);
}
