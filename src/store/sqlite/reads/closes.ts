import type { Kysely } from 'kysely';
import { storedAmount } from '../../../domain/amount.ts';
import type { CloseRecord } from '../../../domain/close-record.ts';
import type { DailyReport } from '../../../domain/close-report.ts';
import { AssetId, BlockchainHash, TransactionId, VaultId } from '../../../domain/ids.ts';
import type { ClosedReport, CountedRow, Page, PageRequest, SignedDay } from '../../reads.ts';
import type { ClosedDayRow } from '../../records.ts';
import { GENESIS_HASH } from '../../seal.ts';
import { closedDayOf, dailyCloseOf, signatureOf } from '../close-records.ts';
import type { Tables } from '../tables.ts';
import { atSnapshot, inBatches } from './list.ts';

/** What a closed day says beside its report. The report is the last column: SQLite stops before it. */
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

/** The newest close. */
export async function readLastClose(db: Kysely<Tables>): Promise<ClosedDayRow | undefined> {
  const row = await db
    .selectFrom('daily_closes')
    .select(BESIDE_REPORT)
    .orderBy('cut_off_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && closedDayOf(row);
}

/** A closed day with its signatures, in the order in which they were given. */
export function readClose(db: Kysely<Tables>, day: string): Promise<ClosedReport | undefined> {
  return atSnapshot(db, async (at) => {
    const row = await at
      .selectFrom('daily_closes')
      .where('day', '=', day)
      .selectAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const signatures = await at
      .selectFrom('close_signatures')
      .where('day', '=', day)
      .selectAll()
      .orderBy('seq')
      .execute();
    return { close: dailyCloseOf(row), signatures: signatures.map(signatureOf) };
  });
}

/** Closed days, newest first, with their signatures. */
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
    const days = rows.map(({ day }) => day);
    const signatures = await at
      .selectFrom('close_signatures')
      .where('day', 'in', days)
      .selectAll()
      .orderBy('seq')
      .execute();
    const items = rows.map((row) => ({
      close: closedDayOf(row),
      signatures: signatures.filter(({ day }) => day === row.day).map(signatureOf),
    }));
    return { items, total: counted?.total ?? 0, page: page.page, pageSize: page.pageSize };
  });
}

/** Up to where the custody API's list was read by the last close that read it. */
export async function readCustodyReadThrough(db: Kysely<Tables>): Promise<number | null> {
  const last = await db
    .selectFrom('daily_closes')
    .where('custody_compared', '=', 1)
    .select('report')
    .orderBy('cut_off_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return null;
  const { custody } = JSON.parse(last.report) as DailyReport;
  return custody.compared && custody.watermark !== null ? Date.parse(custody.watermark) : null;
}

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

/**
 * The last fact before the clock passed a moment, after a known place, and the commit that seals
 * it. Found by halving: the journal has no index on time, and grows with it.
 */
export function readJournalMark(
  db: Kysely<Tables>,
  moment: number,
  afterSeq: number,
): Promise<Pick<CloseRecord, 'throughSeq' | 'seal'>> {
  return atSnapshot(db, async (at) => {
    const head = await at
      .selectFrom('journal')
      .select((fact) => fact.fn.max('seq').as('seq'))
      .executeTakeFirst();
    let before = afterSeq;
    let after = (head?.seq ?? 0) + 1;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      const fact = await at
        .selectFrom('journal')
        .where('seq', '=', middle)
        .select('recorded_at')
        .executeTakeFirst();
      if ((fact?.recorded_at ?? moment) < moment) before = middle;
      else after = middle;
    }
    const seal = await at
      .selectFrom('seals')
      .where('last_seq', '>=', before)
      .where('first_seq', '<=', before)
      .select(['commit_number', 'hash'])
      .orderBy('commit_number', 'desc')
      .limit(1)
      .executeTakeFirst();
    return {
      throughSeq: before,
      seal: {
        commitNumber: seal?.commit_number ?? 0,
        hash: Buffer.from(seal?.hash ?? GENESIS_HASH).toString('hex'),
      },
    };
  });
}

/** What transactions count for so far, by transaction, ordered by asset. */
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
