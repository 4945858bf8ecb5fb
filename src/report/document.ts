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
  /** How many of the day's movements it shows at most; 0: it shows none. */
  readonly movementsMax: number;
  readonly render: (report: SignedReport) => DocumentBody | Promise<DocumentBody>;
}

const RENDERERS: Record<Format, Renderer> = {
  json: { contentType: 'application/json', extension: 'json', movementsMax: 0, render: jsonText },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    movementsMax: 100_000,
    render: csvText,
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    // A workbook is made in memory, cell by cell.
    movementsMax: 10_000,
    render: xlsxBytes,
  },
  html: {
    contentType: 'text/html; charset=utf-8',
    extension: 'html',
    // More is no page that a person reads.
    movementsMax: 500,
    render: htmlText,
  },
  hledger: {
    contentType: 'text/plain; charset=utf-8',
    extension: 'journal',
    movementsMax: 0,
    render: hledgerText,
  },
  beancount: {
    contentType: 'text/plain; charset=utf-8',
    extension: 'beancount',
    movementsMax: 0,
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

const NONE: SignedReport['movements'] = { items: [], total: 0 };

/** A closed day's report as a document; undefined when the day is not closed. */
export type Documents = (day: string, format: Format) => Promise<Document | undefined>;

/** Documents of the days that a store has closed. */
export function documentsFrom(reads: Pick<Reads, 'closedDay' | 'dayMovements'>): Documents {
  return async (day, format) => {
    const closed = await reads.closedDay(day);
    if (closed === undefined) return undefined;
    const pageSize = RENDERERS[format].movementsMax;
    const movements =
      pageSize === 0 ? NONE : await reads.dayMovements({ day }, { page: 0, pageSize });
    return documentOf(closed, format, movements ?? NONE);
  };
}
