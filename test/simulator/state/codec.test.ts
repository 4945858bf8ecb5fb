import { expect, test } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../src/simulator/state/codec.ts';

test.each([
  ['amounts beyond 64 bits, of either sign', { amount: 10n ** 77n, debit: -1n, none: 0n }],
  ['amounts in lists and nested records', { rows: [{ amount: 5n }, [1n, [2n]]] }],
  ['strings that look like encoded amounts', { a: '#5', b: '##5', c: '#', d: '#x', e: '5' }],
  ['what clients attach', { data: { $bigint: '12abc', '#k': '#v', '': '', deep: { '#': ['#'] } } }],
  ['text that UTF-8 cannot hold', { memo: '\uD800 \u0000 \uFEFF "quoted" #' }],
])('%s come back as they were', (_name, record) => {
  expect(decodeRecord(encodeRecord(record))).toStrictEqual(record);
});
