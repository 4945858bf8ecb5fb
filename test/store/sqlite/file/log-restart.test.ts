import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { openForWriting } from '../../../../src/store/sqlite/file/database.ts';
import { SqliteLedger } from '../../../../src/store/sqlite/sqlite-ledger.ts';
import { factOf, START, temporaryPath } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

const TIMES = 8;

/** A store that treats every log as too long. */
function longLog() {
  const path = temporaryPath();
  const db = openForWriting(path);
  const options = { decode, now: () => START, checkpoints: 'elsewhere', logPagesMax: 1 } as const;
  const pragma = vi.spyOn(db, 'pragma');
  /** How often the writer waited for readers. */
  const waits = (): number =>
    pragma.mock.calls.filter(([source]) => source === 'wal_checkpoint(RESTART)').length;
  return { ledger: new SqliteLedger(db, options), path, waits };
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
  const { ledger, path, waits } = longLog();
  await commit(ledger, 0);
  const reader = new Database(path, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM journal').get();
  for (let index = 1; index <= TIMES; index += 1) {
    await commit(ledger, index);
    ledger.tidy();
  }
  expect(waits()).toBe(1);
  reader.close();
  const held = logPages(path);
  ledger.tidy();
  await commit(ledger, TIMES + 1);
  expect(logPages(path)).toBeLessThan(held);
  ledger.close();
});
