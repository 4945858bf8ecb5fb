import type { Amount } from '../../domain/money/amount.ts';
import { subjectLink } from '../parts/subject-link.ts';
import type { ClosedDayRow } from '../../store/records.ts';
import { balancesAtCutOff } from '../parts/book-links.ts';
import { AmountFigure } from '../../pages/parts/value/amount.tsx';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age } from '../../pages/parts/value/moment.tsx';
import { missingChainViewsText } from '../../report/missing-witness.ts';
import { NextClose } from '../parts/next-close.tsx';
import { CriticalBadge } from '../parts/value/critical-breaks.tsx';
import { StatusBadge } from '../parts/value/report-status.tsx';
import type { Snapshot } from './snapshot.ts';
import { differs, type TieOutRow } from './tie-out.ts';

/** The pages of the closed day that the card shows. */
interface Links {
  /** The asset's roll-forward and witnesses. */
  readonly asset: (row: TieOutRow) => string;
  /** The positions that make up the books or the chain view at the cut-off. */
  readonly balances: (row: TieOutRow, view: 'books' | 'chain') => string;
  readonly differences: string;
}

function linksOf({ day, cutOffAt }: ClosedDayRow): Links {
  const page = subjectLink('day', day);
  return {
    asset: ({ asset }) => `${linkTo(page, { asset })}#asset-${asset}`,
    balances: ({ asset }, view) => balancesAtCutOff({ view, asset }, cutOffAt),
    differences: `${page}#differences`,
  };
}

function figure(row: TieOutRow, amount: Amount, href: string, signed = false): Markup {
  const decimals = new Map(row.decimals === null ? [] : [[row.asset, row.decimals]]);
  return (
    <a href={href}>
      <AmountFigure amount={amount} asset={row.asset} decimals={decimals} signed={signed} bare />
    </a>
  );
}

/** Why an asset's books are not compared with the chain view. */
function NoChain({ row: { withoutChainView } }: { row: TieOutRow }): Markup {
  return (
    <>
      not compared <span class="why">{missingChainViewsText(withoutChainView)}</span>
    </>
  );
}

function difference(row: TieOutRow, { differences }: Links): Markup | string {
  const { chainDifference, custodyDifference } = row;
  if (!differs(row)) {
    const isCompared = chainDifference !== null || custodyDifference !== null;
    return isCompared ? <Badge tone="good" text="ties out" /> : '–';
  }
  const sides = [
    ['chain', chainDifference],
    ['custody', custodyDifference],
  ] as const;
  return (
    <>
      {sides.map(([side, amount]) =>
        amount === null || amount === 0n ? (
          ''
        ) : (
          <div class="difference">
            <Badge tone="alarm" text={side} /> {figure(row, amount, differences, true)}
          </div>
        ),
      )}
    </>
  );
}

function columnsOf(links: Links): Column<TieOutRow>[] {
  return [
    {
      title: 'Asset',
      cell: (row) => (
        <a class="id" href={links.asset(row)}>
          {row.asset}
        </a>
      ),
    },
    // Before the three sums: a narrow window cuts a table at its right side.
    { title: 'Difference', cell: (row) => difference(row, links), is: 'number' },
    {
      title: 'Books',
      cell: (row) => figure(row, row.books, links.balances(row, 'books')),
      is: 'number',
    },
    {
      title: 'Chain view',
      cell: (row) =>
        row.chain === null ? (
          <NoChain row={row} />
        ) : (
          figure(row, row.chain, links.balances(row, 'chain'))
        ),
      is: 'number',
    },
    {
      title: 'Custody',
      cell: (row) =>
        row.custody === null
          ? (row.withoutCustody ?? 'not compared')
          : figure(row, row.custody, links.asset(row)),
      is: 'number',
    },
  ];
}

/** When the last reconciliation ended, which says how fresh the comparisons of today are. */
function LastRun({ snapshot }: { snapshot: Snapshot }): Markup {
  const { lastRun, at } = snapshot;
  if (lastRun === undefined) return <span class="muted">no reconciliation has run yet</span>;
  return (
    <span class="muted">
      <a href={`/console/runs/${lastRun.seq}`}>reconciled</a>{' '}
      <Age at={lastRun.finishedAt} now={at} /> ago
    </span>
  );
}

function Verdict({ snapshot }: { snapshot: Snapshot }): Markup {
  const last = snapshot.lastClose;
  if (last === undefined) return <LastRun snapshot={snapshot} />;
  const { day, status, closedAt, custodyCompared } = last.close;
  const { critical } = snapshot.tieOut;
  const signed = last.signatures.map(({ role, person }) => `${role} ${person}`).join(', ');
  return (
    <p class="verdict">
      <a href={subjectLink('day', day)}>{day}</a> <StatusBadge status={status} />{' '}
      {critical !== null && <CriticalBadge critical={critical} />}
      <span class="muted">
        closed <Age at={closedAt} now={snapshot.at} /> ago;{' '}
        {custodyCompared ? '' : 'not compared with custody; '}
        {signed === '' ? 'not signed' : signed};
      </span>{' '}
      <LastRun snapshot={snapshot} />
    </p>
  );
}

/** What the card will show, from when on, and where to look until then. */
function NoClosedDay({
  lastRun,
  nextCloseAt,
  timezone,
}: Pick<Snapshot, 'lastRun' | 'nextCloseAt' | 'timezone'>): Markup {
  return (
    <EmptyState title="No day is closed yet.">
      <p>
        A close compares books, chain view and custody for each asset at midnight, {timezone}. Then
        this card shows the three figures, and every difference.
      </p>
      <p>
        <NextClose at={nextCloseAt} />
      </p>
      {lastRun === undefined ? (
        <p>
          To compare now, an operator starts a reconciliation under <a href="/console/runs">Runs</a>
          .
        </p>
      ) : (
        <p>
          Until then, read <a href={`/console/runs/${lastRun.seq}`}>the last reconciliation</a>, the{' '}
          <a href="/console/breaks">open breaks</a> and the <a href="/console/books">balances</a>.
        </p>
      )}
    </EmptyState>
  );
}

/** Whether the last closed day ties out: books, chain view and custody side by side. */
export function TieOutCard({ snapshot }: { snapshot: Snapshot }): Markup {
  const { tieOut, lastClose } = snapshot;
  return (
    <Card id="tie-out" title="Tie-out" live="close tick" aside={<Verdict snapshot={snapshot} />}>
      {lastClose === undefined ? (
        <NoClosedDay {...snapshot} />
      ) : (
        <DataTable
          caption="The last closed day by asset"
          items={tieOut.rows}
          columns={columnsOf(linksOf(lastClose.close))}
          rowKey={({ asset }) => `asset-${asset}`}
          folds
        />
      )}
    </Card>
  );
}
