import fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { JournalRow } from '../../src/store/records.ts';
import { packedBlock } from '../../src/store/body-block.ts';
import { JournalReader } from '../../src/store/sqlite/journal-reader.ts';
import { JournalWriter } from '../../src/store/sqlite/journal-writer.ts';
import { openScratch } from '../../src/store/sqlite/database.ts';
import type { Submission } from '../../src/store/port.ts';
import { deliveryOf, openLedger, START } from './open-ledger.ts';
import { Service } from './webhook.ts';

/** Commits of facts with bodies of these kinds of sizes: empty, small, beyond a block. */
const commits = fc.array(
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.uint8Array({ maxLength: 200 }) },
      { weight: 1, arbitrary: fc.uint8Array({ minLength: 20_000, maxLength: 50_000 }) },
    ),
    { minLength: 1, maxLength: 40 },
  ),
  { minLength: 1, maxLength: 4 },
);

function factOf(seq: number, body: Uint8Array): JournalRow {
  return { seq, kind: 'notification', recordedAt: seq, detail: null, body };
}

test('every body reads back byte by byte, in whatever order facts are read', () => {
  fc.assert(
    fc.property(commits, fc.array(fc.nat()), (bodies, asked) => {
      const db = openScratch(':memory:');
      const writer = new JournalWriter(db);
      const facts: JournalRow[] = [];
      for (const commit of bodies) {
        const rows = commit.map((body, index) => factOf(facts.length + index + 1, body));
        writer.append(rows);
        facts.push(...rows);
      }
      const plain = (all: Iterable<JournalRow>) =>
        [...all].map((fact) => ({ ...fact, body: Buffer.from(fact.body).toString('hex') }));
      const reader = new JournalReader(db);
      expect(plain(reader.all())).toEqual(plain(facts));
      for (const any of asked) {
        const seq = (any % facts.length) + 1;
        const fact = reader.at(seq);
        expect(fact && plain([fact])).toEqual(plain(facts.slice(seq - 1, seq)));
      }
      expect(plain(reader.between(2, 5))).toEqual(plain(facts.slice(1, 5)));
      expect(reader.at(facts.length + 1)).toBeUndefined();
      db.close();
    }),
    { numRuns: 30 },
  );
});

test('bodies are kept by sixteen, and a large one by itself', () => {
  const db = openScratch(':memory:');
  const writer = new JournalWriter(db);
  const small = Array.from({ length: 20 }, (_, index) => factOf(index + 1, Buffer.from('small')));
  writer.append(small);
  writer.append([21, 22, 23].map((seq) => factOf(seq, Buffer.alloc(30_000, seq))));
  expect(db.prepare('SELECT first_seq, last_seq, bytes FROM bodies').all()).toEqual([
    { first_seq: 1, last_seq: 16, bytes: 80 },
    { first_seq: 17, last_seq: 20, bytes: 20 },
    { first_seq: 21, last_seq: 21, bytes: 30_000 },
    { first_seq: 22, last_seq: 22, bytes: 30_000 },
    { first_seq: 23, last_seq: 23, bytes: 30_000 },
  ]);
  db.close();
});

test('what notifications have in common takes little room', () => {
  const db = openScratch(':memory:');
  const body = (seq: number): Uint8Array =>
    Buffer.from(JSON.stringify({ id: `n-${seq}`, text: 'the same words '.repeat(80), seq }));
  const facts = Array.from({ length: 16 }, (_, index) => factOf(index + 1, body(index + 1)));
  new JournalWriter(db).append(facts);
  const kept = db.prepare<[], number>('SELECT length(content) FROM bodies').pluck().get() ?? 0;
  const told = facts.reduce((sum, fact) => sum + fact.body.length, 0);
  expect(kept).toBeLessThan(told / 10);
  db.close();
});

test('packed bodies are never as long as they are unpacked: the shell would not unpack them', () => {
  const db = openScratch(':memory:');
  const writer = new JournalWriter(db);
  const facts = Array.from({ length: 60 }, (_, count) =>
    factOf(count + 1, Buffer.from(JSON.stringify({ id: 'a'.repeat(count) }))),
  );
  // A zlib of another version may do better or worse, but somewhere the two lengths meet.
  expect(facts.some(({ body }) => deflateSync(body).length === body.length)).toBe(true);
  for (const fact of facts) writer.append([fact]);
  expect(db.prepare('SELECT * FROM bodies WHERE length(content) = bytes').all()).toEqual([]);
  const read = [...new JournalReader(db).all()];
  expect(read.map(({ body }) => Buffer.from(body))).toEqual(facts.map(({ body }) => body));
  db.close();
});

test('what was read in a transaction that failed is not what the next one has at that place', async () => {
  const open = await openLedger();
  const service = new Service();
  const unbooked = (blockchainHash: string): Submission => ({
    ...deliveryOf(service.confirmed(1, { blockchainHash }), START),
    defect: 'it could not be booked',
  });
  const decision = { kind: 'retry', quarantineId: 'qtn_2', reason: 'upgraded' } as const;
  const retry: Submission = { kind: 'decision', at: START, actor: 'ann', decision };
  open.db.exec(
    "CREATE TRIGGER full BEFORE INSERT ON seals BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  await expect(open.commit([unbooked('0xfirst'), retry])).rejects.toThrow('disk full');
  open.db.exec('DROP TRIGGER full');
  await open.commit([unbooked('0xsecond')]);
  expect(await open.commit([retry])).toMatchObject([{ kind: 'taken', status: 'accepted' }]);
  expect(open.deposits().map((deposit) => deposit.blockchain_hash)).toEqual(['0xsecond']);
});

test.each([
  [16, 1_600],
  [8, 1_600],
  [7, 700],
])(
  'of sixteen bodies that came packed, %i made facts: a block of %i bytes is kept',
  (made, bytes) => {
    const db = openScratch(':memory:');
    const came = Array.from({ length: 16 }, (_, index) => Buffer.alloc(100, index));
    const block = packedBlock(Buffer.concat(came));
    const facts = came.slice(16 - made).map((body, index) => ({
      ...factOf(index + 1, body),
      packed: { block, start: 100 * (16 - made + index) },
    }));
    new JournalWriter(db).append(facts);
    expect(db.prepare('SELECT first_seq, last_seq, bytes FROM bodies').all()).toEqual([
      { first_seq: 1, last_seq: made, bytes },
    ]);
    const read = [...new JournalReader(db).all()].map(({ body }) => Buffer.from(body));
    expect(read).toEqual(came.slice(16 - made));
    db.close();
  },
);
