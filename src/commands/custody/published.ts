import type { PublishedNetworks } from '../../reconcile/watching/published-networks.ts';

/** What the custody API publishes, or null where it cannot be asked within a time. */
export async function publishedNow(networks: PublishedNetworks | undefined, msMax: number) {
  const asked = await networks?.read({ priority: 'inactive', deadlineMs: Date.now() + msMax });
  return asked?.networks ?? null;
}
