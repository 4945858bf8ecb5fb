import { expect, test } from 'vitest';
import { KeyLookup } from '../../../src/store/sqlite/keys/key-lookup.ts';
import { readDayMovements } from '../../../src/store/sqlite/reads/close/day-movements.ts';
import { openLedger } from '../open-ledger.ts';
import { change, Service } from '../webhook.ts';
import { closeOf } from './closing.ts';

const COUNT = 150;

/** A closed day in which one hash paid so many of our addresses 2 units each. */
async function batch() {
  const open = await openLedger();
  const service = new Service();
  const payments = Array.from({ length: COUNT }, (_, at) => {
    const position = { addressId: `adr-${at}`, transactionId: `dep-${at}` };
    return service.confirmed(1, { ...position, balanceChanges: [change('2')] });
  });
  await open.deliverTogether(...payments);
  const cutOffAt = open.at + 1;
  open.at += 60_000;
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt, rules: 2 }));
  return (entriesMax?: number) => {
    const asked = { query: { day: '2025-11-20' }, page: { page: 0, pageSize: 10 } };
    const found = readDayMovements(open.db, new KeyLookup(open.db), {
      ...asked,
      ...(entriesMax === undefined ? {} : { entriesMax }),
    });
    const [{ amounts, entries } = { amounts: {}, entries: [] }] = found?.items ?? [];
    const sum = entries.reduce((all, { amount }) => all + amount, 0n);
    return { isWhole: found?.isWhole, amounts, entries: entries.length, sum };
  };
}

test('a payout to many of our addresses shows every line behind its movement', async () => {
  const read = await batch();
  const whole = { isWhole: true, amounts: { deposits: 300n }, entries: COUNT, sum: 300n };
  expect(read()).toEqual(whole);
  expect(read(COUNT)).toEqual(whole);
});

test('an answer that leaves out lines says so', async () => {
  const read = await batch();
  expect(read(COUNT - 1)).toEqual({
    isWhole: false,
    amounts: { deposits: 300n },
    entries: COUNT - 1,
    sum: 298n,
  });
  expect(read(0)).toMatchObject({ isWhole: false, entries: 0 });
});
