import { ZERO, type Amount } from '../../../domain/money/amount.ts';
import type { MovementAgreement } from '../../../domain/money/movement.ts';
import type { MovementStatement } from '../../../store/answers.ts';
import { AmountFigure, type Decimals } from '../../../pages/parts/value/amount.tsx';
import { Badge } from '../../../pages/parts/badge.tsx';
import { DataTable, type Column } from '../../../pages/parts/list/data-table.tsx';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';

/** A figure of one witness, or that this witness has none. */
export function SideFigure(side: {
  amount: Amount | null;
  asset: string | null;
  decimals: Decimals;
  signed?: boolean;
}): Markup {
  const { amount, asset, decimals, signed = false } = side;
  if (amount === null) return <span class="muted">no figure</span>;
  return <AmountFigure amount={amount} asset={asset ?? ''} decimals={decimals} signed={signed} />;
}

/** Ours minus theirs: the chain view's sum, else the custody API's; null where neither has one. */
function differenceOf({ movement }: MovementStatement): Amount | null {
  const { books, chain, custody, onChain } = movement;
  if (onChain) return (books - chain) as Amount;
  return custody === null ? null : ((books - custody) as Amount);
}

const AGREEMENTS: Record<MovementAgreement, string> = {
  agrees: 'books and chain view agree',
  custody_agrees: 'books and custody API agree',
  differs: 'differs',
  chain_only: 'only on the chain',
  books_only: 'only in the books',
};

/** How the witnesses of a movement agree. */
export function AgreementBadge({ agreement }: { agreement: MovementAgreement }): Markup {
  const agrees = agreement === 'agrees' || agreement === 'custody_agrees';
  return <Badge tone={agrees ? 'good' : 'warn'} text={AGREEMENTS[agreement]} />;
}

function columnsOf(decimals: Decimals): Column<MovementStatement>[] {
  const figure = (
    { movement }: MovementStatement,
    amount: Amount | null,
    signed = false,
  ): Markup => (
    <SideFigure amount={amount} asset={movement.asset} decimals={decimals} signed={signed} />
  );
  return [
    { title: 'Vault', cell: ({ movement }) => <Identifier value={movement.vaultId} /> },
    {
      title: 'Books',
      cell: (one) => figure(one, one.movement.onBooks ? one.movement.books : null),
      is: 'number',
    },
    {
      title: 'Chain view',
      cell: (one) => figure(one, one.movement.onChain ? one.movement.chain : null),
      is: 'number',
    },
    {
      title: 'Custody API',
      cell: (one) =>
        one.movement.custody === null ? (
          <span class="muted">not compared</span>
        ) : (
          figure(one, one.movement.custody)
        ),
      is: 'number',
    },
    {
      title: 'Difference',
      cell: (one) => {
        const difference = differenceOf(one);
        if (difference === ZERO) return <span class="muted">0</span>;
        return figure(one, difference, true);
      },
      is: 'number',
    },
    {
      title: 'Agreement',
      cell: ({ agreement }) => <AgreementBadge agreement={agreement} />,
    },
  ];
}

/** What each witness reported about a hash, by vault and asset: conservation leg by leg. */
export function Witnesses(props: {
  statements: readonly MovementStatement[];
  decimals: Decimals;
}): Markup {
  const { statements, decimals } = props;
  if (statements.length === 0) return <p class="muted">No entry is posted for this hash.</p>;
  return (
    <>
      <DataTable
        caption="What each witness reported about the hash"
        items={statements}
        columns={columnsOf(decimals)}
        rowKey={({ movement }) => `movement-${movement.vaultId}-${movement.asset}`}
        folds
      />
      {statements.some(({ movement }) => movement.custody === null) && (
        <p class="foot">
          “Not compared”: nobody asked the custody API for the sum of this hash. The records of its
          deposits and withdrawals are compared separately: their pages say how.
        </p>
      )}
    </>
  );
}
