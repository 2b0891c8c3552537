/** What to do next: the findings of time and of memory in one list, as Doctor ranks them. */
import { useEffect } from 'preact/hooks';
import type { FindingRow as Finding } from '../api/answers';
import { standOf } from '../app/open_tool';
import { hrefOf, view, type Change } from '../app/router';
import { memoryLink, ruleText, SEVERITY } from '../doctor/findings';
import { doctor, doctorError, startDoctor } from '../app/doctor_state';
import { opsChange, placeOf, sourceChange } from './links';
import { durationText } from '../trace/time';
import { formatBytes, formatCount, plural } from '../util/format';

const SHOWN = 8;

/** Doctor shows another program. */
const toDoctor = (): Change => ({ tool: 'doctor', ...(view.value.program ? { module: view.value.program } : {}) });

export function NextPart() {
  const stand = standOf('doctor');
  useEffect(() => (stand.open ? startDoctor() : undefined), [stand.open]);
  const answer = stand.open ? doctor.value : null;
  const list = answer?.findings.filter((finding) => finding.silenced === null) ?? [];
  return (
    <section class="ov-next" aria-label="what to do next">
      <header class="ov-title">
        <h2>What to do next</h2>
        {answer ? (
          <span class="soft">
            {plural(list.length, 'finding')}, ranked by share{answer.measured.other_hosts > 0 ? `; times are of host ${answer.measured.host}` : ''}
          </span>
        ) : null}
        <a class="ov-more" href={hrefOf(toDoctor())}>
          Doctor
        </a>
      </header>
      {!stand.open ? (
        <p class="ov-note">No findings: {stand.reason}.</p>
      ) : doctorError.value ? (
        <p class="ov-note" role="alert">
          The findings cannot be shown: {doctorError.value}
        </p>
      ) : !answer ? (
        <p class="ov-note" aria-busy="true">
          checking the rules …
        </p>
      ) : list.length === 0 ? (
        <p class="ov-note">
          No findings: {plural(answer.rules_checked, 'rule')} checked this {view.value.program ? 'program' : 'run'} and none reported anything.
        </p>
      ) : (
        <ol>
          {list.slice(0, SHOWN).map((finding, k) => (
            <Row key={`${finding.id} ${k}`} finding={finding} />
          ))}
        </ol>
      )}
      {list.length > SHOWN ? (
        <p class="ov-note">
          <a href={hrefOf(toDoctor())}>{formatCount(list.length - SHOWN)} more</a>
        </p>
      ) : null}
      {answer && !answer.measured.known ? <p class="ov-note">No findings of time: {answer.measured.reason}.</p> : null}
    </section>
  );
}

/** The claim itself, and the numbers behind it. */
function claimParts(text: string): [string, string] {
  const at = text.search(/[:;] |\. (?=[A-Z%])/);
  return at < 0 ? [text, ''] : [text.slice(0, at + 1), text.slice(at + 1)];
}

function Row({ finding }: { finding: Finding }) {
  const [claim, rest] = claimParts(finding.claim);
  return (
    <li class={`ov-finding d-${finding.severity}`}>
      <span class="d-sign" role="img" aria-label={finding.severity}>
        {SEVERITY[finding.severity]}
      </span>
      <p class="ov-claim">
        <b>{claim}</b>
        {rest} <span class="soft">{finding.advice}</span>
      </p>
      <p class="ov-effect">
        <Effect finding={finding} />
      </p>
      <div class="ov-evidence">
        <Evidence finding={finding} />
      </div>
    </li>
  );
}

function Effect({ finding }: { finding: Finding }) {
  if (finding.saving_ps !== null)
    return (
      <>
        <b class="good">−{durationText(finding.saving_ps)}</b> <span class="soft">{finding.share_of ? `of ${finding.share_of}, at most` : 'at most'}</span>
      </>
    );
  if (finding.saving_bytes)
    return (
      <>
        <b class="good">{formatBytes(-finding.saving_bytes)}</b> <span class="soft">of the peak</span>
      </>
    );
  return null;
}

function Operations({ names, all }: { names: readonly string[]; all: number }) {
  const { change, shown } = opsChange(names, doctor.value?.module ?? null);
  return (
    <a href={hrefOf(change)} title={shown < all ? `the first ${formatCount(shown)} of them` : undefined}>
      {plural(all, 'op')}
    </a>
  );
}

function Evidence({ finding }: { finding: Finding }) {
  const { instruction, source, operations } = finding;
  const time = finding.kind === 'time';
  const file = source?.file.slice(source.file.lastIndexOf('/') + 1);
  const line = source ? `${source.file}${source.line === null ? '' : `:${source.line}`}` : '';
  const place = time && operations.n === 0 ? placeOf(finding.place) : undefined;
  return (
    <>
      {operations.n > 0 ? <Operations names={operations.name} all={operations.n + finding.operations_left_out} /> : null}
      {time && instruction ? <a href={hrefOf({ tool: 'trace', op: `%${instruction}` })}>Trace</a> : null}
      {place ? <a href={hrefOf(place.change)}>{place.word}</a> : null}
      {!time && finding.listed.count > 0 ? (
        <a href={memoryLink(finding, { pin: finding.listed.buffer[0], tab: null })}>{plural(finding.listed.count, finding.listed.what)}</a>
      ) : null}
      {instruction && !time ? (
        <a class="mono cut" href={hrefOf({ tool: 'graph', op: `%${instruction}` })} title={instruction}>
          {instruction}
        </a>
      ) : null}
      {source ? (
        <a
          class="mono cut"
          href={time ? hrefOf(sourceChange(source.file, source.line)) : memoryLink(finding, { tab: 'buffers', source: line, scope: null })}
          title={line}
        >
          {file}
          {source.line ? `:${source.line}` : ''}
        </a>
      ) : null}
      <a href={hrefOf(toDoctor())} title={ruleText(finding)}>
        {finding.id}
      </a>
    </>
  );
}
