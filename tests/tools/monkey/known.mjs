// Addresses, runs and programs of a logdir: where the monkey starts again and what it writes into the address.

/** {runs, modules, hashes}: what the server has. */
export async function whatIsThere(server, hash) {
  const list = (await server.api('runs')).json;
  const runs = list?.id?.slice(0, 12) ?? [];
  const modules = [];
  const hashes = [hash, '#'];
  for (const run of runs.slice(0, 4)) {
    const at = (await server.api('modules', { run })).json;
    const keys = at?.key?.slice(0, 6) ?? [];
    modules.push(...keys);
    const ways = [{}, { mode: 'report' }, { mode: 'compare', base: runs[0] }, { mode: 'compare', base: run, base_module: keys[1] ?? keys[0] }, { tool: 'trace' }, { tool: 'graph' }, { tool: 'doctor' }, { tool: 'files' }];
    for (const way of ways) hashes.push(`#${new URLSearchParams({ run, ...(keys.length > 1 && way.mode ? { module: keys[0] } : {}), ...way })}`);
  }
  return { runs, modules: modules.length ? modules : ['none'], hashes };
}
