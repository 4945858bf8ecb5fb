import type { Database } from 'better-sqlite3';
import { Problems, type AuditCheck } from './audit.ts';

/** Tables that a replay of the journal makes, with the order in which their rows are compared. */
const PROJECTIONS = {
  hashes: 'hash_id',
  notifications: 'seq',
  quarantine: 'quarantine_id',
  sightings: 'hash_id, vault_id, stream, account_id, address_id, memo',
  ledger_accounts: 'ledger_account',
  entries: 'entry_id',
  postings: 'entry_id, line',
  balances: 'ledger_account',
  movements: 'hash_id, vault_id, asset',
  movement_counts: 'agreement',
  assets: 'asset',
  decimals_corrections: 'seq',
  token_changes: 'seq',
  deposits: 'hash_id, deposit_id',
  deposit_counts: 'state',
  withdrawals: 'transaction_id',
  own_hashes: 'hash_id, transaction_id',
  credits: 'feed_seq',
  acknowledgements: 'credit_id',
  breaks: 'break_id',
  break_counts: 'type, severity, state',
  notification_counts: 'vault_id, status',
  look_round: 'only_row',
  break_events: 'seq, break_id, action, reason',
  reconciliations: 'seq',
  restores: 'seq',
  policies: 'seq',
  exemptions: 'seq',
  exempt_differences: 'key',
  daily_closes: 'day',
  daily_totals: 'day, vault_id, asset',
  position_totals: 'ledger_account, day',
  custody_effects: 'transaction_id, asset, vault_id',
  close_signatures: 'day, role',
} as const;

function differenceIn(left: unknown, right: unknown): string {
  if (left === undefined) return `missing in the store: ${JSON.stringify(right)}`;
  if (right === undefined) return `not in the replay: ${JSON.stringify(left)}`;
  const stored = left as Record<string, unknown>;
  const replayed = right as Record<string, unknown>;
  return Object.keys(stored)
    .filter((column) => stored[column] !== replayed[column])
    .map((column) => `${column} ${String(stored[column])}, replay says ${String(replayed[column])}`)
    .join('; ');
}

/** The row by its key, as people look it up: `hash_id 3, deposit_id dep_1`. */
function nameOf(row: unknown, order: string): string {
  const values = row as Record<string, unknown>;
  return order
    .split(', ')
    .map((column) => `${column} ${String(values[column])}`)
    .join(', ');
}

/** Pairs the rows of two stores; a member is undefined when its store has fewer rows. */
function* sideBySide(
  store: Database,
  replayed: Database,
  sql: string,
): Generator<[unknown, unknown]> {
  const left = store.prepare<[]>(sql).iterate();
  const right = replayed.prepare<[]>(sql).iterate();
  try {
    for (;;) {
      const one = left.next();
      const other = right.next();
      if (one.done === true && other.done === true) return;
      yield [
        one.done === true ? undefined : one.value,
        other.done === true ? undefined : other.value,
      ];
    }
  } finally {
    // A database with a running statement cannot be closed.
    left.return?.();
    right.return?.();
  }
}

/** Compares the projections of two stores, table by table and row by row. */
export function compareProjections(store: Database, replayed: Database): AuditCheck {
  const problems = new Problems();
  let examined = 0;
  for (const [table, order] of Object.entries(PROJECTIONS)) {
    const sql = `SELECT * FROM ${table} ORDER BY ${order}`;
    problems.attempt(() => {
      for (const [stored, again] of sideBySide(store, replayed, sql)) {
        examined += 1;
        if (JSON.stringify(stored) === JSON.stringify(again)) continue;
        const row =
          stored === undefined || again === undefined ? '' : ` (${nameOf(stored, order)})`;
        problems.add(`${table}${row}: ${differenceIn(stored, again)}`);
      }
    });
  }
  return problems.result('projections', examined);
}
