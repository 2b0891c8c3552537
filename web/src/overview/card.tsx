/** The card: chips, utilisation, memory, what was captured, and where it ran. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { hrefOf } from '../app/router';
import { decimalText } from '../explain/numbers';
import { setStyle, shareWidth } from '../ui/size';
import { durationText } from '../trace/time';
import { formatBytes, formatPercent, plural } from '../util/format';
import { BytesChange, Change, ShareChange } from './change';
import { PeaksBoxes } from './peaks_boxes';
import { inUnit, shareText, type TimeUnit, unitOf } from './numbers';
import { mainGroup } from './columns';
import { base, split } from './state';
import { placeWord, stepWord } from './words';
import type { Overview, OverviewChip, OverviewRate } from '../api/answers';

export function CardPart({ a }: { a: Overview }) {
  return (
    <aside class="ov-card" aria-label="this run">
      <Chips a={a} />
      <Utilisation a={a} />
      <Memory a={a} />
      <Capture a={a} />
      <Environment a={a} />
    </aside>
  );
}

/** Chips with a bar of their own before the list folds. */
const CHIPS_MOST = 16;

function ChipsHead({ a, what, ofHosts }: { a: Overview; what: string; ofHosts: boolean }) {
  return (
    <thead>
      <tr>
        <th scope="col">{what}</th>
        <th scope="col" class="ov-bar">
          {stepWord(a)}, from 0
        </th>
        <th scope="col" class="num" title={ofHosts ? 'mean of its slowest chip' : undefined}>
          {ofHosts ? 'slowest' : 'mean'}, {unitOf(a.step?.mean_ps ?? 1).word}
        </th>
        <th scope="col" class="num">
          waits
        </th>
      </tr>
    </thead>
  );
}

function Chips({ a }: { a: Overview }) {
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState('');
  if (!a.chips.length) return null;
  const unit = unitOf(a.step?.mean_ps ?? 1);
  const longest = Math.max(1, ...a.chips.map((chip) => chip.mean_ps ?? 0));
  const hosts = a.hosts.length > 1 ? byHost(a.chips) : null;
  const what = hosts ? 'host' : placeWord(a.chips);
  const rows = hosts
    ? hosts.flatMap(([host, chips]) => [{ host, chips, chip: null }, ...(open === host ? chips.map((chip) => ({ host, chips, chip })) : [])])
    : a.chips.map((chip) => ({ host: chip.host, chips: [chip], chip }));
  const shown = all ? rows : rows.slice(0, CHIPS_MOST);
  return (
    <section class="ov-chips" aria-label="chips">
      <header class="ov-title">
        <h2>{hosts ? 'Hosts' : what === 'host' ? 'Host' : 'Chips'}</h2>
        <span class="soft cut">{a.hosts.length > 1 ? plural(a.hosts.length, 'host') : `1 host, ${a.hosts[0] ?? ''}`}</span>
      </header>
      <table class={hosts ? 'ov-table ov-of-hosts' : 'ov-table'}>
        <ChipsHead a={a} what={what} ofHosts={hosts !== null} />
        <tbody>
          {shown.map(({ host, chips, chip }) =>
            chip ? (
              <ChipRow key={`${host} ${chip.process}`} chip={chip} longest={longest} unit={unit} inside={hosts !== null} />
            ) : (
              <ChipRow
                key={host}
                chip={slowestOf(chips)}
                longest={longest}
                unit={unit}
                name={host}
                more={plural(chips.length, 'chip')}
                open={open === host}
                toggle={() => setOpen(open === host ? '' : host)}
              />
            ),
          )}
        </tbody>
      </table>
      {rows.length > CHIPS_MOST ? (
        <button type="button" class="link" onClick={() => setAll(!all)}>
          {all ? 'fewer' : `${plural(rows.length - CHIPS_MOST, 'more', 'more')}`}
        </button>
      ) : null}
      <p class="soft">{a.chips_sentence}</p>
    </section>
  );
}

const slowestOf = (chips: readonly OverviewChip[]) => chips.reduce((most, chip) => ((chip.mean_ps ?? -1) > (most.mean_ps ?? -1) ? chip : most));

/** Slowest first. */
function byHost(chips: readonly OverviewChip[]): [string, OverviewChip[]][] {
  const hosts = new Map<string, OverviewChip[]>();
  for (const chip of chips) hosts.set(chip.host, [...(hosts.get(chip.host) ?? []), chip]);
  return [...hosts].sort(([, x], [, y]) => (slowestOf(y).mean_ps ?? -1) - (slowestOf(x).mean_ps ?? -1));
}

