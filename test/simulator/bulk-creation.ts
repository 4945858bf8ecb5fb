import type { RemoteCore } from './core-process.ts';

/** A vault with one address. Its webhooks go to a path of its own. */
export interface Inhabitant {
  readonly vaultId: string;
  readonly addressId: string;
  readonly webhookUrl: string;
}

/**
 * Creates the vaults `from` up to `to`, one after the other: the same calls then give the same ids.
 */
export async function populate(
  core: RemoteCore,
  options: { from: number; to: number; network: string; urlOf: (index: number) => string },
): Promise<Inhabitant[]> {
  const inhabitants: Inhabitant[] = [];
  for (let index = options.from; index < options.to; index += 1) {
    const vault = await core.sim('POST', '/sim/vaults', { name: `vault ${index}` });
    const vaultId = String(vault['vaultId']);
    const { accountId } = await core.made('/accounts', { vaultId, name: 'main' });
    const address = await core.made('/addresses', { accountId, network: options.network });
    const webhookUrl = options.urlOf(index);
    const streams = ['incoming', 'outgoing', 'blockchain'];
    await core.made(`/subscriptions/${vaultId}`, { webhookUrl, streams });
    inhabitants.push({ vaultId, addressId: String(address['addressId']), webhookUrl });
  }
  return inhabitants;
}

/** The notifications of one deposit on bitcoin, in order: stream, type and count. */
export const NOTIFICATIONS_PER_DEPOSIT = [
  'blockchain mempool 0',
  'incoming mempool 0',
  'blockchain transaction 1',
  'incoming confirmation 1',
  'blockchain confirmation 1',
  'incoming confirmation 3',
  'blockchain confirmation 3',
  'incoming confirmation 6',
  'blockchain confirmation 6',
] as const;

/** Outputs of one paying transaction. The cost of its notifications grows with their square. */
const OUTPUTS_MAX = 100;

/**
 * Pays every vault once and mines the deposits down to the deepest published depth. Returns the
 * hash of each payment, in order.
 */
export async function payEveryone(
  core: RemoteCore,
  inhabitants: readonly Inhabitant[],
): Promise<string[]> {
  const hashes: string[] = [];
  for (let start = 0; start < inhabitants.length; start += OUTPUTS_MAX) {
    const outputs = inhabitants.slice(start, start + OUTPUTS_MAX).map(({ addressId }) => ({
      addressId,
      asset: 'bitcoin:BTC',
      amount: '100000',
    }));
    const paid = await core.sim('POST', '/sim/deposits', { network: 'bitcoin', outputs });
    hashes.push(...outputs.map(() => String(paid['blockchainHash'])));
  }
  await core.sim('POST', '/sim/blocks', { network: 'bitcoin', count: 6 });
  return hashes;
}
