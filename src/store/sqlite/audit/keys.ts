import type { Database } from 'better-sqlite3';
import { Problems, type AuditCheck } from './audit.ts';
import { spellingOf } from '../../../domain/chain/network-address.ts';
import { fingerprintOf, KEY_SPACES, keysAfter, type KeySpace } from '../keys/key.ts';

const SAME_ID = `SELECT id, count(*) AS times FROM notifications GROUP BY id HAVING times > 1`;

/** Reads the keys of a row of each kind; an on-chain address may be NULL. */
const KEYED = {
  notification: 'SELECT id FROM notifications WHERE seq = ?',
  hash: 'SELECT blockchain_hash FROM hashes WHERE hash_id = ?',
  deposit: 'SELECT deposit_id FROM deposits WHERE hash_id = ?',
  address: 'SELECT network_address, reported_address FROM deposits WHERE hash_id = ?',
} as const satisfies Record<KeySpace, string>;

const SPACES = new Map(
  (Object.keys(KEYED) as KeySpace[]).map((space) => [KEY_SPACES[space] as number, space]),
);

/**
 * Checks the table `keys`: it holds every key of the facts up to `keys_merged`, and no key without
 * its row. Also checks that no notification id occurs twice.
 */
export function checkKeys(db: Database): AuditCheck {
  const problems = new Problems();
  let examined = 0;
  for (const { id, times } of db.prepare<[], { id: string; times: number }>(SAME_ID).iterate()) {
    problems.add(`notification id ${JSON.stringify(id)} occurs ${times} times`);
  }
  const marked = db.prepare<[], number>('SELECT through_seq FROM keys_merged').pluck().get() ?? 0;
  const head = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM journal').pluck().get();
  if (marked > (head ?? 0)) {
    problems.add(`keys are marked as merged up to ${marked}, past the journal's end`);
  }
  const isMerged = db
    .prepare<[number, number, number], number>(
      'SELECT 1 FROM keys WHERE space = ? AND fingerprint = ? AND row = ?',
    )
    .pluck();
  for (const { space, key, row, seq } of keysAfter(db, 0)) {
    if (seq > marked) continue;
    examined += 1;
    if (isMerged.get(KEY_SPACES[space], fingerprintOf(key), row) !== undefined) continue;
    problems.add(`${space} ${key} is not found by its key`);
  }
  checkRows(db, problems);
  return problems.result('keys', examined);
}

function checkRows(db: Database, problems: Problems): void {
  const keysOf = {
    notification: db.prepare<[number], (string | null)[]>(KEYED.notification).raw(),
    hash: db.prepare<[number], (string | null)[]>(KEYED.hash).raw(),
    deposit: db.prepare<[number], (string | null)[]>(KEYED.deposit).raw(),
    address: db.prepare<[number], (string | null)[]>(KEYED.address).raw(),
  };
  const stored = db.prepare<[], { space: number; fingerprint: number; row: number }>(
    'SELECT * FROM keys',
  );
  for (const { space, fingerprint, row } of stored.iterate()) {
    const name = SPACES.get(space) ?? 'notification';
    const keys = keysOf[name]
      .all(row)
      .flat()
      .filter((key) => key !== null)
      .map(name === 'address' ? spellingOf : String);
    const isOfRow = keys.some((key) => fingerprintOf(key) === fingerprint);
    if (!isOfRow) problems.add(`a key of ${name} ${row} does not belong to that row`);
  }
}
