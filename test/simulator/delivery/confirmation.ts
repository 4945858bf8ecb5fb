import type { Notification } from '../../../src/wire/notification.ts';

/** A `confirmation` of a hash and a transaction named after its id. */
export function confirmation(
  vaultId: string,
  id: string,
  { count = 1, stream = 'incoming' }: { count?: number; stream?: 'incoming' | 'blockchain' } = {},
): Notification {
  const common = {
    id,
    timestamp: 0,
    vaultId,
    type: 'confirmation' as const,
    network: 'ethereum',
    blockchainHash: `0x${id}`,
    transactionId: `tx-${id}`,
    confirmations: count,
  };
  return stream === 'incoming' ? { ...common, stream, balanceChanges: [] } : { ...common, stream };
}
