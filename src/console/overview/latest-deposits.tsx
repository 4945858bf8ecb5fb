import { depthOf, type Deposit } from '../../domain/deposit/deposit.ts';
import { subjectLink } from '../parts/subject-link.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { StateBadge } from '../parts/value/deposit-state.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped, shortened } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age } from '../../pages/parts/value/moment.tsx';
import type { Snapshot } from './snapshot.ts';

const DEPTH_WIDTH = 40;

/** A deposit's depth and the required depth. */
function Depth({ deposit }: { deposit: Deposit }): Markup {
  const depth = depthOf(deposit);
  const required = deposit.requiredConfirmations;
  const share = required === 0 ? 1 : Math.min(1, depth / required);
  return (
    <>
      <span class="depth">
        {depth}
        <i>/</i>
        {required}
      </span>
      <svg class="gauge" viewBox={`0 0 ${DEPTH_WIDTH} 3`} aria-hidden="true">
        <rect class="groove" width={DEPTH_WIDTH} height="3" rx="1.5" />
        <rect
          class={`tone ${deposit.state}`}
          width={Math.round(DEPTH_WIDTH * share)}
          height="3"
          rx="1.5"
        />
      </svg>
    </>
  );
}

/** The deposit's position; `say` formats an identifier. */
function positionText({ vaultId, addressId, memo }: Deposit, say: (id: string) => string): string {
  const ids = [vaultId, addressId].filter((id) => id !== null).map(say);
  return [...ids, ...(memo === null ? [] : [`memo ${say(memo)}`])].join(' · ');
}

function columnsOf(decimals: Decimals, now: number): Column<Deposit>[] {
  return [
    {
      title: 'State',
      cell: (deposit) => (
        <StateBadge deposit={deposit} href={subjectLink('deposit', deposit.depositId)} />
      ),
    },
    {
      title: 'Amount',
      cell: ({ depositId, amount, asset }) => (
        <a href={subjectLink('deposit', depositId)}>
          <AmountFigure amount={amount} asset={asset} decimals={decimals} />
        </a>
      ),
      is: 'number',
    },
    { title: 'Depth', cell: (deposit) => <Depth deposit={deposit} />, is: 'number' },
    {
      title: 'Where',
      cell: (deposit) => (
        <span class="id" title={positionText(deposit, String)}>
          {positionText(deposit, shortened)}
        </span>
      ),
      is: 'wide',
    },
    {
      title: 'Hash',
      cell: ({ blockchainHash }) => <Identifier value={blockchainHash} />,
      is: 'wide',
    },
    { title: 'Age', cell: ({ firstSeenAt }) => <Age at={firstSeenAt} now={now} />, is: 'number' },
  ];
}

/** The deposits that arrived last. */
export function LatestDeposits({ snapshot }: { snapshot: Snapshot }): Markup {
  const { deposits, depositsTotal, decimals, at } = snapshot;
  return (
    <Card id="latest-deposits" title="Latest deposits" live="deposits tick">
      {deposits.length === 0 ? (
        <EmptyState title="No deposits yet.">
          <p>A deposit appears with its first notification: see that the webhook reaches /hooks.</p>
        </EmptyState>
      ) : (
        <>
          <DataTable
            caption="Latest deposits"
            items={deposits}
            columns={columnsOf(decimals, at)}
            rowKey={({ depositId }) => depositId}
          />
          <p class="foot">
            The latest {deposits.length} of {grouped(depositsTotal)}
          </p>
        </>
      )}
    </Card>
  );
}
