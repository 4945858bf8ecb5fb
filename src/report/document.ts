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
  readonly render: (report: SignedReport) => DocumentBody | Promise<DocumentBody>;
}

const RENDERERS: Record<Format, Renderer> = {
  json: { contentType: 'application/json', extension: 'json', render: jsonText },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv', render: csvText },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    render: xlsxBytes,
  },
  html: { contentType: 'text/html; charset=utf-8', extension: 'html', render: htmlText },
  hledger: { contentType: 'text/plain; charset=utf-8', extension: 'journal', render: hledgerText },
  beancount: {
    contentType: 'text/plain; charset=utf-8',
    extension: 'beancount',
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
): Promise<Document> {
  const { contentType, extension, render } = RENDERERS[format];
  const report = JSON.parse(close.report) as DailyReport;
  const { report: sealed, reportHash } = close;
  return {
    contentType,
    fileName: `counterfoil-${close.day}.${extension}`,
    body: await render({ report, sealed, reportHash, signatures }),
  };
}

/** A closed day's report as a document; undefined when the day is not closed. */
export type Documents = (day: string, format: Format) => Promise<Document | undefined>;

/** Documents of the days that a store has closed. */
export function documentsFrom(reads: Pick<Reads, 'closedDay'>): Documents {
  return async (day, format) => {
    const closed = await reads.closedDay(day);
    return closed && documentOf(closed, format);
  };
}
