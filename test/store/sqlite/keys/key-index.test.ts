import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockchainHash, DepositId, TransactionId } from '../../../../src/domain/ids.ts';
import { decode } from '../../../../src/intake/decode.ts';
import { verify } from '../../../../src/store/sqlite/audit/verify.ts';
import { openForReading, openForWriting } from '../../../../src/store/sqlite/file/database.ts';
import { KeyIndex } from '../../../../src/store/sqlite/keys/key-index.ts';
import { KeyLookup } from '../../../../src/store/sqlite/keys/key-lookup.ts';
import { SqliteReads } from '../../../../src/store/sqlite/reads/sqlite-reads.ts';
import { received, verifyWith } from '../../evidence.ts';
import { factOf, openLedger, OpenLedger, START, temporaryPath } from '../../open-ledger.ts';
import { change, onChain, Service } from '../../webhook.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

function merged(open: OpenLedger): { through: number; keys: number } {
  const [through] = open.rows<{ through_seq: number }>('SELECT through_seq FROM keys_merged');
  const [count] = open.rows<{ count: number }>('SELECT count(*) AS count FROM keys');
  return { through: through?.through_seq ?? 0, keys: count?.count ?? 0 };
}

/** Deposits of different hashes, by their number. */
function bodyOf(number: number): object {
  return new Service().confirmed(1, {
    id: `ntf-${number}`,
    blockchainHash: `0x${number}`,
    balanceChanges: [change('100', onChain(`0xA${number}`))],
  });
}

/** Hashes of the deposits at an on-chain address, as a reader that just opened the store finds them. */
async function atAddress(path: string, networkAddress: string): Promise<string[]> {
  const reads = new SqliteReads(openForReading(path));
  const { items } = await reads.deposits({ networkAddress }, { page: 0, pageSize: 10 });
  reads.close();
  return items.map(({ blockchainHash }) => blockchainHash);
}

test('a repeat is found before, during and after its key is merged', async () => {
  const open = new OpenLedger();
  const seen = new Set<string>();
  for (let number = 0; number < 200; number += 1) {
    await open.ledger.commit([factOf(bodyOf(number), START)]);
    const { through, keys } = merged(open);
    seen.add(
      through === 0 && keys === 0 ? 'before' : keys > 0 && through < number ? 'during' : 'after',
    );
    const repeat = Math.floor(number / 2);
    const again = await open.ledger.commit([factOf(bodyOf(repeat), START)]);
    expect(again).toEqual({
      kind: 'committed',
      outcomes: [{ kind: 'delivery', status: 'duplicate' }],
    });
  }
  expect([...seen].sort()).toEqual(['before', 'during']);
  expect(open.deposits()).toHaveLength(200);
  expect(merged(open).through).toBeGreaterThan(150);
});

test('a store closed in the middle of a sweep knows every key when it opens again', async () => {
  const path = temporaryPath();
  for (let number = 0; number < 60; number += 1) {
    const open = new OpenLedger(path);
    await open.ledger.commit([factOf(bodyOf(number), START)]);
    for (const repeat of [0, Math.floor(number / 2), number]) {
      expect(await atAddress(path, `0xa${repeat}`)).toEqual([`0x${repeat}`]);
      const again = await open.ledger.commit([factOf(bodyOf(repeat), START)]);
      expect(again).toMatchObject({ outcomes: [{ status: 'duplicate' }] });
    }
    open.close();
  }
});

