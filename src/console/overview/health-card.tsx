import type { Child } from 'hono/jsx';
import { Badge, type Tone } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { counted, grouped, spanText } from '../../pages/parts/value/figure.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age } from '../../pages/parts/value/moment.tsx';
import type { JournalReceiver } from '../../store/replicated/journal-state.ts';
import type { DaemonStatus } from './daemon-status.ts';
import type { Snapshot } from './snapshot.ts';

const FEED_PATH = '/console/feed';

function failuresText(failures: number): string {
  return failures === 1 ? 'its last call failed' : `${failures} failures in a row`;
}

function custodyState({ custody, receiver }: DaemonStatus): { tone: Tone; text: string } {
  if (receiver !== null && receiver.role !== 'owner') {
    return { tone: 'plain', text: 'asked by the owner' };
  }
  if (custody === null) return { tone: 'warn', text: 'not configured' };
  if (custody.access === 'refused') return { tone: 'alarm', text: 'refuses our key' };
  if (custody.circuit !== 'closed') return { tone: 'alarm', text: 'does not answer' };
  if (custody.failures > 0) {
    return { tone: 'warn', text: failuresText(custody.failures) };
  }
  if (custody.access === 'unknown') return { tone: 'plain', text: 'not asked yet' };
  return { tone: 'good', text: 'answers' };
}

function receiverState(receiver: NonNullable<DaemonStatus['receiver']>): {
  tone: Tone;
  text: string;
  detail: string;
} {
  const { name, role, owner, epoch, position, cause } = receiver;
  const detail = [
    name,
    ...(epoch === null ? [] : [`epoch ${epoch}`]),
    `journal position ${grouped(position)}`,
    ...(cause === null ? [] : [cause]),
  ].join('; ');
  switch (role) {
    case 'owner':
      return { tone: 'good', text: 'owns the journal', detail };
    case 'follower':
      return { tone: 'good', text: `follows ${owner ?? 'no owner yet'}`, detail };
    case 'starting':
      return { tone: 'plain', text: 'starts', detail };
    case 'cut_off':
      return { tone: 'alarm', text: 'cut off from the journal', detail };
    case 'diverged':
      return { tone: 'alarm', text: 'has diverged', detail };
    default:
      return role satisfies never;
  }
}

/** How many vaults have deliveries that wait at the custody service, since when, and which. */
function Backlog({ snapshot }: { snapshot: Snapshot }): Markup {
  const { counts, backlogs, at } = snapshot;
  const kinds = counts.breaks.byType.filter(({ type }) => type === 'delivery_backlog');
  const vaults = kinds.reduce((sum, { open }) => sum + open, 0);
  if (vaults === 0) return <></>;
  const oldestAt = Math.min(...kinds.map(({ oldestAt: since }) => since));
  const href = linkTo('/console/breaks', { type: 'delivery_backlog' });
  const named = backlogs.map(({ subject }) => subject.vaultId ?? '').join(', ');
  return (
    <>
      <a href={href}>{counted(vaults, 'vault')}</a>, the oldest for <Age at={oldestAt} now={at} />:{' '}
      {named}
      {vaults > backlogs.length ? ', …' : ''}
    </>
  );
}

/** The cause is any text: it stands beside the badge, which never breaks. */
function runState({ lastRun, at }: Snapshot): { tone: Tone; text: string; detail: Child } {
  if (lastRun === undefined) return { tone: 'plain', text: 'none yet', detail: ago(null, at) };
  const { incomplete, finishedAt } = lastRun;
  if (incomplete === null) return { tone: 'good', text: 'complete', detail: ago(finishedAt, at) };
  const detail = (
    <>
      {`${incomplete.replaceAll('_', ' ')}; `}
      {ago(finishedAt, at)}
    </>
  );
  return { tone: 'warn', text: 'incomplete', detail };
}

function Part(part: { name: string; tone: Tone; text: string; detail: Child }): Markup {
  return (
    <Fact name={part.name}>
      <Badge tone={part.tone} text={part.text} /> <span class="muted">{part.detail}</span>
    </Fact>
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

/** A follower reports every second. One that is silent for longer needs a look. */
const SILENT_MS_MAX = 10_000;

function knownState({ role, silentMs }: JournalReceiver): { tone: Tone; text: string } {
  if (role === 'lapsed') return { tone: 'alarm', text: 'owned the journal; has no lease' };
  if (role === 'owner') return { tone: 'good', text: 'owner' };
  return silentMs !== null && silentMs > SILENT_MS_MAX
    ? { tone: 'warn', text: 'follower, silent' }
    : { tone: 'good', text: 'follower' };
}

/** `last seen 3 s ago; journal position 1 200` */
function seenText({ role, silentMs, position }: JournalReceiver): string {
  const since = spanText(silentMs ?? 0);
  const seen = {
    owner: 'holds the lease',
    lapsed: `for ${since}`,
    follower: `last seen ${since} ago`,
  }[role];
  return `${seen}; journal position ${grouped(position)}`;
}

/** The other receivers of the shared journal, each with its role and its last sign of life. */
function OtherReceivers({ receiver, receivers }: DaemonStatus): Markup {
  const others = receivers.filter(({ name }) => name !== receiver?.name);
  return (
    <>
      {others.map((one) => (
        <Part name={`Receiver ${one.name}`} {...knownState(one)} detail={seenText(one)} />
      ))}
    </>
  );
}

/** Whether store, receivers, custody API, reconciliation, deliveries and consumers do their work. */
export function HealthCard({
  snapshot,
  status,
}: {
  snapshot: Snapshot;
  status: DaemonStatus;
}): Markup {
  const { at, counts, backlogs, newestFactAt } = snapshot;
  const { oldestUnacknowledgedAt, credits, reversals } = counts.credits;
  const unacknowledged = counts.deposits.credited ?? 0;
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
              newest fact {ago(newestFactAt, at)}; {counted(queue.queued, 'fact')}{' '}
              {queue.queued === 1 ? 'waits' : 'wait'} to be written
            </>
          }
        />
        {status.receiver === null ? (
          <Part name="Receiver" tone="good" text="the only one" detail="its store is SQLite" />
        ) : (
          <Part name="Receiver" {...receiverState(status.receiver)} />
        )}
        <OtherReceivers {...status} />
        <Part name="Custody API" {...custodyState(status)} detail="" />
        <Part name="Reconciliation" {...runState(snapshot)} />
        <Part
          name="Deliveries"
          tone={backlogs.length === 0 ? 'good' : 'warn'}
          text={backlogs.length === 0 ? 'no backlog' : 'backlog'}
          detail={<Backlog snapshot={snapshot} />}
        />
        <Part
          name="Credit feed"
          tone={oldestUnacknowledgedAt === null ? 'good' : 'plain'}
          text={oldestUnacknowledgedAt === null ? 'all acknowledged' : 'waits for consumers'}
          detail={
            oldestUnacknowledgedAt === null ? (
              <a href={FEED_PATH}>{counted(credits + reversals, 'item')}</a>
            ) : (
              <>
                <a href={FEED_PATH}>{`${grouped(unacknowledged)} not acknowledged`}</a>, the oldest
                for <Age at={oldestUnacknowledgedAt} now={at} />
              </>
            )
          }
        />
      </dl>
    </Card>
  );
}
