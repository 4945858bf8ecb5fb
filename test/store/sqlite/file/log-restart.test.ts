import { performance } from 'node:perf_hooks';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { openForWriting } from '../../../../src/store/sqlite/file/database.ts';
import { SqliteLedger } from '../../../../src/store/sqlite/sqlite-ledger.ts';
import { factOf, START, temporaryPath } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

/** Longest wait of the writer for readers, per call. */
const WAIT_MS = 250;
const TIMES = 8;

/** A store that treats every log as too long. */
function longLog(): { ledger: SqliteLedger; path: string } {
  const path = temporaryPath();
  const options = { decode, now: () => START, checkpoints: 'elsewhere', logPagesMax: 1 } as const;
  return { ledger: new SqliteLedger(openForWriting(path), options), path };
}

function logPages(path: string): number {
  const db = new Database(path);
  const [state] = db.pragma('wal_checkpoint(PASSIVE)') as { log: number }[];
  db.close();
  return state?.log ?? 0;
}

async function commit(ledger: SqliteLedger, index: number): Promise<void> {
  const body = { ...new Service().confirmed(1, { blockchainHash: `0x${index}` }), id: `n${index}` };
  await ledger.commit([factOf(body, START)]);
}

test('the writer does not wait for the same long reader at every call', async () => {
  const { ledger, path } = longLog();
  await commit(ledger, 0);
  const reader = new Database(path, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM journal').get();
  let waitedMs = 0;
  for (let index = 1; index <= TIMES; index += 1) {
    await commit(ledger, index);
    const began = performance.now();
    ledger.tidy();
    waitedMs += performance.now() - began;
  }
  expect(waitedMs).toBeLessThan((TIMES / 2) * WAIT_MS);
  reader.close();
  const held = logPages(path);
  ledger.tidy();
  await commit(ledger, TIMES + 1);
  expect(logPages(path)).toBeLessThan(held);
  ledger.close();
});
