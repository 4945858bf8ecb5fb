import type { Hono } from 'hono';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { FeedItem, Oldest } from '../../store/answers.ts';
import type { Page } from '../../store/page.ts';
import { AmountFigure, hasLongAmount, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo, pageOf } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age, Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { knownFilters } from '../frame/known-filters.ts';
import { subjectLink } from '../parts/subject-link.ts';

const PATH = '/console/feed';
const PAGE_SIZE = 50;
/** The oldest unacknowledged credits that the page shows. */
const UNACKNOWLEDGED_SHOWN = 50;

function unacknowledgedColumns(decimals: Decimals, now: number): Column<Deposit>[] {
  return [
    {
      title: 'Deposit',
      cell: ({ depositId }) => (
        <Identifier value={depositId} href={subjectLink('deposit', depositId)} />
      ),
    },
    {
      title: 'Credit',
      cell: ({ credit }) => (credit === null ? '' : <Identifier value={credit.creditId} />),
    },
    {
      title: 'Amount',
      cell: ({ credit, amount, asset }) => (
        <AmountFigure amount={credit?.amount ?? amount} asset={asset} decimals={decimals} />
      ),
      is: 'number',
    },
    {
      title: 'Unacknowledged for',
      cell: ({ credit }) => (credit === null ? '' : <Age at={credit.creditedAt} now={now} />),
      is: 'number',
    },
  ];
}

/** Credits whose reference no consumer has sent. */
function UnacknowledgedCard(shown: {
  unacknowledged: Oldest<Deposit>;
  decimals: Decimals;
  now: number;
}): Markup {
  const { unacknowledged, decimals, now } = shown;
  const { items, total } = unacknowledged;
  return (
    <Card
      id="unacknowledged"
      title={`Not acknowledged (${grouped(total)})`}
      live="feed deposits tick"
      aside={<a href={linkTo('/console/deposits', { state: 'credited' })}>As deposits</a>}
    >
      {items.length === 0 ? (
        <EmptyState title="The consumers have acknowledged every credit." good />
      ) : (
        <DataTable
          caption="Credits that no consumer has acknowledged, the oldest first"
          items={items}
          columns={unacknowledgedColumns(decimals, now)}
          rowKey={({ depositId }) => `unacknowledged-${depositId}`}
          href={({ depositId }) => subjectLink('deposit', depositId)}
          folds={hasLongAmount(items, decimals)}
        />
      )}
      {total > items.length && (
        <p class="foot">{`The oldest ${items.length} of ${grouped(total)}.`}</p>
      )}
    </Card>
  );
}

/** Why an item has no reference. */
function missingText({ item, isReversed }: FeedItem): string {
  if (item.kind === 'reversal') return 'none';
  return isReversed ? 'reversed, needs none' : 'not acknowledged';
}

function Reference({ one }: { one: FeedItem }): Markup {
  if (one.reference !== null) return <span class="given">{one.reference}</span>;
  return <span class="muted">{missingText(one)}</span>;
}

function feedColumns(decimals: Decimals): Column<FeedItem>[] {
  return [
    {
      title: 'Item',
      cell: ({ item }) => (
        <Identifier value={item.creditId} href={subjectLink('deposit', item.deposit.depositId)} />
      ),
    },
    {
      title: 'Kind',
      cell: ({ item }) => (
        <>
          <Badge tone={item.kind === 'credit' ? 'good' : 'alarm'} text={item.kind} />
          {item.reverses !== null && <span class="why">{`of ${item.reverses}`}</span>}
        </>
      ),
    },
    {
      title: 'Amount',
      cell: ({ item }) => (
        <AmountFigure amount={item.amount} asset={item.deposit.asset} decimals={decimals} />
      ),
      is: 'number',
    },
    {
      title: 'Deposit',
      cell: ({ item }) => <Identifier value={item.deposit.depositId} />,
      is: 'wide',
    },
    { title: 'In the feed since', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { title: 'Reference', cell: (one) => <Reference one={one} /> },
  ];
}

function FeedCard({ found, decimals }: { found: Page<FeedItem>; decimals: Decimals }): Markup {
  return (
    <Card id="feed" title={`Credit feed (${grouped(found.total)})`} live="feed">
      {found.total === 0 ? (
        <EmptyState title="The feed has no item yet.">
          <p>A credit appears when a deposit has its depth and the custody API confirms it.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Items of the feed, newest first"
          items={found.items}
          columns={feedColumns(decimals)}
          rowKey={({ item }) => item.creditId}
          href={({ item }) => subjectLink('deposit', item.deposit.depositId)}
          folds={hasLongAmount(
            found.items.map(({ item }) => ({ amount: item.amount, asset: item.deposit.asset })),
            decimals,
          )}
        />
      )}
      <PageLinks found={found} href={(page) => linkTo(PATH, { page })} />
    </Card>
  );
}

/** `/console/feed`: credits that wait for their consumer, and every item of the feed. */
export function mountFeed(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, now, show } = context;
  const known = knownFilters(context, { filters: [], others: ['page'] });
  app.get(PATH, known, async (pageRequest) => {
    const page = { page: pageOf(pageRequest.req.query('page')), pageSize: PAGE_SIZE };
    const [found, unacknowledged, decimals] = await Promise.all([
      reads.feedPage(page),
      reads.unacknowledged(UNACKNOWLEDGED_SHOWN),
      reads.pinnedDecimals(),
    ]);
    const body = (
      <>
        <UnacknowledgedCard unacknowledged={unacknowledged} decimals={decimals} now={now()} />
        <FeedCard found={found} decimals={decimals} />
      </>
    );
    return show(pageRequest, { title: 'Credit feed', body });
  });
}
