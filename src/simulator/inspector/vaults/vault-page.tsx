import { Card } from '../../../pages/parts/card.tsx';
import { DataTable } from '../../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../../pages/parts/fact.tsx';
import { grouped } from '../../../pages/parts/value/figure.ts';
import { Identifier } from '../../../pages/parts/value/identifier.tsx';
import { linkTo } from '../../../pages/parts/list/link.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { PageLinks } from '../../../pages/parts/list/pager.tsx';
import type { ControlServices } from '../../control/control-services.ts';
import type { AddressRecord, VaultRecord } from '../../world/vault.ts';
import { HOME } from '../context.ts';

const PAGE_SIZE = 50;
/** Addresses that the form offers; any other id can be typed. */
const CHOICES_MAX = 200;

function Facts({ vault, services }: { vault: VaultRecord; services: ControlServices }): Markup {
  const { vaultId, quorum, approvers, externalSigner, masterApproval } = vault;
  const { size, consecutiveFailures } = services.delivery.backlog(vaultId);
  const subscriptions = services.delivery.subscriptions.rows(vaultId);
  return (
    <dl class="facts">
      <Fact name="Vault">
        <Identifier value={vaultId} whole />
      </Fact>
      <Fact name="Approvals">
        {quorum === 0 ? 'none needed' : `${quorum} of ${approvers.length}`}
      </Fact>
      <Fact name="Master approval">
        {masterApproval === null ? 'none' : `${masterApproval.approvers.length} approvers`}
      </Fact>
      <Fact name="Keys">{externalSigner ? 'an external signer' : 'the platform'}</Fact>
      <Fact name="Receiver">{subscriptions[0]?.webhookUrl ?? 'no subscription'}</Fact>
      <Fact name="Streams">{subscriptions.map(({ stream }) => stream).join(', ') || 'none'}</Fact>
      <Fact name="Waiting">
        <a href={linkTo(`${HOME}/deliveries`, { vaultId, status: 'pending' })}>{grouped(size)}</a>
      </Fact>
      <Fact name="Failures in a row">{String(consecutiveFailures)}</Fact>
    </dl>
  );
}

/** The addresses of a vault, and the assets of their networks. */
interface Holding {
  readonly vault: VaultRecord;
  readonly addresses: readonly AddressRecord[];
  readonly services: ControlServices;
}

/** The fields that say what moves at which address. */
function MovementFields({ addresses, services }: Omit<Holding, 'vault'>): Markup {
  const networks = new Set(addresses.map(({ network }) => network));
  const assets = services.world
    .networks()
    .filter(({ key }) => networks.has(key))
    .flatMap((network) => network.assets);
  return (
    <>
      <label class="field">
        <span>Address</span>
        <select name="addressId" required>
          {addresses.slice(0, CHOICES_MAX).map(({ addressId, network, networkAddress }) => (
            <option value={addressId}>{`${network} ${networkAddress}`}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Asset</span>
        <select name="asset" required>
          {assets.map(({ asset }) => (
            <option value={asset}>{asset}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Amount in smallest units</span>
        <input name="amount" required inputmode="numeric" autocomplete="off" />
      </label>
    </>
  );
}

function DepositForm({ vault, ...holding }: Holding): Markup {
  return (
    <form class="filter" method="post" action={`${HOME}/vaults/${vault.vaultId}/deposit`}>
      <MovementFields {...holding} />
      <label class="field">
        <span>Memo (may be empty)</span>
        <input name="memo" autocomplete="off" />
      </label>
      <button class="primary">Deposit</button>
    </form>
  );
}

function ExternalDebitForm({ vault, ...holding }: Holding): Markup {
  return (
    <form class="filter" method="post" action={`${HOME}/vaults/${vault.vaultId}/external-debit`}>
      <MovementFields {...holding} />
      <label class="field">
        <span>To (an address on the chain)</span>
        <input name="destinationAddress" required autocomplete="off" spellcheck={false} />
      </label>
      <button class="primary">Debit</button>
    </form>
  );
}

/** One vault: its rules, its receiver, its addresses, and movements from outside. */
export function VaultPage(page: {
  vault: VaultRecord;
  services: ControlServices;
  page: number;
}): Markup {
  const { vault, services, page: number } = page;
  const addresses = services.world.addresses({ vaultId: vault.vaultId });
  const path = `${HOME}/vaults/${vault.vaultId}`;
  const holding = { vault, addresses, services };
  return (
    <>
      <Card id="vault" title="Vault" live="vaults deliveries">
        <Facts vault={vault} services={services} />
      </Card>
      {addresses.length !== 0 && (
        <>
          <Card id="deposit" title="Deposit from outside">
            <DepositForm {...holding} />
          </Card>
          <Card id="external-debit" title="Debit without a platform transaction">
            <ExternalDebitForm {...holding} />
            <p class="foot">
              Funds leave the address on the chain, and no order explains it: as after a stolen key.
              The service sends webhooks of the stream blockchain alone.
            </p>
          </Card>
        </>
      )}
      <Card id="addresses" title="Addresses" live="vaults">
        {addresses.length === 0 ? (
          <EmptyState title="The vault has no address yet.">
            <p>
              Make one with <code>POST /sim/addresses</code>.
            </p>
          </EmptyState>
        ) : (
          <DataTable
            caption="Addresses"
            items={addresses.slice(number * PAGE_SIZE, (number + 1) * PAGE_SIZE)}
            rowKey={({ addressId }) => addressId}
            columns={[
              { title: 'Network', cell: ({ network }) => network },
              { title: 'Name', cell: ({ name }) => name, is: 'wide' },
              { title: 'Address', cell: ({ addressId }) => <Identifier value={addressId} /> },
              {
                title: 'On the chain',
                cell: ({ networkAddress }) => <Identifier value={networkAddress} />,
              },
            ]}
          />
        )}
        <PageLinks
          found={{ page: number, pageSize: PAGE_SIZE, total: addresses.length }}
          href={(to) => linkTo(path, { page: to })}
        />
      </Card>
    </>
  );
}
