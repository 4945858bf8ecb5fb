import { subjectLink } from '../parts/subject-link.ts';
import { Card } from '../../pages/parts/card.tsx';
import { spanText } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import type { CreditLatencyNow } from './daemon-status.ts';

/** Why a deep enough deposit has no credit yet. */
const REASONS: Readonly<Record<string, string>> = {
  asking: 'the custody API is asked within seconds',
  reading_failed: 'the last request to the custody API failed; the next one follows',
  not_shown: 'the custody API does not show the required depth yet',
  no_history: 'the first reconciliation has not finished reading the transactions list',
};

function secondsText(ms: number | null): string {
  return ms === null ? '–' : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}

function Oldest({ oldest, at }: { oldest: CreditLatencyNow['oldest']; at: number }): Markup {
  if (oldest === null) return <p class="muted">No deposit waits for the custody API.</p>;
  const { depositId, sinceMs, reason } = oldest;
  return (
    <p>
      Deposit <Identifier value={depositId} href={subjectLink('deposit', depositId)} /> has waited
      for {spanText(at - sinceMs)}: {REASONS[reason] ?? reason}.
    </p>
  );
}

const HOUR_MS = 3_600_000;

/** Since when credits are counted: a daemon knows no credit of before its start. */
function Period({ beganMs, at }: { beganMs: number; at: number }): Markup {
  if (at - beganMs >= HOUR_MS) return <>in the last hour</>;
  return (
    <>
      since the daemon began to verify deposits, <Moment at={beganMs} />
    </>
  );
}

/** Credit latency of the last hour, and the oldest uncredited deposit with its reason. */
export function LatencyCard(props: { latency: CreditLatencyNow; at: number }): Markup {
  const { latency, at } = props;
  const { beganMs, credits, p50Ms, p99Ms, oldest } = latency;
  return (
    <Card id="latency" title="Time to credit" live="feed deposits tick">
      {credits === 0 ? (
        <p class="empty">
          No credit <Period beganMs={beganMs} at={at} />.
        </p>
      ) : (
        <p>
          Median <b>{secondsText(p50Ms)}</b>, 99th percentile <b>{secondsText(p99Ms)}</b> over{' '}
          {credits === 1 ? '1 credit' : `${credits} credits`} <Period beganMs={beganMs} at={at} />.
        </p>
      )}
      <Oldest oldest={oldest} at={at} />
    </Card>
  );
}
