import type { Kysely } from 'kysely';
import type { FeedRestore } from '../../../../domain/deposit/feed-cursor.ts';
import { CreditId } from '../../../../domain/ids.ts';
import { storedAmount } from '../../../../domain/money/amount.ts';
import type { FeedItem, StoredCredit } from '../../../answers.ts';
import type { Page, PageRequest } from '../../../page.ts';
import { unpackDeposit } from '../../../codec/deposit.ts';
import type { CreditRow, Tables } from '../../table/tables.ts';
import { atSnapshot } from '../list.ts';

/** A row of the feed as an item. */
export function creditOf(row: CreditRow): StoredCredit {
  return {
    feedSeq: row.feed_seq,
    createdAt: row.created_at,
    item: {
      creditId: CreditId(row.credit_id),
      kind: row.kind as StoredCredit['item']['kind'],
      amount: storedAmount(row.amount),
      reverses: row.reverses === null ? null : CreditId(row.reverses),
      deposit: unpackDeposit(row.deposit),
    },
  };
}

/** Feed items with a number greater than `after`, in order. */
export async function readCredits(
  db: Kysely<Tables>,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly StoredCredit[]> {
  const rows = await db
    .selectFrom('credits')
    .where('feed_seq', '>', after)
    .selectAll()
    .orderBy('feed_seq')
    .limit(limit)
    .execute();
  return rows.map(creditOf);
}

/** One page of the feed, newest first. Its numbers have no gaps, so none is counted or skipped. */
export function readFeedPage(db: Kysely<Tables>, page: PageRequest): Promise<Page<FeedItem>> {
  return atSnapshot(db, async (at) => {
    const total = await readFeedHead(at);
    const rows = await at
      .selectFrom('credits')
      .leftJoin('acknowledgements', 'acknowledgements.credit_id', 'credits.credit_id')
      .leftJoin('credits as reversals', 'reversals.reverses', 'credits.credit_id')
      .where('credits.feed_seq', '<=', total - page.page * page.pageSize)
      .selectAll('credits')
      .select(['acknowledgements.reference', 'reversals.credit_id as reversal'])
      .orderBy('credits.feed_seq', 'desc')
      .limit(page.pageSize)
      .execute();
    const items = rows.map((row) => ({
      ...creditOf(row),
      reference: row.reference,
      isReversed: row.reversal !== null,
    }));
    return { ...page, items, total };
  });
}

/** One feed item by its id. */
export async function readCredit(
  db: Kysely<Tables>,
  creditId: string,
): Promise<StoredCredit | undefined> {
  const row = await db
    .selectFrom('credits')
    .where('credit_id', '=', creditId)
    .selectAll()
    .executeTakeFirst();
  return row && creditOf(row);
}

/** Number of the last item of the feed; 0 while it is empty. */
export async function readFeedHead(db: Kysely<Tables>): Promise<number> {
  const last = await db
    .selectFrom('credits')
    .select((one) => one.fn.max('feed_seq').as('head'))
    .executeTakeFirst();
  return last?.head ?? 0;
}

/** The restores from a backup, oldest first. */
export function readFeedRestores(db: Kysely<Tables>): Promise<readonly FeedRestore[]> {
  return db
    .selectFrom('restores')
    .select(['feed_length as feedLength', 'history'])
    .orderBy('seq')
    .execute();
}
