import { Hint, Watching } from '../app/foot';
import { moduleItems, runTitle } from '../app/pickers';
import { hrefOf } from '../app/router';
import { standOf } from '../app/open_tool';
import { modules, run, runs } from '../app/state';
import { hostMessage } from '../app/strips';
import { TOOLS } from '../app/tools';
import type { Host, Run } from '../api/types';
import { Icon, SeverityIcon } from '../ui/icons';
import { exactBytes, formatCount, formatFileSize, formatTime, plural } from '../util/format';
import { type FilePart, foldParts, partsOf, wholeOf } from './file_parts';
import { FilesTable } from './files_table';
import { SavedEvents } from './saved_events';
import { setStyle, shareWidth } from '../ui/size';

function eventsOf(host: Host): number {
  return host.planes.reduce((sum, plane) => sum + plane.events, 0);
}

function modulesOf(open: Run, host: number): number {
  return open.modules.hosts.filter((hosts) => hosts.includes(host)).length;
}

function Part({ part, scale }: { part: FilePart; scale: number }) {
  const bytes = part.to - part.from;
  const text =
    part.kind === 'missing' ? `missing: ${formatCount(bytes)} bytes or more` : part.kind === 'unread' ? `not read: ${formatCount(bytes)} bytes` : part.title;
  return (
    <div
      class={`file-part ${part.kind}`}
      title={`${text}, ${part.detail ? `${part.detail}, ` : ''}bytes ${formatCount(part.from)} to ${formatCount(part.to)} (0x${part.from.toString(16)})`}
      ref={shareWidth(bytes / scale)}
    >
      <b class="cut">{text}</b>
      {part.detail && <span class={/^\d/.test(part.detail) ? 'file-count' : 'cut'}>{part.detail}</span>}
    </div>
  );
}

/** Share of the scale that a number beside it needs, so that two never touch. */
const MARK_SHARE = 0.12;

/** The byte where the first large part ends, where there is room for it left of the cut and of the end. */
function BorderMark({ host, whole }: { host: Host; whole: number }) {
  const end = partsOf(host).find((part) => part.to > whole * MARK_SHARE)?.to ?? whole;
  if (end >= Math.min(host.size_bytes, whole * (1 - MARK_SHARE))) return null;
  return (
    <span class="border-mark num" ref={setStyle('left', `${(end / whole) * 100}%`)}>
      {formatCount(end)}
    </span>
  );
}

function HostBar({ open, host, index, scale }: { open: Run; host: Host; index: number; scale: number }) {
  const whole = wholeOf(host);
  const parts = foldParts(partsOf(host), scale);
  const fine = host.complete && !host.error;
  const short = whole > host.size_bytes;
  return (
    <section class="file-host">
      <p class="row">
        <span class={fine ? 'good' : 'bad'}>
          <Icon name={fine ? 'check' : 'error'} size={12} />
        </span>
        <span class="mono strong">{host.file}</span>
        <span class="soft grow" title={exactBytes(host.size_bytes)}>
          {formatCount(host.size_bytes)} B
        </span>
        <span class="soft">
          {plural(modulesOf(open, index), 'module')}, {plural(eventsOf(host), 'event')}
          {fine ? ', whole' : ''}
        </span>
      </p>
      {host.size_bytes > 0 && (
        <>
          <div class="file-bar">
            {parts.map((part) => (
              <Part key={part.from} part={part} scale={scale} />
            ))}
          </div>
          <div class="file-scale small soft" ref={shareWidth(whole / scale)}>
            <span>0</span>
            <BorderMark host={host} whole={whole} />
            {short && (
              <span class="cut-at bad" ref={setStyle('left', `${(host.size_bytes / whole) * 100}%`)}>
                <b>cut at {formatCount(host.size_bytes)}</b>
              </span>
            )}
            <span>
              {formatCount(whole)}
              {short ? ' at least' : ' B, end'}
            </span>
          </div>
        </>
      )}
      {host.error && <p class="bad">{host.error}</p>}
    </section>
  );
}

/** Programs that were read but whose memory is unknown. */
function unknownPeaks(): number {
  const list = modules.value;
  return list ? list.peak_bytes.filter((bytes, i) => bytes === null && list.instructions[i] !== null).length : 0;
}

/** Memory shows these files although they hold no program: heap files, and what the runtime allocated. */
const withoutProgram = (open: Run): boolean => open.modules.n === 0 && standOf('memory').open;

