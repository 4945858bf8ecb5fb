import { sql, type Kysely } from 'kysely';
import { storedAmount } from '../../../../domain/money/amount.ts';
import { creditIdOf, DepositId } from '../../../../domain/ids.ts';
import type { Deposit } from '../../../../domain/deposit/deposit.ts';
import type { DepositLife, LifeEntry, LifeFact } from '../../../answers.ts';
import { idDigest } from '../../../unit/id-digest.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import { type DepositRow, depositOf } from '../../table/rows/deposit-row.ts';
import type { Tables } from '../../table/tables.ts';
import { creditOf } from './credits.ts';
import type { Sources } from './deposit-search.ts';
import { depositRow } from './deposits.ts';
import { lifeFacts, recordsIn, ROWS_MAX, withHistory } from '../life-facts.ts';
import { atSnapshot } from '../list.ts';
import { notificationOf } from '../notifications.ts';

/** Most credits of one deposit that are looked up; each one more needs a rollback. */
const CREDITS_MAX = 20;
/** How far around a known moment its fact is looked for: facts of a commit are not in order. */
const DISORDER_MS = 5_000;
const FACTS_AROUND_MAX = 10_000;
/** Decisions are looked for among so many facts after the first one about the deposit. */
const FACTS_AFTER_MAX = 50_000;
/** Most bodies that are read to find decisions and custody records. */
const BODIES_MAX = 256;

/** Notifications of the deposit's hash in its vault: its own, and those of the chain. */
export function notificationRows(db: Kysely<Tables>, row: DepositRow) {
  return db
    .selectFrom('notifications')
    .where('hash_id', '=', row.hash_id)
    .where(sql<boolean>`vault_id = ${row.vault_id}`)
    .where(sql<boolean>`(transaction_id is null or transaction_id is ${row.transaction_id})`)
    .selectAll()
    .orderBy('seq')
    .limit(ROWS_MAX + 1);
}

/**
 * Entries with a posting at the deposit's position. The chain view knows addresses alone, and a
 * notification's balance change need not repeat its account and memo.
 */
export function entryRows(db: Kysely<Tables>, row: DepositRow) {
  const { account_id: account, address_id: address, memo } = row;
  return db
    .selectFrom('entries')
    .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
    .innerJoin('ledger_accounts', 'ledger_accounts.ledger_account', 'postings.ledger_account')
    .where('entries.hash_id', '=', row.hash_id)
    .where('ledger_accounts.kind', '=', 'position')
    .where('ledger_accounts.vault_id', '=', row.vault_id)
    .where('ledger_accounts.asset', '=', row.asset)
    .where('ledger_accounts.address_id', 'in', [address ?? '', ''])
    .where(
      sql<boolean>`(entries.view = 'chain' or (account_id in (${account ?? ''}, '') and memo in (${memo ?? ''}, '')))`,
    )
    .select(['entries.seq', 'entries.view', 'entries.reverses', 'postings.amount'])
    .orderBy('entries.entry_id')
    .limit(ROWS_MAX + 1);
}

/** Breaks about the deposit, or about its hash in its vault. */
export function breakRows(db: Kysely<Tables>, row: DepositRow) {
  return db
    .selectFrom('breaks')
    .where(sql<boolean>`blockchain_hash = ${row.blockchain_hash}`)
    .where('vault_id', '=', row.vault_id)
    .where(sql<boolean>`(deposit_id is null or deposit_id = ${row.deposit_id})`)
    .where(sql<boolean>`(asset is null or asset = ${row.asset})`)
    .selectAll()
    .orderBy('opened_at')
    .limit(ROWS_MAX + 1);
}

/** The ids of the deposit's credits and reversals, which are made of its own id. */
function creditIdsOf({ depositId, creditsIssued }: Deposit): string[] {
  const ordinals = Array.from({ length: creditsIssued }, (_, index) => index + 1);
  return ordinals
    .slice(-CREDITS_MAX)
    .flatMap((ordinal) =>
      (['credit', 'reversal'] as const).map((kind) =>
        creditIdOf({ depositId: DepositId(depositId), kind, ordinal }, idDigest),
      ),
    );
}

