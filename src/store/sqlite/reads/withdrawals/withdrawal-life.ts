import { sql, type Kysely, type RawBuilder } from 'kysely';
import { storedAmount } from '../../../../domain/money/amount.ts';
import type { EntryCause } from '../../../../domain/money/entry.ts';
import { breakKey, BREAK_TYPES } from '../../../../domain/break/break.ts';
import type { ChangeKind } from '../../../../domain/fact/notification.ts';
import type { LifeFact, WithdrawalLife, WithdrawalPosting } from '../../../answers.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import { ownHashOf, withdrawalOf } from '../../table/rows/withdrawal-row.ts';
import type { NotificationTableRow } from '../../table/journal-tables.ts';
import type { Tables } from '../../table/tables.ts';
import { lifeFacts, recordsIn, ROWS_MAX, withHistory } from '../life-facts.ts';
import { atSnapshot } from '../list.ts';
import { withHashes } from '../notifications.ts';

/** Notifications without a hash are looked for among so many facts after the first one. */
const UNHASHED_AFTER_MAX = 200_000;
/** Custody records and decisions are looked for among so many facts after each known moment. */
const RECORDS_AFTER_MAX = 50_000;
/** Most custody records and decisions that are read after one moment. */
const RECORDS_PER_MOMENT_MAX = 48;
/** Moments around which they are looked for: the newest ones. */
const MOMENTS_MAX = 6;
/** How much older a fact may be than the first of its commit, milliseconds. */
const DISORDER_MS = 5_000;

/** Postings at positions in the books of a transaction, under its hashes. */
export function withdrawalPostings(
  db: Kysely<Tables>,
  about: { readonly transactionId: string; readonly hashIds: readonly number[] },
) {
  return db
    .selectFrom('entries')
    .innerJoin('postings', 'postings.entry_id', 'entries.entry_id')
    .innerJoin('ledger_accounts', 'ledger_accounts.ledger_account', 'postings.ledger_account')
    .where('entries.hash_id', 'in', about.hashIds)
    .where('entries.transaction_id', '=', about.transactionId)
    .where('entries.view', '=', 'books')
    .where('ledger_accounts.kind', '=', 'position')
    .select([
      'entries.seq',
      'entries.cause',
      'entries.reverses',
      'entries.posted_at',
      'postings.change_kind',
      'postings.amount',
      'ledger_accounts.asset',
    ])
    .orderBy('entries.entry_id')
    .orderBy('postings.line')
    .limit(ROWS_MAX + 1);
}

/** Notifications of a transaction under its hashes, oldest first. */
export function hashedNotifications(
  db: Kysely<Tables>,
  about: { readonly transactionId: string; readonly hashIds: readonly number[] },
) {
  return db
    .selectFrom('notifications')
    .where('hash_id', 'in', about.hashIds)
    .where(sql<boolean>`transaction_id = ${about.transactionId}`)
    .selectAll()
    .orderBy('seq')
    .limit(ROWS_MAX + 1);
}

/** Notifications of a transaction without a hash, among the facts after one of them. */
export function unhashedNotifications(about: {
  readonly transactionId: string;
  readonly afterSeq: number;
}): RawBuilder<NotificationTableRow> {
  const { transactionId, afterSeq } = about;
  return sql`select * from notifications indexed by notifications_without_hash
    where hash_id is null and seq > ${afterSeq} and seq <= ${afterSeq + UNHASHED_AFTER_MAX}
      and transaction_id = ${transactionId} order by seq limit ${ROWS_MAX + 1}`;
}

async function notificationsOf(
  at: Kysely<Tables>,
  about: {
    readonly transactionId: string;
    readonly hashIds: readonly number[];
    readonly afterSeq: number;
  },
) {
  const rows = [
    ...(await hashedNotifications(at, about).execute()),
    ...(await unhashedNotifications(about).execute(at)).rows,
  ];
  return withHashes(
    at,
    rows.toSorted((left, right) => left.seq - right.seq),
  );
}

/** Unresolved breaks of a transaction, by their keys. */
export function unresolvedBreaks(db: Kysely<Tables>, transactionId: string) {
  const keys = BREAK_TYPES.flatMap((type) => [
    breakKey(type, transactionId),
    breakKey(type, transactionId, 'corrected'),
  ]);
  return db
    .selectFrom('breaks')
    .where('key', 'in', keys)
    .where(sql<boolean>`state <> 'resolved'`)
    .selectAll();
}

