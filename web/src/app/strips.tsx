import { computed, effect, signal } from '@preact/signals';
import type { Host, Run } from '../api/types';
import { inFlight, missing, progress, reachable } from '../api/client';
import { SeverityIcon } from '../ui/icons';
import { Later } from '../ui/later';
import { fixed, formatCount, formatFileSize, formatPercent, plural } from '../util/format';
import { keepWord, keptWord } from '../util/this_tab';
import { dropped, shellWord } from './drop';
import { hrefOf, view } from './router';
import { leftWords, paceOf } from './pace';
import { ReadAgain, AllRuns, runErrorText } from './run_error';
import { run, runError, status } from './state';
import { copyText } from './toast';
import { Icon } from '../ui/icons';
import { setStyle } from '../ui/size';

/** Shown after half a second, so that quick answers do not flash. */
const slow = signal(false);
const line = signal(false);

function follow(source: () => boolean, target: { value: boolean }, ms: number): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Of the state alone: progress comes more often than the timer runs, and each report would start it anew.
  const state = computed(source);
  effect(() => {
    const busy = state.value;
    clearTimeout(timer);
    if (!busy) target.value = false;
    else
      timer = setTimeout(() => {
        target.value = true;
      }, ms);
  });
}

export function startStrips(): void {
  follow(() => inFlight.value > 0 || progress.value !== null, line, 150);
  follow(() => progress.value !== null, slow, 500);
}

/** The 2 px line under the header. */
export function LoadLine() {
  if (!line.value) return null;
  const percent = progress.value?.percent;
  return (
    <div class="load-line" role="progressbar" aria-label="reading" aria-valuenow={percent ?? undefined}>
      <i
        class={percent === null || percent === undefined ? 'unknown' : ''}
        // A transform instead of a width: the line moves without layout.
        ref={setStyle('transform', typeof percent === 'number' ? `scaleX(${percent / 100})` : '')}
      />
    </div>
  );
}

function ReadingStrip() {
  const now = progress.value;
  if (!slow.value || !now) return null;
  const pace = paceOf(now, performance.now());
  return (
    <>
      <div class="strip reading" role="status">
        <div class="text">
          <b>
            {now.what.slice(0, 1).toUpperCase() + now.what.slice(1)}
            {now.percent === null ? '' : `: ${fixed(now.percent, 0)} %`}
          </b>{' '}
          <span class="soft">
            {formatFileSize(now.done_bytes)} of {formatFileSize(now.total_bytes)}
            {pace && `, ${formatFileSize(pace.perSecond)}/s, ${leftWords(pace.secondsLeft)}`}. Modules are read before events; each view opens as soon as its
            data is read.
          </span>
        </div>
        {view.value.run && <Later part="ReadingActions" optional />}
      </div>
      {view.value.run && <Later part="ReadingFiles" optional />}
    </>
  );
}

interface Message {
  severity: 'error' | 'warning';
  /** The sentence in the colour of the strip. */
  what: string;
  /** Where, why, what still works, what to do. */
  rest: string;
}

/** "host0.xplane.pb is truncated: it has 80,964 of at least 134,784 bytes (60 %)." */
export function hostMessage(host: Host): Message | null {
  const cut = host.read_until_bytes !== null && host.whole_bytes !== null && host.whole_bytes > host.size_bytes;
  if (cut && host.whole_bytes) {
    const share = formatPercent(host.size_bytes / host.whole_bytes);
    return {
      severity: 'error',
      what: `${host.file} is truncated: it has ${formatCount(host.size_bytes)} of at least ${formatCount(host.whole_bytes)} bytes (${share}).`,
      rest: `It can be read up to byte ${formatCount(host.read_until_bytes)}. An upload or copy stopped, or the disk was full. Copy it again and this page will pick it up.`,
    };
  }
  if (host.error) return { severity: 'error', what: `${host.file} cannot be read:`, rest: host.error };
  if (!host.complete) {
    return {
      severity: 'error',
      what: `${host.file} could be read up to byte ${formatCount(host.read_until_bytes)} only.`,
      rest: `It has ${formatCount(host.size_bytes)} bytes; the rest is damaged or in another format.`,
    };
  }
  return null;
}

/** All that is to say about an open run, errors first. */
function messagesOf(open: Run): Message[] {
  const out: Message[] = [];
  for (const host of open.hosts) {
    const message = hostMessage(host);
    if (message) out.push(message);
    for (const text of host.errors) out.push({ severity: 'error', what: `${host.name} reported an error:`, rest: text });
    for (const text of host.warnings) out.push({ severity: 'warning', what: `${host.name} reported:`, rest: text });
  }
  const told = open.hosts.filter((host) => hostMessage(host)).map((host) => `${host.file}: `);
  for (const warning of open.warnings) {
    if (warning.severity !== 'error' && warning.severity !== 'warning') continue;
    // The state of a file is said above, in numbers.
    if (warning.severity === 'error' && told.some((start) => warning.text.startsWith(start))) continue;
    const times = warning.count > 1 ? `, ${plural(warning.count, 'time')}` : '';
    const where = warning.offset === null ? '' : ` (at byte ${formatCount(warning.offset)})`;
    out.push({ severity: warning.severity, what: warning.text, rest: `${where}${times}`.trim() });
  }
  return out.sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'));
}

