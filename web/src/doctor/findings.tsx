/** The findings as a list: what is wrong, what to try, how far the peak falls, which buffers, where in the source. */
import { useEffect, useState } from 'preact/hooks';
import type { Answers, FindingRow as Finding } from '../api/answers';
import { apiUrl } from '../api/client';
import { hrefOf } from '../app/router';
import { exactBytes, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import { timeText } from '../explain/numbers';
import { fileName } from '../app/exports';
import { addChange } from '../memory/what_if_state';
import { Settings, SettingsToggle } from './settings';
import { askAgain, doctor, doctorError, doctorParams, startDoctor } from '../app/doctor_state';

type Doctor = Answers['doctor'];

export const SEVERITY = { error: '◆', warn: '▲', info: '●' } as const;

/** Opens the Memory Viewer with the finding's memory space. */
export function memoryLink(finding: Finding, more: Record<string, string | number | null>): string {
  return hrefOf({ tool: 'memory', space: finding.space === 0 ? null : finding.space, ...more });
}

/** How sure a finding is. */
const SURE: Record<Finding['confidence'], string> = {
  fact: 'fact: follows from the file',
  likely: 'likely: matched by name and shape',
  hint: 'hint: worth a look',
};

/** "D06 missed donation": a number alone has no meaning. */
export const ruleText = (finding: Finding) => `${finding.id} ${finding.name.replace(/_/g, ' ')}`;

/** "96.9 % of a run": what the list is ranked by. */
function Share({ finding }: { finding: Finding }) {
  return finding.share ? (
    <span class="soft">
      {finding.share < 0.0005 ? '< 0.1 %' : formatPercent(finding.share, 1)} of {finding.share_of}
    </span>
  ) : null;
}

/** What is to be known of a saving before it is believed. */
function Notes({ finding, answer }: { finding: Finding; answer: Doctor }) {
  const others = [...new Set(finding.overlaps.flatMap((at) => (answer.findings[at] ? [ruleText(answer.findings[at])] : [])))].join(', ');
  return (
    <>
      {finding.saving_note ? <p class="soft">Saving: {finding.saving_note}.</p> : null}
      {others ? <p class="soft d-overlaps">Overlaps with {others}: they change the same buffers, so their savings do not add up.</p> : null}
    </>
  );
}

function Saving({ finding, answer }: { finding: Finding; answer: Doctor }) {
  if (finding.kind === 'heap')
    return (
      <div class="d-saving">
        <b class="bad" title={`${exactBytes(finding.size_bytes)}: from the first file to the last`}>
          +{formatBytes(finding.size_bytes, { unit: 'own' })}
        </b>
        <Share finding={finding} />
      </div>
    );
  if (finding.saving_ps !== null && finding.of_ps !== null)
    return (
      <div class="d-saving">
        <b class="good" title="an upper bound: only part of this time can be saved">
          −{timeText(finding.saving_ps / 1e12, 1)}
        </b>
        <span class="soft">
          at most, of the {timeText(finding.of_ps / 1e12, 1)} of {finding.share_of}
        </span>
        <Share finding={finding} />
      </div>
    );
  if (finding.kind === 'time')
    return (
      <div class="d-saving">
        <span class="soft">saves nothing by itself</span>
      </div>
    );
  const saving = finding.saving_bytes;
  if (saving === null || finding.action === null)
    return (
      <div class="d-saving">
        {finding.size_bytes > 0 ? <b title={exactBytes(finding.size_bytes)}>{formatBytes(finding.size_bytes)}</b> : null}
        <span class="soft">{finding.id === 'D01' && finding.severity === 'error' ? 'over capacity' : 'saving not computed'}</span>
      </div>
    );
  const tooMuch = answer.capacity_bytes !== null && answer.peak_bytes !== null && answer.peak_bytes > answer.capacity_bytes;
  return (
    <div class="d-saving">
      <b class={saving > 0 ? 'good' : 'soft'} title={`${exactBytes(saving)}: how far the peak falls (${finding.action})`}>
        {saving > 0 ? formatBytes(-saving) : 'peak stays'}
      </b>
      {saving > 0 && finding.new_peak_bytes !== null ? (
        <span class="soft">
          {tooMuch && finding.fits_then !== null ? (finding.fits_then === 'yes' ? 'fits: ' : 'still does not fit: ') : ''}peak{' '}
          {formatBytes(finding.new_peak_bytes)}
          {finding.new_step === null ? null : (
            <>
              {' '}
              at <a href={memoryLink(finding, { step: finding.new_step, tab: null })}>step {formatCount(finding.new_step)}</a>
            </>
          )}
        </span>
      ) : null}
      <Share finding={finding} />
    </div>
  );
}

/** By name and path, because a buffer's number has no meaning. */
function Buffers({ finding }: { finding: Finding }) {
  const [open, setOpen] = useState(false);
  const { what, count, buffer, name } = finding.listed;
  if (count === 0) return null;
  const shown = open ? buffer : buffer.slice(0, 1);
  const hidden = count - shown.length;
  return (
    <div class="d-buffers">
      {shown.map((one, at) => (
        <a key={one} class="mono" href={memoryLink(finding, { pin: one, tab: null })} title={`${name[at]}: show it in the Memory Viewer`}>
          {name[at]}
        </a>
      ))}
      {open && hidden > 0 ? <span class="soft">and {formatCount(hidden)} more</span> : null}
      {count > 1 ? (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'fewer' : plural(count, what)}
        </button>
      ) : null}
    </div>
  );
}

