import { sql, type Kysely } from 'kysely';
import { storedAmount } from '../../../../domain/money/amount.ts';
import type { CloseSignature } from '../../../../domain/close/signature.ts';
import { SIGNATURE_ROLES, type CloseRecord } from '../../../../domain/close/record.ts';
import type { DailyReport } from '../../../../domain/close/report.ts';
import { AssetId, BlockchainHash, TransactionId, VaultId } from '../../../../domain/ids.ts';
import type { ClosedReport, CountedRow, Oldest, ReadThrough, SignedDay } from '../../../answers.ts';
import type { Page, PageRequest } from '../../../page.ts';
import type { ClosedDayRow } from '../../../records.ts';
import { GENESIS_HASH } from '../../../seal.ts';
import { closedDayOf, dailyCloseOf, signatureOf } from '../../table/rows/close-row.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import type { Tables } from '../../table/tables.ts';
import { atSnapshot, inBatches } from '../list.ts';

/** All columns but the report. The report is the last column, so SQLite does not read its pages. */
const BESIDE_REPORT = [
  'day',
  'seq',
  'timezone',
  'cut_off_at',
  'closed_at',
  'through_seq',
  'first_posted_at',
  'last_posted_at',
  'commit_number',
  'seal_hash',
  'status',
  'custody_compared',
  'report_hash',
  'previous_report_hash',
] as const;

