import type { Hono } from 'hono';
import type { Role } from '../../domain/access/role.ts';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { Card } from '../../pages/parts/card.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { AttentionCard } from './attention-card.tsx';
import { BreakAges } from './break-ages.tsx';
import type { DayCloses } from '../parts/journal-days.ts';
import type { DaemonStatus } from './daemon-status.ts';
import { HealthCard } from './health-card.tsx';
import { LatencyCard } from './latency-card.tsx';
import { LatestDeposits } from './latest-deposits.tsx';
import { RateChart } from './rate-chart.tsx';
import { Snapshots, type Snapshot } from './snapshot.ts';
import { StateBar } from './state-bar.tsx';
import { TieOutCard } from './tie-out-card.tsx';

function Notices({ notices }: { notices: readonly string[] }): Markup {
  if (notices.length === 0) return <></>;
  return (
    <ul class="card notices">
      {notices.map((notice) => (
        <li role="alert">{notice}</li>
      ))}
    </ul>
  );
}

/** A count that leads to what it counts. */
function Tile(tile: { label: string; count: number; href: string; tone?: string }): Markup {
  const { label, count, href, tone = '' } = tile;
  return (
    <div class={`tile ${count > 0 ? tone : ''}`}>
      <dt>
        <a href={href}>{label}</a>
      </dt>
      <dd>{grouped(count)}</dd>
    </div>
  );
}

function Tiles({ counts }: Pick<Snapshot, 'counts'>): Markup {
  const { notifications, credits, breaks } = counts;
  const critical = breaks.byType.some(({ severity, open }) => severity === 'critical' && open > 0);
  const reversed = linkTo('/console/deposits', { state: 'reversed' });
  return (
    <dl class="tiles" id="tiles" data-live="intake feed breaks">
      <Tile label="Accepted" count={notifications.accepted} href="#rate" />
      <Tile label="Duplicates" count={notifications.duplicates} href="#rate" />
      <Tile
        label="Quarantined"
        count={notifications.quarantined}
        href="/console/quarantine"
        tone="warn"
      />
      <Tile label="Credits" count={credits.credits} href="/console/feed" />
      <Tile label="Reversals" count={credits.reversals} href={reversed} tone="alarm" />
      <Tile
        label="Open breaks"
        count={breaks.open}
        href="/console/breaks"
        tone={critical ? 'alarm' : 'warn'}
      />
    </dl>
  );
}

/** The state of everything, with what needs a person first. */
function Overview(shown: {
  snapshot: Snapshot;
  status: DaemonStatus;
  /** Undefined in a public console. */
  role: Role | undefined;
}): Markup {
  const { snapshot, status, role } = shown;
  const { creditLatency, perMinute } = status;
  return (
    <>
      <div id="notices" data-live="tick">
        <Notices notices={status.notices} />
      </div>
      <TieOutCard snapshot={snapshot} />
      <Tiles counts={snapshot.counts} />
      <div class="columns">
        <div class="main">
          <AttentionCard snapshot={snapshot} role={role} />
          <Card id="states" title="Deposits by state" live="deposits">
            <StateBar counts={snapshot.counts.deposits} />
          </Card>
          <LatestDeposits snapshot={snapshot} />
        </div>
        <div class="side">
          <HealthCard snapshot={snapshot} status={status} />
          {creditLatency !== null && <LatencyCard latency={creditLatency} at={snapshot.at} />}
          <Card id="rate" title="Notifications per minute" live="intake tick">
            <RateChart minutes={perMinute} countedFromMs={status.countedFromMs} />
          </Card>
          <BreakAges snapshot={snapshot} />
        </div>
      </div>
    </>
  );
}

/** `/console`: the overview. */
export function mountOverview(
  app: Hono<ConsoleEnv>,
  { reads, now, timezone, show }: ConsoleContext,
  {
    status,
    overdueFrom,
    nextDueAt,
  }: { readonly status: () => DaemonStatus } & Omit<DayCloses, 'timezone'>,
): void {
  const snapshots = new Snapshots({ reads, now, timezone, overdueFrom, nextDueAt });
  app.get('/console', async (pageRequest) => {
    const snapshot = await snapshots.latest();
    const role = pageRequest.get('visitor')?.role;
    const body = <Overview snapshot={snapshot} status={status()} role={role} />;
    return show(pageRequest, { title: 'Overview', body, reloads: true });
  });
}
