// What an answer of XProf's Trace Viewer routes says, whatever the order of its parts.

/** Ids of flows have more digits than a double. */
export const parse = (text) => JSON.parse(text.replace(/"(bind_id|id)":(\d+)(?=[,}])/g, '"$1":"$2"'));

/** A flow as the older viewer writes it, an argument: two bits of direction, the id, six bits of kind. */
function flowOf(text) {
  const flow = /^\d+$/.test(text ?? '') ? BigInt(text) : null;
  return flow === null ? {} : { id: String((flow >> 2n) & ((1n << 56n) - 1n)), rest: `${flow & 3n} ${flow >> 58n}` };
}

/** The same with the keys of objects sorted. */
function sorted(value) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

/** What an answer says, one line for each thing, whatever its order: ids of flows and numbers of
 * stack frames mean nothing by themselves. */
export function said(answer) {
  const frames = answer.stackFrames ?? {};
  const flows = new Map();
  const lines = answer.traceEvents.map((event) => {
    const { bind_id: bind, id, sf, ...rest } = event;
    const old = flowOf(rest.args?.flow);
    if (old.rest) rest.args = { ...rest.args, flow: old.rest };
    rest.entries?.sort((a, b) => a[0] - b[0]); // of a search, XProf has them by storage level
    const line = JSON.stringify(sorted({ ...rest, frame: frames[sf]?.name }));
    const flow = bind ?? id ?? old.id;
    if (flow !== undefined) flows.set(flow, [...(flows.get(flow) ?? []), line]);
    return line;
  });
  const { traceEvents, stackFrames, ...head } = answer;
  return [...lines, ...[...flows.values()].map((ends) => `flow ${ends.sort().join(' ')}`),
    ...Object.values(frames).map((frame) => `frame ${frame.name}`), `head ${JSON.stringify(sorted(head))}`].sort();
}
