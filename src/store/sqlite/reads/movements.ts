import { sql, type Kysely } from 'kysely';
import { storedAmount } from '../../../domain/amount.ts';
import type { View } from '../../../domain/entry.ts';
import type { Movement, MovementStanding } from '../../../domain/movement.ts';
import type { LedgerEntry, LedgerLine, MovementStatement } from '../../reads.ts';
import type { KeyLookup } from '../key-lookup.ts';
import { movementOf } from '../row.ts';
import type { Tables } from '../tables.ts';
import { atSnapshot } from './list.ts';

function linesOfHash(db: Kysely<Tables>, hashIds: readonly number[]) {
  return db
    .selectFrom('entries')
    .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
    .innerJoin('ledger_accounts', 'ledger_accounts.ledger_account', 'postings.ledger_account')
    .where('entries.hash_id', 'in', hashIds)
    .select([
      'entries.entry_id',
      'entries.seq',
      'entries.view',
      'entries.cause',
      'entries.vault_id',
      'entries.network',
      'entries.transaction_id',
      'entries.reverses',
      'entries.posted_at',
      'postings.change_kind',
      'postings.amount',
      'ledger_accounts.kind',
      'ledger_accounts.account_id',
      'ledger_accounts.address_id',
      'ledger_accounts.memo',
      'ledger_accounts.asset',
    ])
    .orderBy('entries.entry_id')
    .orderBy('postings.line');
}

type LineRow = Awaited<ReturnType<ReturnType<typeof linesOfHash>['execute']>>[number];

function lineOf(row: LineRow): LedgerLine {
  return {
    kind: row.kind,
    accountId: row.account_id || null,
    addressId: row.address_id || null,
    memo: row.memo || null,
    asset: row.asset,
    amount: storedAmount(row.amount),
    changeKind: row.change_kind,
  };
}

function entriesOf(rows: readonly LineRow[]): LedgerEntry[] {
  const entries = new Map<number, LedgerEntry & { lines: LedgerLine[] }>();
  for (const row of rows) {
    const known = entries.get(row.entry_id);
    if (known !== undefined) {
      known.lines.push(lineOf(row));
      continue;
    }
    entries.set(row.entry_id, {
      entryId: row.entry_id,
      seq: row.seq,
      view: row.view as View,
      cause: row.cause,
      vaultId: row.vault_id,
      transactionId: row.transaction_id,
      reverses: row.reverses,
      postedAt: row.posted_at,
      lines: [lineOf(row)],
    });
  }
  return [...entries.values()];
}

/** Word for word the condition of the index `movements_unsettled`: the planner compares text. */
const UNSETTLED = sql<boolean>`standing IN ('books_only', 'differs') AND on_chain = 0`;

export async function readUnsettledMovements(
  db: Kysely<Tables>,
  limit: number,
): Promise<readonly Movement[]> {
  const rows = await db
    .selectFrom('movements')
    .where(UNSETTLED)
    .selectAll()
    .orderBy('standing')
    .orderBy('changed_at')
    .limit(limit)
    .execute();
  return rows.map(movementOf);
}

/**
 * What a hash moved, per vault and asset, with the lines behind each sum. An entry of several
 * assets appears with each of them, cut to that asset's lines; those still sum to zero.
 */
export async function readMovements(
  db: Kysely<Tables>,
  blockchainHash: string,
  keys: KeyLookup,
): Promise<readonly MovementStatement[]> {
  return atSnapshot(db, async (at) => {
    const hashIds = keys.hashIds(blockchainHash);
    const movements = await at
      .selectFrom('movements')
      .where('hash_id', 'in', hashIds)
      .selectAll()
      .orderBy('network')
      .orderBy('vault_id')
      .orderBy('asset')
      .execute();
    if (movements.length === 0) return [];
    const lines = await linesOfHash(at, hashIds).execute();
    return movements.map((row) => ({
      movement: movementOf(row),
      standing: row.standing as MovementStanding,
      entries: entriesOf(
        lines.filter(
          (line) =>
            line.network === row.network &&
            line.vault_id === row.vault_id &&
            line.asset === row.asset,
        ),
      ),
    }));
  });
}
