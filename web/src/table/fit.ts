/** Columns of a table by what its rows need. Comes with what is loaded later: until then columns are as they say. */

/** Widths of columns that are `widths` wide and whose content would take `needs`: those that lack room get what the others do not use. */
export function fitted(widths: readonly number[], needs: readonly number[]): number[] {
  const lack = widths.map((width, k) => Math.max(0, needs[k] - width));
  const spare = widths.map((width, k) => Math.max(0, width - needs[k]));
  const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
  const given = Math.min(sum(lack), sum(spare));
  return given === 0 ? [...widths] : widths.map((width, k) => width + (lack[k] * given) / sum(lack) - (spare[k] * given) / sum(spare));
}

/** Pixels from the start of a cell to the end of its text, cut or not, and what stands behind it. */
function needOf(cell: Element): number {
  const range = document.createRange();
  range.selectNodeContents(cell.querySelector('.cut') ?? cell);
  return Math.ceil(range.getBoundingClientRect().right - cell.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(cell).paddingRight)) + 1;
}

/** Widths of the columns by what the rows on screen need; null: as the columns say. */
export function fitColumns(table: Element): string | null {
  const rows = [...table.querySelectorAll('.vt-head, .vt-row:not(.waiting)')];
  if (rows.length < 2) return null;
  const widths = [...rows[0].children].map((cell) => cell.getBoundingClientRect().width);
  const needs = widths.map((_, k) => Math.max(...rows.map((row) => (row.children[k] ? needOf(row.children[k]) : 0))));
  return fitted(widths, needs).map((width) => `minmax(0, ${width.toFixed(1)}fr)`).join(' ');
}
