import { ignoresCase } from '../../domain/chain/network-address.ts';
import { depthOf, type Deposit } from '../../domain/deposit/deposit.ts';
import type { DepositsFound } from '../../store/answers.ts';
import { AmountFigure, hasLongAmount, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped, momentText } from '../../pages/parts/value/figure.ts';
import { FoldedFilter } from '../../pages/parts/form/filter-form.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { Pager } from '../../pages/parts/list/pager.tsx';
import { ProblemNotice } from '../../pages/parts/notice.tsx';
import { StateBadge } from '../parts/value/deposit-state.tsx';
import { Views, type View } from '../parts/list/views.tsx';
import type { FilterProblem } from '../parts/list/filter-problem.ts';
import { fieldsOf, PATH, WITHOUT_OWNER, type DepositFilter } from './filter.ts';
import { Downloads } from '../parts/list/downloads.tsx';

/** Lists that people open every day, each a filter. */
const VIEWS: readonly View[] = [
  { name: 'All', href: linkTo(PATH, {}) },
  { name: 'Held', href: linkTo(PATH, { state: 'held' }) },
  { name: 'To approve', href: linkTo(PATH, { state: 'held', reason: 'approval_required' }) },
  { name: 'Without owner', href: linkTo(PATH, { state: 'held', reason: WITHOUT_OWNER }) },
  { name: 'Verifying', href: linkTo(PATH, { state: 'verifying' }) },
  { name: 'Confirming', href: linkTo(PATH, { state: 'confirming' }) },
  { name: 'Not acknowledged', href: linkTo(PATH, { state: 'credited' }) },
  { name: 'Reversed', href: linkTo(PATH, { state: 'reversed' }) },
];

/** Why nobody knows the owner; null when something names one. */
function unknownOwner({ unattributed, memo, reason }: Deposit): string | null {
  if (unattributed) return `memo ${memo} is not registered`;
  return reason === 'memo_required' ? 'it came without a memo' : null;
}

/** The owner that a person named, else the memo, account, address or vault by which it is found. */
function Owner({ deposit }: { deposit: Deposit }): Markup {
  const { attributedTo, memo, accountId, addressId, vaultId } = deposit;
  if (attributedTo !== null) return <span class="given">{attributedTo}</span>;
  const unknown = unknownOwner(deposit);
  if (unknown !== null) {
    return (
      <>
        <span class="muted">unknown</span> <span class="why">{unknown}</span>
      </>
    );
  }
  if (memo !== null) return <>memo {memo}</>;
  if (accountId === null && addressId !== null) {
    return (
      <>
        address id <Identifier value={addressId} />
      </>
    );
  }
  const lack = accountId === null ? 'no address, account or memo' : 'no address';
  return (
    <>
      {accountId === null ? 'vault' : 'account'} <Identifier value={accountId ?? vaultId} />
      {addressId === null && <span class="why">{lack}</span>}
    </>
  );
}

function columns(decimals: Decimals): Column<Deposit>[] {
  return [
    {
      title: 'Deposit',
      cell: ({ depositId }) => <Identifier value={depositId} href={`${PATH}/${depositId}`} />,
    },
    { title: 'State', cell: (deposit) => <StateBadge deposit={deposit} /> },
    {
      title: 'Amount',
      cell: ({ depositId, amount, asset }) => (
        <a href={`${PATH}/${depositId}`}>
          <AmountFigure amount={amount} asset={asset} decimals={decimals} />
        </a>
      ),
      is: 'number',
    },
    {
      title: 'Depth',
      cell: (deposit) => `${depthOf(deposit)}/${deposit.requiredConfirmations}`,
      is: 'number',
    },
    { title: 'Owner', cell: (deposit) => <Owner deposit={deposit} /> },
    { title: 'First seen', cell: ({ firstSeenAt }) => <Moment at={firstSeenAt} /> },
    {
      title: 'Hash',
      cell: ({ blockchainHash }) => <Identifier value={blockchainHash} />,
      is: 'wide',
    },
  ];
}

function position({ items, total }: DepositsFound): string {
  const shown = grouped(items.length);
  return total === null ? `${shown} on this page` : `${shown} of ${grouped(total)}`;
}

/** How the filter compares what it names. */
function comparisonText({ networkAddress }: DepositFilter): string {
  return networkAddress !== undefined && ignoresCase(networkAddress)
    ? 'Capital and small letters of this on-chain address are equal. The address compares whole, like every identifier.'
    : 'Identifiers compare whole and letter by letter.';
}

function Found(list: { filter: DepositFilter; found: DepositsFound; decimals: Decimals }): Markup {
  const { filter, found, decimals } = list;
  const { items, older, newer, searchedTo } = found;
  const pageLink = (side: 'after' | 'before', depositId: string | null): string | null =>
    depositId === null ? null : linkTo(PATH, { ...filter, [side]: depositId });
  // The deposits of this page may no longer match the filter, while others still do.
  const isEmpty = items.length === 0 && older === null && newer === null;
  return (
    <>
      {isEmpty ? (
        <EmptyState title="No deposit is like this.">
          {linkTo(PATH, filter) === PATH ? (
            <p>The first notification of an incoming transaction makes one.</p>
          ) : (
            <p>
              {comparisonText(filter)} <a href={PATH}>Show all deposits</a>
            </p>
          )}
        </EmptyState>
      ) : (
        <DataTable
          caption="Deposits, newest first"
          items={items}
          columns={columns(decimals)}
          rowKey={({ depositId }) => depositId}
          href={({ depositId }) => `${PATH}/${depositId}`}
          folds={hasLongAmount(items, decimals)}
        />
      )}
      {searchedTo !== null && (
        <p class="foot">
          The search has come back to {momentText(searchedTo)}. “Next” continues from there; a hash,
          a state or a day makes it shorter.
        </p>
      )}
      <Pager
        previous={pageLink('before', newer)}
        next={pageLink('after', older)}
        position={position(found)}
      />
    </>
  );
}

/** The list of deposits with its filter, which is a link. */
export function DepositsPage(shown: {
  filter: DepositFilter;
  decimals: Decimals;
  /** Null in a public console. */
  person: string | null;
  result: { readonly found: DepositsFound } | { readonly problem: FilterProblem };
}): Markup {
  const { filter, decimals, person, result } = shown;
  const fields = fieldsOf(filter, decimals);
  return (
    <>
      <Views views={VIEWS} here={linkTo(PATH, filter)} person={person} />
      <FoldedFilter action={PATH} fields={fields} open={'problem' in result} />
      <Card
        id="deposits"
        title="Deposits"
        live="deposits"
        aside={
          <Downloads csv={linkTo(`${PATH}.csv`, filter)} xlsx={linkTo(`${PATH}.xlsx`, filter)} />
        }
      >
        {'problem' in result ? (
          <ProblemNotice problem={result.problem} />
        ) : (
          <Found filter={filter} found={result.found} decimals={decimals} />
        )}
      </Card>
    </>
  );
}
