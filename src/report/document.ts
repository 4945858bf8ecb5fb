import type { DailyReport } from '../domain/close-report.ts';
import type { ClosedReport, Reads } from '../store/reads.ts';
import { beancountText } from './beancount.ts';
import { csvText } from './csv.ts';
import { hledgerText } from './hledger.ts';
import { htmlText } from './page/page.ts';
import { jsonText } from './json.ts';
import type { SignedReport } from './signed-report.ts';
import { xlsxBytes } from './xlsx.ts';

export const FORMATS = ['json', 'csv', 'xlsx', 'html', 'hledger', 'beancount'] as const;
export type Format = (typeof FORMATS)[number];

/** Text, or the bytes of a format that is none. */
export type DocumentBody = string | Uint8Array<ArrayBuffer>;

interface Renderer {
  readonly contentType: string;
  readonly extension: string;
  /**
   * Of how many hashes it shows the movements at most; 0: of none. No more are looked at, so that a
   * day of any length has its documents within a second or two.
   */
  readonly hashesMax: number;
  readonly render: (report: SignedReport) => DocumentBody | Promise<DocumentBody>;
}

const RENDERERS: Record<Format, Renderer> = {
  json: { contentType: 'application/json', extension: 'json', hashesMax: 0, render: jsonText },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    hashesMax: 10_000,
    render: csvText,
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    // A workbook is made in memory, cell by cell.
    hashesMax: 10_000,
    render: xlsxBytes,
  },
  html: {
    contentType: 'text/html; charset=utf-8',
    extension: 'html',
    // More is no page that a person reads.
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
  /** What a person would save it as. */
  readonly fileName: string;
  readonly body: DocumentBody;
}

/** The report of a closed day in one of its formats; texts are the same for the same signatures. */
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

/** Of the hashes that are looked at. */
const ALL = Number.MAX_SAFE_INTEGER;

const NONE: SignedReport['movements'] = { items: [], isWhole: true };

/** A closed day's report as a document; undefined when the day is not closed. */
export type Documents = (day: string, format: Format) => Promise<Document | undefined>;

/** Documents of the days that a store has closed. */
export function documentsFrom(reads: Pick<Reads, 'closedDay' | 'dayMovements'>): Documents {
  return async (day, format) => {
    const closed = await reads.closedDay(day);
    if (closed === undefined) return undefined;
    const { hashesMax } = RENDERERS[format];
    const page = { page: 0, pageSize: ALL };
    const movements = hashesMax === 0 ? NONE : await reads.dayMovements({ day, hashesMax }, page);
    return documentOf(closed, format, movements ?? NONE);
  };
}
