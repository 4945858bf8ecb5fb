import type { DailyReport } from '../domain/close/report.ts';
import { chainLackOf, lackText, type ChainLack } from './chain-view.ts';

/** What a report without differences shows. */
export interface NoDifferences {
  readonly text: string;
  /** Whether the books were compared with anything: a side that was not compared agrees with nothing. */
  readonly isCompared: boolean;
}

/** The sides that a report without differences compared, in words. */
export function noDifferences(report: Pick<DailyReport, 'custody' | 'totals'>): NoDifferences {
  const vaults = new Map(report.totals.map((total) => [total.vaultId, total]));
  const lack = chainLackOf([...vaults.values()]);
  const hasChainView = lack.without < lack.of;
  const hasCustody = report.custody.compared;
  return {
    text: textOf({ hasChainView, hasCustody, lack }),
    isCompared: hasChainView || hasCustody,
  };
}

function textOf(sides: { hasChainView: boolean; hasCustody: boolean; lack: ChainLack }): string {
  const { hasChainView, hasCustody, lack } = sides;
  if (!hasChainView) {
    return hasCustody
      ? 'The books agree with custody. No vault has a chain view.'
      : 'Nothing was compared with the books: custody was not read, and no vault has a chain view.';
  }
  const some = lack.without > 0 ? ` (${lackText(lack)})` : '';
  return hasCustody
    ? `The books agree with custody and with the chain view${some}.`
    : `The books agree with the chain view${some}. Custody was not compared.`;
}
