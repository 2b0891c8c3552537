/** One line of the text: number, fold mark, pieces with links, pills for what is folded. */
import { Component } from 'preact';
import { showSection } from '../explain/section';
import { formatCount } from '../util/format';
import { type Pill, pillsOf } from './meta';
import { go, goLine, goNamed, toggleFold } from './state';
import { type HloText, instructionAt, type Piece, pieces } from './text';

/** Very long lines (configs, large constants) are cut on screen; the copy and the download are whole. */
const SHOWN = 2000;
const SHOWN_WRAPPED = 20_000;

interface LineProps {
  all: HloText;
  index: number;
  /** The line of the address. */
  on: boolean;
  /** Holds what is being looked for; `at`: the one that is shown. */
  hit: boolean;
  at: boolean;
  needle: string;
  open: boolean;
  /** The line shown in whole, over several rows; its width in pixels. */
  wrapped: number;
  /** A computation begins here: folded or not, and how many lines it has. */
  head: 'open' | 'folded' | '';
  inside: number;
  hover: (name: string | null, event: MouseEvent | null) => void;
}

function Marked({ text, needle, kind }: { text: string; needle: string; kind: string }) {
  const at = needle ? text.toLowerCase().indexOf(needle) : -1;
  if (at < 0) return <span class={kind}>{text}</span>;
  return (
    <span class={kind}>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + needle.length)}</mark>
      {text.slice(at + needle.length)}
    </span>
  );
}

function PieceView({ piece, needle, hover }: { piece: Piece; needle: string; hover: LineProps['hover'] }) {
  if (piece.kind !== 'name' && piece.kind !== 'defined') return <Marked text={piece.text} needle={needle} kind={`g-${piece.kind}`} />;
  const name = piece.text.replace(/^%/, '');
  return (
    <button
      type="button"
      class={`g-${piece.kind}`}
      tabIndex={-1}
      onClick={() => goNamed(name)}
      onMouseEnter={(event) => hover(name, event)}
      onMouseLeave={() => hover(null, null)}
    >
      <Marked text={piece.text} needle={needle} kind="" />
    </button>
  );
}

/** There are many rows on screen and they change often; an equal row is not redrawn. */
/** The config of a Pallas kernel: its body is MLIR, which Explain shows. */
const hasKernel = (line: string, pill: Pill) => line.slice(pill.from, pill.to).includes('"custom_call_config":{"body":"');

function KernelPill({ name }: { name: string }) {
  return (
    <button
      type="button"
      class="g-pill g-kernel"
      tabIndex={-1}
      title="the kernel as MLIR, in Explain"
      onClick={() => {
        go(name);
        showSection('kernel');
      }}
    >
      kernel
    </button>
  );
}

export class Line extends Component<LineProps, { opened: string }> {
  state = { opened: '' };

  shouldComponentUpdate(next: LineProps, state: { opened: string }) {
    const now = this.props;
    return state !== this.state || (Object.keys(next) as (keyof LineProps)[]).some((key) => next[key] !== now[key]);
  }

  private source() {
    const { all, index, needle, open, hover, wrapped } = this.props;
    const whole = all.lines[index] ?? '';
    const limit = wrapped ? SHOWN_WRAPPED : SHOWN;
    const parts = [];
    let from = 0;
    const words = (to: number) => {
      const cut = Math.min(to, limit);
      // Where the line is split does not change what its words are: the pieces are those of the whole line.
      if (cut > from)
        parts.push(...this.words(whole, from, cut).map((piece, k) => <PieceView key={`${from}.${k}`} piece={piece} needle={needle} hover={hover} />));
      from = to;
    };
    for (const pill of open ? [] : pillsOf(whole)) {
      if (this.state.opened.includes(` ${pill.word}`)) continue;
      words(pill.from);
      parts.push(
        <button
          type="button"
          key={pill.word}
          class="g-pill"
          tabIndex={-1}
          title={whole.slice(pill.from + 2, Math.min(pill.to, pill.from + 602))}
          onClick={() => this.setState({ opened: `${this.state.opened} ${pill.word}` })}
        >
          {pill.word}
        </button>,
      );
      if (pill.word === 'backend_config' && hasKernel(whole, pill)) parts.push(<KernelPill key="kernel" name={instructionAt(all, index)?.name ?? ''} />);
      from = pill.to;
    }
    words(whole.length);
    return { parts, left: Math.max(0, whole.length - limit) };
  }

  private words(whole: string, from: number, to: number): Piece[] {
    const { all } = this.props;
    return from === 0
      ? pieces(whole.slice(0, to), all.defined)
      : pieces(` ${whole.slice(from, to)}`, all.defined).map((piece, k) => (k ? piece : { ...piece, text: piece.text.slice(1) }));
  }

  render() {
    const { index, on, hit, at, wrapped, head, inside } = this.props;
    const { parts, left } = this.source();
    return (
      <div
        class={`g-line${on ? ' on' : ''}${hit ? ' hit' : ''}${at ? ' at' : ''}${wrapped ? ' whole' : ''}`}
        role="row"
        aria-rowindex={index + 1}
        aria-selected={on}
        style={{ width: wrapped ? `${wrapped}px` : undefined }}
      >
        <span role="gridcell" class="g-gutter">
          <button type="button" class="g-number" tabIndex={-1} title="link to this line" onClick={() => goLine(index)}>
            {index + 1}
          </button>
          {head ? (
            <button
              type="button"
              class="g-fold"
              tabIndex={-1}
              aria-expanded={head === 'open'}
              aria-label={`${head === 'open' ? 'fold' : 'open'} the computation`}
              onClick={() => toggleFold(index)}
            >
              {head === 'open' ? '▾' : '▸'}
            </button>
          ) : null}
        </span>
        <span role="gridcell" class="g-source">
          {parts}
          {left ? <span class="faint"> … {formatCount(left)} more characters</span> : null}
          {head ? (
            <span class="faint">
              {' '}
              {head === 'folded' ? '… } ' : ''}
              {formatCount(inside)} instructions
            </span>
          ) : null}
        </span>
      </div>
    );
  }
}
