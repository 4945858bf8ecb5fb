import type { Child } from 'hono/jsx';
import type { Transaction } from '../../../wire/transaction.ts';
import { Badge, type Tone } from '../../../pages/parts/badge.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { ConfirmForm } from '../../../pages/parts/form/confirm-form.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../../pages/parts/fact.tsx';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import type { TransactionEvent } from '../../world/transaction.ts';
import { Body } from '../body.tsx';
import { HOME } from '../context.ts';
import type { InspectorContext } from '../context.ts';
import { NotificationTable, vaultNames } from '../deliveries/notification-table.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  mined: 'good',
  confirmed: 'good',
  failed: 'alarm',
  cancelled: 'alarm',
  rolledback: 'alarm',
  'approval-pending': 'warn',
  'to-sign': 'warn',
};

/** Before one of these, an order can still be declined. */
const CANCELLABLE: ReadonlySet<string> = new Set([
  'approval-pending',
  'requested',
  'inited',
  'to-sign',
  'signed',
]);

/** The colour of a status: finished, ended, or waiting for somebody. */
export function statusTone(status: string): Tone {
  return TONES[status] ?? 'plain';
}

function Facts({ row, vaultName }: { row: Transaction; vaultName: string }): Markup {
  const { blockchainHash, reasonCode, destinationAddress, orderId, memo } = row;
  const known = (name: string, value: string | null | undefined, shown?: Child) =>
    value === null || value === undefined ? '' : <Fact name={name}>{shown ?? value}</Fact>;
  return (
    <dl class="facts">
      <Fact name="Status">
        <Badge tone={statusTone(row.status)} text={row.status} />
      </Fact>
      {known('Reason', reasonCode)}
      <Fact name="Transaction">
        <Identifier value={row.transactionId} whole />
      </Fact>
      {known('Order', orderId)}
      <Fact name="Vault">
        <a href={`${HOME}/vaults/${row.vaultId}`}>{vaultName}</a>
      </Fact>
      <Fact name="Network">{row.network}</Fact>
      {known(
        'Hash',
        blockchainHash,
        <Identifier
          value={blockchainHash ?? ''}
          href={`${HOME}/chains/hashes/${blockchainHash ?? ''}`}
        />,
      )}
      <Fact name="Confirmations">{String(row.confirmations ?? 0)}</Fact>
      {known('Destination', destinationAddress, <Identifier value={destinationAddress ?? ''} />)}
      {known('Memo', memo)}
      <Fact name="Made">
        <Moment at={Date.parse(row.createdAt)} />
      </Fact>
      <Fact name="Changed">
        <Moment at={Date.parse(row.updatedAt)} />
      </Fact>
    </dl>
  );
}

function Decision(form: { row: Transaction; approvers: readonly string[]; label: string }): Markup {
  const { row, approvers, label } = form;
  const decision = label.toLowerCase();
  return (
    <ConfirmForm
      action={`${HOME}/transactions/${row.transactionId}/decisions`}
      label={label}
      effect={
        decision === 'approve'
          ? 'Approves as the chosen approver. The last needed approval moves the transaction on.'
          : 'Rejects as the chosen approver, which ends the transaction.'
      }
      hidden={{ decision }}
      asksReason={false}
      danger={decision === 'reject'}
    >
      <label class="field">
        <span>Approver</span>
        <select name="clientId" required>
          {approvers.map((clientId) => (
            <option value={clientId}>{clientId}</option>
          ))}
        </select>
      </label>
    </ConfirmForm>
  );
}

function SignForm({ row }: { row: Transaction }): Markup {
  return (
    <ConfirmForm
      action={`${HOME}/transactions/${row.transactionId}/signatures`}
      label="Sign"
      effect="Signs every payload with the private key that POST /sim/vaults answered, and submits the signatures. The core does not keep the key."
      asksReason={false}
    >
      <label class="field">
        <span>Extended private key (xprv)</span>
        <input name="xprv" required autocomplete="off" spellcheck={false} />
      </label>
    </ConfirmForm>
  );
}

function Actions({ row, context }: { row: Transaction; context: InspectorContext }): Markup {
  if (row.type === 'incoming') return <></>;
  const vault = context.services.world.vault(row.vaultId);
  const decided = new Set((row.approvals ?? []).map(({ clientId }) => clientId));
  const asked = row.status === 'approval-pending' ? vault?.approvers : undefined;
  const masters = row.status === 'inited' ? vault?.masterApproval?.approvers : undefined;
  const approvers = (asked ?? masters ?? []).filter((clientId) => !decided.has(clientId));
  return (
    <div class="actions">
      {approvers.length !== 0 && (
        <>
          <Decision row={row} approvers={approvers} label="Approve" />
          <Decision row={row} approvers={approvers} label="Reject" />
        </>
      )}
      {row.status === 'to-sign' && <SignForm row={row} />}
      {CANCELLABLE.has(row.status) && (
        <ConfirmForm
          action={`${HOME}/transactions/${row.transactionId}/cancel`}
          label="Decline"
          effect="Ends the transaction as declined_by_client. Its funds are free again."
          asksReason={false}
          danger
        />
      )}
    </div>
  );
}

function Life({ events }: { events: readonly TransactionEvent[] }): Markup {
  if (events.length === 0) {
    return <EmptyState title="An incoming transaction has notifications and no events." />;
  }
  return (
    <ol class="timeline">
      {events.map((event) => (
        <li>
          <p class="when">
            <Moment at={Date.parse(event.timestamp)} />
          </p>
          <h3>{event.type}</h3>
          {event.reasonCode !== undefined && <p class="muted">{event.reasonCode}</p>}
        </li>
      ))}
    </ol>
  );
}

/** One transaction: its state and what a person can do, its life, its notifications, its record. */
export function TransactionPage(page: { row: Transaction; context: InspectorContext }): Markup {
  const { row, context } = page;
  const { services } = context;
  const vaultName = vaultNames(services);
  const linked = services.delivery.log.linkedTo(row.transactionId, row.blockchainHash ?? undefined);
  return (
    <>
      <Card id="transaction" title="Transaction" live="transactions chains">
        <Facts row={row} vaultName={vaultName(row.vaultId)} />
        <Actions row={row} context={context} />
      </Card>
      <Card id="life" title="Life" live="transactions">
        <Life events={services.world.events(row.transactionId) ?? []} />
      </Card>
      <Card id="notifications" title="Notifications" live="deliveries">
        {linked.length === 0 ? (
          <EmptyState title="No subscription takes notifications of this transaction." />
        ) : (
          <NotificationTable rows={linked} vaultName={vaultName} />
        )}
      </Card>
      <Card id="record" title="As the API shows it" live="transactions chains">
        <Body value={row} label="The record of the transaction" />
      </Card>
    </>
  );
}
