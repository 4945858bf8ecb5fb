import { sql, type Kysely } from 'kysely';
import type { Break } from '../../../../domain/break/break.ts';
import { CreditId, creditIdOf, type BreakId } from '../../../../domain/ids.ts';
import { idDigest } from '../../../unit/id-digest.ts';
import type { ReversalInFeed, ShownBreak } from '../../../answers.ts';
import type { Tables } from '../../table/tables.ts';

type TracedBreak = Omit<ShownBreak, 'reversal'>;

/**
 * Breaks with the journal position of the newest fact that opened or changed them, in the same
 * order. Only the end of each history is read, because a break may change every minute.
 */
async function traced(at: Kysely<Tables>, breaks: readonly Break[]): Promise<TracedBreak[]> {
  const ids = JSON.stringify(breaks.map(({ breakId }) => breakId));
  const { rows } = await sql<{ break_id: string; seq: number | null }>`
    select asked.value as break_id, (
      select seq from break_events
      where break_id = asked.value and (action = 'opened' or action = 'changed')
      order by break_events.rowid desc limit 1
    ) as seq from json_each(${ids}) as asked`.execute(at);
  const newest = new Map(rows.map(({ break_id: breakId, seq }) => [breakId, seq]));
  // Every history begins with `opened`. Only a damaged store lacks it: 0 is no journal position.
  return breaks.map((one) => ({ ...one, seq: newest.get(one.breakId) ?? 0 }));
}

interface CreditWithReversal {
  readonly credit_id: string;
  readonly seq: number;
  readonly reversal_id: string | null;
  readonly feed_seq: number | null;
  readonly created_at: number | null;
}

function reversalIn(row: CreditWithReversal): ReversalInFeed | null {
  const { credit_id: credit, reversal_id: reversal, feed_seq: feedSeq, created_at: at } = row;
  if (reversal === null || feedSeq === null || at === null) return null;
  return {
    creditId: CreditId(reversal),
    reverses: CreditId(credit),
    feedSeq,
    createdAt: at,
  };
}

async function creditsById(
  at: Kysely<Tables>,
  ids: readonly CreditId[],
): Promise<ReadonlyMap<string, CreditWithReversal>> {
  const { rows } = await sql<CreditWithReversal>`
    select credit.credit_id, credit.seq, reversal.credit_id as reversal_id, reversal.feed_seq,
           reversal.created_at
    from json_each(${JSON.stringify(ids)}) as asked
    join credits as credit on credit.credit_id = asked.value
    left join credits as reversal on reversal.reverses = credit.credit_id`.execute(at);
  return new Map(rows.map((row) => [row.credit_id, row]));
}

/**
 * The reversals of breaks of type `reversal_after_credit`, by break. A break is about its deposit's
 * newest credit before the break's last change. Credits are found by their ids, which are computed
 * from the deposit and a count, because the feed has no index by deposit.
 */
async function reversalsOf(
  at: Kysely<Tables>,
  breaks: readonly TracedBreak[],
): Promise<ReadonlyMap<BreakId, ReversalInFeed | null>> {
  const found = new Map<BreakId, ReversalInFeed | null>();
  let asked = breaks.flatMap((one) => {
    const { depositId } = one.subject;
    if (one.type !== 'reversal_after_credit' || depositId === null) return [];
    return [{ ...one, depositId }];
  });
  for (let ordinal = 1; asked.length > 0; ordinal += 1) {
    const named = asked.map((one) => {
      const { depositId } = one;
      return { one, creditId: creditIdOf({ depositId, kind: 'credit', ordinal }, idDigest) };
    });
    const credits = await creditsById(
      at,
      named.map(({ creditId }) => creditId),
    );
    asked = named.flatMap(({ one, creditId }) => {
      const credit = credits.get(creditId);
      if (credit === undefined || credit.seq > one.seq) return [];
      found.set(one.breakId, reversalIn(credit));
      return [one];
    });
  }
  return found;
}

/** Adds the members of `ShownBreak` to breaks, in the same order. */
export async function shownBreaks(
  at: Kysely<Tables>,
  breaks: readonly Break[],
): Promise<ShownBreak[]> {
  const tracedBreaks = await traced(at, breaks);
  const reversals = await reversalsOf(at, tracedBreaks);
  return tracedBreaks.map((one) => ({ ...one, reversal: reversals.get(one.breakId) ?? null }));
}
