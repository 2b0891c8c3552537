/** docs/NUMBERS.md as data, for the help panel: the one text that says what each number means. Pure. */
import markdown from '../../NUMBERS.md';

export interface Quantity {
  name: string;
  meaning: string;
  /** The clock, or the step, that it is measured at; '' where neither matters. */
  at: string;
  unit: string;
  where: string;
}

export interface Section {
  title: string;
  /** What the third column holds: Clock or At. */
  atTitle: string;
  rows: Quantity[];
}

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''));
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) sections.push({ title: line.slice(3), atTitle: '', rows: [] });
    if (!line.startsWith('|') || line.startsWith('|---')) continue;
    const section = sections[sections.length - 1];
    const [name, meaning, at, unit, where] = cells(line);
    if (section.atTitle) section.rows.push({ name, meaning, at, unit, where });
    else section.atTitle = at;
  }
  return sections;
}

/** What a quantity means: the one definition, for a view that explains its own words. */
export function definitionOf(name: string): string {
  return (
    sectionsOf(markdown)
      .flatMap(({ rows }) => rows)
      .find((row) => row.name === name)?.meaning ?? ''
  );
}

/** The sections as lines of text. */
export function sectionsText(sections: readonly Section[]): string {
  return sections
    .map(({ title, rows }) => [title, ...rows.map(({ name, meaning, unit }) => `  ${name}${unit ? ` (${unit})` : ''}: ${meaning}`)].join('\n'))
    .join('\n\n');
}

/** The section that explains a tool, before those that hold for all. */
const FIRST: Record<string, string> = { overview: 'Trace', trace: 'Trace', graph: 'Rates' };

export function sectionsFor(tool: string, sections = sectionsOf(markdown)): Section[] {
  const first = FIRST[tool] ?? 'Memory';
  return [...sections].sort((a, b) => Number(b.title === first) - Number(a.title === first));
}
