import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import { movedBy } from '../../report/tables/withdrawals-table.ts';
import type { Page } from '../../store/page.ts';
import { AmountFigure, hasLongAmount, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { FoldedFilter } from '../../pages/parts/form/filter-form.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import { ProblemNotice } from '../../pages/parts/notice.tsx';
import { movementsLink } from '../parts/book-links.ts';
import { subjectLink } from '../parts/subject-link.ts';
import { Views, type View } from '../parts/list/views.tsx';
import type { FilterProblem } from '../parts/list/filter-problem.ts';
import { fieldsOf, PATH, type WithdrawalFilter } from './filter.ts';
import { OF_CUSTODY, toneOf } from './situation.ts';
import { Downloads } from '../parts/list/downloads.tsx';

/** Lists that people open every day, each a filter. */
const VIEWS: readonly View[] = [
  { name: 'All', href: PATH },
  { name: 'Submitted', href: linkTo(PATH, { status: 'submitted' }) },
  { name: 'Mined', href: linkTo(PATH, { status: 'mined' }) },
  { name: 'Failed', href: linkTo(PATH, { status: 'failed' }) },
  { name: 'Doubted', href: linkTo(PATH, { custody: 'doubted' }) },
  { name: 'Unknown to custody', href: linkTo(PATH, { custody: 'unknown' }) },
];

/** A withdrawal's last event that is not merely informational. */
export function StatusBadge({ one }: { one: Pick<Withdrawal, 'status' | 'reasonCode'> }): Markup {
  const { status, reasonCode } = one;
  return (
    <>
      <Badge tone={toneOf(status)} text={status ?? 'informational'} />
      {reasonCode !== null && <span class="why">{reasonCode.replaceAll('_', ' ')}</span>}
    </>
  );
}

/** What a withdrawal moved, by asset, with its fees; nothing before it is mined. */
export function Moved({ one, decimals }: { one: Withdrawal; decimals: Decimals }): Markup {
  const moved = movedBy(one);
  if (moved.length === 0) return <span class="muted">nothing posted</span>;
  return (
    <>
      {moved.map(({ asset, amount, fee }) => (
        <>
          {amount !== 0n && (
            <AmountFigure amount={amount} asset={asset} decimals={decimals} signed />
          )}
          {fee !== 0n && (
            <span class="why">
              fee <AmountFigure amount={fee} asset={asset} decimals={decimals} signed />
            </span>
          )}
        </>
      ))}
    </>
  );
}

/** Amounts and fees, each of which stands on a line of its own. */
function movedAmounts(one: Withdrawal): { asset: string; amount: bigint }[] {
  return movedBy(one).flatMap(({ asset, amount, fee }) => [
    { asset, amount },
    { asset, amount: fee },
  ]);
}

function columnsOf(decimals: Decimals): Column<Withdrawal>[] {
  return [
    {
      title: 'Transaction',
      cell: ({ transactionId }) => (
        <Identifier value={transactionId} href={subjectLink('withdrawal', transactionId)} />
      ),
    },
    { title: 'Status', cell: (one) => <StatusBadge one={one} /> },
    { title: 'Moved', cell: (one) => <Moved one={one} decimals={decimals} />, is: 'number' },
    {
      title: 'Destination address',
      cell: ({ destinationAddress: to }) =>
        to === null ? <span class="muted">not reported</span> : <Identifier value={to} />,
    },
    {
      title: 'Custody API',
      cell: ({ custody }) => <Badge tone={OF_CUSTODY[custody].tone} text={custody} />,
    },
    { title: 'First seen', cell: ({ firstSeenAt }) => <Moment at={firstSeenAt} /> },
    {
      title: 'Hash',
      cell: ({ blockchainHash: hash }) =>
        hash === null ? (
          <span class="muted">none yet</span>
        ) : (
          <Identifier value={hash} href={movementsLink(hash)} />
        ),
      is: 'wide',
    },
  ];
}

function NoWithdrawals({ isAll }: { isAll: boolean }): Markup {
  return (
    <EmptyState title={isAll ? 'No withdrawal is known yet.' : 'No withdrawal is like this.'}>
      {isAll ? (
        <p>The first notification of the outgoing stream about a transaction makes one.</p>
      ) : (
        <p>
          Identifiers compare whole and letter by letter. <a href={PATH}>Show all withdrawals</a>
        </p>
      )}
    </EmptyState>
  );
}

/** The list of withdrawals with its filter, which is a link. */
export function WithdrawalsPage(shown: {
  filter: WithdrawalFilter;
  found: Page<Withdrawal>;
  decimals: Decimals;
  /** Null in a public console. */
  person: string | null;
  problem: FilterProblem | null;
}): Markup {
  const { filter, found, decimals, person, problem } = shown;
  return (
    <>
      <Views views={VIEWS} here={linkTo(PATH, filter)} person={person} />
      <FoldedFilter action={PATH} fields={fieldsOf(filter, decimals)} open={problem !== null} />
      {(filter.asset !== undefined || filter.amount !== undefined) && (
        <p class="muted">
          An asset or an amount is looked for in what the newest 10,000 withdrawals moved.
        </p>
      )}
      <Card
        id="withdrawals"
        title="Withdrawals"
        live="withdrawals"
        aside={
          <Downloads csv={linkTo(`${PATH}.csv`, filter)} xlsx={linkTo(`${PATH}.xlsx`, filter)} />
        }
      >
        {problem !== null ? (
          <ProblemNotice problem={problem} />
        ) : found.total === 0 ? (
          <NoWithdrawals isAll={Object.keys(filter).length === 0} />
        ) : (
          <DataTable
            caption="Withdrawals, newest first"
            items={found.items}
            columns={columnsOf(decimals)}
            rowKey={({ transactionId }) => transactionId}
            href={({ transactionId }) => subjectLink('withdrawal', transactionId)}
            folds={hasLongAmount(found.items.flatMap(movedAmounts), decimals)}
          />
        )}
        <PageLinks found={found} href={(page) => linkTo(PATH, { ...filter, page })} />
      </Card>
    </>
  );
}
