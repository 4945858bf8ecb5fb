import type { Child } from 'hono/jsx';
import type { ReportBreak, ReportInTransit, ReportUnconfirmed } from '../../domain/close/report.ts';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { spanText } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { mostSevereFirst } from '../../report/critical-breaks.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import { pageWithin } from '../../store/page.ts';
import { Prose } from '../parts/value/prose.tsx';
import { ReportAmount } from './asset-card.tsx';
import { LIST_PAGE_SIZE, listLink, type AskedDay } from './asked-day.ts';
import { presentText, ResolvedSince, type BreaksNow } from './breaks-now.tsx';
import type { DayReport } from './day-report.ts';
import { Moved } from './difference-cards.tsx';

/** A list of the report that is shown only where the day has such items. */
function ItemCard<Item>(list: {
  asked: AskedDay;
  /** Also the card's id. */
  name: 'transit' | 'unconfirmed' | 'breaks';
  title: string;
  items: readonly Item[];
  columns: readonly Column<Item>[];
}): Markup {
  const { asked, name, title, items, columns } = list;
  if (items.length === 0) return <></>;
  const numbered = items.map((item, index) => ({ item, index }));
  const found = pageWithin(numbered, { page: asked.pages[name], pageSize: LIST_PAGE_SIZE });
  return (
    <Card id={name} title={`${title} (${found.total})`}>
      <DataTable
        caption={title}
        items={found.items}
        columns={columns.map(({ cell, ...column }) => ({
          ...column,
          cell: ({ item }: { item: Item }) => cell(item),
        }))}
        rowKey={({ index }) => `${name}-${index}`}
      />
      <PageLinks found={found} href={(to) => `${listLink(asked, name, to)}#${name}`} />
    </Card>
  );
}

function amountColumn<Item extends { amount: string; asset: string }>({
  decimals,
}: DayReport): Column<Item> {
  return {
    title: 'Amount',
    cell: ({ amount, asset }) => (
      <ReportAmount amount={amount} asset={asset} decimals={decimals} signed />
    ),
    is: 'number',
  };
}

function breakColumns({ decimals }: DayReport, now: BreaksNow): Column<ReportBreak>[] {
  return [
    {
      title: 'Break',
      cell: ({ breakId }) => (
        <Identifier value={breakId} href={`/console/breaks/${encodeURIComponent(breakId)}`} />
      ),
    },
    {
      title: 'Type',
      cell: ({ breakId, type, severity, detail, state, asset }): Child => {
        const current = now.get(breakId);
        const text = presentText({ detail, state }, current);
        return (
          <>
            <Badge tone={severity} text={severity} /> {type.replaceAll('_', ' ')}
            <span class="why">
              <Prose text={text} asset={asset} decimals={decimals} />
            </span>
            <ResolvedSince now={current} />
          </>
        );
      },
    },
    {
      title: 'Difference',
      cell: ({ difference, asset }) =>
        difference === null || asset === null ? (
          <span class="muted">no figure</span>
        ) : (
          <>
            <ReportAmount amount={difference} asset={asset} decimals={decimals} signed />
            <span class="why">{asset}</span>
          </>
        ),
      is: 'number',
    },
    { title: 'Open for', cell: ({ ageSeconds }) => spanText(ageSeconds * 1_000), is: 'number' },
  ];
}

/** What was open at the cut-off: own transfers, debits that custody did not confirm, and breaks. */
export function OpenItemCards(shown: {
  day: DayReport;
  asked: AskedDay;
  breaksNow: BreaksNow;
}): Markup {
  const { day, asked, breaksNow } = shown;
  const { inTransit, unconfirmed = [], openBreaks } = day.report;
  const transitColumns: Column<ReportInTransit>[] = [
    { title: 'Hash', cell: (one) => <Moved one={one} /> },
    {
      title: 'Waits for',
      cell: ({ kind, leg = 'credit' }) =>
        `${kind === 'change' ? 'change' : 'own transfer'}: ${leg === 'debit' ? 'the credit' : 'the debit'} is not booked yet`,
    },
    amountColumn(day),
  ];
  const unconfirmedColumns: Column<ReportUnconfirmed>[] = [
    { title: 'Hash', cell: (one) => <Moved one={one} /> },
    amountColumn(day),
  ];
  return (
    <>
      <ItemCard
        asked={asked}
        name="transit"
        title="Own transfers in transit"
        items={inTransit}
        columns={transitColumns}
      />
      <ItemCard
        asked={asked}
        name="unconfirmed"
        title="Own debits not confirmed by custody"
        items={unconfirmed}
        columns={unconfirmedColumns}
      />
      <ItemCard
        asked={asked}
        name="breaks"
        title="Breaks open at the cut-off"
        items={mostSevereFirst(openBreaks)}
        columns={breakColumns(day, breaksNow)}
      />
    </>
  );
}