/** What still works, in words: said before what does not. */
function stillWorks(open: Run): string {
  if (open.modules.n > 0) return `${plural(open.modules.n, 'module')} read whole: Memory is not affected.`;
  return 'No module could be read.';
}

function report(open: Run, messages: Message[]): string {
  const version = status.value ? `${status.value.name} ${status.value.version} (${status.value.build})` : 'xprofd';
  return [`${version}, run ${open.id}`, ...messages.map((m) => `${m.severity}: ${m.what} ${m.rest}`)].join('\n');
}

/** Run whose strip was closed; it comes back with the next run. */
const closed = signal('');
const unfolded = signal(false);
const healed = signal(false);
/** The run that had errors; the page is loaded anew when its files change. */
const HAD_ERRORS = 'xprofd.had_errors';

/** A file that is whole again turns the strip green for three seconds. */
export function watchHealing(): void {
  effect(() => {
    const open = run.value;
    if (!open) return;
    const errors = messagesOf(open).some((message) => message.severity === 'error');
    if (!errors && keptWord(HAD_ERRORS) === open.id) {
      healed.value = true;
      setTimeout(() => {
        healed.value = false;
      }, 3000);
    }
    keepWord(HAD_ERRORS, errors ? open.id : null);
  });
}

function RunActions({ open, messages, errors }: { open: Run; messages: Message[]; errors: boolean }) {
  return (
    <div class="actions">
      {view.value.tool !== 'files' && errors && (
        <a class="btn" href={hrefOf({ tool: 'files' })}>
          What works
        </a>
      )}
      {errors && <ReadAgain />}
      <button type="button" class="btn" onClick={() => void copyText(report(open, messages), 'report')}>
        Copy report
      </button>
      {!errors && (
        <button
          type="button"
          class="icon-btn"
          aria-label="close"
          onClick={() => {
            closed.value = open.id;
          }}
        >
          <Icon name="close" size={13} />
        </button>
      )}
    </div>
  );
}

function RunStrip() {
  const open = run.value;
  if (!open || !view.value.run) return null;
  if (healed.value) {
    return (
      <div class="strip healed">
        <span class="good">
          <Icon name="check" size={12} />
        </span>
        <div class="text">All files of this run are complete now.</div>
      </div>
    );
  }
  const messages = messagesOf(open);
  if (!messages.length || closed.value === open.id) return null;
  const errors = messages.some((message) => message.severity === 'error');
  const shown = unfolded.value ? messages : messages.slice(0, 1);
  return (
    <div class={`strip ${messages[0].severity}`} role="alert">
      <SeverityIcon severity={messages[0].severity} />
      <div class="text">
        {shown.map((message, i) => (
          <p key={i}>
            <span class="what">{message.what}</span> {message.rest}
          </p>
        ))}
        {errors && <b>{stillWorks(open)} </b>}
        {messages.length > 1 && (
          <button
            type="button"
            class="link"
            onClick={() => {
              unfolded.value = !unfolded.value;
            }}
          >
            {unfolded.value ? 'less' : `+${messages.length - 1} more`}
          </button>
        )}
      </div>
      <RunActions open={open} messages={messages} errors={errors} />
    </div>
  );
}

function ServerStrip() {
  if (!reachable.value) {
    return (
      <div class="strip error" role="alert">
        <SeverityIcon severity="error" />
        <div class="text">
          <span class="what">The server does not answer.</span> It was stopped, or the tunnel is closed. What is on screen stays; the page keeps retrying.
        </div>
      </div>
    );
  }
  // Without a run the page itself says so.
  if (!runError.value || !run.value || !view.value.run) return null;
  return (
    <div class="strip error" role="alert">
      <SeverityIcon severity="error" />
      <div class="text">
        <span class="what">{view.value.run} cannot be opened:</span> {runErrorText()}
      </div>
      <div class="actions">
        <ReadAgain />
        <AllRuns />
      </div>
    </div>
  );
}

/** A dropped file cannot be opened from here: what can, with the command. */
function DropStrip() {
  const file = dropped.value;
  if (!file) return null;
  const command = `xprofd ${shellWord(file.name)}`;
  return (
    <div class="strip warning dropped" role="alert">
      <SeverityIcon severity="note" />
      <div class="text">
        <span class="what">{file.name} was not opened:</span> {file.why || 'this page only reads what its server was started with; nothing is uploaded'}.
        {file.others > 0 && ` ${plural(file.others, 'other file')} dropped with it were not opened either.`} On the machine that has the file:{' '}
        <span class="mono strong">{command}</span>
      </div>
      <div class="actions">
        <button type="button" class="btn" onClick={() => void copyText(command, 'command')}>
          Copy command
        </button>
        <button
          type="button"
          class="icon-btn"
          aria-label="close"
          onClick={() => {
            dropped.value = null;
          }}
        >
          <Icon name="close" size={13} />
        </button>
      </div>
    </div>
  );
}

export function Strips() {
  return (
    <div class="strips">
      <ServerStrip />
      {view.value.run && view.value.only && <Later part="PartStrip" optional />}
      <RunStrip />
      {missing.value.size > 0 && <Later part="MissingStrip" optional />}
      <DropStrip />
      <ReadingStrip />
    </div>
  );
}
