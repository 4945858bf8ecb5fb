import { sql, type Kysely } from 'kysely';
import type { Break } from '../../../domain/break.ts';
import { CreditId, creditIdOf, type BreakId } from '../../../domain/ids.ts';
import { idDigest } from '../../id-digest.ts';
import type { ReversalInFeed, ShownBreak } from '../../reads.ts';
import type { Tables } from '../tables.ts';

type TracedBreak = Omit<ShownBreak, 'reversal'>;

/**
 * Breaks with the place of the newest fact that told of them, in the same order. One look into the
 * end of each history: a break that changes every minute has a long one.
 */
async function traced(at: Kysely<Tables>, breaks: readonly Break[]): Promise<TracedBreak[]> {
  const ids = JSON.stringify(breaks.map(({ breakId }) => breakId));
  const { rows } = await sql<{ break_id: string; seq: number | null }>`
    select asked.value as break_id, (
      select seq from break_events
      where break_id = asked.value and (action = 'opened' or action = 'changed')
      order by break_events.rowid desc limit 1
    ) as seq from json_each(${ids}) as asked`.execute(at);
  const places = new Map(rows.map(({ break_id: breakId, seq }) => [breakId, seq]));
  // Every history begins with `opened`; 0 is no place of the journal, in a store that has lost it.
  return breaks.map((one) => ({ ...one, seq: places.get(one.breakId) ?? 0 }));
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
 * What took back the credits that breaks are about: of each its deposit's newest credit before it was
 * told. Credits are found by their ids, which are made of the deposit and a count: the feed has no
 * index by deposit, and needs none for this.
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

/** Breaks with what is worked out when they are read, in the same order. */
export async function shownBreaks(
  at: Kysely<Tables>,
  breaks: readonly Break[],
): Promise<ShownBreak[]> {
  const places = await traced(at, breaks);
  const reversals = await reversalsOf(at, places);
  return places.map((one) => ({ ...one, reversal: reversals.get(one.breakId) ?? null }));
}