test('a corrected on-chain address is found at once, after a restart, and by an older reader', async () => {
  const path = temporaryPath();
  const COUNT = 30;
  const open = new OpenLedger(path);
  const reads = new SqliteReads(openForReading(path));
  const hashesAt = async (networkAddress: string): Promise<string[]> => {
    const { items } = await reads.deposits({ networkAddress }, { page: 0, pageSize: 10 });
    return items.map(({ blockchainHash }) => blockchainHash);
  };
  for (let number = 0; number < COUNT; number += 1) {
    await open.ledger.commit([factOf(bodyOf(number), START)]);
  }
  // The keys of old deposits are merged; those of the newest are in memory.
  const { through } = merged(open);
  expect([through > 10, through < COUNT]).toEqual([true, true]);
  for (let number = 0; number < COUNT; number += 1) {
    expect(await hashesAt(`0xa${number}`)).toEqual([`0x${number}`]);
    const depositId = open.deposits()[number]?.deposit_id ?? '';
    const blockchainHash = BlockchainHash(`0x${number}`);
    await verifyWith(
      open,
      { blockchainHash, networkAddress: `0xB${number}` },
      DepositId(depositId),
    );
    expect(await hashesAt(`0xa${number}`)).toEqual([]);
    expect(await hashesAt(`0xb${number}`)).toEqual([`0x${number}`]);
  }
  reads.close();
  open.close();
  const again = new OpenLedger(path);
  for (let number = 0; number < COUNT; number += 1) {
    expect(await atAddress(path, `0xb${number}`)).toEqual([`0x${number}`]);
  }
  again.close();
  expect(verify(path, { decode, progress: SILENT }).sound).toBe(true);
});

test('a confirmed on-chain address that was reported alike needs no further key', async () => {
  const open = new OpenLedger();
  await open.deliver(bodyOf(1));
  const written = (): unknown => open.rows('SELECT * FROM keys WHERE space = 4');
  const before = written();
  await verifyWith(open, { blockchainHash: BlockchainHash('0x1'), networkAddress: '0xa1' });
  expect(open.deposit()).toMatchObject({ network_address: '0xa1', reported_address: null });
  expect(written()).toEqual(before);
});

test('the keys of hashes and deposits without a notification are merged too', async () => {
  const open = await openLedger();
  for (let number = 0; number < 40; number += 1) {
    const transaction = received({
      transactionId: TransactionId(`t${number}`),
      blockchainHash: BlockchainHash(`0x${number}`),
    });
    await open.record({ kind: 'backfill', transaction });
  }
  expect(open.deposits()).toHaveLength(40);
  expect(merged(open).through).toBeGreaterThan(30);
});

