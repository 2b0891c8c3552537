/** Answers of /api/v1/report/…, as docs/API.md states them. */
export interface AskedStep {
  from: number | null;
  to: number | null;
  step: number | null;
}

/** Bytes at the steps that were asked for, at the peak, and along the program. */
export interface Values {
  at: number[];
  peak: number;
  curve: number[];
}

interface Steps {
  steps: AskedStep[];
  peak_step: number | null;
  columns: number[];
}

export interface DetailRow extends Values {
  id: string;
  parent: string | null;
  label: string;
  what: string;
  opens: boolean;
}

export interface Details extends Steps {
  step_count: number;
  heap_bytes: number;
  rows: DetailRow[];
}

export interface AreaGroup extends Values {
  name: string;
  joined: number;
}

export interface Areas extends Steps {
  by: string;
  resident_bytes: number;
  reserved_bytes: number;
  peak_bytes: number;
  total: number[];
  overlap: number[];
  groups: AreaGroup[];
}

export interface GroupRow extends Values {
  name: string;
  held: number[];
  instructions?: number;
  origin?: string;
  buffer?: number | null;
  tenancy?: number | null;
  instruction?: string | null;
  shape?: string;
  row?: string;
  fused?: number;
}

export interface Groups extends Steps {
  total: Values;
  live: number[];
  n: number;
  rows: GroupRow[];
  left_out: number;
  rest: Values;
}
