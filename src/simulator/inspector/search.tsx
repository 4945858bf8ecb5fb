import type { Hono } from 'hono';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import type { ControlServices } from '../control/control-services.ts';
import { HOME } from './context.ts';
import type { InspectorContext, InspectorEnv } from './context.ts';

/** The page of what a person looks for; undefined when the core knows nothing of this text. */
function pageOfText({ world, delivery }: ControlServices, text: string): string | undefined {
  if (delivery.log.get(text) !== undefined) return `${HOME}/deliveries/${text}`;
  if (world.transaction(text) !== undefined) return `${HOME}/transactions/${text}`;
  if (world.onChain(text) !== undefined) return `${HOME}/chains/hashes/${text}`;
  if (world.vault(text) !== undefined) return `${HOME}/vaults/${text}`;
  if (world.chains().some(({ network }) => network === text)) return `${HOME}/chains/${text}`;
  const [address = world.address(text)] = world.addresses({ networkAddress: text });
  if (address !== undefined) return `${HOME}/vaults/${address.vaultId}`;
  const [order] = world.transactions({ search: text, limit: 1 }).data;
  return order === undefined ? undefined : `${HOME}/transactions/${order.transactionId}`;
}

/** `/inspector/search`: opens the page of an id, a hash or an address. */
export function mountSearch(app: Hono<InspectorEnv>, { services, show }: InspectorContext): void {
  app.get(`${HOME}/search`, async (pageRequest) => {
    const text = (pageRequest.req.query('q') ?? '').trim();
    const page = text === '' ? HOME : pageOfText(services, text);
    if (page !== undefined) return pageRequest.redirect(page, 302);
    const body = (
      <EmptyState title={`The core knows nothing of “${text}”.`}>
        <p>
          Search by the whole id of a notification, transaction, vault or address, by a hash, or by
          an address on its chain.
        </p>
      </EmptyState>
    );
    return show(pageRequest, { title: 'Search', body }, 404);
  });
}
