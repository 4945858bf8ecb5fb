import type { Balance } from '../../store/answers.ts';
import type { Page } from '../../store/page.ts';
import type { BalanceQuery } from '../../store/queries.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
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
import { BOOKS_PATH, statementLink } from '../parts/book-links.ts';
import { periodUntil, type ClosedDayPeriod } from './closed-days.ts';
import type { FilterProblem } from '../parts/list/filter-problem.ts';
import { balanceFields, type BalanceFilter } from './balance-filter.ts';
import { Downloads } from '../parts/list/downloads.tsx';
import { Part } from '../parts/value/part.tsx';

function columnsOf(
  query: BalanceQuery,
  decimals: Decimals,
  statementOf: (one: Balance) => string,
): Column<Balance>[] {
  const { view, asOf } = query;
  const pending: Column<Balance> = {
    title: 'Pending',
    cell: ({ pending: amount, asset }) =>
      amount === 0n ? (
        <span class="muted">0</span>
      ) : (
        <AmountFigure amount={amount} asset={asset} decimals={decimals} />
      ),
    is: 'number',
  };
  return [
    {
      title: 'Vault',
      cell: (one) => <Identifier value={one.vaultId} href={statementOf(one)} />,
    },
    { title: 'Account', cell: ({ accountId }) => <Part value={accountId} /> },
    { title: 'Address id', cell: ({ addressId }) => <Part value={addressId} /> },
    { title: 'Memo', cell: ({ memo }) => <Part value={memo} /> },
    {
      title: 'Amount',
      cell: ({ amount, asset }) => (
        <AmountFigure amount={amount} asset={asset} decimals={decimals} />
      ),
      is: 'number',
    },
    ...(view === 'books' && asOf === undefined ? [pending] : []),
  ];
}

function NoBalances({ filter }: { filter: BalanceFilter }): Markup {
  const isAll = Object.keys(filter).length === 0;
  return (
    <EmptyState title={isAll ? 'No position holds anything yet.' : 'No position is like this.'}>
      {isAll ? (
        <p>
          The first confirmation of a deposit, and a mined withdrawal, post to a position: vault,
          account, address, memo and asset.
        </p>
      ) : (
        <p>
          Positions with a balance of zero are left out. Identifiers compare whole and letter by
          letter. <a href={BOOKS_PATH}>Show all balances</a>
        </p>
      )}
    </EmptyState>
  );
}

function Found(list: {
  filter: BalanceFilter;
  query: BalanceQuery;
  found: Page<Balance>;
  decimals: Decimals;
  closedDays: readonly ClosedDayPeriod[];
}): Markup {
  const { filter, query, found, decimals, closedDays } = list;
  const { view, asOf } = query;
  if (found.total === 0) return <NoBalances filter={filter} />;
  const period = asOf === undefined ? {} : periodUntil(asOf, closedDays);
  const statementOf = (one: Balance): string => statementLink({ ...one, view }, period);
  return (
    <>
      <p class="muted">
        {view === 'books' ? 'The books' : 'The chain view'}{' '}
        {asOf === undefined ? (
          'now'
        ) : (
          <>
            as of <Moment at={asOf} />
          </>
        )}
        . A vault opens the position’s statement.
      </p>
      <DataTable
        caption="Balances by position"
        items={found.items}
        columns={columnsOf(query, decimals, statementOf)}
        rowKey={({ vaultId, accountId, addressId, memo, asset }) =>
          [vaultId, accountId, addressId, memo, asset].map((part) => part ?? '').join('/')
        }
        href={statementOf}
      />
      <PageLinks found={found} href={(page) => linkTo(BOOKS_PATH, { ...filter, page })} />
    </>
  );
}

/** Balances by position, with their filter, which is a link. */
export function BalancesPage(shown: {
  filter: BalanceFilter;
  decimals: Decimals;
  closedDays: readonly ClosedDayPeriod[];
  result:
    | { readonly query: BalanceQuery; readonly found: Page<Balance> }
    | { readonly problem: FilterProblem };
}): Markup {
  const { filter, decimals, closedDays, result } = shown;
  const fields = balanceFields(filter, decimals);
  return (
    <>
      <FoldedFilter action={BOOKS_PATH} fields={fields} open={'problem' in result} />
      <Card
        id="balances"
        title="Balances"
        live="books"
        aside={
          <Downloads
            csv={linkTo(`${BOOKS_PATH}/balances/csv`, filter)}
            xlsx={linkTo(`${BOOKS_PATH}/balances/xlsx`, filter)}
          />
        }
      >
        {'problem' in result ? (
          <ProblemNotice problem={result.problem} />
        ) : (
          <Found {...{ filter, decimals, closedDays }} query={result.query} found={result.found} />
        )}
      </Card>
    </>
  );
}
