import type { Hono } from 'hono';
import type { DecisionPage, StoredDecision } from '../../store/answers.ts';
import type { DecisionQuery } from '../../store/queries.ts';
import type { ConsoleContext, ConsoleEnv, PageRequest } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { FilterForm } from '../../pages/parts/form/filter-form.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { Pager } from '../../pages/parts/list/pager.tsx';
import { personWith } from '../parts/missing-role.ts';
import { dayIn, daysAfter } from '../parts/value/moments.ts';
import { tableDownload } from '../parts/list/table-download.ts';
import {
  DecisionText,
  KIND_NAMES,
  KINDS,
  KINDS_OF_ACCESS,
  KINDS_OF_PEOPLE,
  reasonOf,
  type DecisionKind,
} from './decision-text.tsx';
import { decisionsTable, readForTable } from './table.ts';
import { bodyCall } from '../parts/fact/body-call.ts';

const PATH = '/console/audit';
const PAGE_SIZE = 50;
/** Most newer pages that a link remembers. Where it remembers none, “Previous” leads to the first. */
const NEWER_MAX = 50;

/** What the address asks for; undefined members do not filter. */
interface Asked {
  readonly who: string | undefined;
  readonly kind: (typeof KINDS)[number] | undefined;
  readonly subject: string | undefined;
  /** Days in UTC, both included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly before: number | undefined;
  /** The `before` of the newer pages, the newest first; the first page has none. */
  readonly newer: readonly number[];
}

/** The kinds that a visitor may read about. */
function kindsShown(kinds: readonly DecisionKind[], showsAccess: boolean): DecisionKind[] {
  return kinds.filter((kind) => showsAccess || !KINDS_OF_ACCESS.includes(kind));
}

function queryOf(
  { who, kind, subject, from, to, before }: Asked,
  showsAccess: boolean,
): DecisionQuery {
  const [first, last] = [dayIn(from ?? ''), dayIn(to ?? '')];
  return {
    limit: PAGE_SIZE,
    ...(subject === undefined ? {} : { subject }),
    ...(first === undefined ? {} : { from: first }),
    ...(last === undefined ? {} : { until: daysAfter(last, 1) }),
    kinds: kindsShown(kind === undefined ? KINDS_OF_PEOPLE : [kind], showsAccess),
    ...(who === undefined ? {} : { actor: who }),
    ...(before === undefined ? {} : { before }),
  };
}

/** The link to the same list from another position, or of one actor alone. */
function hrefOf(
  { who, kind, subject, from, to }: Asked,
  next: { before?: number | undefined; newer?: readonly number[]; who?: string; path?: string },
): string {
  const { path = PATH, before, newer = [] } = next;
  const cursors = { before, newer: newer.join('.') };
  return linkTo(path, { who: next.who ?? who, kind, subject, from, to, ...cursors });
}

/** The link to the page before this one; null on the first page. */
function newerHref(asked: Asked): string | null {
  if (asked.before === undefined) return null;
  return hrefOf(asked, { before: asked.newer.at(-1), newer: asked.newer.slice(0, -1) });
}

/** The link to the page after this one, which remembers the way back. */
function olderHref(asked: Asked, before: number): string {
  const passed = asked.before === undefined ? [] : [...asked.newer, asked.before];
  return hrefOf(asked, { before, newer: passed.slice(-NEWER_MAX) });
}

const COLUMNS: readonly Column<StoredDecision>[] = [
  {
    title: 'Fact',
    cell: ({ seq }) => <a href={`/console/journal/${seq}`}>{grouped(seq)}</a>,
  },
  { title: 'When', cell: ({ at }) => <Moment at={at} /> },
  { title: 'Who', cell: ({ actor }) => <b>{actor}</b> },
  { title: 'What', cell: ({ decision, seq }) => <DecisionText decision={decision} seq={seq} /> },
  { title: 'Why', cell: ({ decision }) => reasonOf(decision) },
];

function Filter(filter: { asked: Asked; actors: readonly string[]; showsAccess: boolean }): Markup {
  const { asked, actors, showsAccess } = filter;
  return (
    <FilterForm
      action={PATH}
      fields={[
        {
          name: 'who',
          label: 'Who',
          value: asked.who,
          options: actors.map((actor) => ({ value: actor, label: actor })),
        },
        {
          name: 'kind',
          label: 'What',
          value: asked.kind,
          options: kindsShown(KINDS, showsAccess).map((kind) => ({
            value: kind,
            label: KIND_NAMES[kind],
          })),
        },
        {
          name: 'subject',
          label: 'About',
          value: asked.subject,
          placeholder: 'an id, a name or a day',
        },
        { name: 'from', label: 'From (UTC)', value: asked.from, type: 'date' },
        { name: 'to', label: 'Until (UTC)', value: asked.to, type: 'date' },
      ]}
    />
  );
}

