import { openForReading } from '../../store/sqlite/database.ts';
import { SqliteReads } from '../../store/sqlite/sqlite-reads.ts';
import type { StoreCounts } from '../../store/reads.ts';
import type { TieOut } from './tie-out.ts';

/** The demo's closing line. */
export interface Summary {
  readonly notifications: {
    readonly accepted: number;
    readonly duplicates: number;
    readonly quarantined: number;
  };
  readonly deposits: StoreCounts['deposits'];
  readonly credits: { readonly credits: number; readonly reversals: number };
  readonly breaks: { readonly open: number; readonly resolved: number };
  readonly tieOut: TieOut;
}

/** Counts of the store, which outlive the daemon's restarts, with the tie-out. */
export async function summarise(storePath: string, tied: TieOut): Promise<Summary> {
  const reads = new SqliteReads(openForReading(storePath));
  try {
    const { notifications, deposits, credits, breaks } = await reads.counts();
    const { accepted, duplicates, quarantined } = notifications;
    const { open, resolved } = breaks;
    return {
      notifications: { accepted, duplicates, quarantined },
      deposits,
      credits,
      breaks: { open, resolved },
      tieOut: tied,
    };
  } finally {
    reads.close();
  }
}

export function summaryText(summary: Summary): string {
  const { notifications, deposits, credits, breaks, tieOut } = summary;
  const states = Object.entries(deposits).map(([state, count]) => `${count} ${state}`);
  const assets = tieOut.assets.map(
    ({ asset, books, difference }) =>
      `    ${asset.padEnd(16)} ${books.padStart(28)}  ${difference === '0' ? 'equal' : `OFF BY ${difference}`}`,
  );
  return [
    `notifications  ${notifications.accepted} accepted, ${notifications.duplicates} duplicates, ${notifications.quarantined} quarantined`,
    `deposits       ${states.join(', ')}`,
    `credits        ${credits.credits} credits, ${credits.reversals} reversals`,
    `breaks         ${breaks.open} open, ${breaks.resolved} resolved`,
    `tie-out        books against the core's truth, in smallest units: ${tieOut.balanced ? 'balanced' : 'NOT BALANCED'}`,
    ...assets,
  ].join('\n');
}
