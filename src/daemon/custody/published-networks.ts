import type { PublishedNetworks } from '../../reconcile/watching/published-networks.ts';

/** The networks that the custody API publishes; null when it does not answer in time. */
export async function publishedNow(networks: PublishedNetworks | undefined, msMax: number) {
  const asked = await networks?.read({ priority: 'inactive', deadlineMs: Date.now() + msMax });
  return asked?.networks ?? null;
}
