import type { DailyReport } from '../domain/close/report.ts';
import type { ClosedReport } from '../store/answers.ts';
import { reportHashOf } from '../store/close/close-day.ts';
import type { Reads } from '../store/reads.ts';
import { beancountText } from './ledgers/beancount.ts';
import { CSV_TYPE } from './csv-cell.ts';
import { csvText } from './csv.ts';
import { hledgerText } from './ledgers/hledger.ts';
import { htmlText } from './page/page.ts';
import { jsonText } from './json.ts';
import type { SignedReport } from './signed-report.ts';
import { XLSX_TYPE } from './workbook.ts';
import { xlsxBytes } from './xlsx.ts';

export const FORMATS = ['json', 'csv', 'xlsx', 'html', 'hledger', 'beancount'] as const;
export type Format = (typeof FORMATS)[number];

/** `Content-Security-Policy` of a document: a page runs and loads nothing; its style is inline. */
export const DOCUMENT_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Text, or the bytes of a binary format. */
export type DocumentBody = string | Uint8Array<ArrayBuffer>;

interface Renderer {
  readonly contentType: string;
  readonly extension: string;
  /**
   * Most hashes whose movements it shows; 0: none. Reads no more, so that a day of any length
   * renders within two seconds.
   */
  readonly hashesMax: number;
  readonly render: (report: SignedReport) => DocumentBody | Promise<DocumentBody>;
}

const RENDERERS: Record<Format, Renderer> = {
  json: { contentType: 'application/json', extension: 'json', hashesMax: 0, render: jsonText },
  csv: { contentType: CSV_TYPE, extension: 'csv', hashesMax: 10_000, render: csvText },
  xlsx: {
    contentType: XLSX_TYPE,
    extension: 'xlsx',
    // A workbook is built in memory, cell by cell.
    hashesMax: 10_000,
    render: xlsxBytes,
  },
  html: {
    contentType: 'text/html; charset=utf-8',
    extension: 'html',
    // A longer page is unreadable for people.
    hashesMax: 500,
    render: htmlText,
  },
  hledger: {
    contentType: 'text/plain; charset=utf-8',
    extension: 'journal',
    hashesMax: 0,
    render: hledgerText,
  },
  beancount: {
    contentType: 'text/plain; charset=utf-8',
    extension: 'beancount',
    hashesMax: 0,
    render: beancountText,
  },
};

export interface Document {
  readonly contentType: string;
  /** The file name for saving. */
  readonly fileName: string;
  readonly body: DocumentBody;
}

/** A closed day's report in one format. Equal signatures give equal texts. */
export async function documentOf(
  { close, signatures }: ClosedReport,
  format: Format,
  movements: SignedReport['movements'],
): Promise<Document> {
  const { contentType, extension, render } = RENDERERS[format];
  const report = JSON.parse(close.report) as DailyReport;
  const { report: sealed, reportHash } = close;
  return {
    contentType,
    fileName: `counterfoil-${close.day}.${extension}`,
    body: await render({ report, sealed, reportHash, signatures, movements }),
  };
}

/** The movements of the hashes shown. */
const ALL = Number.MAX_SAFE_INTEGER;

const NONE: SignedReport['movements'] = { items: [], isWhole: true };

/** A closed day's report as a document; undefined when the day is not closed. */
export type Documents = (day: string, format: Format) => Promise<Document | undefined>;

/** The store holds another text than the one that was sealed. */
export class ReportChanged extends Error {
  override readonly name = 'ReportChanged';

  constructor({ day, reportHash }: ClosedReport['close'], foundHash: string) {
    super(
      `the report of ${day} was changed after it was sealed: its SHA-256 is ${foundHash}, and its reportHash ${reportHash}. Find out who wrote to the store, and restore a backup`,
    );
  }
}

/** Documents of a store's closed days. Reject with `ReportChanged` rather than give a false report. */
export function documentsFrom(reads: Pick<Reads, 'closedDay' | 'dayMovements'>): Documents {
  return async (day, format) => {
    const closed = await reads.closedDay(day);
    if (closed === undefined) return undefined;
    const foundHash = reportHashOf(closed.close.report);
    if (foundHash !== closed.close.reportHash) throw new ReportChanged(closed.close, foundHash);
    const { hashesMax } = RENDERERS[format];
    const page = { page: 0, pageSize: ALL };
    const movements = hashesMax === 0 ? NONE : await reads.dayMovements({ day, hashesMax }, page);
    return documentOf(closed, format, movements ?? NONE);
  };
}
