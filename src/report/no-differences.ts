import type { DailyReport } from '../domain/close/report.ts';
import {
  missingChainViews,
  missingChainViewsText,
  type MissingChainViews,
} from './missing-witness.ts';

/** What a report without differences shows. */
export interface NoDifferences {
  readonly text: string;
  /** Whether the books were compared with anything: a side that was not compared agrees with nothing. */
  readonly isCompared: boolean;
}

/** The sides that a report without differences compared, in words. */
export function noDifferences(report: Pick<DailyReport, 'custody' | 'totals'>): NoDifferences {
  const vaults = new Map(report.totals.map((total) => [total.vaultId, total]));
  const missing = missingChainViews([...vaults.values()]);
  const hasChainView = missing.without < missing.of;
  const hasCustody = report.custody.compared;
  return {
    text: textOf({ hasChainView, hasCustody, missing }),
    isCompared: hasChainView || hasCustody,
  };
}

function textOf(sides: {
  hasChainView: boolean;
  hasCustody: boolean;
  missing: MissingChainViews;
}): string {
  const { hasChainView, hasCustody, missing } = sides;
  if (!hasChainView) {
    return hasCustody
      ? 'The books agree with custody. No vault has a chain view.'
      : 'Nothing was compared with the books: custody was not read, and no vault has a chain view.';
  }
  const some = missing.without > 0 ? ` (${missingChainViewsText(missing)})` : '';
  return hasCustody
    ? `The books agree with custody and with the chain view${some}.`
    : `The books agree with the chain view${some}. Custody was not compared.`;
}
