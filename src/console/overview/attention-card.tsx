import type { Role } from '../../domain/access/role.ts';
import { subjectLink } from '../parts/subject-link.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { counted } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age, Moment } from '../../pages/parts/value/moment.tsx';
import { causeLink } from '../parts/break-causes.ts';
import { missingRole } from '../parts/missing-role.ts';
import { Prose } from '../parts/value/prose.tsx';
import { rowsOf, type Attention, type AttentionList } from './attention.ts';
import type { Snapshot } from './snapshot.ts';

/** Enough for the rows that each of the four subjects keeps. */
const SHOWN = 12;

/** The page where a person acts: a break's own, or the queue of one cause with all of it ticked. */
function pageOf({ subject, id, group }: Attention): string {
  return group === null ? subjectLink(subject, id) : causeLink(group.cause);
}

function Item(item: { one: Attention; decimals: Decimals; now: number }): Markup {
  const { one, decimals, now } = item;
  const href = pageOf(one);
  return (
    <li class={`waits ${one.severity}`} id={`waits-${one.subject}-${one.id}`} data-row={href}>
      <div class="head">
        <Badge tone={one.severity} text={one.severity} />
        <a href={href}>{one.title}</a>
        {one.notes.map((note) => (
          <span class="muted">
            {note.text}
            {note.at !== undefined && (
              <>
                {' '}
                <Moment at={note.at} />
              </>
            )}
          </span>
        ))}
        <Age at={one.since} now={now} />
      </div>
      <p>
        <Prose text={one.detail} asset={one.asset} decimals={decimals} />
      </p>
      {one.stakes.map(({ isDifference, ...stake }) => (
        <p class="stake">
          <AmountFigure {...stake} decimals={decimals} signed={isDifference} />
          {/* Without these words, "+0.5 ETH" reads as a gain where 0.5 ETH are gone. */}
          {isDifference && <span class="muted"> ours minus theirs</span>}
        </p>
      ))}
      {one.group === null && (one.subject === 'break' || one.subject === 'deposit') && (
        <Identifier value={one.id} />
      )}
    </li>
  );
}

/** What the list leaves out of each subject, and the page that has all of it. */
const MORE: Readonly<Record<Attention['subject'], { one: string; href: string }>> = {
  break: { one: 'break', href: '/console/breaks' },
  deposit: { one: 'held deposit', href: linkTo('/console/deposits', { state: 'held' }) },
  day: { one: 'day', href: '/console/close' },
  policy: { one: 'halt', href: '/console/policy' },
};

/** `and 190 more breaks, 43 more held deposits` */
function LeftOut({ attention }: { attention: AttentionList }): Markup {
  const shown = rowsOf(attention.items, SHOWN);
  const left = Object.entries(MORE).flatMap(([subject, { one, href }]) => {
    const total = attention.totals[subject as Attention['subject']];
    const ofSubject = shown.filter((item) => item.subject === subject);
    const count = total - ofSubject.reduce((sum, item) => sum + (item.group?.count ?? 1), 0);
    const text = counted(count, `more ${one}`);
    return count > 0 ? [<a href={href}>{text}</a>] : [];
  });
  if (left.length === 0) return <></>;
  return (
    <p class="foot">
      and{' '}
      {left.map((one, index) => (
        <>
          {index === 0 ? '' : ', '}
          {one}
        </>
      ))}
    </p>
  );
}

/** Young breaks that the list leaves out, because they usually close by themselves. */
function Healing({ count }: { count: number }): Markup {
  if (count === 0) return <></>;
  const all = <a href={linkTo('/console/breaks', { age: 'hour' })}>all breaks of the last hour</a>;
  return (
    <p class="foot">
      {counted(count, 'young break')} may close without a person; after an hour they are listed
      here. See {all}.
    </p>
  );
}

/** What waits for a person, the most urgent first. */
export function AttentionCard({
  snapshot,
  role,
}: {
  snapshot: Snapshot;
  /** Undefined in a public console. */
  role: Role | undefined;
}): Markup {
  const { attention, decimals, at } = snapshot;
  const shown = rowsOf(attention.items, SHOWN);
  const why = role !== undefined && shown.some((one) => one.isDecision) ? missingRole(role) : null;
  return (
    <Card id="attention" title="Needs a person" live="breaks deposits close policy tick">
      {attention.items.length === 0 ? (
        <EmptyState title="Nothing waits for a person." good={attention.healing === 0} />
      ) : (
        <ul class="attention">
          {shown.map((one) => (
            <Item one={one} decimals={decimals} now={at} />
          ))}
        </ul>
      )}
      {why !== null && <p class="foot">{why}</p>}
      <LeftOut attention={attention} />
      <Healing count={attention.healing} />
    </Card>
  );
}
