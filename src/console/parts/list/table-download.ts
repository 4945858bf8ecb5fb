import type { Context } from 'hono';
import { tableCsv, tableXlsx, type Table, type TextCell } from '../../../report/tables/table.ts';
import type { FilterProblem } from './filter-problem.ts';
import type { TableFormat } from '../../../report/tables/table-documents.ts';

const CONTENT_TYPES: Record<TableFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Refuses a file: what its link asks for is wrong. */
export function tableRefusal(
  pageRequest: Pick<Context, 'text'>,
  { title, detail }: FilterProblem,
): Response {
  return pageRequest.text(`${title}. ${detail}`, 400);
}

/** Answers with a table as a file. `facts`: what it shows, for the workbook's first sheet. */
export async function tableDownload<Row>(
  pageRequest: Pick<Context, 'body'>,
  table: Table<Row>,
  about: {
    readonly format: TableFormat;
    /** Without its ending. */
    readonly fileName: string;
    readonly facts: readonly (readonly [string, TextCell])[];
  },
): Promise<Response> {
  const { format, fileName, facts } = about;
  const body = format === 'csv' ? tableCsv(table) : await tableXlsx(table, facts);
  return pageRequest.body(body, 200, {
    'Content-Type': CONTENT_TYPES[format],
    'Content-Disposition': `attachment; filename="${fileName}.${format}"`,
  });
}
