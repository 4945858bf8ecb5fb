import type { Sheet } from 'write-excel-file/node';

/** The media type of a workbook. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * The bytes of an Excel workbook. Loads the library when the first workbook is asked for: most
 * processes never make one.
 */
export async function workbookBytes(sheets: Sheet<never>[]): Promise<Uint8Array<ArrayBuffer>> {
  const { default: writeXlsxFile } = await import('write-excel-file/node');
  return new Uint8Array(await writeXlsxFile(sheets).toBuffer());
}
