/** The bar over the text: forms, folding, find n of m, everything that can be saved. */
import { copyText } from '../app/toast';
import { moduleIndex } from '../app/pickers';
import { setView, view } from '../app/router';
import { modules } from '../app/state';
import { apiUrl } from '../api/client';
import { Pop } from '../memory/pop';
import { Icon } from '../ui/icons';
import { formatCount } from '../util/format';
import { folded, foldAll, find, found, foundAt, here, isOpen, isShort, setFind, step, subject, text, unfoldAll } from './state';

function findWords(): string {
  const { lines, error } = found.value;
  if (error) return `not a pattern: ${error}`;
  if (!find.value.trim()) return '';
  return `${foundAt.value >= 0 ? `${formatCount(foundAt.value + 1)} of ` : ''}${formatCount(lines.length)}${foundAt.value >= 0 ? '' : lines.length === 1 ? ' line' : ' lines'}`;
}

function Find({ field }: { field: { current: HTMLInputElement | null } }) {
  return (
    <label class="field g-find">
      <Icon name="search" size={13} />
      <input
        ref={field}
        placeholder="find: text or /regex/"
        aria-label="find in the text"
        value={find.value}
        onInput={(event) => setFind(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') {
            setFind('');
            event.currentTarget.blur();
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class={found.value.error ? 'small bad cut' : 'small soft'} role="status">
        {findWords()}
      </span>
      <button type="button" class="g-step" aria-label="previous hit" title="previous (Shift+Enter)" onClick={() => step(-1)}>
        <Icon name="down" size={12} />
      </button>
      <button type="button" class="g-step" aria-label="next hit" title="next (Enter)" onClick={() => step(1)}>
        <Icon name="down" size={12} />
      </button>
    </label>
  );
}

/** Module and form, without what a file system dislikes. */
function nameOf(form: string, end: string): string {
  const { run, module } = view.value;
  return `${(module ?? run ?? 'program').replace(/\(\d+\)$/, '').replace(/[^\w.-]+/g, '_')}.${form}.${end}`;
}

const FORMS: [title: string, file: string, params: Record<string, string>][] = [
  ['long, as XLA prints it', 'long', { format: 'long' }],
  ['long with metadata', 'long.metadata', { format: 'long', metadata: '1' }],
  ['long without backend configs', 'long.plain', { format: 'long', config: '0' }],
  ['short', 'short', { format: 'short' }],
  ['short with metadata', 'short.metadata', { format: 'short', metadata: '1' }],
  ['expressions with operand shapes', 'expression', { format: 'expression' }],
];

function Save() {
  const { run, host } = view.value;
  const module = modules.value?.key[moduleIndex()];
  const proto = new URLSearchParams({ tag: 'graph_viewer', type: 'pb' });
  if (run) proto.set('run', run);
  if (host) proto.set('host', host);
  if (module) proto.set('module_name', module);
  return (
    <Pop label={<Icon name="save" size={14} />} title="save the text" class="icon-btn">
      {(close) => (
        <ul class="m-menu">
          {FORMS.map(([title, file, more]) => (
            <li key={file}>
              <a href={apiUrl('graph/text', { ...subject(), ...more })} download={nameOf(file, 'txt')} onClick={close}>
                {title}
              </a>
            </li>
          ))}
          <li>
            <a href={`data/plugin/profile/data?${proto}`} download={nameOf('hlo', 'pb')} onClick={close}>
              HloProto (binary)
            </a>
          </li>
        </ul>
      )}
    </Pop>
  );
}

function CopyMenu() {
  const all = text.value;
  if (!all) return null;
  const line = here.value;
  const head = line >= 0 ? all.heads.find((item) => item.line <= line && line <= item.end) : undefined;
  return (
    <Pop label={<Icon name="copy" size={14} />} title="copy" class="icon-btn">
      {(close) => {
        const item = (title: string, what: string, off: boolean, words: () => string) => (
          <li>
            <button
              type="button"
              class="link"
              aria-disabled={off}
              onClick={() => {
                if (!off) {
                  close();
                  void copyText(words(), what);
                }
              }}
            >
              {title}
            </button>
          </li>
        );
        return (
          <ul class="m-menu">
            {item(line >= 0 ? `line ${line + 1}` : 'one line: click it first', 'line', line < 0, () => all.lines[line].trim())}
            {item(
              head ? `computation ${head.name}, ${formatCount(head.end - head.line + 1)} lines` : 'its computation: click a line first',
              'computation',
              !head,
              () => all.lines.slice(head?.line, (head?.end ?? 0) + 1).join('\n'),
            )}
          </ul>
        );
      }}
    </Pop>
  );
}

export function TextBar({ field }: { field: { current: HTMLInputElement | null } }) {
  const all = text.value;
  return (
    <div class="g-bar g-text-bar" role="toolbar" aria-label="HLO text">
      <b>HLO text</b>
      <span class="segment" role="group" aria-label="form of the text">
        <button type="button" class={isShort.value ? 'on' : ''} aria-pressed={isShort.value} onClick={() => setView({ form: 'short' })}>
          Short
        </button>
        <button type="button" class={isShort.value ? '' : 'on'} aria-pressed={!isShort.value} onClick={() => setView({ form: null })}>
          Long
        </button>
      </span>
      <label title="metadata and backend_config of each line as pills; click one to read it">
        <input type="checkbox" checked={!isOpen.value} onChange={(event) => setView({ meta: event.currentTarget.checked ? null : '1' })} /> Metadata folded
      </label>
      <button type="button" class="link small" onClick={() => (folded.value.size ? unfoldAll() : foldAll())}>
        {folded.value.size ? 'open all' : 'fold all'}
      </button>
      <span class="soft small">{all ? `${formatCount(all.lines.length)} lines` : ''}</span>
      <span class="grow" />
      <Find field={field} />
      <CopyMenu />
      <Save />
    </div>
  );
}
