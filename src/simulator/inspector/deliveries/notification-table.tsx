import { Badge } from '../../../pages/parts/badge.tsx';
import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import type { ControlServices } from '../../control/control-services.ts';
import type { NotificationRow } from '../../delivery/notification-log.ts';
import { HOME } from '../context.ts';

/** Whether a notification has arrived at its receiver. */
export function StateBadge({ status }: Pick<NotificationRow, 'status'>): Markup {
  const tone = { pending: 'warn', delivered: 'good', dropped: 'plain' } as const;
  return <Badge tone={tone[status]} text={status} />;
}

/** Notifications with their state. `vaultName`: the name of a vault. */
export function NotificationTable(table: {
  rows: readonly NotificationRow[];
  vaultName: (vaultId: string) => string;
}): Markup {
  const { rows, vaultName } = table;
  return (
    <DataTable
      caption="Notifications"
      items={rows}
      rowKey={({ id }) => id}
      href={({ id }) => `${HOME}/deliveries/${id}`}
      columns={[
        {
          title: 'Notification',
          cell: ({ id, stream, type }) => (
            <a href={`${HOME}/deliveries/${id}`}>{`${stream} ${type}`}</a>
          ),
        },
        { title: 'Vault', cell: ({ vaultId }) => vaultName(vaultId) },
        { title: 'State', cell: ({ status }) => <StateBadge status={status} /> },
        { title: 'Attempts', cell: ({ attempts }) => String(attempts), is: 'number' },
        { title: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} /> },
      ]}
    />
  );
}

/** The name of each vault, by id. */
export function vaultNames({ world }: Pick<ControlServices, 'world'>): (vaultId: string) => string {
  const names = new Map(world.vaults().map(({ vaultId, name }) => [vaultId, name]));
  return (vaultId) => names.get(vaultId) ?? vaultId;
}
