import { sql, type Kysely } from 'kysely';
import { storedAmount } from '../../../../domain/money/amount.ts';
import type { EntryCause, EntrySource, View } from '../../../../domain/money/entry.ts';
import type { Movement, MovementAgreement } from '../../../../domain/money/movement.ts';
import type { LedgerEntry, LedgerLine, MovementStatement } from '../../../answers.ts';
import type { KeyLookup } from '../../keys/key-lookup.ts';
import { movementOf } from '../../table/rows/movement-row.ts';
import type { Tables } from '../../table/tables.ts';
import { atSnapshot } from '../list.ts';

function linesOfHash(db: Kysely<Tables>, hashIds: readonly number[]) {
  return db
    .selectFrom('entries')
    .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
    .innerJoin('ledger_accounts', 'ledger_accounts.ledger_account', 'postings.ledger_account')
    .leftJoin('notifications', 'notifications.seq', 'entries.seq')
    .where('entries.hash_id', 'in', hashIds)
    .select([
      'entries.entry_id',
      'entries.seq',
      'entries.view',
      'entries.source',
      'entries.cause',
      'entries.vault_id',
      'entries.network',
      'entries.transaction_id',
      'notifications.id as notification_id',
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
      source: row.source as EntrySource,
      cause: row.cause as EntryCause,
      vaultId: row.vault_id,
      transactionId: row.transaction_id,
      notificationId: row.notification_id,
      reverses: row.reverses,
      postedAt: row.posted_at,
      lines: [lineOf(row)],
    });
  }
  return [...entries.values()];
}

/** Repeats the condition of the index `movements_unconfirmed`: SQLite's planner compares the text. */
const UNCONFIRMED = sql<boolean>`agreement IN ('books_only', 'differs') AND on_chain = 0`;

/** Movements without a chain view: those without a custody sum first, then those that differ. */
export async function readUnconfirmedMovements(
  db: Kysely<Tables>,
  limit: number,
): Promise<readonly Movement[]> {
  const rows = await db
    .selectFrom('movements')
    .where(UNCONFIRMED)
    .selectAll()
    .orderBy('agreement')
    .orderBy('changed_at')
    .limit(limit)
    .execute();
  return rows.map(movementOf);
}

/**
 * A hash's movements by network, vault and asset, with the entries that they sum. An entry of
 * several assets appears in each of them with that asset's lines, which still sum to zero.
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
      agreement: row.agreement as MovementAgreement,
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
