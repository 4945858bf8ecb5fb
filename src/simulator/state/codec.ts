/** First character of an encoded bigint. Other strings that begin with it get it twice. */
const MARK = '#';

/**
 * Encodes a record as JSON. A bigint is written as `"#123"`. Records also hold the clients' own
 * JSON, so a client's string must never be read as a bigint: if it begins with the mark, it gets a
 * second one.
 */
export function encodeRecord(record: unknown): string {
  return JSON.stringify(record, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${MARK}${value}`;
    return typeof value === 'string' && value.startsWith(MARK) ? `${MARK}${value}` : value;
  });
}

/** Decodes a record that `encodeRecord` wrote. Throws on other text. */
export function decodeRecord(text: string): unknown {
  if (!text.includes(`"${MARK}`)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    return value.startsWith(MARK, 1) ? value.slice(1) : BigInt(value.slice(1));
  }) as unknown;
}
