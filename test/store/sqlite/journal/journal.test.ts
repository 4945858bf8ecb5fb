import fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Fact } from '../../../../src/domain/fact/fact.ts';
import type { JournalRow } from '../../../../src/store/records.ts';
import { JournalReader } from '../../../../src/store/sqlite/journal/journal-reader.ts';
import { JournalWriter } from '../../../../src/store/sqlite/journal/journal-writer.ts';
import { openScratch } from '../../../../src/store/sqlite/file/database.ts';
import { openLedger, START } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

/** Commits of facts whose bodies are empty, small or larger than a block. */
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

function rowOf(seq: number, body: Uint8Array): JournalRow {
  return { seq, kind: 'notification', recordedAt: seq, detail: null, body };
}

test('every body reads back unchanged, in any order of reading', () => {
  fc.assert(
    fc.property(commits, fc.array(fc.nat()), (bodies, asked) => {
      const db = openScratch(':memory:');
      const writer = new JournalWriter(db);
      const facts: JournalRow[] = [];
      for (const commit of bodies) {
        const rows = commit.map((body, index) => rowOf(facts.length + index + 1, body));
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

test('a block holds sixteen bodies, or one large body', () => {
  const db = openScratch(':memory:');
  const writer = new JournalWriter(db);
  const small = Array.from({ length: 20 }, (_, index) => rowOf(index + 1, Buffer.from('small')));
  writer.append(small);
  writer.append([21, 22, 23].map((seq) => rowOf(seq, Buffer.alloc(30_000, seq))));
  expect(db.prepare('SELECT first_seq, last_seq, bytes FROM bodies').all()).toEqual([
    { first_seq: 1, last_seq: 16, bytes: 80 },
    { first_seq: 17, last_seq: 20, bytes: 20 },
    { first_seq: 21, last_seq: 21, bytes: 30_000 },
    { first_seq: 22, last_seq: 22, bytes: 30_000 },
    { first_seq: 23, last_seq: 23, bytes: 30_000 },
  ]);
  db.close();
});

test('the common text of notifications takes little space', () => {
  const db = openScratch(':memory:');
  const body = (seq: number): Uint8Array =>
    Buffer.from(JSON.stringify({ id: `n-${seq}`, text: 'the same words '.repeat(80), seq }));
  const facts = Array.from({ length: 16 }, (_, index) => rowOf(index + 1, body(index + 1)));
  new JournalWriter(db).append(facts);
  const kept = db.prepare<[], number>('SELECT length(content) FROM bodies').pluck().get() ?? 0;
  const received = facts.reduce((sum, fact) => sum + fact.body.length, 0);
  expect(kept).toBeLessThan(received / 10);
  db.close();
});

test('compressed bodies never have their uncompressed length, so the SQLite shell inflates them', () => {
  const db = openScratch(':memory:');
  const writer = new JournalWriter(db);
  const facts = Array.from({ length: 60 }, (_, count) =>
    rowOf(count + 1, Buffer.from(JSON.stringify({ id: 'a'.repeat(count) }))),
  );
  // At some length both would be equal, whatever the version of zlib.
  expect(facts.some(({ body }) => deflateSync(body).length === body.length)).toBe(true);
  for (const fact of facts) writer.append([fact]);
  expect(db.prepare('SELECT * FROM bodies WHERE length(content) = bytes').all()).toEqual([]);
  const read = [...new JournalReader(db).all()];
  expect(read.map(({ body }) => Buffer.from(body))).toEqual(facts.map(({ body }) => body));
  db.close();
});

test('bodies of a failed transaction are not read at the positions that the next one reuses', async () => {
  const open = await openLedger();
  const service = new Service();
  const unbooked = (blockchainHash: string): Fact => {
    const body = { ...service.confirmed(1, { blockchainHash }), id: blockchainHash };
    const raw = Buffer.from(JSON.stringify(body));
    return { kind: 'quarantined', at: START, raw, id: body.id, defect: 'it could not be booked' };
  };
  const decision = { kind: 'retry', quarantineId: 'qtn_2', reason: 'upgraded' } as const;
  const retry: Fact = { kind: 'decision', at: START, actor: 'ann', decision };
  open.db.exec(
    "CREATE TRIGGER full BEFORE INSERT ON seals BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  await expect(open.commit([unbooked('0xfirst'), retry])).rejects.toThrow('disk full');
  open.db.exec('DROP TRIGGER full');
  await open.commit([unbooked('0xsecond')]);
  expect(await open.commit([retry])).toMatchObject([{ kind: 'taken', status: 'accepted' }]);
  expect(open.deposits().map((deposit) => deposit.blockchain_hash)).toEqual(['0xsecond']);
});
