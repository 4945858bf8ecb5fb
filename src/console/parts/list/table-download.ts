import type { Context } from 'hono';
import type { Document } from '../../../report/document.ts';
import { tableDocument, type AboutTable } from '../../../report/tables/table-documents.ts';
import type { Table } from '../../../report/tables/table.ts';
import type { FilterProblem } from './filter-problem.ts';

/** Refuses a file: what its link asks for is wrong. */
export function tableRefusal(
  pageRequest: Pick<Context, 'text'>,
  { title, detail }: FilterProblem,
): Response {
  return pageRequest.text(`${title}. ${detail}`, 400);
}

/** Answers with a document to save. */
export function download(
  pageRequest: Pick<Context, 'body'>,
  { body, contentType, fileName }: Document,
): Response {
  return pageRequest.body(body, 200, {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${fileName}"`,
  });
}

/** Answers with a table as a file to save. */
export async function tableDownload<Row>(
  pageRequest: Pick<Context, 'body'>,
  table: Table<Row>,
  about: AboutTable,
): Promise<Response> {
  return download(pageRequest, await tableDocument(table, about));
}
