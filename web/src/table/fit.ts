/** Columns of a table by what its rows need. Comes with what is loaded later: until then columns are as they say. */

const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);

/** Widths of columns that are `widths` wide and whose content would take `needs`: those that lack room get what the others do not use. */
export function fitted(widths: readonly number[], needs: readonly number[]): number[] {
  const lack = widths.map((width, k) => Math.max(0, needs[k] - width));
  const spare = widths.map((width, k) => Math.max(0, width - needs[k]));
  const given = Math.min(sum(lack), sum(spare));
  return given === 0 ? [...widths] : widths.map((width, k) => width + (lack[k] * given) / sum(lack) - (spare[k] * given) / sum(spare));
}

/** `room` pixels for columns that would be `widths` wide: numbers are never cut, names share what is left, by what they need. */
export function shared(room: number, widths: readonly number[], needs: readonly number[], isNumber: readonly boolean[]): number[] {
  const scale = room / sum(widths);
  const numbers = widths.map((width, k) => (isNumber[k] ? Math.max(width * scale, needs[k]) : 0));
  const names = Math.max(0, room - sum(numbers)) / sum(widths.map((width, k) => (isNumber[k] ? 0 : width)));
  return fitted(
    widths.map((width, k) => (isNumber[k] ? numbers[k] : width * names)),
    needs,
  );
}

/** Where the text of a cell begins, and how wide it is uncut: the parts of a name that is cut in the middle are measured each. */
function textOf(cell: Element): { left: number; width: number } {
  const range = document.createRange();
  const middle = cell.querySelector('.middle');
  if (!middle) {
    range.selectNodeContents(cell.querySelector('.cut') ?? cell);
    return range.getBoundingClientRect();
  }
  const parts = [...middle.childNodes].map((part) => {
    range.selectNodeContents(part);
    return range.getBoundingClientRect();
  });
  return { left: parts[0].left, width: sum(parts.map(({ width }) => width)) };
}

/** Pixels that a cell needs for its text, cut or not, what stands before it and its paddings. */
function needOf(cell: Element): number {
  const style = getComputedStyle(cell);
  const text = textOf(cell);
  // A number stands at the end of its cell: what is before it is room.
  const before = cell.classList.contains('num') ? Number.parseFloat(style.paddingLeft) : text.left - cell.getBoundingClientRect().left;
  return Math.ceil(before + text.width + Number.parseFloat(style.paddingRight)) + 1;
}

/** Widths of the columns by what the rows on screen need; null: as the columns say. */
export function fitColumns(table: Element): string | null {
  const rows = [...table.querySelectorAll('.vt-head, .vt-row:not(.waiting)')];
  if (rows.length < 2) return null;
  const cells = [...rows[0].children];
  const widths = cells.map((cell) => cell.getBoundingClientRect().width);
  const needIn = (of: Element[], k: number) => Math.max(...of.map((row) => (row.children[k] ? needOf(row.children[k]) : 0)));
  const needs = widths.map((_, k) => needIn(rows, k));
  const isNumber = cells.map((cell) => cell.classList.contains('num'));
  const { paddingLeft, paddingRight } = getComputedStyle(rows[0]);
  const room = rows[0].clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
  const columns = shared(room, widths, needs, isNumber);
  // Where room lacks for all, headings are cut before numbers: a number without its last digits is another number.
  return columns.map((width, k) => `minmax(${isNumber[k] ? needIn(rows.slice(1), k) : 0}px, ${width.toFixed(1)}fr)`).join(' ');
}
