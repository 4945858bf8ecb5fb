import { negated, plus, ZERO, type Amount } from '../amount.ts';
import { differenceSums } from '../close-difference.ts';
import type { DayFold } from '../close-fold.ts';
import type { CloseRecord } from '../close-record.ts';
import type {
  ExplanationKind,
  ReportDifference,
  ReportException,
  ReportOpenDifference,
  ReportStatus,
  ReportTotal,
} from '../close-report.ts';
import { AssetId, VaultId } from '../ids.ts';
import { placeKey } from '../roll-forward.ts';

/** Whether the chain view was ever told anything of a vault, up to the cut-off. */
export function toldVaults(
  chain: DayFold['chain'],
  wasTold: (vaultId: VaultId) => boolean,
): (vaultId: VaultId) => boolean {
  const told = new Map<string, boolean>();
  for (const key of chain.keys()) told.set(key.split('\u0000')[0] ?? '', true);
  return (vaultId) => {
    const known = told.get(vaultId) ?? wasTold(vaultId);
    told.set(vaultId, known);
    return known;
  };
}

/** Whether a kind of explanation settles a difference, or somebody has accepted it. */
const SETTLES: Record<ExplanationKind, boolean> = {
  timing: true,
  in_grace: false,
  break: false,
  resolved_break: true,
  exempt: true,
  suspense: true,
  burned_fee: true,
  custody_pending: false,
  chain_not_told: false,
  unexplained: false,
};

function absolute(amount: Amount): Amount {
  return amount < ZERO ? negated(amount) : amount;
}

/** Totals of the differences that nothing settles, by asset and side. */
export function openDifferencesOf(
  differences: readonly ReportDifference[],
): ReportOpenDifference[] {
  const totals = new Map<string, ReportOpenDifference>();
  for (const { against, asset, explanation, difference } of differences) {
    if (SETTLES[explanation]) continue;
    const key = `${asset}\u0000${against}`;
    const known = totals.get(key);
    const amount = BigInt(difference) as Amount;
    const sum = plus(BigInt(known?.difference ?? 0) as Amount, amount);
    const gross = plus(BigInt(known?.absolute ?? 0) as Amount, absolute(amount));
    totals.set(key, {
      against,
      asset,
      count: (known?.count ?? 0) + 1,
      difference: sum.toString(),
      absolute: gross.toString(),
    });
  }
  return [...totals].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, total]) => total);
}

export function statusOf(
  exceptions: readonly ReportException[],
  open: readonly ReportOpenDifference[],
): ReportStatus {
  if (exceptions.length > 0) return 'exceptions';
  return open.length > 0 ? 'balanced with open differences' : 'balanced';
}

/** Says where the figures of a total do not come from what is listed. */
function identitiesOf(
  total: ReportTotal,
  day: Pick<DayFold, 'net'>,
  listed: Record<ReportDifference['against'], ReadonlyMap<string, Amount>>,
): ReportException[] {
  const found: ReportException[] = [];
  const place = { vaultId: VaultId(total.vaultId), asset: AssetId(total.asset) };
  const where = `${total.vaultId} ${total.asset}`;
  const moved = BigInt(total.closing) - BigInt(total.opening);
  const posted = day.net.get(placeKey(place)) ?? ZERO;
  if (moved !== posted) {
    const detail = `${where}: the categories move ${moved}, the day's entries ${posted}`;
    found.push({ kind: 'identity', detail });
  }
  const sides = [
    ['custody', total.custodyDifference],
    ['the chain view', total.chainDifference],
  ] as const;
  for (const [side, difference] of sides) {
    const sums = side === 'custody' ? listed.custody : listed.chain;
    const sum = sums.get(placeKey(place)) ?? ZERO;
    if (difference !== null && BigInt(difference) !== sum) {
      const detail = `${where}: ${difference} apart from ${side}, of which ${sum} is on known hashes`;
      found.push({ kind: 'identity', detail });
    }
  }
  return found;
}

/** What could not be compared, or counts for nothing. */
function notComparedOf(
  { custody }: CloseRecord,
  totals: readonly ReportTotal[],
): ReportException[] {
  if (custody.kind === 'read') {
    if (custody.unreadable === 0) return [];
    const detail = `${custody.unreadable} rows of the custody API's list were not understood and count for nothing`;
    return [{ kind: 'custody_rows_unreadable', detail }];
  }
  const found: ReportException[] = [{ kind: 'custody_not_compared', detail: custody.reason }];
  const untold = totals.filter(({ chainUntold }) => chainUntold !== '0').length;
  if (untold > 0) {
    const detail = `${untold} vaults and assets moved where the chain view was told nothing, and custody did not confirm it`;
    found.push({ kind: 'chain_not_compared', detail });
  }
  return found;
}

/** Everything that makes a report one with exceptions. */
export function exceptionsOf(
  record: CloseRecord,
  day: Pick<DayFold, 'net' | 'differences'>,
  totals: readonly ReportTotal[],
): ReportException[] {
  const listed = {
    custody: differenceSums(day.differences, 'custody'),
    // Rules 1 sum apart what they do not list.
    chain: differenceSums(day.differences, 'chain'),
  };
  const found = totals.flatMap((total) => {
    const shown = record.rules === undefined ? { ...total, chainDifference: null } : total;
    return identitiesOf(shown, day, listed);
  });
  found.push(...notComparedOf(record, totals));
  const open = day.differences.filter(({ explanation }) => explanation === 'unexplained').length;
  if (open > 0) {
    const detail = `${open} ${open === 1 ? 'difference has' : 'differences have'} no explanation`;
    found.push({ kind: 'unexplained_difference', detail });
  }
  return found;
}
