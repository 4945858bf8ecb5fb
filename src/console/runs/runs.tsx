import type { Hono } from 'hono';
import type { ReconciliationRow } from '../../store/records.ts';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { textOf } from '../../pages/parts/form/form-text.ts';
import { linkTo, pageOf } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age, Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import type { Page } from '../../store/page.ts';
import { RunDetail, sumOf } from './run-detail.tsx';

const PATH = '/console/runs';
const PAGE_SIZE = 50;
/** Breaks that the page of a run lists. */
const OPENED_SHOWN = 50;
/** The call of the API that runs one. */
const RUN_NOW = { method: 'POST', path: '/v1/reconciliations' } as const;

function columnsAt(now: number): Column<ReconciliationRow>[] {
  return [
    {
      title: 'Run',
      cell: (run) => <a href={`${PATH}/${run.seq}`}>{`rec_${run.seq}`}</a>,
    },
    { title: 'Finished', cell: ({ finishedAt }) => <Moment at={finishedAt} /> },
    { title: 'Age', cell: ({ finishedAt }) => <Age at={finishedAt} now={now} />, is: 'number' },
    {
      title: 'Result',
      cell: ({ incomplete, broken }) => {
        if (incomplete !== null) return <Badge tone="warn" text="incomplete" />;
        return broken > 0 ? (
          <Badge tone="alarm" text="breaks" />
        ) : (
          <Badge tone="good" text="no new difference" />
        );
      },
    },
    { title: 'Matched', cell: ({ matched }) => grouped(matched), is: 'number' },
    { title: 'Breaks', cell: ({ broken }) => grouped(broken), is: 'number' },
    { title: 'Exempt', cell: ({ exempt }) => grouped(sumOf(exempt)), is: 'number' },
    { title: 'Skipped', cell: ({ skipped }) => grouped(sumOf(skipped)), is: 'number' },
    { title: 'Requests', cell: ({ requests }) => grouped(requests), is: 'number' },
  ];
}

/** The list of runs. `mayRun`: the visitor may start one. */
function RunsPage(shown: { found: Page<ReconciliationRow>; now: number; mayRun: boolean }): Markup {
  const { found, now, mayRun } = shown;
  const effect =
    'Compares books, chain view and custody API now, opens and resolves breaks, and repairs missing notifications. It waits for the outcome.';
  return (
    <Card
      id="runs"
      title="Reconciliation runs"
      live="runs"
      aside={mayRun && <ConfirmForm action={PATH} label="Run now" effect={effect} />}
    >
      {found.total === 0 ? (
        <EmptyState title="No reconciliation has run yet.">
          <p>The first one runs at the next time of reconcile.sweep in the configuration.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Reconciliation runs, newest first"
          items={found.items}
          columns={columnsAt(now)}
          rowKey={({ seq }) => String(seq)}
          href={({ seq }) => `${PATH}/${seq}`}
        />
      )}
      <PageLinks found={found} href={(page) => linkTo(PATH, { page })} />
    </Card>
  );
}

/** `/console/runs`: the list, one run, and a run on request. */
export function mountRuns(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show, missing, may, perform } = context;
  const known = knownFilters(context, { filters: [], others: ['page'] });
  app.get(PATH, known, async (pageRequest) => {
    const page = { page: pageOf(pageRequest.req.query('page')), pageSize: PAGE_SIZE };
    const found = await reads.reconciliations(page);
    const body = <RunsPage found={found} now={now()} mayRun={may(pageRequest, RUN_NOW)} />;
    return show(pageRequest, { title: 'Runs', body });
  });
  // The API calls the run `rec_7`, and links say `7`.
  app.get(`${PATH}/:run{(?:rec_)?[0-9]{1,15}}`, async (pageRequest) => {
    const seq = pageRequest.req.param('run').replace('rec_', '');
    const run = await reads.reconciliation(Number(seq));
    if (run === undefined) return missing(pageRequest, `There is no run rec_${seq}.`);
    const during = { openedAfter: run.startedAt - 1, openedUntil: run.finishedAt };
    const opened = await reads.breaks(
      { ...during, sort: 'openedAt:asc' },
      { page: 0, pageSize: OPENED_SHOWN },
    );
    const body = <RunDetail {...{ run, opened }} now={now()} />;
    return show(pageRequest, { title: `Run rec_${seq}`, body });
  });
  app.post(PATH, async (pageRequest) => {
    const reason = textOf(await pageRequest.req.parseBody(), 'reason');
    const done = 'The reconciliation has run.';
    return perform(pageRequest, { ...RUN_NOW, body: { reason }, done, back: PATH });
  });
}
