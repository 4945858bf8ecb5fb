import type { Child } from 'hono/jsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { grouped } from '../parts/figure.ts';
import type { Markup } from '../parts/markup.ts';
import { Age } from '../parts/moment.tsx';
import type { DaemonStatus } from './daemon-status.ts';
import type { Snapshot } from './snapshot.ts';

function custodyState(custody: DaemonStatus['custody']): { tone: Tone; text: string } {
  if (custody === null) return { tone: 'warn', text: 'not configured' };
  if (custody.access === 'refused') return { tone: 'alarm', text: 'refuses our key' };
  if (custody.circuit !== 'closed') return { tone: 'alarm', text: 'does not answer' };
  if (custody.access === 'unknown') return { tone: 'plain', text: 'not asked yet' };
  return { tone: 'good', text: 'answers' };
}

function runState({ lastRun }: Snapshot): { tone: Tone; text: string } {
  if (lastRun === undefined) return { tone: 'plain', text: 'none yet' };
  return lastRun.incomplete === null
    ? { tone: 'good', text: 'complete' }
    : { tone: 'warn', text: `incomplete: ${lastRun.incomplete}` };
}

function Part(part: { name: string; tone: Tone; text: string; detail: Child }): Markup {
  return (
    <div>
      <dt>{part.name}</dt>
      <dd>
        <Badge tone={part.tone} text={part.text} /> <span class="muted">{part.detail}</span>
      </dd>
    </div>
  );
}

function ago(at: number | null, now: number): Child {
  if (at === null) return 'nothing yet';
  return (
    <>
      <Age at={at} now={now} /> ago
    </>
  );
}

/** Whether store, custody API, reconciliation, deliveries and consumers do their work. */
export function HealthCard({
  snapshot,
  status,
}: {
  snapshot: Snapshot;
  status: DaemonStatus;
}): Markup {
  const { at, counts, backlogs, lastRun, newestFactAt } = snapshot;
  const { oldestUnacknowledgedAt, credits, reversals } = counts.credits;
  const { queue } = status;
  const isWritable = status.store === 'writable';
  return (
    <Card id="health" title="Health" live="intake feed runs breaks tick">
      <dl class="health">
        <Part
          name="Store"
          tone={isWritable ? 'good' : 'alarm'}
          text={isWritable ? 'accepts writes' : 'accepts no writes'}
          detail={
            <>
              newest fact {ago(newestFactAt, at)}; {grouped(String(queue.waiting))} facts wait
            </>
          }
        />
        <Part name="Custody API" {...custodyState(status.custody)} detail="" />
        <Part
          name="Reconciliation"
          {...runState(snapshot)}
          detail={ago(lastRun?.finishedAt ?? null, at)}
        />
        <Part
          name="Deliveries"
          tone={backlogs.length === 0 ? 'good' : 'warn'}
          text={backlogs.length === 0 ? 'no backlog' : 'backlog'}
          detail={backlogs.map(({ subject }) => subject.vaultId ?? '').join(', ')}
        />
        <Part
          name="Credit feed"
          tone={oldestUnacknowledgedAt === null ? 'good' : 'plain'}
          text={oldestUnacknowledgedAt === null ? 'all acknowledged' : 'waits for consumers'}
          detail={
            oldestUnacknowledgedAt === null ? (
              `${grouped(String(credits + reversals))} items`
            ) : (
              <>
                oldest unacknowledged for <Age at={oldestUnacknowledgedAt} now={at} />
              </>
            )
          }
        />
      </dl>
    </Card>
  );
}
