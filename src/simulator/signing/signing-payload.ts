import { createHash } from 'node:crypto';
import type { TransactionPlan } from '../chain/chain-transaction.ts';
import { encodeRecord } from '../state/codec.ts';
import type { SigningPayload } from '../transactions/order.ts';

/**
 * The digests that the source's keys must sign: one per input on UTXO networks, one on account
 * networks. 32 bytes, hex; the same plan of the same transaction always gives the same digests.
 */
export function signingPayloads(
  transactionId: string,
  plan: TransactionPlan,
  signers: readonly { hdpath: string }[],
): SigningPayload[] {
  const template = encodeRecord({
    transactionId,
    network: plan.network,
    movements: plan.movements,
    spends: plan.spends,
    outputs: plan.outputs,
  });
  return signers.map(({ hdpath }, index) => ({
    payload: createHash('sha256').update(`${template}|${index}`).digest('hex'),
    hdpath,
  }));
}