/** The day closed last; undefined before the first. */
export async function readLastClose(db: Kysely<Tables>): Promise<ClosedDayRow | undefined> {
  const row = await db
    .selectFrom('daily_closes')
    .select(BESIDE_REPORT)
    .orderBy('cut_off_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && closedDayOf(row);
}

/** A closed day with its report and its signatures, oldest first. */
export function readClose(db: Kysely<Tables>, day: string): Promise<ClosedReport | undefined> {
  return atSnapshot(db, async (at) => {
    const row = await at
      .selectFrom('daily_closes')
      .where('day', '=', day)
      .selectAll()
      .executeTakeFirst();
    return row && (await withSignatures(at, [dailyCloseOf(row)]))[0];
  });
}

/** Adds their signatures to closed days, oldest first. */
async function withSignatures<Close extends { readonly day: string }>(
  at: Kysely<Tables>,
  closes: readonly Close[],
): Promise<{ close: Close; signatures: CloseSignature[] }[]> {
  const days = closes.map(({ day }) => day);
  const signatures = await at
    .selectFrom('close_signatures')
    .where('day', 'in', days)
    .selectAll()
    .orderBy('seq')
    .execute();
  return closes.map((close) => ({
    close,
    signatures: signatures.filter(({ day }) => day === close.day).map(signatureOf),
  }));
}

/** A report needs this many signatures: its preparer's and its reviewer's. */
const SIGNATURES = SIGNATURE_ROLES.length;

/** Closed days that lack a signature (`Reads.unsignedCloses`). */
export function readUnsignedCloses(db: Kysely<Tables>, limit: number): Promise<Oldest<SignedDay>> {
  const lacksSignature = sql<boolean>`(select count(distinct role) from close_signatures
    where close_signatures.day = daily_closes.day) < ${SIGNATURES}`;
  return atSnapshot(db, async (at) => {
    const counted = await at
      .selectFrom('daily_closes')
      .where(lacksSignature)
      .select((one) => one.fn.countAll<number>().as('total'))
      .executeTakeFirst();
    const rows = await at
      .selectFrom('daily_closes')
      .where(lacksSignature)
      .select(BESIDE_REPORT)
      .orderBy(sql`status = 'exceptions'`, 'desc')
      .orderBy('cut_off_at')
      .limit(limit)
      .execute();
    return { items: await withSignatures(at, rows.map(closedDayOf)), total: counted?.total ?? 0 };
  });
}

/** One page of closed days, newest first, with their signatures. */
export function readCloses(db: Kysely<Tables>, page: PageRequest): Promise<Page<SignedDay>> {
  return atSnapshot(db, async (at) => {
    const counted = await at
      .selectFrom('daily_closes')
      .select((one) => one.fn.countAll<number>().as('total'))
      .executeTakeFirst();
    const rows = await at
      .selectFrom('daily_closes')
      .select(BESIDE_REPORT)
      .orderBy('cut_off_at', 'desc')
      .limit(page.pageSize)
      .offset(page.page * page.pageSize)
      .execute();
    const items = await withSignatures(at, rows.map(closedDayOf));
    return { items, total: counted?.total ?? 0, page: page.page, pageSize: page.pageSize };
  });
}

/** The last close's reading of the custody API's list; null before the first one. */
export async function readCustodyReadThrough(db: Kysely<Tables>): Promise<ReadThrough | null> {
  const last = await db
    .selectFrom('daily_closes')
    .where('custody_compared', '=', 1)
    .select('report')
    .orderBy('cut_off_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return null;
  const { custody } = JSON.parse(last.report) as DailyReport;
  if (!custody.compared) return null;
  const { watermark, readAt } = custody;
  return {
    watermark: watermark === null ? null : Date.parse(watermark),
    readAt: Date.parse(readAt),
  };
}

/** When the first or newest fact was recorded, Unix milliseconds; null in an empty journal. */
export async function readRecordedAt(
  db: Kysely<Tables>,
  fact: 'first' | 'newest',
): Promise<number | null> {
  const row = await db
    .selectFrom('journal')
    .select('recorded_at')
    .orderBy('seq', fact === 'first' ? 'asc' : 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.recorded_at ?? null;
}

/** Position of the journal's last fact; 0 while it is empty. */
export async function readJournalHead(db: Kysely<Tables>): Promise<number> {
  const last = await db
    .selectFrom('journal')
    .select((one) => one.fn.max('seq').as('head'))
    .executeTakeFirst();
  return last?.head ?? 0;
}

/**
 * The last fact recorded before `moment` (Unix milliseconds), at `afterSeq` or later, and the
 * commit that seals it.
 */
export function readJournalMark(
  db: Kysely<Tables>,
  journal: JournalReader,
  { moment, afterSeq }: { readonly moment: number; readonly afterSeq: number },
): Promise<Pick<CloseRecord, 'throughSeq' | 'seal'>> {
  return atSnapshot(db, async (at) => {
    const throughSeq = journal.seqBefore(moment, afterSeq);
    const seal = await at
      .selectFrom('seals')
      .where('last_seq', '>=', throughSeq)
      .where('first_seq', '<=', throughSeq)
      .select(['commit_number', 'hash'])
      .orderBy('commit_number', 'desc')
      .limit(1)
      .executeTakeFirst();
    return {
      throughSeq,
      seal: {
        commitNumber: seal?.commit_number ?? 0,
        hash: Buffer.from(seal?.hash ?? GENESIS_HASH).toString('hex'),
      },
    };
  });
}

/** The effects of custody transactions on the closes so far, by transaction, ordered by asset. */
export async function readCustodyEffects(
  db: Kysely<Tables>,
  transactionIds: readonly TransactionId[],
): Promise<ReadonlyMap<TransactionId, readonly CountedRow[]>> {
  const found = new Map<TransactionId, CountedRow[]>();
  for (const batch of inBatches(transactionIds)) {
    const rows = await db
      .selectFrom('custody_effects')
      .where('transaction_id', 'in', batch)
      .selectAll()
      .orderBy('transaction_id')
      .orderBy('asset')
      .execute();
    for (const row of rows) {
      const id = TransactionId(row.transaction_id);
      const list = found.get(id) ?? [];
      list.push({
        vaultId: VaultId(row.vault_id),
        blockchainHash: BlockchainHash(row.blockchain_hash),
        asset: AssetId(row.asset),
        amount: storedAmount(row.amount),
      });
      found.set(id, list);
    }
  }
  return found;
}