async function feedOf(at: Kysely<Tables>, deposit: Deposit) {
  const ids = creditIdsOf(deposit);
  const items = await at
    .selectFrom('credits')
    .where('credit_id', 'in', ids)
    .selectAll()
    .orderBy('feed_seq')
    .execute();
  const acknowledgements = await at
    .selectFrom('acknowledgements')
    .where('credit_id', 'in', ids)
    .selectAll()
    .execute();
  return {
    items: items.map((row) => ({ ...creditOf(row), seq: row.seq })),
    acknowledgements: acknowledgements.map(({ credit_id: creditId, seq, reference, at: when }) => ({
      creditId,
      seq,
      reference,
      at: when,
    })),
  };
}

/** Decisions and custody records at these moments, and decisions soon after the first fact. */
function candidates(
  at: Kysely<Tables>,
  moments: ReadonlySet<number>,
  { journal, firstSeq }: { readonly journal: JournalReader; readonly firstSeq: number },
): Promise<number[]> {
  const limit = BODIES_MAX;
  const around = [...moments].map((moment) => {
    const afterSeq = journal.seqBefore(moment - DISORDER_MS);
    const that = sql<boolean>`recorded_at = ${moment}`;
    return { afterSeq, throughSeq: afterSeq + FACTS_AROUND_MAX, that, limit };
  });
  const throughSeq = firstSeq + FACTS_AFTER_MAX;
  const decisions = {
    afterSeq: firstSeq,
    throughSeq,
    that: sql<boolean>`kind = 'decision'`,
    limit,
  };
  return recordsIn(at, [...around, decisions]);
}

async function factsOf(
  at: Kysely<Tables>,
  life: Omit<DepositLife, 'facts' | 'isCut'>,
  from: { readonly journal: JournalReader; readonly firstSeq: number },
): Promise<Map<number, LifeFact>> {
  const { deposit, notifications, entries, items, acknowledgements, breaks } = life;
  const known = [
    ...[...notifications, ...entries, ...items, ...acknowledgements].map(({ seq }) => seq),
    ...breaks.flatMap(({ history }) => history.map(({ seq }) => seq)),
  ];
  const moments = new Set(
    [
      deposit.verifiedAt,
      deposit.updatedAt,
      ...deposit.approvals.map((one) => one.at),
      ...items.flatMap(({ item }) => [
        item.deposit.verifiedAt,
        ...item.deposit.approvals.map((one) => one.at),
      ]),
    ].filter((moment) => moment !== null),
  );
  const ids = [deposit.depositId, deposit.transactionId, ...creditIdsOf(deposit)];
  return lifeFacts(from.journal, known, { candidates: await candidates(at, moments, from), ids });
}

/** A deposit with the facts about it (`Reads.depositLife`). */
export function readDepositLife(
  db: Kysely<Tables>,
  depositId: string,
  { keys, journal }: Sources,
): Promise<DepositLife | undefined> {
  return atSnapshot(db, async (at) => {
    const row = await depositRow(at, depositId, keys);
    if (row === undefined) return undefined;
    const deposit = depositOf(row);
    const notifications = await notificationRows(at, row).execute();
    const entries = await entryRows(at, row).execute();
    const breaks = await withHistory(at, await breakRows(at, row).execute());
    const life = {
      deposit,
      notifications: notifications.slice(0, ROWS_MAX).map((one) => notificationOf(one, row)),
      entries: entries.slice(0, ROWS_MAX).map((entry): LifeEntry => ({
        seq: entry.seq,
        view: entry.view as LifeEntry['view'],
        amount: storedAmount(entry.amount),
        isReversal: entry.reverses !== null,
      })),
      breaks: breaks.slice(0, ROWS_MAX),
      ...(await feedOf(at, deposit)),
    };
    const facts = await factsOf(at, life, { journal, firstSeq: row.first_seq });
    const isCut = [notifications, entries, breaks].some((list) => list.length > ROWS_MAX);
    return { ...life, facts, isCut };
  });
}