/** Operations of a finding of time, those with most to win first; each opens in Graph, all of them in Ops. */
function Operations({ finding }: { finding: Finding }) {
  const [open, setOpen] = useState(false);
  const { name, saving_ps, n } = finding.operations;
  if (finding.kind !== 'time') return null;
  const shown = open ? n : Math.min(n, 1);
  return (
    <div class="d-buffers">
      {name.slice(0, shown).map((one, at) => (
        <a
          key={one}
          class="mono"
          href={hrefOf({ tool: 'graph', op: `%${one}` })}
          title={`at most ${timeText((saving_ps[at] ?? 0) / 1e12, 1)} to win; show it in Graph`}
        >
          %{one}
        </a>
      ))}
      {n > 1 ? (
        <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'fewer' : plural(n + finding.operations_left_out, 'operation')}
        </button>
      ) : null}
      {n > 0 ? <a href={hrefOf({ tool: 'ops', op: `%${name[0]}` })}>Ops</a> : <a href={hrefOf({ tool: 'trace' })}>Trace</a>}
    </div>
  );
}

/** Ticks the finding's change in What if; ids count findings of a rule, as there. */
function WhatIfButton({ finding, answer }: { finding: Finding; answer: Doctor }) {
  const at = answer.findings.filter((other) => other.id === finding.id).indexOf(finding) + 1;
  if (finding.action === null || finding.saving_bytes === null || finding.saving_bytes <= 0 || finding.space !== answer.space) return null;
  return (
    <button
      type="button"
      class="btn-s"
      title="show the program with this change"
      onClick={() => addChange(at > 1 ? `${finding.id}.${at}` : finding.id, finding.action ?? 'drop')}
    >
      What if
    </button>
  );
}

/** Where in the source: a line of a heap file opens there, that of an instruction as a filter of the Memory Viewer. */
function Source({ finding }: { finding: Finding }) {
  const source = finding.source;
  const line = source ? `${source.file}${source.line === null ? '' : `:${source.line}`}` : null;
  const label = line?.slice(line.lastIndexOf('/') + 1) ?? finding.line;
  if (finding.line !== null)
    return (
      <a class="mono d-source" title={`${line ?? label}: show its stack and its growth`} href={hrefOf({ tool: 'memory', hline: finding.line })}>
        {label}
      </a>
    );
  if (line)
    return (
      <a class="mono d-source" title={line} href={memoryLink(finding, { tab: 'buffers', source: line, scope: null })}>
        {label}
      </a>
    );
  return finding.instruction || finding.kind === 'memory' ? <span class="faint">no source recorded</span> : null;
}

