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
  /** With several receivers only. */
  readonly failover?: Failover;
}

/** What the demo of several receivers killed, and what came of it. */
export interface Failover {
  readonly kills: readonly {
    /** For example `receiver a` or `primary db1`. */
    readonly killed: string;
    /** Until a delivery was acknowledged again; null when the traffic ended before. */
    readonly outageSeconds: number | null;
  }[];
  /** Notifications that receivers answered with 200. */
  readonly acknowledged: number;
  /** How many of them the journal lacks, or lacked for a time. */
  readonly lost: number;
}

/**
 * Combines the store's counts, which survive restarts of the daemon, with the demo's results. The
 * counts of replicas differ in the duplicates alone: each has those of its time as the owner.
 */
export async function summarise(
  storePaths: readonly string[],
  ended: Pick<Summary, 'creditLatency' | 'outstanding' | 'tieOut'> & {
    readonly consumed: Consumed;
    readonly failover: Failover | undefined;
  },
): Promise<Summary> {
  const stores = await Promise.all(storePaths.map(countsOf));
  const [store] = stores;
  if (store === undefined) throw new Error('a demo has a store');
  const { accepted, quarantined } = store.notifications;
  const duplicates = stores.reduce((sum, { notifications }) => sum + notifications.duplicates, 0);
  const { credits, reversals } = store.credits;
  const { open, resolved } = store.breaks;
  return {
    notifications: { accepted, duplicates, quarantined },
    deposits: store.deposits,
    credits: { credits, reversals, ...ended.consumed },
    creditLatency: ended.creditLatency,
    breaks: { open, resolved },
    outstanding: ended.outstanding,
    tieOut: ended.tieOut,
    ...(ended.failover !== undefined && { failover: ended.failover }),
  };
}

async function countsOf(storePath: string): Promise<StoreCounts> {
  const reads = new SqliteReads(openForReading(storePath));
  try {
    return await reads.counts();
  } finally {
    reads.close();
  }
}

/** The lines of a summary for a terminal. Amounts are in the smallest unit. */
export function summaryText(summary: Summary): string {
  const { notifications, deposits, breaks, tieOut, failover } = summary;
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
    `outstanding    ${outstandingText(summary)}`,
    ...(failover === undefined ? [] : failoverTexts(failover)),
    `tie-out        books against the core's truth, in smallest units: ${tieOut.balanced ? 'balanced' : 'NOT BALANCED'}`,
    ...assets,
  ].join('\n');
}

function failoverTexts({ kills, acknowledged, lost }: Failover): string[] {
  const killed = kills.map(({ killed: what, outageSeconds: seconds }) =>
    seconds === null
      ? `killed         ${what}; the traffic ended before the next acknowledgement`
      : `killed         ${what}; ${seconds} s until the next acknowledgement`,
  );
  const loss = lost === 0 ? 'all are in the journal' : `${lost} WERE LOST`;
  return [...killed, `acknowledged   ${acknowledged} notifications: ${loss}`];
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

/** What stays for a person after the end. */
function forPersonText(held: number, open: number): string {
  if (held === 0 && open === 0) return 'no deposit is held and no break is open';
  const deposits = held === 1 ? 'deposit' : 'deposits';
  const breaks = open === 1 ? 'break' : 'breaks';
  return `${held} held ${deposits} and ${open} open ${breaks} wait for a person`;
}

function outstandingText({ outstanding: left, breaks, deposits: states }: Summary): string {
  const { deposits, acknowledgements, reversals, incomplete } = left;
  if (stepsLeft(left) === 0) return `nothing; ${forPersonText(states.held ?? 0, breaks.open)}`;
  const counts = `${deposits} deposits under way, ${acknowledgements} acknowledgements, ${reversals} reversals`;
  const cause =
    incomplete === null ? '' : `; the last reconciliation was incomplete: ${incomplete}`;
  return `${counts}; none of them moved for ${IDLE_SECONDS_MAX} s${cause}`;
}
