import type { Hono } from 'hono';
import type { DecisionPage, StoredDecision } from '../../store/answers.ts';
import type { DecisionQuery } from '../../store/queries.ts';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/data-table.tsx';
import { EmptyState } from '../../pages/parts/empty-state.tsx';
import { FilterForm } from '../../pages/parts/filter-form.tsx';
import { grouped } from '../../pages/parts/figure.ts';
import { linkTo } from '../../pages/parts/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/moment.tsx';
import { Pager } from '../../pages/parts/pager.tsx';
import { DecisionText, KIND_NAMES, KINDS, KINDS_OF_PEOPLE, reasonOf } from './decision-text.tsx';

const PATH = '/console/audit';
const PAGE_SIZE = 50;

/** What the address asks for; undefined members do not filter. */
interface Asked {
  readonly who: string | undefined;
  readonly kind: (typeof KINDS)[number] | undefined;
  readonly before: number | undefined;
}

function queryOf({ who, kind, before }: Asked): DecisionQuery {
  return {
    limit: PAGE_SIZE,
    kinds: kind === undefined ? KINDS_OF_PEOPLE : [kind],
    ...(who === undefined ? {} : { actor: who }),
    ...(before === undefined ? {} : { before }),
  };
}

/** The link to the same list from another position, or of one actor alone. */
function hrefOf({ who, kind }: Asked, to: { before?: number; who?: string }): string {
  return linkTo(PATH, { who: to.who ?? who, kind, before: to.before });
}

const COLUMNS: readonly Column<StoredDecision>[] = [
  {
    title: 'Fact',
    cell: ({ seq }) => <a href={`/console/journal/${seq}`}>{grouped(String(seq))}</a>,
  },
  { title: 'When', cell: ({ at }) => <Moment at={at} /> },
  { title: 'Who', cell: ({ actor }) => <b>{actor}</b> },
  { title: 'What', cell: ({ decision, seq }) => <DecisionText decision={decision} seq={seq} /> },
  { title: 'Why', cell: ({ decision }) => reasonOf(decision) },
];

function Filter({ asked, actors }: { asked: Asked; actors: readonly string[] }): Markup {
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
          options: KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] })),
        },
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
          {`${actor} made so many other decisions that those before fact ${grouped(String(before))} are left out here. `}
          <a href={hrefOf(asked, { who: actor, before })}>{`List ${actor} alone`}</a>
        </li>
      ))}
    </ul>
  );
}

/** Every decision with who made it, when and why, newest first. */
export function AuditPage({ found, asked }: { found: DecisionPage; asked: Asked }): Markup {
  return (
    <Card id="decisions" title="Decisions" live="policy close quarantine tick">
      <Filter asked={asked} actors={found.actors} />
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
      {asked.kind === undefined ? (
        <p class="foot">
          Acknowledged credits and deposits evaluated again are left out: choose them under “What”.
        </p>
      ) : (
        ''
      )}
      <Pager
        previous={asked.before === undefined ? null : hrefOf(asked, {})}
        next={found.next === null ? null : hrefOf(asked, { before: found.next })}
      />
    </Card>
  );
}

/** `/console/audit`: the decisions of the journal. */
export function mountAudit(app: Hono<ConsoleEnv>, { reads, show }: ConsoleContext): void {
  app.get(PATH, async (visit) => {
    const { who = '', kind, before = '' } = visit.req.query();
    const asked: Asked = {
      who: who === '' ? undefined : who,
      kind: KINDS.find((one) => one === kind),
      before: /^\d{1,15}$/.test(before) ? Number(before) : undefined,
    };
    const found = await reads.decisions(queryOf(asked));
    return show(visit, { title: 'Audit', body: <AuditPage found={found} asked={asked} /> });
  });
}
