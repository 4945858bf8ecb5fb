import type { PolicySimulation } from '../../api/exchange/policy-simulation.ts';
import { Amount } from '../../domain/money/amount.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { StateBadge } from '../parts/value/deposit-state.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { counted, grouped } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';

/** Deposits that the page lists; the API lists all. */
const SHOWN = 100;

type Changed = PolicySimulation['changed'][number];

function columns(decimals: Decimals): Column<Changed>[] {
  return [
    {
      title: 'Deposit',
      cell: ({ deposit: { depositId } }) => (
        <Identifier value={depositId} href={`/console/deposits/${depositId}`} />
      ),
    },
    {
      title: 'Amount',
      cell: ({ deposit: { amount, asset } }) => (
        <AmountFigure amount={Amount(BigInt(amount))} asset={asset} decimals={decimals} />
      ),
      is: 'number',
    },
    { title: 'Now', cell: ({ deposit }) => <StateBadge deposit={deposit} /> },
    { title: 'By this policy', cell: ({ before }) => <StateBadge deposit={before} /> },
    { title: 'By the new policy', cell: ({ after }) => <StateBadge deposit={after} /> },
    {
      title: 'First seen',
      cell: ({ deposit }) => <Moment at={Date.parse(deposit.firstSeenAt)} />,
    },
  ];
}

/**
 * `Would hold 12 deposits more (and 5 as now) of the last 1 000, no longer hold 3, and lead 5 to another state
 * or reason.`
 */
function summaryOf({ evaluated, held, heldByBoth, freed, other }: PolicySimulation): string {
  const [asNow, all, toFreed, toOther] = [heldByBoth, evaluated, freed, other].map(grouped);
  return `Would hold ${counted(held, 'deposit')} more (and ${asNow} as now) of the last ${all}, no longer hold ${toFreed}, and lead ${toOther} to another state or reason.`;
}

/** What the proposed policy would do with the newest deposits. */
export function SimulationCard(shown: {
  simulation: PolicySimulation;
  decimals: Decimals;
}): Markup {
  const { simulation, decimals } = shown;
  const { evaluated, oldestFirstSeenAt, changed } = simulation;
  return (
    <Card id="simulation" title="What it would do">
      <p class="lead">
        <b>{summaryOf(simulation)}</b>
      </p>
      {changed.length === 0 ? (
        <EmptyState
          title={
            evaluated === 0
              ? 'There is no deposit yet.'
              : 'Every one of them has the same outcome by both policies.'
          }
        />
      ) : (
        <DataTable
          caption="Deposits with another outcome"
          items={changed.slice(0, SHOWN)}
          columns={columns(decimals)}
          rowKey={({ deposit }) => deposit.depositId}
          href={({ deposit }) => `/console/deposits/${deposit.depositId}`}
        />
      )}
      {changed.length > SHOWN && (
        <p class="foot">
          {`The first ${SHOWN} of ${changed.length}. POST /v1/policy/simulate lists all.`}
        </p>
      )}
      {oldestFirstSeenAt !== null && (
        <p class="foot">
          The oldest of them was first seen <Moment at={Date.parse(oldestFirstSeenAt)} />. Depths,
          approvals and holds count as they are now. Credited deposits are evaluated as if nobody
          had credited them; the change takes no credit back.
        </p>
      )}
    </Card>
  );
}
