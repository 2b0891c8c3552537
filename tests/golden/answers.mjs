// XProf's answers made comparable: what carries no meaning is left out, as in the oracle's parity.py.

/** The first place where two answers differ, null = nowhere. Numbers to a billionth. */
export function difference(a, b, where = '$') {
  if (typeof a === 'number' && typeof b === 'number') {
    const close = Math.abs(a - b) <= Math.max(1e-9 * Math.max(Math.abs(a), Math.abs(b)), 1e-12);
    return close ? null : `${where}: ${a} != ${b}`;
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object')
    return a === b ? null : `${where}: ${short(a)} != ${short(b)}`;
  if (a instanceof Map) return differentCount(a, b, where);
  if (Array.isArray(a) !== Array.isArray(b)) return `${where}: list against object`;
  if (Array.isArray(a) && a.length !== b.length) return `${where}: ${a.length} items != ${b.length}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (!(key in a)) return `${where}.${key}: only ours, ${short(b[key])}`;
    if (!(key in b)) return `${where}.${key}: missing, ${short(a[key])}`;
    const found = difference(a[key], b[key], `${where}.${key}`);
    if (found) return found;
  }
  return null;
}

/** The first text that two answers hold a different number of times. */
function differentCount(a, b, where) {
  for (const [text, times] of a) if (b.get(text) !== times) return `${where}: ${times} times, ours ${b.get(text) ?? 0}: ${short(text)}`;
  for (const [text, times] of b) if (!a.has(text)) return `${where}: never, ours ${times} times: ${short(text)}`;
  return null;
}

const short = (value) => (JSON.stringify(value) ?? 'undefined').slice(0, 80);

/** JSON with the keys in order. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `"${key}":${canonical(value[key])}`).join()}}`;
}

export function sorted(list) {
  return list.map((item) => [canonical(item), item])
    .sort((x, y) => (x[0] < y[0] ? -1 : x[0] > y[0])).map((pair) => pair[1]);
}

/** A memory_viewer answer without what carries no meaning. */
export function memory(text) {
  const answer = JSON.parse(text);
  for (const key of ['allocationTimeline', 'maxHeapToBySize', 'bySizeToMaxHeap']) delete answer[key];
  for (const block of answer.bufferBlocks ?? []) delete block.color;
  for (const bar of [...(answer.maxHeap ?? []), ...(answer.maxHeapBySize ?? [])]) {
    delete bar.numbered;
    delete bar.groupName;
  }
  for (const key of ['indefiniteLifetimes', 'bufferBlocks', 'maxHeap'])
    if (answer[key]) answer[key] = sorted(answer[key]);
  if (answer.maxHeapBySize)
    answer.maxHeapBySize = answer.maxHeapBySize.map((bar) => bar.logicalBufferSizeMib ?? 0);
  return answer;
}