/** A long name goes on below after a sign of punctuation: 34.83.195.180_6003. */
function Broken({ name }: { name: string }) {
  return (
    <>
      {name.split(/(?<=[._:/-])/).map((part, k) => (
        <Fragment key={k}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </>
  );
}

interface ChipProps {
  chip: OverviewChip;
  longest: number;
  unit: TimeUnit;
  name?: string;
  more?: string;
  inside?: boolean;
  open?: boolean;
  toggle?: () => void;
}

function ChipRow({ chip, longest, unit, name, more, inside, open, toggle }: ChipProps) {
  const mean = chip.mean_ps;
  const waits = mean && chip.waits_ps !== null ? chip.waits_ps / mean : null;
  const other = base.value?.chips.find(({ name: its }) => its === chip.name);
  const waitsBefore = other?.mean_ps && other.waits_ps !== null ? other.waits_ps / other.mean_ps : null;
  const title =
    mean === null
      ? 'no steps on it'
      : [
          `compute ${durationText(chip.compute_ps)}`,
          `waits ${durationText(chip.waits_ps)}`,
          `idle ${durationText(chip.idle_ps)}`,
          ...(chip.behind_ps ? [`${durationText(chip.behind_ps)} longer than the fastest`] : []),
        ].join(', ');
  return (
    <tr class={chip.slowest ? 'ov-slowest' : ''} title={title}>
      <th scope="row" class={inside ? 'ov-inside' : ''} title={name ?? chip.name}>
        {toggle ? (
          <button type="button" class="link" aria-expanded={open} onClick={toggle} title={`${name}, ${more}`}>
            <Broken name={name ?? chip.name} />
          </button>
        ) : (
          <Broken name={name ?? chip.name} />
        )}
      </th>
      {mean === null ? (
        <td colSpan={3} class="faint">
          no steps
        </td>
      ) : (
        <>
          <td class="ov-bar">
            <span class="ov-stack" ref={shareWidth(mean / longest)}>
              <i class={`ov-g-${mainGroup(split.value)}`} ref={shareWidth((chip.compute_ps ?? 0) / mean)} />
              <i class="ov-k-wait" ref={shareWidth((chip.waits_ps ?? 0) / mean)} />
            </span>
          </td>
          <td class="num">
            {inUnit(mean, unit)}
            <Change before={other?.mean_ps} after={mean} unit={unit} />
          </td>
          <td class="num soft">
            {waits === null ? 'unknown' : waits === 0 ? '0' : formatPercent(waits, 2)}
            <ShareChange before={waitsBefore} after={waits} />
          </td>
        </>
      )}
    </tr>
  );
}

function Utilisation({ a }: { a: Overview }) {
  if (!a.step) return null;
  return (
    <section class="ov-rates" aria-label="utilisation">
      <header class="ov-title">
        <h2>Utilisation</h2>
        <span class="soft">{a.step.selected === null ? `mean of ${plural(a.step.count, stepWord(a))}` : `${stepWord(a)} ${a.step.selected}`}</span>
      </header>
      {a.utilisation.map((rate) => (
        <Rate key={rate.what} rate={rate} />
      ))}
      <PeaksBoxes a={a} />
    </section>
  );
}

function Rate({ rate }: { rate: OverviewRate }) {
  const unit = rate.what.startsWith('flops') ? 'FLOP/s' : 'B/s';
  const before = base.value?.utilisation.find((other) => other.what === rate.what)?.share;
  return (
    <div class="ov-rate" title={rate.unknown ?? undefined}>
      <span>
        {rate.label}
        {rate.at_least ? ', ≥' : ''}
      </span>
      <span class="num">
        {rate.per_s === null ? <span class="faint">{rate.unknown ?? 'unknown'}</span> : <b>{decimalText(rate.per_s, unit)}</b>}{' '}
        {rate.per_s === null ? null : <span class="soft">{rate.share !== null ? tinyShare(rate.share) : rate.what === 'host_link' ? 'peak unknown' : ''}</span>}
        <ShareChange before={before} after={rate.share} good="more" />
      </span>
      <span class={`ov-track${rate.share === null ? ' ov-unknown' : ''}`}>
        {rate.share === null ? null : (
          <i
            class={unit === 'B/s' ? 'ov-k-memory' : 'ov-k-flops'}
            ref={setStyle('width', `max(${rate.share > 0 ? 1 : 0}px, ${Math.min(1, rate.share) * 100}%)`)}
          />
        )}
      </span>
    </div>
  );
}

/** Digits until one is not zero: "0.0006 %". */
function tinyShare(share: number): string {
  if (share === 0 || Math.abs(share) >= 0.0005) return formatPercent(share, 1);
  const digits = Math.min(8, Math.ceil(-Math.log10(share)) - 2);
  return formatPercent(share, Math.max(2, digits));
}

function Memory({ a }: { a: Overview }) {
  const m = a.memory;
  return (
    <section class="ov-memory" aria-label="memory">
      <header class="ov-title">
        <h2>Memory</h2>
        <span class="soft">{m?.host_bytes ? `and ${formatBytes(m.host_bytes)} in host memory` : (m?.space ?? '')}</span>
      </header>
      {m === null ? (
        <p class="soft">not known: {a.no_memory}</p>
      ) : (
        <>
          <div class="ov-peak">
            <a href={hrefOf({ tool: 'memory', module: m.module })}>{formatBytes(m.peak_bytes)}</a>{' '}
            <BytesChange before={base.value?.memory?.peak_bytes} after={m.peak_bytes} />{' '}
            <span class="soft">
              {m.capacity_bytes === null
                ? `peak; capacity unknown: ${m.capacity_unknown ?? 'not recorded'}`
                : `peak of ${formatBytes(m.capacity_bytes, { unit: 'own' })}, ${shareText(m.share)}`}
            </span>
          </div>
          {m.share === null ? null : (
            <span class="ov-track">
              <i class={m.share > 1 ? 'ov-k-over' : 'ov-k-peak'} ref={shareWidth(Math.min(1, m.share))} />
            </span>
          )}
          {m.instruction ? (
            <p>
              at{' '}
              <a class="mono" href={hrefOf({ tool: 'memory', module: m.module })}>
                %{m.instruction.replace(/^%/, '')}
              </a>
            </p>
          ) : null}
        </>
      )}
    </section>
  );
}

function Capture({ a }: { a: Overview }) {
  const c = a.capture;
  if (!c) return null;
  const share = (ps: number) => `${(ps / Math.max(1, c.span_ps)) * 100}%`;
  const place = (from: number, to: number) => (x: HTMLElement | null) => {
    setStyle('left', share(from))(x);
    setStyle('width', `max(1px, ${share(to - from)})`)(x);
  };
  return (
    <section class="ov-capture" aria-label="capture">
      <header class="ov-title">
        <h2>Capture</h2>
        <span class="soft">{durationText(c.span_ps)}, host-aligned clock</span>
      </header>
      <span class="ov-track ov-strip">
        {c.marks.map((mark, k) => (
          <i key={k} class="ov-k-mark" title={`${mark.name}, ${durationText(mark.end_ps - mark.start_ps)}`} ref={place(mark.start_ps, mark.end_ps)} />
        ))}
        {c.first_ps !== null && c.last_ps !== null ? <i class="ov-k-wait" title="the steps" ref={place(c.first_ps, c.last_ps)} /> : null}
      </span>
      <p class="soft ov-ends">
        <span>{c.sentence}</span>
        {a.step && c.first_ps !== null && c.last_ps !== null ? (
          <span>
            {plural(a.step.steps, stepWord(a))}, {durationText(c.last_ps - c.first_ps)}
          </span>
        ) : null}
      </p>
      {c.complete ? null : <p class="warn">{c.damage}</p>}
      {c.lost ? <p class="warn">{c.lost}</p> : null}
      {a.step?.clocks ? <p class="warn">{a.step.clocks}</p> : null}
      {a.step?.overlap ? <p class="warn">{a.step.overlap}</p> : null}
      {c.missing.length ? (
        <ul class="ov-missing">
          {c.missing.map((item) => (
            <li key={item.what}>
              {item.what}: <span class="soft">{item.how}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function Environment({ a }: { a: Overview }) {
  if (!a.environment.length) return null;
  return (
    <section class="ov-environment" aria-label="environment">
      <header class="ov-title">
        <h2>Environment</h2>
        {a.capture ? <span class={a.capture.complete ? 'soft' : 'warn'}>{a.capture.complete ? 'file complete' : 'file not complete'}</span> : null}
      </header>
      <dl>
        {a.environment.map((fact) => (
          <div key={fact.what}>
            <dt class="soft">{fact.what}</dt>
            <dd class={fact.value === null ? 'faint' : ''}>{fact.value ?? 'not recorded'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
