import { negated, plus, ZERO, type Amount } from '../../money/amount.ts';
import { differenceSums } from './difference.ts';
import type { DayFold } from '../fold.ts';
import type { CloseRecord } from '../record.ts';
import type {
  ExplanationKind,
  ReportDifference,
  ReportException,
  ReportOpenDifference,
  ReportStatus,
  ReportTotal,
} from '../report.ts';
import { AssetId, VaultId } from '../../ids.ts';
import { vaultAssetKey } from '../../money/roll-forward.ts';

/** A function that says whether a vault had a chain view up to the cut-off. */
export function vaultsWithChainView(
  chain: DayFold['chain'],
  hadView: (vaultId: VaultId) => boolean,
): (vaultId: VaultId) => boolean {
  const views = new Map<string, boolean>();
  for (const key of chain.keys()) views.set(key.split('\u0000')[0] ?? '', true);
  return (vaultId) => {
    const known = views.get(vaultId) ?? hadView(vaultId);
    views.set(vaultId, known);
    return known;
  };
}

/** Whether an explanation ends a difference, or a person accepted it. */
const ENDS_DIFFERENCE: Record<ExplanationKind, boolean> = {
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

/** Totals of the open differences, by asset and side. */
export function openDifferencesOf(
  differences: readonly ReportDifference[],
): ReportOpenDifference[] {
  const totals = new Map<string, ReportOpenDifference>();
  for (const { against, asset, explanation, difference } of differences) {
    if (ENDS_DIFFERENCE[explanation]) continue;
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

/** The report's status. */
export function statusOf(
  exceptions: readonly ReportException[],
  open: readonly ReportOpenDifference[],
): ReportStatus {
  if (exceptions.length > 0) return 'exceptions';
  return open.length > 0 ? 'balanced with open differences' : 'balanced';
}

/** Exceptions where a row's figures do not equal the listed differences and entries. */
function identitiesOf(
  total: ReportTotal,
  day: Pick<DayFold, 'net'>,
  listed: Record<ReportDifference['against'], ReadonlyMap<string, Amount>>,
): ReportException[] {
  const found: ReportException[] = [];
  const vaultAsset = { vaultId: VaultId(total.vaultId), asset: AssetId(total.asset) };
  const where = `${total.vaultId} ${total.asset}`;
  const moved = BigInt(total.closing) - BigInt(total.opening);
  const posted = day.net.get(vaultAssetKey(vaultAsset)) ?? ZERO;
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
    const sum = sums.get(vaultAssetKey(vaultAsset)) ?? ZERO;
    if (difference !== null && BigInt(difference) !== sum) {
      const detail = `${where}: ${difference} apart from ${side}, of which ${sum} is on known hashes`;
      found.push({ kind: 'identity', detail });
    }
  }
  return found;
}

/** Exceptions for comparisons that did not happen, and for unreadable rows. */
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
  const uncovered = totals.filter(({ chainUntold }) => chainUntold !== '0').length;
  if (uncovered > 0) {
    const detail = `${uncovered} vaults and assets moved where the chain view was told nothing, and custody did not confirm it`;
    found.push({ kind: 'chain_not_compared', detail });
  }
  return found;
}

/** All exceptions of a report. */
export function exceptionsOf(
  record: CloseRecord,
  day: Pick<DayFold, 'net' | 'differences'>,
  totals: readonly ReportTotal[],
): ReportException[] {
  const listed = {
    custody: differenceSums(day.differences, 'custody'),
    // Rules 1 sum unlisted differences separately.
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