function toolCell(open: Run, tool: string, index: number): { severity: string; text: string } {
  const host = open.hosts[index];
  const known = modulesOf(open, index);
  if (tool === 'memory' && withoutProgram(open)) return { severity: 'ok', text: host.format === 'pprof' ? 'heap file' : 'over time' };
  if (tool === 'memory' && known && unknownPeaks() === open.modules.n) return { severity: 'warning', text: 'not known' };
  if (tool === 'memory' || tool === 'graph') {
    return known ? { severity: 'ok', text: `${formatCount(known)} of ${plural(open.modules.n, 'module')}` } : { severity: 'error', text: 'no module' };
  }
  const events = eventsOf(host);
  if (!events) return { severity: 'error', text: 'no events' };
  return { severity: host.complete ? 'ok' : 'warning', text: plural(events, 'event') };
}

/** What the states of a row mean for who reads the tool's numbers. */
function meaningOf(open: Run, tool: string): string {
  const stand = standOf(tool);
  const cut = open.hosts.some((host) => !host.complete && !host.error);
  const whole = open.hosts.every((host) => host.complete && !host.error);
  const events = open.hosts.some((host) => eventsOf(host) > 0);
  if (tool === 'memory' && withoutProgram(open))
    return open.kind === 'heap' ? 'what each process held, by line of its source' : 'what the runtime allocated; no program in these files';
  if (tool === 'memory' || tool === 'graph') {
    if (open.modules.n === 0) return stand.reason ?? 'no program in these files';
    if (tool === 'graph') return 'HLO text, source lines and shapes are complete';
    const unknown = unknownPeaks();
    if (unknown > 0)
      return unknown === open.modules.n
        ? 'these files have no buffer assignment, so peak and buffers are unknown'
        : `exact for modules with a buffer assignment; unknown for ${plural(unknown, 'module')} without one`;
    return whole ? 'every number is exact' : 'exact for the modules that were read';
  }
  if (!stand.open) return stand.reason ?? '';
  if (!events) return 'these files have no events';
  return cut ? 'times are correct; events after the cut are missing' : 'all events of these files';
}

function State({ severity, text }: { severity: string; text: string }) {
  return (
    <span class="row">
      {severity === 'ok' ? (
        <span class="good">
          <Icon name="check" size={12} />
        </span>
      ) : (
        <SeverityIcon severity={severity} />
      )}
      {text}
    </span>
  );
}

const SHOWN_HOSTS = 4;

