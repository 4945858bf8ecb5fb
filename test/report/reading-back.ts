import { strFromU8, unzipSync } from 'fflate';

/** RFC 4180, read back. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The text of an element in XML. */
function textOf(xml: string): string {
  return xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

/** The texts that the cells of a workbook name by their number. */
function sharedTexts(xml: string): string[] {
  return [...xml.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, one = '']) => textOf(one));
}

/** The texts of a workbook's sheets by name: rows of cells, empty ones left out. */
export function workbookOf(body: string | Uint8Array): Record<string, string[][]> {
  const files = unzipSync(Buffer.from(body));
  const read = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  const shared = sharedTexts(read('xl/sharedStrings.xml'));
  const names = [...read('xl/workbook.xml').matchAll(/<sheet [^>]*name="([^"]*)"/g)].map((one) =>
    textOf(one[1] ?? ''),
  );
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      [...read(`xl/worksheets/sheet${index + 1}.xml`).matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(
        ([, row = '']) =>
          [...row.matchAll(/<c [^>]*t="s"[^>]*><v>(\d+)<\/v><\/c>/g)].map(
            ([, at]) => shared[Number(at)] ?? 'not in the workbook',
          ),
      ),
    ]),
  );
}

/** The numbers of a workbook's sheet, by their number from 1, in its order, as the file spells them. */
export function numbersOf(body: string | Uint8Array, sheet: number): string[] {
  const files = unzipSync(Buffer.from(body));
  const xml = strFromU8(files[`xl/worksheets/sheet${sheet}.xml`] ?? new Uint8Array());
  return [...xml.matchAll(/<c ([^>]*)><v>([^<]*)<\/v><\/c>/g)]
    .filter(([, attributes = '']) => !attributes.includes('t="s"'))
    .map(([, , value = '']) => value);
}

/** A sheet's cells by their column, from 1: rows of texts and numbers, as the file spells them. */
function cellsOf(body: string | Uint8Array, sheet: number): Map<number, string>[] {
  const files = unzipSync(Buffer.from(body));
  const read = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  const shared = sharedTexts(read('xl/sharedStrings.xml'));
  const rows = read(`xl/worksheets/sheet${sheet}.xml`).matchAll(/<row [^>]*>(.*?)<\/row>/gs);
  return [...rows].map(([, row = '']) => {
    const cells = row.matchAll(/<c r="([A-Z]+)\d+"([^>]*)><v>([^<]*)<\/v><\/c>/g);
    return new Map(
      [...cells].map(([, letters = '', attributes = '', value = '']) => [
        letters.split('').reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0),
        attributes.includes('t="s"') ? (shared[Number(value)] ?? '') : value,
      ]),
    );
  });
}

/** The first record of a sheet by the names of its columns. */
export function firstRecord(body: string | Uint8Array, sheet: number): Record<string, string> {
  const [head, first] = cellsOf(body, sheet);
  return Object.fromEntries(
    [...(first ?? [])].map(([column, value]) => [head?.get(column) ?? '', value]),
  );
}

/** The widths of a sheet's columns in characters, and the longest text or number of each. */
export function widthsOf(
  body: string | Uint8Array,
  sheet: number,
): { readonly width: number; readonly longest: number }[] {
  const rows = cellsOf(body, sheet);
  const xml = strFromU8(
    unzipSync(Buffer.from(body))[`xl/worksheets/sheet${sheet}.xml`] ?? new Uint8Array(),
  );
  return [...xml.matchAll(/<col [^>]*min="(\d+)"[^>]*width="([\d.]+)"/g)].map(
    ([, column, width]) => ({
      width: Number(width),
      longest: Math.max(0, ...rows.map((row) => row.get(Number(column))?.length ?? 0)),
    }),
  );
}

/** A page's words, tags left out. */
export function wordsOf(page: string): string {
  return page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}
