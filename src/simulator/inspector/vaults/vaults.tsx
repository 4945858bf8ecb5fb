import type { Hono } from 'hono';
import { Card } from '../../../pages/parts/card.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { textOf, type Fields } from '../../../pages/parts/form/form-text.ts';
import { pageOf } from '../../../pages/parts/list/link.ts';
import { linkTo } from '../../../pages/parts/list/link.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { PageLinks } from '../../../pages/parts/list/pager.tsx';
import type { ControlServices } from '../../control/control-services.ts';
import { HOME } from '../context.ts';
import type { InspectorContext, InspectorEnv } from '../context.ts';
import { QueueTable } from '../deliveries/queue-table.tsx';
import { VaultPage } from './vault-page.tsx';

const PATH = `${HOME}/vaults`;
const PAGE_SIZE = 50;

function Vaults({ services, page }: { services: ControlServices; page: number }): Markup {
  const { world, delivery, clock } = services;
  const vaults = world.vaults();
  const shown = vaults
    .slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
    .map((vault) => ({ ...vault, ...delivery.backlog(vault.vaultId) }));
  return (
    <Card id="vaults" title="Vaults and their queues" live="vaults deliveries tick">
      {shown.length === 0 ? (
        <EmptyState title="The core has no vault yet.">
          <p>
            Make one with <code>POST /sim/vaults</code>; the tour of the custody core shows how.
          </p>
        </EmptyState>
      ) : (
        <QueueTable vaults={shown} now={clock.now()} back={PATH} />
      )}
      <PageLinks
        found={{ page, pageSize: PAGE_SIZE, total: vaults.length }}
        href={(number) => linkTo(PATH, { page: number })}
      />
    </Card>
  );
}

function trimmed(fields: Fields): (name: string) => string {
  return (name) => textOf(fields, name).trim();
}

/** What moves at which address, for a control call. An unknown address is left to its refusal. */
function movementOf({ world }: ControlServices, field: (name: string) => string) {
  const [addressId, asset] = [field('addressId'), field('asset')];
  const network = world.address(addressId)?.network ?? asset.split(':')[0];
  return { network, addressId, asset, amount: field('amount') };
}

/** `/inspector/vaults`: vaults with queues, addresses, and movements from outside. */
export function mountVaults(
  app: Hono<InspectorEnv>,
  { services, show, missing, perform }: InspectorContext,
): void {
  app.get(PATH, (pageRequest) => {
    const body = <Vaults services={services} page={pageOf(pageRequest.req.query('page'))} />;
    return show(pageRequest, { title: 'Vaults', body });
  });
  app.get(`${PATH}/:id`, (pageRequest) => {
    const vault = services.world.vault(pageRequest.req.param('id'));
    if (vault === undefined) return missing(pageRequest, 'The core has no such vault.');
    const page = pageOf(pageRequest.req.query('page'));
    const body = <VaultPage vault={vault} services={services} page={page} />;
    return show(pageRequest, { title: vault.name, body });
  });
  app.post(`${PATH}/:id/deposit`, async (pageRequest) => {
    const field = trimmed(await pageRequest.req.parseBody());
    const memo = field('memo');
    return perform(pageRequest, {
      method: 'POST',
      path: '/sim/deposits',
      body: { ...movementOf(services, field), ...(memo === '' ? {} : { memo }) },
      done: ({ blockchainHash }) => `Deposit ${String(blockchainHash)} waits for a block.`,
      back: `${PATH}/${encodeURIComponent(pageRequest.req.param('id'))}`,
    });
  });
  app.post(`${PATH}/:id/external-debit`, async (pageRequest) => {
    const field = trimmed(await pageRequest.req.parseBody());
    const destinationAddress = field('destinationAddress');
    return perform(pageRequest, {
      method: 'POST',
      path: '/sim/external-debits',
      body: { ...movementOf(services, field), destinationAddress },
      done: ({ blockchainHash }) => `Debit ${String(blockchainHash)} waits for a block.`,
      back: `${PATH}/${encodeURIComponent(pageRequest.req.param('id'))}`,
    });
  });
}
