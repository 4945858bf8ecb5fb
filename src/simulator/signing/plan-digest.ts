import { createHash } from 'node:crypto';
import type { TransactionPlan } from '../chain/chain-transaction.ts';
import { encodeRecord } from '../state/codec.ts';

/**
 * Digests for transactions that the core cannot encode for their network: one per signer, 32 bytes,
 * hex. The same plan of the same transaction always gives the same digests.
 */
export function planDigests(
  transactionId: string,
  plan: TransactionPlan,
  signerCount: number,
): string[] {
  const template = encodeRecord({
    transactionId,
    network: plan.network,
    movements: plan.movements,
    spends: plan.spends,
    outputs: plan.outputs,
  });
  return Array.from({ length: signerCount }, (_, index) =>
    createHash('sha256').update(`${template}|${index}`).digest('hex'),
  );
}
