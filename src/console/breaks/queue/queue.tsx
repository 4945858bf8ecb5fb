import type { Role } from '../../../domain/access/role.ts';
import { AGE_SPANS } from '../../../domain/break/age-span.ts';
import { BREAK_TYPES, differenceOf, partsOf } from '../../../domain/break/break.ts';
import { groupsByCause, type CauseGroup } from '../../../domain/break/cause.ts';
import { versionText } from '../../../domain/fact/basis.ts';
import type { ShownBreak } from '../../../store/answers.ts';
import type { Page } from '../../../store/page.ts';
import type { Reads } from '../../../store/reads.ts';
import { AmountFigure, hasLongAmount, type Decimals } from '../../../pages/parts/value/amount.tsx';
import { Badge } from '../../../pages/parts/badge.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { AGE_SPAN_TEXTS } from '../../parts/value/age-span-text.ts';
import type { FilterProblem } from '../../parts/list/filter-problem.ts';
import { counted, grouped } from '../../../pages/parts/value/figure.ts';
import { FoldedFilter } from '../../../pages/parts/form/filter-form.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Age } from '../../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../../pages/parts/list/pager.tsx';
import { ProblemNotice } from '../../../pages/parts/notice.tsx';
import { Views, type View } from '../../parts/list/views.tsx';
import { BULK_FORM, BULK_MAX, BulkForm, tickOf } from './bulk.tsx';
import {
  isUnresolved,
  NOBODY,
  PATH,
  queryOf,
  queueLink,
  SEVERITIES_SHOWN,
  STATES,
  type QueueFilter,
} from '../filter.ts';
import { causeLink, causeText, typeText } from '../../parts/break-causes.ts';
import { Detail, Subject } from '../names.tsx';
import { Downloads } from '../../parts/list/downloads.tsx';

/** The most urgent breaks, among which groups are found. */
const GROUPED_MAX = 500;
const GROUPS_MAX = 6;

/** A page of the queue, and on the first page the groups among the most urgent breaks. */
export interface Queue {
  readonly found: Page<ShownBreak>;
  readonly groups: readonly CauseGroup<ShownBreak>[];
  readonly decimals: Decimals;
}

/** Reads a page of the queue. The first page finds the groups in the same read. */
export async function readQueue(
  reads: Reads,
  filter: QueueFilter,
  { page, now }: { page: number; now: number },
): Promise<Queue> {
  const decimals = await reads.pinnedDecimals();
  const query = queryOf(filter, { now, decimals });
  if (page > 0 || !isUnresolved(filter)) {
    const found = await reads.breaks(query, { page, pageSize: BULK_MAX });
    return { found, groups: [], decimals };
  }
  const urgent = await reads.breaks(query, { page: 0, pageSize: GROUPED_MAX });
  const found = { ...urgent, pageSize: BULK_MAX, items: urgent.items.slice(0, BULK_MAX) };
  return { found, groups: groupsByCause(urgent.items, GROUPS_MAX), decimals };
}

/** Who looks, and what they may do. */
export interface Looking {
  readonly now: number;
  readonly mayAct: boolean;
  /** Whether they may correct an asset's decimals. */
  readonly mayCorrectDecimals: boolean;
  /** Null in a public console. */
  readonly name: string | null;
  /** Undefined for a stranger in a public console. */
  readonly role: Role | undefined;
  /** Every box is ticked. */
  readonly isChosen: boolean;
}

/** The difference of a break that is about an amount; else nothing. */
function shownDifference(one: ShownBreak): { amount: bigint; asset: string }[] {
  const amount = differenceOf(one);
  const { asset } = one.subject;
  return amount === null || asset === null ? [] : [{ amount, asset }];
}

function Assignee({ name }: { name: string | null }): Markup {
  return name === null ? <span class="muted">nobody</span> : <span class="given">{name}</span>;
}

function columnsFor(decimals: Decimals, looking: Looking): Column<ShownBreak>[] {
  const { now, mayAct, isChosen } = looking;
  const box: Column<ShownBreak> = {
    title: 'Choose',
    cell: (one) => (
      <input
        type="checkbox"
        name="break"
        value={tickOf({ breakId: one.breakId, version: versionText(partsOf(one)) })}
        form={BULK_FORM}
        checked={isChosen}
        aria-label={`Choose ${typeText(one.type)} ${one.breakId}`}
      />
    ),
  };
  return [
    ...(mayAct ? [box] : []),
    {
      title: 'Break',
      cell: (one) => (
        <>
          <a href={`${PATH}/${one.breakId}`}>{typeText(one.type)}</a>
          <span class="detail muted">
            <Detail one={one} decimals={decimals} />
          </span>
        </>
      ),
    },
    { title: 'Severity', cell: ({ severity }) => <Badge tone={severity} text={severity} /> },
    { title: 'About', cell: ({ subject }) => <Subject subject={subject} /> },
    {
      title: 'Difference',
      cell: (one) => {
        const [difference] = shownDifference(one);
        if (difference === undefined) return <span class="muted">none</span>;
        return <AmountFigure {...difference} decimals={decimals} signed />;
      },
      is: 'number',
    },
    { title: 'State', cell: ({ state }) => state },
    { title: 'Assignee', cell: ({ assignee }) => <Assignee name={assignee} /> },
    { title: 'Age', cell: ({ openedAt }) => <Age at={openedAt} now={now} />, is: 'number' },
  ];
}

