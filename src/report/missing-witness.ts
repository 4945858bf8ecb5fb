import {
  CUSTODY_NOT_CONFIGURED,
  type ReportCustody,
  type ReportTotal,
} from '../domain/close/report.ts';
import type { Figure } from './asset-totals.ts';

/** How many rows of an asset have no chain view: their books have nothing to compare with. */
export interface MissingChainViews {
  readonly without: number;
  readonly of: number;
}

/** Counts the rows without a chain view. */
export function missingChainViews(
  rows: readonly Pick<ReportTotal, 'chainDifference'>[],
): MissingChainViews {
  const without = rows.filter(({ chainDifference }) => chainDifference === null).length;
  return { without, of: rows.length };
}

/** What stands in place of a figure of the chain view; null where the figure has a meaning. */
function chainText(figure: Figure, { without, of }: MissingChainViews): string | null {
  const isWhole = without === of;
  if (without === 0) return null;
  if (figure === 'chainClosing') return isWhole ? 'no chain view' : null;
  if (figure !== 'chainDifference') return null;
  return isWhole ? 'not compared' : `not compared: ${missingChainViewsText({ without, of })}`;
}

/** `1 of 2 vaults has no chain view` */
export function missingChainViewsText({ without, of }: MissingChainViews): string {
  return `${without} of ${of} vaults ${without === 1 ? 'has' : 'have'} no chain view`;
}

/** What stands in place of custody's closing balance; null where custody was read. */
export function withoutCustody(custody: ReportCustody): string | null {
  if (custody.compared) return null;
  return custody.reason === CUSTODY_NOT_CONFIGURED ? 'not configured' : 'not read';
}

/** What stands in place of a figure of custody; null for other figures, and where custody was read. */
function custodyText(figure: Figure, custody: ReportCustody): string | null {
  if (custody.compared || !figure.startsWith('custody')) return null;
  return figure === 'custodyDifference' ? 'not compared' : withoutCustody(custody);
}

/** What stands in place of a figure whose witness is missing; null where the figure has a meaning. */
export function insteadOf(
  figure: Figure,
  { missing, custody }: { readonly missing: MissingChainViews; readonly custody: ReportCustody },
): string | null {
  return chainText(figure, missing) ?? custodyText(figure, custody);
}