test('a failed transaction leaves no key', async () => {
  const open = new OpenLedger();
  open.db.exec(
    "CREATE TRIGGER full BEFORE INSERT ON seals BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  await expect(open.ledger.commit([factOf(bodyOf(1), START)])).rejects.toThrow('disk full');
  open.db.exec('DROP TRIGGER full');
  expect(await open.ledger.commit([factOf(bodyOf(1), START)])).toMatchObject({
    outcomes: [{ status: 'accepted' }],
  });
  expect(open.deposits()).toHaveLength(1);
});

test('a sweep ends although many commits fail', () => {
  const db = openForWriting(':memory:');
  const index = new KeyIndex(db, 10);
  const add = (from: number, to: number): void => {
    for (let seq = from; seq <= to; seq += 1) index.add({ space: 'hash', key: `${seq}`, row: seq });
  };
  add(1, 100);
  index.committed();
  const advanced = db.transaction((headSeq: number, ends: 'well' | 'badly') => {
    index.advance(headSeq);
    if (ends === 'badly') throw new Error('disk full');
  });
  const stored = (): unknown => db.prepare('SELECT count(*) FROM keys').pluck().get();
  const marked = (): unknown => db.prepare('SELECT through_seq FROM keys_merged').pluck().get();
  // Sixteen keys at a time, until ten are left.
  for (let commit = 1; commit <= 6; commit += 1) {
    expect(() => advanced(100, 'badly')).toThrow('disk full');
    index.rolledBack();
    advanced(100, 'well');
    index.committed();
  }
  expect([stored(), marked()]).toEqual([90, 0]);
  add(101, 120);
  advanced(120, 'well');
  index.committed();
  expect([stored(), marked()]).toEqual([110, 100]);
  for (let seq = 1; seq <= 120; seq += 1) expect(index.candidates('hash', `${seq}`)).toEqual([seq]);
  db.close();
});

test('a reader finds every deposit, hash, address and notification after each commit of the writer', async () => {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  const reads = new SqliteReads(openForReading(path));
  const page = { page: 0, pageSize: 10 };
  for (let number = 0; number < 120; number += 1) {
    await open.ledger.commit([factOf(bodyOf(number), START)]);
    const asked = Math.floor(number / 3);
    const deposits = await reads.deposits({ blockchainHash: `0x${asked}` }, page);
    expect(deposits.items).toHaveLength(1);
    for (const networkAddress of [`0xA${asked}`, `0xa${number}`]) {
      const { items, total } = await reads.deposits({ networkAddress }, page);
      expect(items.map((one) => one.reportedAddress?.toLowerCase())).toEqual([
        networkAddress.toLowerCase(),
      ]);
      expect(total).toBe(1);
    }
    const depositId = deposits.items[0]?.depositId ?? '';
    expect(await reads.deposit(depositId)).toMatchObject({ blockchainHash: `0x${asked}` });
    expect((await reads.notifications({ id: `ntf-${number}` }, page)).items).toMatchObject([
      { id: `ntf-${number}`, network: 'ethereum', blockchainHash: `0x${number}` },
    ]);
    expect(await reads.movements(`0x${asked}`)).toHaveLength(1);
  }
  expect(await reads.deposit('dep_none')).toBeUndefined();
  expect((await reads.notifications({ id: 'none' }, page)).items).toEqual([]);
  reads.close();
});

test('the index finds what a map finds, in any order of adding, merging and reopening', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ add: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.constant('advance' as const) },
    { weight: 1, arbitrary: fc.constant('fail' as const) },
    { weight: 1, arbitrary: fc.constant('reload' as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const db = openForWriting(':memory:');
      let index = new KeyIndex(db, 3);
      const model = new Map<string, number[]>();
      let seq = 0;
      const added = (key: string): number => {
        const row = (seq + 1) * 1_000_000;
        db.prepare("INSERT INTO journal VALUES (?, 'notification', 0, NULL, 0, 0)").run(seq + 1);
        db.prepare('INSERT INTO hashes VALUES (?, ?, ?)').run(row, `n${seq + 1}`, key);
        index.add({ space: 'hash', key, row });
        index.add({ space: 'notification', key: `${seq + 1}`, row: seq + 1 });
        return row;
      };
      const failing = db.transaction((key: string) => {
        added(key);
        index.advance(seq + 1);
        throw new Error('disk full');
      });
      const fail = (): void => {
        try {
          failing('key-0');
        } catch {
          index.rolledBack();
        }
      };
      for (const one of steps) {
        if (one === 'advance') {
          index.advance(seq);
          index.committed();
        } else if (one === 'fail') {
          index.committed();
          fail();
        } else if (one === 'reload') index = new KeyIndex(db, 3);
        else {
          const key = `key-${one.add}`;
          model.set(key, [...(model.get(key) ?? []), added(key)]);
          seq += 1;
        }
      }
      for (const [key, rows] of model) {
        expect([...new Set(index.candidates('hash', key))].sort((a, b) => a - b)).toEqual(rows);
      }
      const lookup = new KeyLookup(db);
      for (const [key, rows] of model)
        expect(lookup.hashIds(key).sort((a, b) => a - b)).toEqual(rows);
      expect(index.candidates('hash', 'never')).toEqual([]);
      db.close();
    }),
    { numRuns: 60 },
  );
});

test('a reader finds every key before, during and after it prepares look-ups step by step', async () => {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  await open.deliverTogether(...Array.from({ length: 30 }, (_, number) => bodyOf(number)));
  const db = openForReading(path);
  const found = (keys: KeyLookup) =>
    Array.from({ length: 30 }, (_, number) => keys.hashIds(`0x${number}`).length);
  const every = Array.from({ length: 30 }, () => 1);
  for (const stepsBefore of [0, 1, 4, 9]) {
    const keys = new KeyLookup(db, 7);
    for (let step = 0; step < stepsBefore; step += 1) keys.step();
    expect(found(keys)).toEqual(every);
  }
  const stepped = new KeyLookup(db, 7);
  let steps = 1;
  while (!stepped.step()) steps += 1;
  expect(steps).toBe(5);
  await open.deliver(bodyOf(30));
  expect(stepped.hashIds('0x30')).toHaveLength(1);
  db.close();
});
