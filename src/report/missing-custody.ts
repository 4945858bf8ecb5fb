import { CUSTODY_NOT_CONFIGURED, type ReportCustody } from '../domain/close/report.ts';
import type { Figure } from './asset-totals.ts';

/** What stands in place of a figure of custody; null for other figures, and where custody was read. */
export function custodyText(figure: Figure, custody: ReportCustody): string | null {
  if (custody.compared || !figure.startsWith('custody')) return null;
  if (figure === 'custodyDifference') return 'not compared';
  return custody.reason === CUSTODY_NOT_CONFIGURED ? 'not configured' : 'not read';
}
