import type { Child, PropsWithChildren } from 'hono/jsx';
import { BODY_BREAKS, type BreakType } from '../../domain/break/break.ts';
import { causesOf, type Cause } from '../../domain/break/cause.ts';
import type {
  KeptBody,
  MovementStatement,
  ShownBreak,
  StoredNotification,
} from '../../store/answers.ts';
import type { StoredBreakEvent } from '../../store/records.ts';
import type { Reads } from '../../store/reads.ts';
import type { Decimals } from '../parts/amount.tsx';
import { Badge } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { grouped } from '../parts/figure.ts';
import { Identifier } from '../parts/identifier.tsx';
import type { Markup } from '../parts/markup.ts';
import { Age, Moment } from '../parts/moment.tsx';
import { RawBody } from '../parts/raw-body.tsx';
import { Figures, Movements, Notifications } from './evidence.tsx';
import { ExemptCard, type RuleWords } from './exempt.tsx';
import { filterOfCause, PATH, queryOf, queueLink } from './filter.ts';
import { GUIDES } from './guides.ts';
import { History } from './history.tsx';
import { causeText, SubjectPart, typeText } from './names.tsx';
import { Steps } from './steps.tsx';
import type { Looking } from './queue.tsx';

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
}

async function readRelated(reads: Reads, one: ShownBreak): Promise<Related[]> {
  const found: Related[] = [];
  for (const cause of causesOf(one)) {
    const query = queryOf(filterOfCause(cause));
    const { items, total } = await reads.breaks(query, { page: 0, pageSize: RELATED_SHOWN + 1 });
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
  return {
    one,
    history,
    decimals: await reads.pinnedDecimals(),
    movements: hashed ? await reads.movements(blockchainHash) : [],
    notifications: hashed
      ? (await reads.notifications({ blockchainHash }, { page: 0, pageSize: NOTIFICATIONS_SHOWN }))
          .items
      : [],
    related: await readRelated(reads, one),
    bodies: mayReadBodies ? await readBodies(reads, one) : [],
  };
}

function Fact({ name, children }: PropsWithChildren<{ name: string }>): Markup {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const SUBJECT_NAMES = {
  vaultId: 'Vault',
  network: 'Network',
  blockchainHash: 'Hash',
  asset: 'Asset',
  transactionId: 'Transaction',
  depositId: 'Deposit',
} as const;

function Summary({ one, looking }: { one: ShownBreak; looking: Looking }): Markup {
  const { now, hrefOf } = looking;
  const { subject, reversal } = one;
  const names = Object.keys(SUBJECT_NAMES) as (keyof typeof SUBJECT_NAMES)[];
  return (
    <>
      <p class="lead">{one.detail}</p>
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
        {one.resolvedAt === null ? (
          ''
        ) : (
          <Fact name="Resolved">
            <Moment at={one.resolvedAt} /> by {one.resolvedBy}: {one.resolution}
          </Fact>
        )}
        {one.type === 'reversal_after_credit' ? (
          <Fact name="Reversal in the feed">{reversal?.creditId ?? 'none yet'}</Fact>
        ) : (
          ''
        )}
        {names.map((name) => {
          const value = subject[name];
          if (value === null) return '';
          return (
            <Fact name={SUBJECT_NAMES[name]}>
              <SubjectPart name={name} value={value} hrefOf={hrefOf} />
            </Fact>
          );
        })}
      </dl>
    </>
  );
}

function WhatToDo({ type }: { type: BreakType }): Markup {
  const { happened, steps } = GUIDES[type];
  return (
    <Card
      id="guide"
      title="What to do"
      aside={<a href={`${PATH}/guide#${type}`}>Every type of break</a>}
    >
      <p>{happened}</p>
      <ol class="steps">
        {steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
    </Card>
  );
}

function RelatedCard({ related }: { related: readonly Related[] }): Markup {
  if (related.length === 0) return <></>;
  return (
    <Card id="related" title="Related breaks" live="breaks">
      {related.map(({ cause, total, others }) => (
        <section>
          <h3>
            <a href={queueLink(filterOfCause(cause), { isChosen: true })}>
              {grouped(String(total))} × {causeText(cause)}
            </a>
          </h3>
          <ul class="related">
            {others.map(({ breakId, type, detail }) => (
              <li>
                <a href={`${PATH}/${breakId}`}>{typeText(type)}</a>{' '}
                <span class="muted">{detail}</span>
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

/** One break: what it is, its evidence, what to do, and who did what. */
export function BreakPage(page: { shown: OneBreak; looking: Looking; rule: RuleWords }): Markup {
  const { shown, looking, rule } = page;
  const { one, decimals, movements, notifications } = shown;
  const aside: Child = looking.mayAct ? <Steps one={one} name={looking.name ?? ''} /> : '';
  return (
    <>
      <Card id="break" title="What differs" live="breaks tick">
        <Summary one={one} looking={looking} />
      </Card>
      {aside}
      <div class="columns">
        <div class="side">
          <Card id="evidence" title="Evidence" live="breaks books">
            <Figures one={one} decimals={decimals} />
            {one.subject.blockchainHash === null ? (
              ''
            ) : (
              <>
                <h3>The hash, as each witness reports it</h3>
                <Movements statements={movements} decimals={decimals} />
                <h3>Webhooks about the hash</h3>
                <Notifications items={notifications} />
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
          <WhatToDo type={one.type} />
          <RelatedCard related={shown.related} />
          <ExemptCard one={one} chosen={rule} />
        </div>
      </div>
    </>
  );
}
