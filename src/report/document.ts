import type { DailyReport } from '../domain/close-report.ts';
import type { ClosedReport } from '../store/reads.ts';
import { beancountText } from './beancount.ts';
import { csvText } from './csv.ts';
import { hledgerText } from './hledger.ts';
import { htmlText } from './html.ts';
import { jsonText } from './json.ts';
import type { SignedReport } from './signed-report.ts';

export const FORMATS = ['json', 'csv', 'html', 'hledger', 'beancount'] as const;
export type Format = (typeof FORMATS)[number];

interface Renderer {
  readonly contentType: string;
  readonly extension: string;
  readonly render: (report: SignedReport) => string | Promise<string>;
}

const RENDERERS: Record<Format, Renderer> = {
  json: { contentType: 'application/json', extension: 'json', render: jsonText },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv', render: csvText },
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
  readonly body: string;
}

/** The report of a closed day in one of its formats; the same bytes for the same signatures. */
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
