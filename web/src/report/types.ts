/** Answers of the routes below /api/v1/report. */
import type { Answers, ReportTimed, ReportValues } from '../api/answers';

/** Bytes at the steps that were asked for, at the peak, and along the program. */
export type Values = ReportValues;
/** Measured times of the instructions of each group, where they were asked for. */
export type Times = ReportTimed;

export type Details = Answers['report/details'];
export type DetailRow = Details['rows'][number];
export type Areas = Answers['report/areas'];
export type Groups = Answers['report/groups'];
export type GroupRow = Groups['rows'][number];
export type Heap = Answers['report/heap'];
export type Place = Answers['report/place'];
export type PlaceList = Place['tenants'];
export type Transfers = Answers['report/transfers'];
export type TransferRow = Transfers['rows'][number];
export type Plot = Answers['report/plot'];
export type PlotRow = Plot['rows'][number];
