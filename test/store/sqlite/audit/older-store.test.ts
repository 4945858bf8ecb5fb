import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { rebuild } from '../../../../src/store/sqlite/audit/rebuild.ts';
import { verify } from '../../../../src/store/sqlite/audit/verify.ts';
import { verifyWith } from '../../evidence.ts';
import { OpenLedger, openLedgerFile } from '../../open-ledger.ts';
import { Service } from '../../webhook.ts';

const OPTIONS = {
  decode,
  progress: { start: () => undefined, tick: () => undefined, done: () => undefined },
  acceptFeed: false,
};

/** Turns a store into one of schema 11, which had SQLite's usual pages and `vault_spans`. */
function makeSchema11(path: string): void {
  const db = new Sqlite(path);
  db.exec(`ALTER TABLE notifications DROP COLUMN previous_of_vault;
    ALTER TABLE notification_counts DROP COLUMN newest_seq;
    CREATE TABLE vault_spans (
      vault_id TEXT NOT NULL, span INTEGER NOT NULL, PRIMARY KEY (vault_id, span)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO vault_spans SELECT DISTINCT vault_id, seq / 8192 FROM notifications;
    PRAGMA user_version = 11; PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM`);
  db.close();
}

function pageBytes(path: string): unknown {
  const db = new Sqlite(path, { readonly: true });
  const bytes = db.pragma('page_size', { simple: true });
  db.close();
  return bytes;
}

/** What a consumer and an auditor have read. */
function kept(open: OpenLedger): object {
  return {
    feed: open.feed(),
    seals: open.rows('SELECT * FROM seals'),
    notifications: open.rows('SELECT * FROM notifications ORDER BY seq'),
    counts: open.rows('SELECT * FROM notification_counts ORDER BY vault_id, status'),
  };
}

test('a rebuild of a store of schema 11 keeps its feed and seals, and makes smaller pages', async () => {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  const first = service.confirmed(1);
  await open.deliver(first, first, service.confirmed(6), service.chain('transaction'));
  await verifyWith(open);
  const before = kept(open);
  open.close();
  makeSchema11(path);
  expect(() => new OpenLedger(path)).toThrow(/schema 11, this one needs \d+.*counterfoil rebuild/);
  const { previous } = rebuild(path, OPTIONS);
  expect(verify(path, OPTIONS).sound).toBe(true);
  expect(kept(new OpenLedger(path))).toEqual(before);
  expect([pageBytes(previous), pageBytes(path)]).toEqual([4_096, 2_048]);
});
