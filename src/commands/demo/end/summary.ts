import { openForReading } from '../../../store/sqlite/file/database.ts';
import { SqliteReads } from '../../../store/sqlite/reads/sqlite-reads.ts';
import type { StoreCounts } from '../../../store/answers.ts';
import type { Consumed } from '../people/consumer.ts';
import type { LatencyFigures } from './credit-latency.ts';
import { IDLE_SECONDS_MAX, stepsLeft, type Outstanding } from './drain.ts';
import type { TieOut } from './tie-out.ts';

/** The demo's closing line. */
export interface Summary {
  readonly notifications: {
    readonly accepted: number;
    readonly duplicates: number;
    readonly quarantined: number;
  };
  readonly deposits: StoreCounts['deposits'];
  readonly credits: { readonly credits: number; readonly reversals: number } & Consumed;
  /** Null when nothing entered the feed. */
  readonly creditLatency: LatencyFigures | null;
  readonly outstanding: Outstanding;
  readonly breaks: { readonly open: number; readonly resolved: number };
  readonly tieOut: TieOut;
}

/** Combines the store's counts, which survive restarts of the daemon, with the demo's results. */
export async function summarise(
  storePath: string,
  ended: Pick<Summary, 'creditLatency' | 'outstanding' | 'tieOut'> & { consumed: Consumed },
): Promise<Summary> {
  const reads = new SqliteReads(openForReading(storePath));
  try {
    const { notifications, deposits, credits, breaks } = await reads.counts();
    const { accepted, duplicates, quarantined } = notifications;
    const { open, resolved } = breaks;
    return {
      notifications: { accepted, duplicates, quarantined },
      deposits,
      credits: { credits: credits.credits, reversals: credits.reversals, ...ended.consumed },
      creditLatency: ended.creditLatency,
      breaks: { open, resolved },
      outstanding: ended.outstanding,
      tieOut: ended.tieOut,
    };
  } finally {
    reads.close();
  }
}

export function summaryText(summary: Summary): string {
  const { notifications, deposits, breaks, tieOut } = summary;
  const states = Object.entries(deposits).map(([state, count]) => `${count} ${state}`);
  const assets = tieOut.assets.map(
    ({ asset, books, difference }) =>
      `    ${asset.padEnd(16)} ${books.padStart(28)}  ${difference === '0' ? 'equal' : `OFF BY ${difference}`}`,
  );
  return [
    `notifications  ${notifications.accepted} accepted, ${notifications.duplicates} duplicates, ${notifications.quarantined} quarantined`,
    `deposits       ${states.join(', ')}`,
    `credits        ${creditsText(summary.credits)}`,
    `latency        ${latencyText(summary.creditLatency)}`,
    `breaks         ${breaks.open} open, ${breaks.resolved} resolved`,
    `outstanding    ${outstandingText(summary.outstanding)}`,
    `tie-out        books against the core's truth, in smallest units: ${tieOut.balanced ? 'balanced' : 'NOT BALANCED'}`,
    ...assets,
  ].join('\n');
}

function creditsText({ credits, acknowledged, refused, reversals }: Summary['credits']): string {
  const others =
    refused === 0 ? '' : `, ${refused} reversed before that or acknowledged by somebody else`;
  return `${credits} credits, ${acknowledged} acknowledged${others}, ${reversals} reversals`;
}

function latencyText(latency: LatencyFigures | null): string {
  if (latency === null) return 'nothing entered the feed';
  const { p50Seconds, p99Seconds } = latency;
  return `from the depth reached to the feed: p50 ${p50Seconds} s, p99 ${p99Seconds} s`;
}

function outstandingText(left: Outstanding): string {
  const { deposits, acknowledgements, reversals, incomplete } = left;
  if (stepsLeft(left) === 0) return 'nothing; held deposits and open breaks wait for a person';
  const counts = `${deposits} deposits under way, ${acknowledgements} acknowledgements, ${reversals} reversals`;
  const cause =
    incomplete === null ? '' : `; the last reconciliation was incomplete: ${incomplete}`;
  return `${counts}; none of them moved for ${IDLE_SECONDS_MAX} s${cause}`;
}