function WhatWorks({ open }: { open: Run }) {
  const hosts = open.hosts.slice(0, SHOWN_HOSTS);
  const tools = TOOLS.filter((tool) => tool.id !== 'doctor');
  return (
    <section>
      <h2>
        What works{' '}
        <span class="soft small">
          {open.hosts.every((host) => host.complete && !host.error) ? '' : 'despite the missing bytes, '}
          {hosts.some((host) => host.name) ? 'host by host' : 'file by file'}
        </span>
      </h2>
      <table class="plain" aria-label="what works">
        <thead>
          <tr>
            <th>tool</th>
            {hosts.map((host) => (
              <th key={host.name}>
                {host.name ? `${host.name}, ` : ''}
                {host.error ? 'not readable' : host.complete ? 'whole' : 'cut'}
              </th>
            ))}
            <th>what it means</th>
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <tr key={tool.id}>
              <td>
                <span class="row">
                  <Icon name={tool.id} size={14} /> <b>{tool.title}</b>
                </span>
              </td>
              {hosts.map((host, i) => (
                <td key={host.name}>
                  <State {...toolCell(open, tool.id, i)} />
                </td>
              ))}
              <td class="soft">{meaningOf(open, tool.id)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {open.hosts.length > SHOWN_HOSTS && (
        <p class="soft">and {plural(open.hosts.length - SHOWN_HOSTS, hosts.some((host) => host.name) ? 'host' : 'file')} more, as above</p>
      )}
    </section>
  );
}

/** The pieces of one file in reading order, up to where it stops. */
function WhereItStops({ host }: { host: Host }) {
  const parts = partsOf(host);
  return (
    <section>
      <h2>
        Where it stops <span class="soft small">{host.name}, in reading order</span>
      </h2>
      {parts.slice(-14).map((part) => {
        const bad = part.kind === 'missing' || part.kind === 'unread';
        return (
          <p key={part.from} class={`stop-line${bad ? ' bad' : ''}`}>
            <span class="mono num" title={`0x${part.from.toString(16)}`}>
              {formatCount(part.from)}
            </span>
            <span class="cut">
              {bad ? <Icon name="error" size={11} /> : <Icon name="check" size={11} />}{' '}
              {part.kind === 'missing' ? 'the file ends here' : `${part.title}${part.detail ? `, ${part.detail}` : ''}`}
            </span>
            <span class="soft num">{formatCount(part.to - part.from)} B</span>
          </p>
        );
      })}
      {parts.length > 14 && <p class="small soft">the last 14 of {formatCount(parts.length)} parts</p>}
    </section>
  );
}

function ModuleList({ open }: { open: Run }) {
  const items = moduleItems();
  const failed = modules.value?.failed_to_compile.some(Boolean);
  return (
    <section>
      <h2>
        Modules{' '}
        <span class="soft small">
          {open.modules.n ? 'read from these files' : open.hosts.every((host) => host.complete && !host.error) ? 'none in these files' : 'none could be read'}
        </span>
      </h2>
      <table class={`plain files-modules${failed ? ' failed' : ''}`}>
        <thead>
          <tr>
            <th>module</th>
            <th class="num">peak ▾</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, 20).map((item) => (
            <tr key={item.key}>
              <td class="mono cut" title={item.title}>
                <a href={hrefOf({ tool: 'memory', module: item.key })}>{item.title}</a>
              </td>
              <td class="num" title={item.exact}>
                {modules.value ? item.side : '…'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > 20 && <p class="small soft">the largest 20 of {formatCount(items.length)}</p>}
    </section>
  );
}

/** Beside a damaged file: the whole ones alone. */
function UseWhole({ open }: { open: Run }) {
  const whole = open.hosts.filter((host) => host.name && host.complete && !host.error);
  if (whole.length === 0 || whole.length === open.hosts.length) return null;
  const names = whole.map((host) => host.name).join(',');
  return (
    <a class="btn" href={hrefOf({ only: names, host: null })} title={`every number then covers only ${names.split(',').join(', ')}`}>
      {whole.length === 1 ? `Use ${names} only` : `Use the ${whole.length} whole hosts only`}
    </a>
  );
}

/** State of a run's files: what was read, what is missing, what works in spite of it. */
export function FilesPage() {
  const open = run.value;
  if (!open) return <main class="main" />;
  const scale = Math.max(1, ...open.hosts.map(wholeOf));
  const at = runs.value?.id.indexOf(open.id) ?? -1;
  const size = open.hosts.reduce((sum, host) => sum + host.size_bytes, 0);
  const broken = open.hosts.find((host) => hostMessage(host) !== null);
  const memory = standOf('memory').open;
  return (
    <>
      <main class="main files-page">
        <div class="files-top">
          <div class="row">
            <h1>{runTitle()}</h1>
            <span class="soft grow">
              {plural(open.hosts.length, open.hosts.some((host) => host.name) ? 'host' : 'file')}, {formatFileSize(size)}
              {open.device_type && ` · ${open.device_type}`}
              {open.versions && ` · ${open.versions}`}
              {at >= 0 && runs.value && `${runs.value.folder[at] ? ` · ${runs.value.folder[at]}` : ''} · written ${formatTime(runs.value.mtime_ms[at])}`}
            </span>
            <UseWhole open={open} />
            {memory && (
              <a class="btn filled" href={hrefOf({ tool: 'memory' })}>
                Open Memory <kbd>Shift</kbd> <kbd>2</kbd>
              </a>
            )}
          </div>
          {open.hosts.map((host, i) => (
            <HostBar key={host.file} open={open} host={host} index={i} scale={scale} />
          ))}
        </div>
        <div class="files-left" tabIndex={0} aria-label="what was read" role="region">
          <FilesTable open={open} modulesOf={(host) => modulesOf(open, host)} eventsOf={eventsOf} />
          <WhatWorks open={open} />
          <SavedEvents open={open} />
        </div>
        <div class="files-right">
          {broken && <WhereItStops host={broken} />}
          <ModuleList open={open} />
        </div>
      </main>
      <footer class="foot">
        <span>xprofd never changes a profile or writes next to it</span>
        {broken && (
          <span class="soft">
            same report: <span class="mono">xprofd fsck</span>
          </span>
        )}
        <Hint caps={['U']} text="all runs" />
        <span class="grow" />
        <Watching />
      </footer>
    </>
  );
}
