import type { StoredNotification } from '../../../store/answers.ts';
import { DataTable, type Column } from '../../../pages/parts/list/data-table.tsx';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';

const NOTIFICATION_COLUMNS: Column<StoredNotification>[] = [
  { title: 'Notification', cell: ({ id }) => <Identifier value={id} /> },
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
export function HashNotifications({ items }: { items: readonly StoredNotification[] }): Markup {
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
