/**
 * JSON for records that hold amounts: a bigint is written as `{"$bigint":"123"}`. No record has a
 * field of that name otherwise.
 */
export function encodeRecord(record: unknown): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    typeof value === 'bigint' ? { $bigint: value.toString() } : value,
  );
}

export function decodeRecord(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) =>
    isEncodedBigint(value) ? BigInt(value.$bigint) : value,
  ) as unknown;
}

function isEncodedBigint(value: unknown): value is { $bigint: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    '$bigint' in value &&
    typeof value.$bigint === 'string'
  );
}
