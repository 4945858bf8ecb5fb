/** Begins a bigint's text, and is doubled at the beginning of any other string. */
const MARK = '#';

/**
 * JSON for records that hold amounts: a bigint is written as `"#123"`. Records also hold whatever
 * JSON the clients attached, so nothing they could write may be mistaken for a bigint: their own
 * strings that begin with the mark get a second one.
 */
export function encodeRecord(record: unknown): string {
  return JSON.stringify(record, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${MARK}${value}`;
    return typeof value === 'string' && value.startsWith(MARK) ? `${MARK}${value}` : value;
  });
}

export function decodeRecord(text: string): unknown {
  if (!text.includes(`"${MARK}`)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    return value.startsWith(MARK, 1) ? value.slice(1) : BigInt(value.slice(1));
  }) as unknown;
}
