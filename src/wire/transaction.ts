import { z } from 'zod';
import { balanceChange } from './balance-change.ts';
import { approval } from './notification.ts';

/**
 * Statuses of an outgoing transaction: its last non-informational event. The specification names
 * only `requested` (section "Outgoing transaction progress", rule 4).
 */
export const OUTGOING_STATUSES = [
  'approval-pending',
  'requested',
  'inited',
  'to-sign',
  'signed',
  'submitted',
  'mined',
  'failed',
  'cancelled',
  'replaced',
  'rolledback',
] as const;
export type OutgoingStatus = (typeof OUTGOING_STATUSES)[number];

export const INCOMING_STATUSES = ['mempool', 'confirmed', 'rolledback'] as const;
export type IncomingStatus = (typeof INCOMING_STATUSES)[number];

/** A 32-byte digest (hex) that an external signer signs with the key at `hdpath`. */
export const signingPayload = z.looseObject({ payload: z.string(), hdpath: z.string() });

/**
 * A transaction of the API. `status` is an open string: a status that we do not know is accepted,
 * and never credits anything. `createdAt` and `updatedAt` are ISO 8601; without a zone, they are in
 * UTC.
 */
export const transaction = z.looseObject({
  transactionId: z.string().min(1),
  vaultId: z.string().min(1),
  type: z.enum(['outgoing', 'incoming']),
  status: z.string(),
  orderId: z.string().nullish(),
  network: z.string(),
  accountId: z.string().nullish(),
  addressId: z.string().nullish(),
  destinationAddress: z.string().nullish(),
  memo: z.string().nullish(),
  blockchainHash: z.string().nullish(),
  confirmations: z.int().min(0).nullish(),
  balanceChanges: z.array(balanceChange).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  reasonCode: z.string().nullish(),
  flowId: z.string().nullish(),
  quorum: z.int().nullish(),
  approvals: z.array(approval).nullish(),
  signingPayloads: z.array(signingPayload).nullish(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Transaction = z.infer<typeof transaction>;

/**
 * A transaction as readers take it: what the spec shows no shape of, and no reader needs, makes no
 * row unreadable.
 */
export const transactionRecord = transaction.omit({
  quorum: true,
  approvals: true,
  signingPayloads: true,
  createdAt: true,
});
export type TransactionRecord = z.infer<typeof transactionRecord>;

/**
 * What a row of an own transaction says of its hash, when the rest of the row is unreadable. Without
 * it, a transfer between own vaults would look like a customer's deposit. The status counts as an
 * unknown one.
 */
export const ownTransactionHash = z
  .object({
    transactionId: z.string().min(1),
    vaultId: z.string().min(1),
    type: z.literal('outgoing'),
    network: z.string(),
    blockchainHash: z.string().min(1),
    updatedAt: z.string(),
  })
  .transform((row): TransactionRecord => ({ ...row, status: 'unreadable' }));

/**
 * A row of the per-address list `GET /addresses/{addressId}/blockchain-transactions`. The
 * specification does not show this path (section "Other endpoints referenced"). A just-mined row
 * may omit `balanceChanges` (section "Conservation rules", 6).
 */
export const addressTransaction = z.looseObject({
  blockchainHash: z.string().min(1),
  network: z.string(),
  status: z.string(),
  confirmations: z.int().min(0),
  blockHeight: z.int().nullish(),
  balanceChanges: z.array(balanceChange).nullish(),
  timestamp: z.unknown().optional(),
});
export type AddressTransaction = z.infer<typeof addressTransaction>;
