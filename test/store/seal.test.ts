import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openLedgerFile } from './open-ledger.ts';
import type { JournalRow } from '../../src/store/records.ts';
import { JournalReader } from '../../src/store/sqlite/journal/journal-reader.ts';
import type { SealRow } from '../../src/store/sqlite/table/journal-tables.ts';
import { Service } from './webhook.ts';

/** An integer in the form of schema.sql: 8 bytes, big-endian. */
function eight(value: number): string {
  return value.toString(16).padStart(16, '0');
}

function lengthAndBytes(bytes: Uint8Array): string {
  return eight(bytes.length) + Buffer.from(bytes).toString('hex');
}

/** The hash of a seal, computed as schema.sql describes it, without code of src/. */
function hashOf(seal: SealRow, facts: readonly JournalRow[]): string {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const parts = facts.map(
    ({ seq, recordedAt: at, kind, detail, body }) =>
      eight(seq) +
      eight(at) +
      lengthAndBytes(text(kind)) +
      (detail === null ? '00' : `01${lengthAndBytes(text(detail))}`) +
      lengthAndBytes(body),
  );
  const sealed = [
    Buffer.from(seal.previous_hash).toString('hex'),
    eight(seal.first_seq),
    eight(seal.last_seq),
    eight(seal.sealed_at),
    ...parts,
  ].join('');
  return createHash('sha256').update(Buffer.from(sealed, 'hex')).digest('hex');
}

test('every seal is the hash that schema.sql describes, over the facts of its commit', async () => {
  const { open } = await openLedgerFile();
  const service = new Service();
  await open.deliverTogether(service.confirmed(1), service.chain('transaction'));
  await open.deliver('no JSON: ünïcode 😀', '{"id":"q","a":"\u00e9"}');
  await open.decide({ kind: 'hold', depositId: open.depositId(), reason: 'wait' }, 'Zoë');
  await open.run();
  const seals = open.rows<SealRow>('SELECT * FROM seals ORDER BY commit_number');
  expect(seals.map((seal) => [seal.first_seq, seal.last_seq])).toEqual([
    [1, 1],
    [2, 3],
    [4, 4],
    [5, 5],
    [6, 6],
    [7, 7],
  ]);
  for (const seal of seals) {
    const facts = new JournalReader(open.db).between(seal.first_seq, seal.last_seq);
    expect(hashOf(seal, facts)).toBe(Buffer.from(seal.hash).toString('hex'));
  }
});

test('a commit of large bodies has the described seal too', async () => {
  const { open } = await openLedgerFile();
  const sizes = [1, 700_000, 700_000, 2_000_000, 1, 300_000, 700_000];
  const facts = sizes.map((size, index) => ({ id: `q-${index}`, text: 'x'.repeat(size) }));
  await open.deliverTogether(...facts);
  const [seal] = open.rows<SealRow>('SELECT * FROM seals WHERE first_seq = 2 AND last_seq = 8');
  if (seal === undefined) throw new Error('not one commit');
  const rows = new JournalReader(open.db).between(2, 8);
  expect(hashOf(seal, rows)).toBe(Buffer.from(seal.hash).toString('hex'));
});

test('the first seal follows 32 zero bytes, and each other seal follows its predecessor', async () => {
  const { open } = await openLedgerFile();
  await open.deliver(new Service().confirmed(1));
  const [first, second] = open.rows<SealRow>('SELECT * FROM seals ORDER BY commit_number');
  expect(Buffer.from(first?.previous_hash ?? []).toString('hex')).toBe('00'.repeat(32));
  expect(second?.previous_hash).toEqual(first?.hash);
});

test('a commit without journalled facts has no seal', async () => {
  const { open } = await openLedgerFile();
  const body = new Service().confirmed(1);
  await open.deliver(body);
  await open.deliver(body, body);
  expect(open.rows('SELECT * FROM seals')).toHaveLength(2);
});