const AGES = AGE_SPANS.map((value) => ({ value, label: AGE_SPAN_TEXTS[value] }));

function Filters({ filter, isOpen }: { filter: QueueFilter; isOpen: boolean }): Markup {
  const { state } = filter;
  return (
    <FoldedFilter
      action={PATH}
      open={isOpen}
      fields={[
        {
          name: 'state',
          label: 'State',
          value: state === 'unresolved' ? undefined : state,
          none: 'unresolved',
          options: STATES.filter((one) => one !== 'unresolved'),
        },
        { name: 'type', label: 'Type', value: filter.type, options: BREAK_TYPES },
        { name: 'severity', label: 'Severity', value: filter.severity, options: SEVERITIES_SHOWN },
        { name: 'age', label: 'Age', value: filter.age, options: AGES },
        { name: 'vault', label: 'Vault', value: filter.vaultId },
        { name: 'hash', label: 'Hash', value: filter.blockchainHash },
        { name: 'network', label: 'Network', value: filter.network },
        { name: 'asset', label: 'Asset', value: filter.asset },
        { name: 'amount', label: 'Amount', value: filter.amount, placeholder: '1.5 ETH' },
        {
          name: 'assignee',
          label: 'Assignee',
          value: filter.assignee,
          placeholder: 'a name, or nobody',
        },
      ]}
    />
  );
}

function viewsFor(name: string | null): View[] {
  const views = [
    { name: 'All unresolved', filter: {} },
    { name: 'Critical', filter: { severity: 'critical' } },
    ...(name === null ? [] : [{ name: 'Mine', filter: { assignee: name } } as const]),
    { name: 'Without assignee', filter: { assignee: NOBODY } },
    { name: 'Resolved', filter: { state: 'resolved' } },
  ] as const;
  return views.map((view) => ({ name: view.name, href: queueLink(view.filter) }));
}

function Groups({ groups }: Pick<Queue, 'groups'>): Markup {
  return (
    <ul class="groups">
      {groups.map(({ cause, breaks }) => (
        <li>
          <a href={causeLink(cause)}>
            {grouped(breaks.length)} × {causeText(cause)}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** `12 unresolved breaks`, `1 unresolved break` */
function countText({ state }: QueueFilter, total: number): string {
  return counted(total, state === 'all' ? 'break' : `${state} break`);
}

function NoBreaks({ filter }: { filter: QueueFilter }): Markup {
  return (
    <EmptyState title="No break matches." good={filter.state === 'unresolved'}>
      <p>
        A break opens when books, chain view and custody API differ, or when a body cannot be read.
        Reconciliation runs find the differences.
      </p>
    </EmptyState>
  );
}

/** The queue: filters, groups of one cause, the breaks, and the form for the ticked ones. */
export function QueuePage(page: {
  queue: Queue;
  filter: QueueFilter;
  looking: Looking;
  problem: FilterProblem | null;
}): Markup {
  const { queue, filter, looking, problem } = page;
  const { found, groups, decimals } = queue;
  // A break that a live update added would be ticked without a look at it.
  const isLive = !looking.isChosen && problem === null;
  const live = isLive ? { live: 'breaks tick' } : {};
  return (
    <>
      <Views views={viewsFor(looking.name)} here={queueLink(filter)} person={looking.name} />
      <Filters filter={filter} isOpen={problem !== null} />
      {groups.length > 0 && !looking.isChosen && (
        <Card id="causes" title="Probably of one cause" {...live}>
          <Groups groups={groups} />
          {found.total > GROUPED_MAX && (
            <p class="foot">
              Among the {GROUPED_MAX} most urgent breaks. A group’s page counts all of its breaks.
            </p>
          )}
        </Card>
      )}
      <Card
        id="queue"
        title={countText(filter, found.total)}
        aside={
          <Downloads
            csv={queueLink(filter, { path: `${PATH}.csv` })}
            xlsx={queueLink(filter, { path: `${PATH}.xlsx` })}
          >
            {' '}
            <a href={`${PATH}/exemptions`}>Exemption rules</a>
          </Downloads>
        }
        {...live}
      >
        {problem !== null ? (
          <ProblemNotice problem={problem} />
        ) : found.total === 0 ? (
          <NoBreaks filter={filter} />
        ) : (
          <DataTable
            caption={
              isUnresolved(filter) ? 'Breaks, the most severe first' : 'Breaks, newest first'
            }
            items={found.items}
            columns={columnsFor(decimals, looking)}
            rowKey={({ breakId }) => breakId}
            href={({ breakId }) => `${PATH}/${breakId}`}
            folds={hasLongAmount(found.items.flatMap(shownDifference), decimals, 'narrow')}
          />
        )}
        <PageLinks found={found} href={(number) => queueLink(filter, { page: number })} />
      </Card>
      {looking.mayAct && found.items.length > 0 && (
        <BulkForm back={queueLink(filter)} name={looking.name ?? ''} />
      )}
    </>
  );
}
