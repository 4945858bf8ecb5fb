import { Badge } from '../../../pages/parts/badge.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { ConfirmForm } from '../../../pages/parts/form/confirm-form.tsx';
import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../../pages/parts/fact.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import type { ControlServices } from '../../control/control-services.ts';
import type { Attempt } from '../../delivery/attempt-log.ts';
import type { NotificationRow } from '../../delivery/notification-log.ts';
import { HOME } from '../context.ts';
import { StateBadge } from './notification-table.tsx';
import { Body } from '../body.tsx';

function Facts({ row, url }: { row: NotificationRow; url: string | undefined }): Markup {
  const { id, vaultId, transactionId, blockchainHash } = row;
  return (
    <dl class="facts">
      <Fact name="State">
        <StateBadge status={row.status} />
      </Fact>
      <Fact name="Id">
        <Identifier value={id} whole />
      </Fact>
      <Fact name="Vault">
        <Identifier value={vaultId} href={`${HOME}/vaults/${vaultId}`} />
      </Fact>
      {transactionId !== null && (
        <Fact name="Transaction">
          <Identifier value={transactionId} href={`${HOME}/transactions/${transactionId}`} />
        </Fact>
      )}
      {blockchainHash !== null && (
        <Fact name="Hash">
          <Identifier value={blockchainHash} href={`${HOME}/chains/hashes/${blockchainHash}`} />
        </Fact>
      )}
      <Fact name="Receiver">{url ?? 'no subscription'}</Fact>
      <Fact name="Made">
        <Moment at={row.createdAt} />
      </Fact>
      {row.deliveredAt !== null && (
        <Fact name="Delivered">
          <Moment at={row.deliveredAt} />
        </Fact>
      )}
    </dl>
  );
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }): Markup {
  if (attempts.length === 0) return <EmptyState title="The core has not tried yet." />;
  return (
    <DataTable
      caption="Attempts"
      items={attempts}
      rowKey={({ deliveryId, startedAt }) => `${deliveryId}-${startedAt}`}
      columns={[
        { title: 'Began', cell: ({ startedAt }) => <Moment at={startedAt} /> },
        { title: 'Kind', cell: ({ kind }) => kind },
        {
          title: 'Took',
          cell: ({ startedAt, finishedAt }) => `${grouped(finishedAt - startedAt)} ms`,
          is: 'number',
        },
        {
          title: 'Result',
          cell: ({ delivered, statusCode, error }) => (
            <>
              <Badge
                tone={delivered ? 'good' : 'alarm'}
                text={statusCode === null ? 'no answer' : String(statusCode)}
              />
              {error !== null && <span class="detail muted">{error}</span>}
            </>
          ),
        },
        { title: 'Receiver', cell: ({ url }) => <span class="id">{url}</span>, is: 'wide' },
      ]}
    />
  );
}

/** One notification: its state, its attempts, its body, and a replay. */
export function NotificationPage(page: {
  row: NotificationRow;
  services: ControlServices;
}): Markup {
  const { row, services } = page;
  const { delivery } = services;
  const url = delivery.subscriptions.urlFor(row.vaultId, row.stream);
  const attempts = [...delivery.attempts.list()].filter(
    ({ notificationId }) => notificationId === row.id,
  );
  const path = `${HOME}/deliveries/${row.id}`;
  return (
    <>
      <Card id="notification" title="Notification" live="deliveries">
        <Facts row={row} url={url} />
        <div class="actions">
          {row.status === 'delivered' && url !== undefined && (
            <ConfirmForm
              action={`${path}/replay`}
              label="Replay"
              effect={`Sends the same body once more to ${url}, beside the queue, with the time of now.`}
              asksReason={false}
            />
          )}
          {row.status === 'pending' && (
            <ConfirmForm
              action={`${HOME}/queues/${row.vaultId}/retry`}
              label="Try now"
              effect="Tries the first waiting notification of this vault now, without waiting."
              hidden={{ back: path }}
              asksReason={false}
            />
          )}
        </div>
      </Card>
      <Card id="attempts" title="Attempts" live="deliveries">
        <Attempts attempts={attempts} />
      </Card>
      <Card id="body" title="Body">
        <Body value={attempts.at(-1)?.body ?? row.body} label="The body of the notification" />
      </Card>
    </>
  );
}
