/** Doctor: the findings of a program on a page of their own, with the verdict on top. */
import { useEffect } from 'preact/hooks';
import { hrefOf, view } from '../app/router';
import { run } from '../app/state';
import { Unread } from '../ui/unread';
import type { Answers } from '../api/answers';
import { exactBytes, formatBytes, pageUnit, plural, unitFor, upper } from '../util/format';
import { Findings } from './findings';
import { doctor, doctorError, startDoctor } from '../app/doctor_state';

/** Of heap files: the longest series, and whether it grows. */
function HeapVerdict({ series }: { series: Answers['doctor']['heap'] }) {
  const longest = series.reduce((most, one) => (one.files > most.files ? one : most));
  const { growing, last, last_bytes: bytes } = longest;
  const title = growing === null ? 'Growth is unknown' : growing ? `${plural(growing, 'line')} ${growing === 1 ? 'grows' : 'grow'}` : 'No line grows';
  return (
    <>
      <h1 class="d-title">{title}</h1>
      <p class="soft">
        {longest.reason
          ? upper(longest.reason)
          : `${formatBytes(bytes, { unit: 'own' })} in ${last}, the last of ${plural(longest.files, 'file')} of ${longest.series}`}
        . {series.length > 1 ? `${plural(series.length - 1, 'other series', 'other series')} in this folder. ` : ''}
        <a href={hrefOf({ tool: 'memory' })}>Heap file</a>
      </p>
    </>
  );
}

function Verdict() {
  const answer = doctor.value;
  if (!answer) return <h1 class="d-title">Findings</h1>;
  const { peak_bytes: peak, capacity_bytes: capacity } = answer;
  if (answer.heap.length) return <HeapVerdict series={answer.heap} />;
  if (answer.module === null)
    return (
      <>
        <h1 class="d-title">Findings of time</h1>
        <p class="soft">This profile holds no program (no HLO): memory and operations are not checked.</p>
      </>
    );
  if (peak === null) return <h1 class="d-title">The memory of this program is not known</h1>;
  const left = capacity === null ? null : capacity - peak;
  return (
    <>
      <h1 class="d-title" title={exactBytes(peak)}>
        Peak {formatBytes(peak)}
        {left === null ? null : left < 0 ? <span class="bad"> does not fit</span> : <span> fits by itself</span>}
      </h1>
      <p class="soft">
        {left === null || capacity === null
          ? `Device memory is unknown (${answer.capacity_unknown}). Set the capacity in Memory or with --hbm=16GiB.`
          : `${left < 0 ? `Needs ${formatBytes(-left)} more than the ${formatBytes(capacity)} available` : `${formatBytes(left)} left of ${formatBytes(capacity)}`} (${answer.capacity_from})`}
        {answer.peak_step === null ? null : (
          <>
            {' '}
            <a href={hrefOf({ tool: 'memory', step: answer.peak_step, tab: null })}>Go to the peak</a>
          </>
        )}
      </p>
    </>
  );
}

export function DoctorView() {
  useEffect(startDoctor, []);
  const peak = doctor.value?.peak_bytes;
  const short = view.value.unit === 'mib';
  useEffect(() => {
    if (peak !== null && peak !== undefined) pageUnit.value = unitFor(peak, short);
  }, [peak, short]);
  const unread = !run.value && !doctor.value && !doctorError.value;
  return (
    <main class={`main d-main${unread ? ' memory-loading' : ''}`}>
      {unread ? <Unread what="the findings of this program" /> : null}
      <header class="d-head">
        <Verdict />
      </header>
      <Findings />
    </main>
  );
}
