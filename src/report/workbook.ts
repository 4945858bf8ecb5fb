import type { Sheet } from 'write-excel-file/node';

/**
 * The bytes of an Excel workbook: the same for the same sheets. Loads the library when the first
 * workbook is asked for: most processes never make one.
 */
export async function workbookBytes(sheets: Sheet<never>[]): Promise<Uint8Array<ArrayBuffer>> {
  const { default: writeXlsxFile } = await import('write-excel-file/node');
  return withoutTimes(new Uint8Array(await writeXlsxFile(sheets).toBuffer()));
}

/** The record at the end of a ZIP archive without a comment (APPNOTE.TXT, section 4.3.16). */
const END_BYTES = 22;

/** A file's entry in the directory, without its name (section 4.3.12). */
const ENTRY_BYTES = 46;

/** 1980-01-01, the first moment that an archive can name: a date above a time of zero. */
const FIRST_MOMENT = 0x0021_0000;

/**
 * Gives every file of a ZIP archive one time. The library writes the time of the call, and people
 * who compare two copies of one report would find them different.
 */
function withoutTimes(archive: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = archive.byteLength - END_BYTES;
  const files = view.getUint16(end + 10, true);
  let entry = view.getUint32(end + 16, true);
  for (let file = 0; file < files; file += 1) {
    view.setUint32(entry + 12, FIRST_MOMENT, true);
    view.setUint32(view.getUint32(entry + 42, true) + 10, FIRST_MOMENT, true);
    const [name, extra, comment] = [28, 30, 32].map((at) => view.getUint16(entry + at, true));
    entry += ENTRY_BYTES + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return archive;
}
