import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import { linkTo } from '../../../pages/parts/list/link.ts';
import { HOME } from '../context.ts';

/** A vault with its delivery queue. `nextTryAt`: Unix epoch milliseconds; null when it may send. */
export interface VaultQueueRow {
  readonly vaultId: string;
  readonly name: string;
  readonly size: number;
  readonly consecutiveFailures: number;
  readonly nextTryAt: number | null;
}

function NextTry({ row, now }: { row: VaultQueueRow; now: number }): Markup {
  if (row.nextTryAt === null || row.nextTryAt <= now) return <>now</>;
  return <Moment at={row.nextTryAt} />;
}

/** Delivery queues of vaults, each with a button that tries it now. `back`: the page it is on. */
export function QueueTable(table: {
  vaults: readonly VaultQueueRow[];
  now: number;
  back: string;
}): Markup {
  const { vaults, now, back } = table;
  return (
    <DataTable
      caption="Delivery queues"
      items={vaults}
      rowKey={({ vaultId }) => vaultId}
      href={({ vaultId }) => `${HOME}/vaults/${vaultId}`}
      columns={[
        {
          title: 'Vault',
          cell: ({ vaultId, name }) => <a href={`${HOME}/vaults/${vaultId}`}>{name}</a>,
        },
        {
          title: 'Waiting',
          cell: ({ vaultId, size }) => (
            <a href={linkTo(`${HOME}/deliveries`, { vaultId, status: 'pending' })}>
              {grouped(size)}
            </a>
          ),
          is: 'number',
        },
        {
          title: 'Failures in a row',
          cell: ({ consecutiveFailures }) => grouped(consecutiveFailures),
          is: 'number',
        },
        { title: 'Next try', cell: (row) => <NextTry row={row} now={now} /> },
        {
          title: 'Try',
          cell: ({ vaultId, name }) => (
            <form method="post" action={`${HOME}/queues/${vaultId}/retry`}>
              <input type="hidden" name="back" value={back} />
              <button aria-label={`Try now: ${name}`}>Try now</button>
            </form>
          ),
        },
      ]}
    />
  );
}