function Row({ finding, answer }: { finding: Finding; answer: Doctor }) {
  return (
    <li class={`d-row d-${finding.severity}${finding.silenced === null ? '' : ' d-quiet'}`}>
      <div class="d-mark">
        <span class="d-sign" aria-hidden="true">
          {SEVERITY[finding.severity]}
        </span>
        <span>{finding.severity}</span>
        <span class="faint" title={SURE[finding.confidence]}>
          {ruleText(finding)}
        </span>
      </div>
      <div class="d-text">
        <p class="d-claim">{finding.claim}</p>
        {finding.silenced === null ? <p class="soft">{finding.advice}</p> : <p class="soft">muted: {finding.silenced}</p>}
        <Notes finding={finding} answer={answer} />
        {finding.silenced === null && finding.wrong_when ? <p class="faint d-but">{finding.wrong_when}</p> : null}
      </div>
      <div class="d-save">
        <Saving finding={finding} answer={answer} />
        <WhatIfButton finding={finding} answer={answer} />
      </div>
      <div class="d-where">
        <Buffers finding={finding} />
        <Operations finding={finding} />
        <Source finding={finding} />
        <span class="faint" title={SURE[finding.confidence]}>
          {finding.confidence}
          {finding.space === null || finding.space === answer.space ? '' : `, ${finding.space_name}`}
        </span>
      </div>
    </li>
  );
}

const rankedBy = (answer: Doctor) =>
  answer.heap.length
    ? 'ranked by growth, as a share of what the last file holds'
    : `ranked by share: of a run or step for time, of ${answer.capacity_bytes === null ? 'the peak' : 'the device’s memory'} for bytes`;

function noneText(answer: Doctor): string {
  const judged = answer.rules_checked - answer.rules_not_judged;
  const what = answer.heap.length ? 'these heap files' : 'this program';
  return judged === 0 && answer.heap.length
    ? 'No findings.'
    : `No findings: ${plural(answer.rules_checked, 'rule')} checked ${what} and none reported anything.`;
}

function FindingsHead({ answer }: { answer: Doctor }) {
  return (
    <div class="m-controls">
      <span class="soft">
        {plural(answer.rules_checked, 'rule')} checked, {formatCount(answer.found)} found
        {answer.silenced > 0 ? `, ${formatCount(answer.silenced)} muted` : ''}; {rankedBy(answer)}
      </span>
      <SettingsToggle />
      <span class="m-grow" />
      <a class="btn-s" href={apiUrl('doctor', { ...doctorParams.value, format: 'md' })} target="_blank" rel="noreferrer">
        Markdown
      </a>
      <a class="btn-s" href={apiUrl('doctor', doctorParams.value)} download={fileName('findings', 'json')}>
        JSON
      </a>
    </div>
  );
}

export function Findings() {
  const [all, setAll] = useState(false);
  useEffect(startDoctor, []);
  const answer = doctor.value;
  if (doctorError.value && doctorParams.value.config) return <Settings />; // it says what is wrong in its lines
  if (doctorError.value)
    return (
      <p class="m-note" role="alert">
        The findings cannot be shown: {doctorError.value}{' '}
        <button type="button" class="btn" onClick={askAgain}>
          Try again
        </button>
      </p>
    );
  if (!answer)
    return (
      <p class="m-note" aria-busy="true">
        checking the rules …
      </p>
    );
  const folded = all ? answer.findings : answer.findings.filter((finding) => finding.silenced === null).slice(0, answer.shown);
  const hidden = answer.findings.length - folded.length;
  return (
    <div class="d-findings">
      <FindingsHead answer={answer} />
      <Settings />
      {answer.found === 0 ? <p class="m-note">{noneText(answer)}</p> : null}
      <ol class="d-list">
        {folded.map((finding, at) => (
          <Row key={`${finding.id} ${finding.space} ${at}`} finding={finding} answer={answer} />
        ))}
      </ol>
      {hidden > 0 || all ? (
        <p class="m-note">
          <button type="button" class="link" onClick={() => setAll(!all)}>
            {all ? 'show fewer' : `show ${formatCount(hidden)} more`}
          </button>
        </p>
      ) : null}
      {answer.measured.known && answer.measured.other_hosts > 0 ? (
        <p class="m-note">
          Times are of host {answer.measured.host}; {plural(answer.measured.other_hosts, 'other host')} with events{' '}
          {answer.measured.other_hosts === 1 ? 'is' : 'are'} not included. Choose another host in the header.
        </p>
      ) : null}
      {answer.not_judged ? <p class="m-note">Not checked: {answer.not_judged}.</p> : null}
      {answer.measured.known || answer.measured.reason === null ? null : <p class="m-note">No findings of time: {answer.measured.reason}.</p>}
      {answer.measured.not_judged ? <p class="m-note">Not checked: {answer.measured.not_judged}.</p> : null}
    </div>
  );
}
