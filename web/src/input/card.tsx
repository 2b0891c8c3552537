/** The card: verdict, the step if input were free, what would do it, why devices are idle, tf.data. */
import { durationText } from '../trace/time';
import { fixed, formatPercent, plural, unbroken } from '../util/format';
import { shareWidth } from '../ui/size';
import type { ComponentChildren } from 'preact';
import type { InputVerdictAnswer } from '../api/answers';

const BADGES = { yes: 'input bound', partly: 'partly input bound', no: 'not input bound', unknown: 'cannot tell' } as const;
export const TONES = { yes: 'bad', partly: 'warn', no: 'good', unknown: 'warn' } as const;

function Row({ name, value, tone }: { name: ComponentChildren; value: ComponentChildren; tone?: string }) {
  return (
    <div class="in-row">
      <dt>{name}</dt>
      <dd class={`num ${tone ?? ''}`}>{value}</dd>
    </div>
  );
}

function Free({ a }: { a: InputVerdictAnswer }) {
  return (
    <section>
      <h2>
        If input were free <span class="soft">mean of {plural(a.steps, 'step')}</span>
      </h2>
      <dl>
        <Row name="Step now" value={durationText(a.step_ps)} />
        <Row name="Without waiting for input" value={durationText(a.without_input_ps)} />
        {a.faster === null ? null : <Row name="Faster by" value={`${fixed(a.faster, 1)} ×`} tone={a.faster >= 1.05 ? 'good' : ''} />}
      </dl>
    </section>
  );
}

function Needed({ a }: { a: InputVerdictAnswer }) {
  if (a.batch_ps === null) return null;
  const many = a.cores !== null && a.needed !== null && a.needed > a.cores;
  return (
    <section>
      <h2>
        What would fix it <span class="soft">same work</span>
      </h2>
      <dl>
        <Row name="Load + preprocess a batch" value={durationText(a.batch_ps)} />
        <Row name="Load alone" value={durationText(a.load_ps)} />
        {a.needed === null ? null : <Row name="Loaders needed to keep up" value={a.needed} tone={many ? 'bad' : ''} />}
        <Row name="Loaders running" value={a.loaders} />
        {a.cores === null ? null : <Row name="Cores of this host" value={a.cores} tone={many ? 'bad' : ''} />}
      </dl>
      {a.needed === null ? null : (
        <p class="soft">
          {a.needed} = {durationText(a.batch_ps)} ÷ {durationText(a.without_input_ps)}, rounded up.
          {many ? ' More than the cores: first do less for each batch, or preprocess on the device.' : ''}
        </p>
      )}
    </section>
  );
}

const IDLE = [
  { key: 'busy_ps', class: 'compute', title: 'works' },
  { key: 'idle_input_ps', class: 'wait', title: 'idle, waits for input' },
  { key: 'idle_transfer_ps', class: 'transfer', title: 'idle, during transfer' },
  { key: 'idle_other_ps', class: 'other', title: 'idle, other' },
] as const;

function Idle({ a }: { a: InputVerdictAnswer }) {
  if (a.busy_ps === null)
    return (
      <section>
        <h2>Device idle</h2>
        <p class="soft">No work of a device was recorded: whether it idles is unknown.</p>
      </section>
    );
  return (
    <section>
      <h2>
        Device idle <span class="soft">{formatPercent(1 - a.busy_ps / a.length_ps, 1)} of all steps</span>
      </h2>
      <div class="in-strip">
        {IDLE.map((part) => (
          <i key={part.key} class={`in-${part.class}`} ref={shareWidth((a[part.key] ?? 0) / a.length_ps)} />
        ))}
      </div>
      <dl>
        {IDLE.map((part) => (
          <Row
            key={part.key}
            name={
              <>
                <i class={`swatch in-${part.class}`} /> {part.title}
              </>
            }
            value={durationText(a[part.key])}
          />
        ))}
      </dl>
      {a.infeed_ps > 0 ? <p class="soft">Chips wait {durationText(a.infeed_ps)} in infeed on average.</p> : null}
    </section>
  );
}

export function CardPart({ a }: { a: InputVerdictAnswer }) {
  return (
    <aside class="ov-card in-card" aria-label="verdict">
      <section>
        <h2>
          Verdict <span class={`m-badge ${TONES[a.says]}`}>{BADGES[a.says]}</span>
        </h2>
        <p>{unbroken(a.advice)}</p>
      </section>
      {a.steps ? (
        <>
          <Free a={a} />
          <Needed a={a} />
          <Idle a={a} />
          <section>
            <h2>
              tf.data <span class="soft">{a.tf_stages ? `${a.tf_stages} stages` : 'none'}</span>
            </h2>
            {a.map_ps === null ? (
              a.tf_stages ? null : (
                <p class="soft">No Iterator:: events in this capture.</p>
              )
            ) : (
              <dl>
                <Row name="Map threads busy per batch" value={durationText(a.map_ps)} />
                {a.map_ps > 0 ? <Row name="They keep up with steps" value={`${fixed(a.step_ps / a.map_ps, 1)} × as fast`} /> : null}
              </dl>
            )}
          </section>
        </>
      ) : null}
    </aside>
  );
}
