import type { DailyReport } from '../domain/close/report.ts';
import { chainLackOf, lackText } from './chain-view.ts';

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
  const some = hasChainView && lack.without > 0 ? ` (${lackText(lack)})` : '';
  if (!report.custody.compared) {
    return hasChainView
      ? {
          text: `The books agree with the chain view${some}. Custody was not compared.`,
          isCompared: true,
        }
      : {
          text: 'Nothing was compared with the books: custody was not read, and no vault has a chain view.',
          isCompared: false,
        };
  }
  return hasChainView
    ? { text: `The books agree with custody and with the chain view${some}.`, isCompared: true }
    : { text: 'The books agree with custody. No vault has a chain view.', isCompared: true };
}
