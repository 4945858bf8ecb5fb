import { sql, type Kysely } from 'kysely';
import { differenceOf, type Break } from '../../../domain/break/break.ts';
import { negated } from '../../../domain/money/amount.ts';
import type { Mentions } from '../../answers.ts';
import type { AssetAmount, Mentioned } from '../../queries.ts';
import { breakOf } from '../table/rows/break-row.ts';
import type { Tables } from '../table/tables.ts';
import { shownBreaks } from './breaks/break-evidence.ts';
import { UNRESOLVED } from './breaks/breaks.ts';
import { atSnapshot } from './list.ts';
import { depositsMentioning } from './deposits/deposit-mentions.ts';
import { withdrawalsMentioning } from './withdrawals/withdrawal-search.ts';

/** Most unresolved breaks that one search reads, the newest first. */
const BREAKS_MAX = 10_000;

/** Whether a break's sides or their difference is one of the amounts, whatever its sign. */
function hasAny(one: Break, amounts: readonly AssetAmount[]): boolean {
  const figures = [one.expected, one.actual, differenceOf(one)].filter((figure) => figure !== null);
  return amounts.some(
    ({ asset, amount }) =>
      one.subject.asset === asset &&
      figures.some((figure) => figure === amount || figure === negated(amount)),
  );
}

async function breaksOf(at: Kysely<Tables>, amounts: readonly AssetAmount[]): Promise<Break[]> {
  const assets = [...new Set(amounts.map(({ asset }) => asset))];
  if (assets.length === 0) return [];
  const rows = await at
    .selectFrom('breaks')
    .where(UNRESOLVED)
    .where('asset', 'in', assets)
    .selectAll()
    .orderBy(sql`rowid`, 'desc')
    .limit(BREAKS_MAX)
    .execute();
  return rows.map(breakOf).filter((one) => hasAny(one, amounts));
}

async function isVault(at: Kysely<Tables>, text: string): Promise<boolean> {
  const position = await at
    .selectFrom('ledger_accounts')
    .where('vault_id', '=', text)
    .select('ledger_account')
    .limit(1)
    .executeTakeFirst();
  return position !== undefined;
}

/** What names a text or an amount (`Reads.mentions`). */
export function readMentions(
  db: Kysely<Tables>,
  mentioned: Mentioned,
  limit: number,
): Promise<Mentions> {
  return atSnapshot(db, async (at) => {
    const breaks = await breaksOf(at, mentioned.amounts);
    return {
      deposits: await depositsMentioning(at, mentioned, limit),
      withdrawals: await withdrawalsMentioning(at, mentioned, limit),
      breaks: await shownBreaks(at, breaks.slice(0, limit)),
      isVault: await isVault(at, mentioned.text),
    };
  });
}
