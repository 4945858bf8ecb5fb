import { BODY_BREAKS, type BreakType } from '../../../domain/break/break.ts';
import { causesOf, type Cause } from '../../../domain/break/cause.ts';
import type {
  KeptBody,
  MovementStatement,
  ShownBreak,
  StoredNotification,
} from '../../../store/answers.ts';
import type { StoredBreakEvent } from '../../../store/records.ts';
import type { Reads } from '../../../store/reads.ts';
import type { Decimals } from '../../../pages/parts/value/amount.tsx';
import { Badge } from '../../../pages/parts/badge.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { Fact } from '../../../pages/parts/fact.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Age, Moment } from '../../../pages/parts/value/moment.tsx';
import { HashNotifications } from '../../parts/hash/hash-notifications.tsx';
import { missingRole } from '../../parts/missing-role.ts';
import { Witnesses } from '../../parts/hash/hash-movements.tsx';
import { RawBody } from '../../parts/fact/raw-body.tsx';
import { DecimalsCard } from './decimals.tsx';
import { Figures } from './evidence.tsx';
import { ExemptCard } from '../exempt/exempt.tsx';
import { PATH } from '../filter.ts';
import { GuideText } from '../guide/guide-page.tsx';
import { STEPS_AFTER_REVERSAL } from '../guide/guides.ts';
import { History } from './history.tsx';
import { causeLink, causeQuery, causeText, typeText } from '../../parts/break-causes.ts';
import { Detail, SubjectPart } from '../names.tsx';
import { Steps } from './steps.tsx';
import { statedDecimals } from './stated-decimals.ts';
import type { Looking } from '../queue/queue.tsx';

const NOTIFICATIONS_SHOWN = 20;
const RELATED_SHOWN = 5;

/** Unresolved breaks that share a cause with this one, without this one. */
interface Related {
  readonly cause: Cause;
  readonly total: number;
  readonly others: readonly ShownBreak[];
}

/** A body that is evidence: where it came from, and its bytes. */
interface BodyEvidence {
  readonly title: string;
  readonly seq: number;
  readonly body: KeptBody | undefined;
}

/** Everything that the page of one break shows. */
export interface OneBreak {
  readonly one: ShownBreak;
  readonly history: readonly StoredBreakEvent[];
  readonly decimals: Decimals;
  readonly movements: readonly MovementStatement[];
  readonly notifications: readonly StoredNotification[];
  readonly related: readonly Related[];
  readonly bodies: readonly BodyEvidence[];
  /** Decimals that the notification of a `decimals_changed` states; null for other breaks. */
  readonly stated: number | null;
}

async function readRelated(reads: Reads, one: ShownBreak): Promise<Related[]> {
  const found: Related[] = [];
  for (const cause of causesOf(one)) {
    const { items, total } = await reads.breaks(causeQuery(cause), {
      page: 0,
      pageSize: RELATED_SHOWN + 1,
    });
    const others = items.filter(({ breakId }) => breakId !== one.breakId);
    if (others.length > 0) found.push({ cause, total, others: others.slice(0, RELATED_SHOWN) });
  }
  return found;
}

/** The notification id of an `id_conflict`: the second part of its key. */
function notificationIdOf({ key }: ShownBreak): string {
  const [, id] = JSON.parse(key) as [string, string];
  return id;
}

/** The bodies that a break is about; of a conflict also the first one, which counts. */
async function readBodies(reads: Reads, one: ShownBreak): Promise<BodyEvidence[]> {
  if (!(BODY_BREAKS as readonly BreakType[]).includes(one.type)) return [];
  const received = { title: 'The body', seq: one.seq, body: await reads.body(one.seq) };
  if (one.type !== 'id_conflict') return [received];
  const first = await reads.notifications({ id: notificationIdOf(one) }, { page: 0, pageSize: 1 });
  const counted = await Promise.all(
    first.items.map(async ({ seq }) => ({
      title: 'The first body, which counts',
      seq,
      body: await reads.body(seq),
    })),
  );
  return [...counted, { ...received, title: 'The second body, which changes nothing' }];
}

