import type { Child } from 'hono/jsx';
import type { PriorDayItem, ReportDifference } from '../../domain/close/report.ts';
import { Badge, type Tone } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import { noDifferences } from '../../report/no-differences.ts';
import { shownDetail } from '../../report/shown-detail.ts';
import { pageWithin } from '../../store/page.ts';
import { movementsLink } from '../parts/book-links.ts';
import { Prose } from '../parts/value/prose.tsx';
import { ReportAmount } from './asset-card.tsx';
import { CLOSE_PATH } from './calendar.tsx';
import { LIST_PAGE_SIZE, listLink, type AskedDay } from './asked-day.ts';
import { presentText, ResolvedSince, type BreaksNow } from './breaks-now.tsx';
import type { DayReport } from './day-report.ts';

/** Colours of explanations: final, open, or none. */
function toneOf({ explanation }: ReportDifference): Tone {
  switch (explanation) {
    case 'timing':
    case 'resolved_break':
    case 'exempt':
    case 'suspense':
    case 'burned_fee':
      return 'good';
    case 'in_grace':
    case 'break':
    case 'custody_pending':
    case 'chain_not_told':
      return 'warn';
    case 'unexplained':
      return 'alarm';
    default:
      return explanation satisfies never;
  }
}

const WORDS: Partial<Record<ReportDifference['explanation'], string>> = {
  chain_not_told: 'no chain view',
};

function Explanation(
  props: { one: ReportDifference; breaksNow: BreaksNow } & Pick<DayReport, 'decimals'>,
): Markup {
  const { one, breaksNow, decimals } = props;
  const { explanation, breakId, asset } = one;
  const now = explanation === 'break' && breakId !== null ? breaksNow.get(breakId) : undefined;
  const text = presentText({ detail: shownDetail(one), state: 'open' }, now);
  return (
    <>
      <Badge tone={toneOf(one)} text={WORDS[explanation] ?? explanation} />{' '}
      {breakId !== null && <Identifier value={breakId} href={`/console/breaks/${breakId}`} />}
      <span class="why">
        <Prose text={text} asset={asset} decimals={decimals} />
      </span>
      <ResolvedSince now={now} />
    </>
  );
}

/** A hash, and the vault and asset that it moved. */
export function Moved({
  one,
}: {
  one: { blockchainHash: string; vaultId: string; asset: string };
}): Child {
  return (
    <>
      <Identifier value={one.blockchainHash} href={movementsLink(one.blockchainHash)} />
      <span class="why">{`${one.asset} in ${one.vaultId}`}</span>
    </>
  );
}

function differenceColumns(
  { decimals }: DayReport,
  breaksNow: BreaksNow,
): Column<ReportDifference>[] {
  const column = (
    title: string,
    figure: 'actual' | 'expected' | 'difference',
  ): Column<ReportDifference> => ({
    title,
    cell: (one) => (
      <ReportAmount
        amount={one[figure]}
        asset={one.asset}
        decimals={decimals}
        signed={figure === 'difference'}
      />
    ),
    is: 'number',
  });
  return [
    { title: 'Hash', cell: (one) => <Moved one={one} /> },
    { title: 'Against', cell: ({ against }) => against },
    column('Ours', 'actual'),
    column('Theirs', 'expected'),
    column('Difference', 'difference'),
    { title: 'Explanation', cell: (one) => <Explanation {...{ one, decimals, breaksNow }} /> },
  ];
}

/** The differences by hash, each with its explanation. */
export function DifferencesCard(shown: {
  day: DayReport;
  asked: AskedDay;
  breaksNow: BreaksNow;
}): Markup {
  const { day, asked, breaksNow } = shown;
  const request = { page: asked.pages.differences, pageSize: LIST_PAGE_SIZE };
  const found = pageWithin(day.report.differences, request);
  const none = noDifferences(day.report);
  return (
    <Card id="differences" title={`Differences (${found.total})`}>
      {found.total === 0 ? (
        <EmptyState title={none.text} good={none.isCompared} />
      ) : (
        <DataTable
          caption="Differences by hash"
          items={found.items}
          columns={differenceColumns(day, breaksNow)}
          rowKey={({ against, vaultId, blockchainHash, asset }) =>
            `${against}-${vaultId}-${blockchainHash}-${asset}`
          }
          folds
        />
      )}
      <PageLinks found={found} href={(to) => `${listLink(asked, 'differences', to)}#differences`} />
    </Card>
  );
}

const REASONS: Record<PriorDayItem['reason'], string> = {
  late_event: 'happened before the last cut-off',
  recorded_late: 'recorded late',
  reversal: 'reverses or repeats a closed day’s entry',
  suspense: 'books an older movement',
  reclassified: 'belongs to another category now',
  custody_late: 'custody showed it too late for its day',
};

function priorColumns({ decimals }: DayReport): Column<PriorDayItem>[] {
  return [
    {
      title: 'Belongs to',
      cell: ({ day }) => <a href={`${CLOSE_PATH}/${day}`}>{day}</a>,
    },
    { title: 'Hash', cell: (one) => <Moved one={one} /> },
    {
      title: 'Why',
      cell: ({ reason, detail, from, to }) => (
        <>
          {REASONS[reason]}
          {from === undefined || to === undefined ? '' : ` (from ${from} to ${to})`}
          <span class="why">{detail}</span>
        </>
      ),
    },
    {
      title: 'Happened',
      cell: ({ eventAt }) => (eventAt === null ? '' : <Moment at={Date.parse(eventAt)} />),
    },
    {
      title: 'Amount',
      cell: ({ amount, asset }) => (
        <ReportAmount amount={amount} asset={asset} decimals={decimals} signed />
      ),
      is: 'number',
    },
  ];
}

/** Movements that this day counts and that belong to an earlier closed day. */
export function PriorDayCard({ day, asked }: { day: DayReport; asked: AskedDay }): Markup {
  const numbered = day.report.priorDay.map((item, index) => ({ ...item, index }));
  const found = pageWithin(numbered, { page: asked.pages.prior, pageSize: LIST_PAGE_SIZE });
  return (
    <Card id="prior-day" title={`Prior-day items (${found.total})`}>
      {found.total === 0 ? (
        <EmptyState title="Nothing in this day belongs to an earlier closed day." good />
      ) : (
        <DataTable
          caption="Prior-day items"
          items={found.items}
          columns={priorColumns(day)}
          rowKey={({ index }) => `prior-${index}`}
        />
      )}
      <PageLinks found={found} href={(to) => `${listLink(asked, 'prior', to)}#prior-day`} />
    </Card>
  );
}
