/** The table twin: the rows behind a picture, as a plain table that reads and copies well. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Column, VirtualTable } from '../table/virtual';
import { sizeText } from './bytes';
import { exactBytes, formatCount } from '../util/format';

export type TwinCell = string | number | null;

export interface TwinColumn {
  title: string;
  width?: string;
  kind?: 'text' | 'bytes' | 'count';
}

interface TwinProps {
  label: string;
  columns: TwinColumn[];
  rows: TwinCell[][];
  onOpen?: (index: number) => void;
  empty?: ComponentChildren;
}

function show(kind: TwinColumn['kind'], value: TwinCell): string {
  if (kind === 'bytes') return sizeText(value === null ? null : Number(value));
  if (kind === 'count') return formatCount(value);
  return value === null ? 'unknown' : String(value);
}

export function Twin({ label, columns, rows, onOpen, empty }: TwinProps) {
  const shown = useMemo<Column<TwinCell[]>[]>(
    () =>
      columns.map((column, k) => ({
        id: String(k),
        title: column.title,
        width: column.width ?? (column.kind && column.kind !== 'text' ? '110px' : 'minmax(90px, 1fr)'),
        number: column.kind === 'bytes' || column.kind === 'count',
        cell: (row) => show(column.kind, row[k]),
        tip: (row) => (column.kind === 'bytes' ? exactBytes(row[k]) : String(row[k] ?? '')),
      })),
    [columns],
  );
  return (
    <VirtualTable
      label={label}
      columns={shown}
      count={rows.length}
      rowAt={(index) => rows[index] ?? null}
      onOpen={(_, index) => onOpen?.(index)}
      empty={empty ?? 'no rows'}
    />
  );
}