/** Breaks about the transaction: under its hashes, and unresolved ones by their keys. */
async function breaksOf(
  at: Kysely<Tables>,
  about: { readonly transactionId: string; readonly hashes: readonly string[] },
): Promise<WithdrawalLife['breaks']> {
  const { transactionId, hashes } = about;
  const ofHashes = await at
    .selectFrom('breaks')
    .where('blockchain_hash', 'in', hashes)
    .where(sql<boolean>`transaction_id = ${transactionId}`)
    .selectAll()
    .limit(ROWS_MAX + 1)
    .execute();
  const unresolved = await unresolvedBreaks(at, transactionId).execute();
  const found = new Map([...ofHashes, ...unresolved].map((row) => [row.break_id, row]));
  return withHistory(at, [...found.values()]);
}

type PostingRow = Awaited<ReturnType<ReturnType<typeof withdrawalPostings>['execute']>>[number];

function postingOf(row: PostingRow): WithdrawalPosting {
  return {
    seq: row.seq,
    cause: row.cause as EntryCause,
    change: row.change_kind as ChangeKind,
    asset: row.asset,
    amount: storedAmount(row.amount),
    isReversal: row.reverses !== null,
    postedAt: row.posted_at,
  };
}

/** Custody records and decisions soon after known moments of the transaction. */
function recordsAround(
  at: Kysely<Tables>,
  moments: readonly number[],
  journal: JournalReader,
): Promise<number[]> {
  const spans = [...new Set(moments)].slice(-MOMENTS_MAX).map((moment) => {
    const afterSeq = journal.seqBefore(moment - DISORDER_MS);
    const throughSeq = afterSeq + RECORDS_AFTER_MAX;
    return { afterSeq, throughSeq, that: sql<boolean>`1 = 1`, limit: RECORDS_PER_MOMENT_MAX };
  });
  return recordsIn(at, spans);
}

async function factsOf(
  at: Kysely<Tables>,
  life: Omit<WithdrawalLife, 'facts' | 'isCut'>,
  journal: JournalReader,
): Promise<Map<number, LifeFact>> {
  const { withdrawal, notifications, postings, breaks } = life;
  const known = [...notifications, ...postings, ...breaks.flatMap(({ history }) => history)];
  const { firstSeenAt, updatedAt, transactionId } = withdrawal;
  const moments = [firstSeenAt, ...postings.map(({ postedAt }) => postedAt), updatedAt];
  const candidates = await recordsAround(at, moments, journal);
  return lifeFacts(
    journal,
    known.map(({ seq }) => seq),
    { candidates, ids: [transactionId] },
  );
}

/** A withdrawal with the facts about it (`Reads.withdrawalLife`). */
export function readWithdrawalLife(
  db: Kysely<Tables>,
  transactionId: string,
  journal: JournalReader,
): Promise<WithdrawalLife | undefined> {
  return atSnapshot(db, async (at) => {
    const row = await at
      .selectFrom('withdrawals')
      .where('transaction_id', '=', transactionId)
      .selectAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const own = await at
      .selectFrom('own_hashes')
      .where('transaction_id', '=', transactionId)
      .selectAll()
      .limit(ROWS_MAX)
      .execute();
    const hashIds = [...new Set([row.hash_id, ...own.map((one) => one.hash_id)])].filter(
      (id) => id !== null,
    );
    const afterSeq = journal.seqBefore(row.first_seen_at - DISORDER_MS);
    const about = { transactionId, hashIds, afterSeq };
    const notifications = await notificationsOf(at, about);
    const postings = (await withdrawalPostings(at, about).execute()).map(postingOf);
    const ownHashes = own.map(ownHashOf);
    const hashes = ownHashes.map(({ blockchainHash }) => blockchainHash);
    const breaks = await breaksOf(at, { transactionId, hashes });
    const life = {
      withdrawal: withdrawalOf(row),
      ownHashes,
      notifications: notifications.slice(0, ROWS_MAX),
      postings: postings.slice(0, ROWS_MAX),
      breaks: breaks.slice(0, ROWS_MAX),
    };
    const isCut = [notifications, postings, breaks].some((list) => list.length > ROWS_MAX);
    return { ...life, facts: await factsOf(at, life, journal), isCut };
  });
}
