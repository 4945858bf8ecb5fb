import { differenceOf, LOCAL_BREAKS, type BreakType } from '../../domain/break/break.ts';
import type { Amount } from '../../domain/money/amount.ts';
import type { MovementStatement, ShownBreak, StoredNotification } from '../../store/answers.ts';
import { AmountFigure, type Decimals } from '../parts/amount.tsx';
import { Badge } from '../parts/badge.tsx';
import { DataTable, type Column } from '../parts/data-table.tsx';
import type { Markup } from '../parts/markup.ts';
import { Moment } from '../parts/moment.tsx';

/** Whose figure `expected` is. */
function witnessOf(type: BreakType): string {
  if ((LOCAL_BREAKS as readonly BreakType[]).includes(type)) return 'the chain or the custody API';
  return type === 'amount_changed' ? 'the newer notification' : 'the custody API';
}

/** A figure, or that this side has none. */
function Side(side: {
  amount: Amount | null;
  asset: string | null;
  decimals: Decimals;
  signed?: boolean;
}): Markup {
  const { amount, asset, decimals, signed = false } = side;
  if (amount === null) return <span class="muted">no figure</span>;
  return <AmountFigure amount={amount} asset={asset ?? ''} decimals={decimals} signed={signed} />;
}

/** Ours, theirs and the difference, side by side. */
export function Figures({ one, decimals }: { one: ShownBreak; decimals: Decimals }): Markup {
  const { expected, actual, type } = one;
  const { asset } = one.subject;
  if (expected === null && actual === null) {
    return <p class="muted">This break compares no amounts.</p>;
  }
  return (
    <dl class="sides">
      <div>
        <dt>Ours: the books</dt>
        <dd>
          <Side amount={actual} asset={asset} decimals={decimals} />
        </dd>
      </div>
      <div>
        <dt>Theirs: {witnessOf(type)}</dt>
        <dd>
          <Side amount={expected} asset={asset} decimals={decimals} />
        </dd>
      </div>
      <div class={one.severity}>
        <dt>Difference: ours minus theirs</dt>
        <dd>
          <Side amount={differenceOf(one)} asset={asset} decimals={decimals} signed />
        </dd>
      </div>
    </dl>
  );
}

function movementColumns(decimals: Decimals): Column<MovementStatement>[] {
  const figure = (statement: MovementStatement, amount: Amount | null): Markup => (
    <Side amount={amount} asset={statement.movement.asset} decimals={decimals} />
  );
  return [
    { title: 'Vault', cell: ({ movement }) => <span class="id">{movement.vaultId}</span> },
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
    { title: 'Custody API', cell: (one) => figure(one, one.movement.custody), is: 'number' },
    {
      title: 'Agreement',
      cell: ({ agreement }) => {
        const agrees = agreement === 'agrees' || agreement === 'custody_agrees';
        return <Badge tone={agrees ? 'good' : 'warn'} text={agreement} />;
      },
    },
  ];
}

/** What each witness reported about the hash, by vault and asset. */
export function Movements(props: {
  statements: readonly MovementStatement[];
  decimals: Decimals;
}): Markup {
  const { statements, decimals } = props;
  if (statements.length === 0) return <p class="muted">No entry is posted for this hash.</p>;
  return (
    <DataTable
      caption="What each witness reported about the hash"
      items={statements}
      columns={movementColumns(decimals)}
      rowKey={({ movement }) => `movement-${movement.vaultId}-${movement.asset}`}
    />
  );
}

const NOTIFICATION_COLUMNS: Column<StoredNotification>[] = [
  { title: 'Notification', cell: ({ id }) => <span class="id">{id}</span> },
  { title: 'Stream', cell: ({ stream, type }) => `${stream ?? 'unknown'} ${type ?? ''}` },
  { title: 'Depth', cell: ({ confirmations }) => confirmations ?? '', is: 'number' },
  { title: 'Status', cell: ({ status }) => status },
  { title: 'Received', cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
  {
    title: 'Body',
    cell: ({ seq, id }) => (
      <a href={`/console/journal/${seq}`}>
        raw body<span class="unseen"> of {id}</span>
      </a>
    ),
  },
];

/** The webhooks about the hash, newest first. */
export function Notifications({ items }: { items: readonly StoredNotification[] }): Markup {
  if (items.length === 0) return <p class="muted">No webhook named this hash.</p>;
  return (
    <DataTable
      caption="Webhooks about the hash, newest first"
      items={items}
      columns={NOTIFICATION_COLUMNS}
      rowKey={({ seq }) => `notification-${seq}`}
    />
  );
}
