import { OomBox } from '../app/oom_box';
import { loadRuns, runs, status } from '../app/state';
import { hrefOf } from '../app/router';
import { copyText } from '../app/toast';
import type { Runs } from '../api/types';
import { Icon, SeverityIcon } from '../ui/icons';
import { exactBytes, formatCount, formatFileSize, plural } from '../util/format';
import { coloured, type Recipe, recipes } from './recipes';

/** What the patterns stand for, by their ending. */
const MEANING: [RegExp, string][] = [
  [/plugins\/profile/, 'a profile of JAX, PyTorch/XLA or TensorFlow'],
  [/xplane\.pb$/, 'a profile of JAX, PyTorch/XLA or TensorFlow'],
  [/riegeli$/, 'a chunked capture, for profiles above 2 GB'],
  [/hlo_proto\.pb$/, 'one compiled module with its memory plan'],
  [/hlo\.pb$/, 'one compiled module from an XLA dump'],
  [/buffer-assignment/, 'an XLA dump, even if the program failed to compile'],
];

function meaningOf(pattern: string): string {
  return MEANING.find(([test]) => test.test(pattern))?.[1] ?? '';
}

/** The patterns, each once: what is compressed counts with the plain one. */
function patternsOf(list: Runs): { pattern: string; count: number }[] {
  const out = new Map<string, number>();
  for (const { pattern, count } of list.looked_for) {
    const plain = pattern.replace(/\.gz$/, '');
    out.set(plain, (out.get(plain) ?? 0) + count);
  }
  return [...out].map(([pattern, count]) => ({ pattern, count }));
}

function reportOf(list: Runs, version: string): string {
  const lines = [
    `${version}: no profile in ${list.root}`,
    ...(list.root_problem ? [list.root_problem] : []),
    `looked at ${plural(list.scan.files, 'file')} in ${plural(list.scan.folders, 'folder')}, ${list.scan.took_ms} ms`,
    ...(list.scan.limit ? [list.scan.limit] : []),
    ...list.found.map((item) => `found instead: ${item.name}: ${item.what}`),
    ...list.looked_for.map((item) => `looked for: ${item.pattern}: ${item.count}`),
  ];
  return lines.join('\n');
}

function Found({ list }: { list: Runs }) {
  const { scan } = list;
  const notes: [string, string][] = [];
  if (scan.unreadable_folders) notes.push([`${plural(scan.unreadable_folders, 'folder')} not entered`, 'No permission to read.']);
  // Links are listed one by one above as far as the list goes.
  const named = list.found.filter((item) => item.what.startsWith('This link ')).length;
  if (scan.links_skipped > named) {
    notes.push([
      `${plural(scan.links_skipped - named, named ? 'more link' : 'link')} not followed`,
      'Links are not followed. Start xprofd with --logdir set to the target.',
    ]);
  }
  if (scan.limit) notes.push(['The scan stopped', scan.limit]);
  if (!list.found.length && !notes.length) return null;
  return (
    <section>
      <h2>
        Found instead <span class="soft small">nearest first</span>
      </h2>
      {list.found.map((item, i) => (
        <div key={i} class="found">
          <SeverityIcon severity="warning" />
          <span class="mono cut" title={item.name}>
            {item.name}
          </span>
          <span class="soft">{item.what}</span>
        </div>
      ))}
      {notes.map(([title, text]) => (
        <div key={title} class="found">
          <SeverityIcon severity="note" />
          <span>{title}</span>
          <span class="soft">{text}</span>
        </div>
      ))}
    </section>
  );
}