/** Says whose decisions were not read to the end, and links to them. */
function Unread({ found, asked }: { found: DecisionPage; asked: Asked }): Markup {
  if (found.unread.length === 0) return <></>;
  return (
    <ul class="foot">
      {found.unread.map(({ actor, before }) => (
        <li>
          {`${actor} made so many other decisions that those before fact ${grouped(before)} are left out here. `}
          <a href={hrefOf(asked, { who: actor, before })}>{`List ${actor} alone`}</a>
        </li>
      ))}
    </ul>
  );
}

/** Every decision with who made it, when and why, newest first. */
function AuditPage(shown: { found: DecisionPage; asked: Asked; showsAccess: boolean }): Markup {
  const { found, asked, showsAccess } = shown;
  return (
    <Card
      id="decisions"
      title="Decisions"
      live="deposits breaks policy close quarantine access runs tick"
      aside={<a href={hrefOf(asked, { path: `${PATH}.csv` })}>CSV</a>}
    >
      <Filter asked={asked} actors={found.actors} showsAccess={showsAccess} />
      {found.items.length === 0 ? (
        <EmptyState title="No decision matches.">
          <p>A decision is what a person, a consumer or the configuration changed.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Decisions, newest first"
          items={found.items}
          columns={COLUMNS}
          rowKey={({ seq }) => String(seq)}
          href={({ seq }) => `/console/journal/${seq}`}
        />
      )}
      <Unread found={found} asked={asked} />
      {asked.kind === undefined && (
        <p class="foot">
          Acknowledged credits and deposits evaluated again are left out: choose them under “What”.
        </p>
      )}
      {!showsAccess && (
        <p class="foot">
          Decisions about tokens and sessions are left out: to read them, ask{' '}
          {personWith('read-bodies')}.
        </p>
      )}
      <Pager
        previous={newerHref(asked)}
        next={found.next === null ? null : olderHref(asked, found.next)}
      />
    </Card>
  );
}

/** The members of a filter's link. */
const NAMES = ['who', 'kind', 'subject', 'from', 'to'];

/** Journal positions with a point between them, as a link has them. */
const POSITIONS = /^(?:\d{1,15}(?:\.\d{1,15})*)?$/;

/** Whether every value of a link exists. */
function areKnown(query: Readonly<Record<string, string>>): boolean {
  const { kind = '', from = '', to = '', before = '', newer = '' } = query;
  return (
    (kind === '' || KINDS.some((one) => one === kind)) &&
    [from, to].every((day) => day === '' || dayIn(day) !== undefined) &&
    /^\d{0,15}$/.test(before) &&
    POSITIONS.test(newer)
  );
}

/** What a link of known values asks for. */
function askedBy(query: Readonly<Record<string, string>>): Asked {
  const { who = '', kind, subject = '', from = '', to = '', before = '', newer = '' } = query;
  return {
    who: who === '' ? undefined : who,
    kind: KINDS.find((one) => one === kind),
    subject: subject.trim() === '' ? undefined : subject.trim(),
    from: dayIn(from) === undefined ? undefined : from,
    to: dayIn(to) === undefined ? undefined : to,
    before: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
    newer: newer === '' ? [] : newer.split('.').map(Number).slice(-NEWER_MAX),
  };
}

/** Who may make one of these calls finds the tokens there, or the decisions about them. */
const ACCESS_CALLS = [{ method: 'GET', path: '/v1/tokens' }, bodyCall()] as const;

/** `/console/audit`: the decisions of the journal, and their file. */
export function mountAudit(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, may } = context;
  const showsAccessTo = (pageRequest: PageRequest): boolean =>
    ACCESS_CALLS.some((call) => may(pageRequest, call));
  const unknown = 'There is no such kind of decision, day or fact.';
  const values = { areKnown, unknown };
  const known = knownFilters(context, { filters: NAMES, others: ['before', 'newer'], values });
  app.get(PATH, known, async (pageRequest) => {
    const asked = askedBy(pageRequest.req.query());
    const showsAccess = showsAccessTo(pageRequest);
    const found = await reads.decisions(queryOf(asked, showsAccess));
    const body = <AuditPage {...{ found, asked, showsAccess }} />;
    return show(pageRequest, { title: 'Audit', body });
  });
  app.get(`${PATH}.csv`, known, async (pageRequest) => {
    const asked = askedBy(pageRequest.req.query());
    const query = queryOf(asked, showsAccessTo(pageRequest));
    const { rows, isWhole } = await readForTable(reads, query);
    const fileName = isWhole ? 'decisions' : `decisions-incomplete-${rows.length}`;
    return tableDownload(pageRequest, decisionsTable(rows), { format: 'csv', fileName, facts: [] });
  });
}
