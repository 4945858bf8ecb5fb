import { copyFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';

/** What is counted of a store, by name. */
const COUNTED = {
  facts: 'journal',
  credits: "credits WHERE kind = 'credit'",
  reversals: "credits WHERE kind = 'reversal'",
  internal: "deposits WHERE state = 'internal'",
  denied: "withdrawals WHERE custody = 'unknown'",
  disowned: "own_hashes WHERE certainty = 'disowned'",
  backfills: "entries WHERE source = 'api'",
  burnedFees: "entries WHERE cause = 'failed-fee'",
  suspense: "entries WHERE cause = 'suspense'",
  breaks: 'breaks',
} as const;

function reading<Value>(path: string, read: (store: Database) => Value): Value {
  const store = new Sqlite(path, { readonly: true });
  try {
    return read(store);
  } finally {
    store.close();
  }
}

/** Counts what happened in a store, so that an empty run does not count as a good one. */
export function storeCountsOf(path: string): Record<string, number> {
  return reading(path, (store) => {
    const counts = Object.entries(COUNTED).map(([name, rows]) => {
      const count = store.prepare<[], number>(`SELECT count(*) FROM ${rows}`).pluck().get();
      return [name, count ?? 0] as const;
    });
    return Object.fromEntries(counts);
  });
}

/** A hash over the whole journal. */
export function lastSealOf(path: string): string {
  const sql = 'SELECT hex(hash) FROM seals ORDER BY commit_number DESC LIMIT 1';
  return reading(path, (store) => store.prepare<[], string>(sql).pluck().get() ?? '');
}

/** A copy of a store that nothing writes to any more, whole in one file. */
export function copyStore(from: string, to: string): void {
  const store = new Sqlite(from);
  store.pragma('wal_checkpoint(TRUNCATE)');
  store.close();
  copyFileSync(from, to);
}