/** The decimals that the notification behind a `decimals_changed` states for the asset. */
async function readStatedDecimals(reads: Reads, one: ShownBreak): Promise<number | null> {
  const { asset } = one.subject;
  if (one.type !== 'decimals_changed' || asset === null) return null;
  const body = await reads.body(one.seq);
  return body?.isWhole === true ? statedDecimals(body.bytes, asset) : null;
}

/** Reads a break with its evidence. `mayReadBodies`: the visitor may read raw bytes. */
export async function readOneBreak(
  reads: Reads,
  breakId: string,
  { mayReadBodies }: { mayReadBodies: boolean },
): Promise<OneBreak | undefined> {
  const known = await reads.break(breakId);
  if (known === undefined) return undefined;
  const { found: one, history } = known;
  const { blockchainHash } = one.subject;
  const hashed = blockchainHash !== null;
  const decimals = await reads.pinnedDecimals();
  return {
    one,
    history,
    decimals,
    movements: hashed ? await reads.movements(blockchainHash) : [],
    notifications: hashed
      ? (await reads.notifications({ blockchainHash }, { page: 0, pageSize: NOTIFICATIONS_SHOWN }))
          .items
      : [],
    related: await readRelated(reads, one),
    bodies: mayReadBodies ? await readBodies(reads, one) : [],
    stated: await readStatedDecimals(reads, one),
  };
}

const SUBJECT_NAMES = {
  vaultId: 'Vault',
  network: 'Network',
  blockchainHash: 'Hash',
  asset: 'Asset',
  transactionId: 'Transaction',
  depositId: 'Deposit',
} as const;

/** What the sentence of the break does not say: what followed, and the numbers behind it. */
function Since({ shown }: { shown: OneBreak }): Markup {
  const { one, decimals, stated } = shown;
  const { reversal, state, subject, type } = one;
  if (type === 'reversal_after_credit' && reversal !== null) {
    return (
      <p class="lead">
        <b>Since then:</b> the feed reversed the credit, <Moment at={reversal.createdAt} />, item{' '}
        {reversal.feedSeq}.
        {state === 'resolved'
          ? ''
          : ' Take the amount back from the customer, then resolve the break.'}
      </p>
    );
  }
  const pinned = subject.asset === null ? undefined : decimals.get(subject.asset);
  if (type !== 'decimals_changed' || pinned === undefined) return <></>;
  return (
    <p class="lead">
      Counterfoil counts {subject.asset} with <b>{pinned}</b> decimals.{' '}
      {stated !== null && (
        <>
          The notification states <b>{stated}</b>.
        </>
      )}
    </p>
  );
}

function Summary({ shown, looking }: { shown: OneBreak; looking: Looking }): Markup {
  const { one, decimals } = shown;
  const { now } = looking;
  const { subject, reversal } = one;
  const names = Object.keys(SUBJECT_NAMES) as (keyof typeof SUBJECT_NAMES)[];
  return (
    <>
      <p class="lead">
        <Detail one={one} decimals={decimals} />
      </p>
      <Since shown={shown} />
      <dl class="facts">
        <Fact name="Break">
          <Identifier value={one.breakId} />
        </Fact>
        <Fact name="Severity">
          <Badge tone={one.severity} text={one.severity} />
          {one.severity === one.originalSeverity ? '' : ` by age; it was ${one.originalSeverity}`}
        </Fact>
        <Fact name="State">{one.state}</Fact>
        <Fact name="Assignee">{one.assignee ?? 'nobody'}</Fact>
        <Fact name="Opened">
          <Moment at={one.openedAt} /> (<Age at={one.openedAt} now={now} /> ago)
        </Fact>
        {one.resolvedAt !== null && (
          <Fact name="Resolved">
            <Moment at={one.resolvedAt} /> by {one.resolvedBy}: {one.resolution}
          </Fact>
        )}
        {one.type === 'reversal_after_credit' && (
          <Fact name="Reversal in the feed">
            {reversal === null ? 'none yet' : <Identifier value={reversal.creditId} />}
          </Fact>
        )}
        {names.map((name) => {
          const value = subject[name];
          if (value === null) return '';
          return (
            <Fact name={SUBJECT_NAMES[name]}>
              <SubjectPart name={name} value={value} />
            </Fact>
          );
        })}
      </dl>
    </>
  );
}