function LookedFor({ list }: { list: Runs }) {
  return (
    <section>
      <h2>
        Looked for <span class="soft small">in the logdir and its subfolders, also as .gz</span>
      </h2>
      <table class="plain">
        <thead>
          <tr>
            <th>pattern</th>
            <th>what it is</th>
            <th class="num">found</th>
          </tr>
        </thead>
        <tbody>
          {patternsOf(list).map((item) => (
            <tr key={item.pattern}>
              <td class="mono">{item.pattern}</td>
              <td class="soft">{meaningOf(item.pattern)}</td>
              <td class="num">{formatCount(item.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function WhereItLies({ root }: { root: string }) {
  const lines: [string, string][] = [
    [root, 'the logdir'],
    ['  plugins/profile', 'all runs'],
    ['    2025_03_11_19_41_39', 'one run'],
    ['      <host>.xplane.pb', 'one host of the run'],
  ];
  return (
    <section>
      <h2>
        Where profiles are stored <span class="soft small">--logdir accepts any of these paths, or a folder that contains many</span>
      </h2>
      {lines.map(([path, what]) => (
        <p key={path} class="lies">
          <span class="mono">{path}</span>
          <span class="soft">{what}</span>
        </p>
      ))}
    </section>
  );
}

function RecipeBlock({ recipe }: { recipe: Recipe }) {
  return (
    <section>
      <h2 class="row">
        <span>{recipe.title}</span> <span class="soft small grow">{recipe.detail}</span>
        <button type="button" class="icon-btn" aria-label={`copy: ${recipe.title}`} title="copy" onClick={() => void copyText(recipe.text, recipe.title)}>
          <Icon name="copy" size={14} />
        </button>
      </h2>
      <pre class="code-block">
        {coloured(recipe.text).map(([kind, text], i) => (
          <span key={i} class={kind ? `code-${kind}` : undefined}>
            {text}
          </span>
        ))}
      </pre>
    </section>
  );
}

/** Profiles in the program itself: what the pages look like before there is a profile of one's own. */
function Samples({ list }: { list: Runs }) {
  if (!list.samples.length) return null;
  return (
    <section class="samples">
      <h2>
        Open a sample <span class="soft small">built in, work offline</span>
      </h2>
      <table class="plain">
        <tbody>
          {list.samples.map((one) => (
            <tr key={one.id}>
              <td>
                <a href={hrefOf({ run: one.id })} title={one.shows}>
                  {one.title}
                </a>
              </td>
              <td class="soft sample-shows">
                <span class="cut" title={one.shows}>
                  {one.shows}
                </span>
              </td>
              <td class="num" title={exactBytes(one.size_bytes)}>
                {formatFileSize(one.size_bytes)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** No run: a diagnosis, and how to make one. A profile that appears opens by itself. */
export function EmptyPage() {
  const list = runs.value;
  if (!list) return null;
  const { scan } = list;
  const version = status.value ? `${status.value.name} ${status.value.version} (${status.value.build})` : 'xprofd';
  return (
    <main class="main empty-page">
      <div class="empty-left">
        <h1>
          {list.root_problem ? (
            <>
              <span class="mono">{list.root}</span> cannot be read
            </>
          ) : (
            <>
              No profile in <span class="mono">{list.root}</span> yet
            </>
          )}
        </h1>
        {list.root_problem && <p class="bad">{list.root_problem}</p>}
        <p class="soft">
          Looked at <b>{`${plural(scan.files, 'file')} in ${plural(scan.folders, 'folder')}`}</b>, in{' '}
          {scan.took_ms < 1 ? 'less than 1' : formatCount(scan.took_ms)} ms. None is a profile
          {list.found.length ? `; ${formatCount(list.found.length)} ${list.found.length === 1 ? 'is' : 'are'} close` : ''}. A profile written from now on opens
          here automatically.
        </p>
        <p class="row">
          <button type="button" class="btn" onClick={() => void loadRuns()}>
            Look again <kbd>R</kbd>
          </button>
          <button type="button" class="btn" onClick={() => void copyText(reportOf(list, version), 'report')}>
            <Icon name="copy" size={13} /> Copy this report
          </button>
        </p>
        <Found list={list} />
        <LookedFor list={list} />
        <WhereItLies root={list.root} />
      </div>
      <div class="empty-right">
        <h2 class="big">Make a profile</h2>
        {recipes(list.root).map((recipe) => (
          <RecipeBlock key={recipe.title} recipe={recipe} />
        ))}
        <section>
          <h2>
            Paste an out-of-memory message <span class="soft small">finds the module, memory space and buffers; HLO text opens as a program</span>
          </h2>
          <OomBox />
        </section>
        <Samples list={list} />
      </div>
    </main>
  );
}