function WhatToDo({ one }: { one: ShownBreak }): Markup {
  const { type, state, reversal, subject } = one;
  return (
    <Card
      id="guide"
      title="What to do"
      aside={<a href={`${PATH}/guide#${type}`}>Every type of break</a>}
    >
      {state === 'resolved' ? (
        <p>Nothing: the break is resolved.</p>
      ) : reversal === null ? (
        <GuideText type={type} depositId={subject.depositId} />
      ) : (
        <GuideText type={type} steps={STEPS_AFTER_REVERSAL} />
      )}
    </Card>
  );
}

function RelatedCard({ related, decimals }: Pick<OneBreak, 'related' | 'decimals'>): Markup {
  if (related.length === 0) return <></>;
  return (
    <Card id="related" title="Related breaks" live="breaks">
      {related.map(({ cause, total, others }) => (
        <section>
          <h3>
            <a href={causeLink(cause)}>
              {grouped(total)} × {causeText(cause)}
            </a>
          </h3>
          <ul class="related">
            {others.map((other) => (
              <li>
                <a href={`${PATH}/${other.breakId}`}>{typeText(other.type)}</a>{' '}
                <span class="muted">
                  <Detail one={other} decimals={decimals} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Card>
  );
}

function Bodies({ bodies }: { bodies: readonly BodyEvidence[] }): Markup {
  return (
    <>
      {bodies.map(({ title, seq, body }) => (
        <Card id={`body-${seq}`} title={title}>
          <RawBody body={body} seq={seq} />
        </Card>
      ))}
    </>
  );
}

/** The buttons; for a reader whose role has none, who has them. */
function StepsOrWhyNot(props: { one: ShownBreak; decimals: Decimals; looking: Looking }): Markup {
  const { one, decimals, looking } = props;
  if (looking.mayAct) return <Steps {...{ one, decimals }} name={looking.name ?? ''} />;
  const why = one.state === 'resolved' ? null : missingRole(looking.role, 'work-on-breaks');
  return why === null ? <></> : <p class="muted">{why}</p>;
}

/** One break: what it is, its evidence, what to do, and who did what. */
export function BreakPage(page: { shown: OneBreak; looking: Looking }): Markup {
  const { shown, looking } = page;
  const { one, decimals, movements, notifications } = shown;
  return (
    <>
      <Card id="break" title="What differs" live="breaks tick">
        <Summary shown={shown} looking={looking} />
      </Card>
      <StepsOrWhyNot {...{ one, decimals, looking }} />
      <div class="columns">
        <div class="side">
          <Card id="evidence" title="Evidence" live="breaks books">
            <h3>When the break opened or last changed</h3>
            <Figures one={one} decimals={decimals} />
            {one.subject.blockchainHash !== null && (
              <>
                <h3>Now: the hash, as each witness reports it</h3>
                <Witnesses statements={movements} decimals={decimals} />
                <h3>Webhooks about the hash, until now</h3>
                <HashNotifications items={notifications} />
              </>
            )}
            <p class="foot">
              <a href={`/console/journal/${one.seq}`}>The fact that opened or changed this break</a>
            </p>
          </Card>
          <Bodies bodies={shown.bodies} />
          <Card id="history" title="History" live="breaks">
            <History history={shown.history} asset={one.subject.asset} decimals={decimals} />
          </Card>
        </div>
        <div class="side">
          <WhatToDo one={one} />
          <RelatedCard related={shown.related} decimals={decimals} />
          <ExemptCard {...{ one, decimals, looking }} />
          <DecimalsCard {...{ one, decimals, looking }} stated={shown.stated} />
        </div>
      </div>
    </>
  );
}
