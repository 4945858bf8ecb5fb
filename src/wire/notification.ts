import { z } from 'zod';
import { balanceChange } from './balance-change.ts';

export const STREAMS = ['outgoing', 'blockchain', 'incoming'] as const;
export type Stream = (typeof STREAMS)[number];

/** Types of the `outgoing` stream up to the signature. They have no required fields. */
const UNTIL_SIGNED_TYPES = [
  'approval-pending',
  'approved',
  'pending',
  'requested',
  'inited',
  'to-sign',
  'signed',
] as const;

/**
 * Event types of the `outgoing` stream (section "Outgoing stream").
 * @public
 */
export const OUTGOING_TYPES = [
  ...UNTIL_SIGNED_TYPES,
  'submitted',
  'mined',
  'warning',
  'cancelled',
  'failed',
  'rolledback',
  'replaced',
] as const;

/** `reasonCode` of a `warning`; spelled as the service spells them. */
export const WARNING_REASONS = ['insufficient_balance', 'hosted_singner_unavailable'] as const;
export type WarningReason = (typeof WARNING_REASONS)[number];

/** `reasonCode` of a `cancelled`; spelled as the service spells them. */
export const CANCELLATION_REASONS = [
  'insufficient_balance',
  'singner_unavailable',
  'hosted_singner_unavailable',
  'managed_singner_unavailable',
  'shared_singner_unavailable',
  'network_maintenance',
  'not_enough_utxos',
  'order_expired',
  'invalid_order',
  'transaction_expired',
  'declined_by_client',
  'rejected_by_approver',
  'rejected_by_master_approver',
  'replacement_status_invalid',
  'hash_already_exists',
] as const;
export type CancellationReason = (typeof CANCELLATION_REASONS)[number];

const identifier = z.string().min(1);
const metadata = z.record(z.string(), z.unknown());
const confirmations = z.int().min(0);

/** Fields of every notification (section "Envelope"). `timestamp` is Unix epoch milliseconds. */
const envelope = {
  id: identifier,
  timestamp: z.number(),
  vaultId: identifier,
};

/** One approval of a quorum, as listed in `approvals`. */
export const approval = z.looseObject({
  clientId: z.string().nullish(),
  decision: z.string().nullish(),
  timestamp: z.unknown().optional(),
});
export type Approval = z.infer<typeof approval>;

const outgoingCommon = {
  ...envelope,
  stream: z.literal('outgoing'),
  transactionId: identifier,
  orderId: z.string().nullish(),
  network: z.string().nullish(),
  accountId: identifier.nullish(),
  addressId: identifier.nullish(),
  destinationAddress: z.string().nullish(),
  memo: z.string().nullish(),
  metadata: metadata.nullish(),
  flowId: z.string().nullish(),
  blockchainHash: identifier.nullish(),
  reasonCode: z.string().nullish(),
};
export const outgoingNotification = z.discriminatedUnion('type', [
  // The spec shows no shape of `quorum` and `approvals`, and nothing reads them: any value passes.
  z.looseObject({ ...outgoingCommon, type: z.enum(UNTIL_SIGNED_TYPES) }),
  z.looseObject({
    ...outgoingCommon,
    type: z.literal('submitted'),
    network: identifier,
    blockchainHash: identifier,
  }),
  z.looseObject({
    ...outgoingCommon,
    type: z.literal('mined'),
    network: identifier,
    blockchainHash: identifier,
    balanceChanges: z.array(balanceChange),
  }),
  z.looseObject({
    ...outgoingCommon,
    type: z.enum(['warning', 'cancelled']),
    reasonCode: identifier,
  }),
  // A failure during processing has no hash; the product must take it all the same.
  z.looseObject({ ...outgoingCommon, type: z.enum(['failed', 'rolledback', 'replaced']) }),
]);

const chainCommon = {
  ...envelope,
  stream: z.literal('blockchain'),
  network: identifier,
  blockchainHash: identifier,
  transactionId: identifier.nullish(),
  metadata: metadata.nullish(),
};

export const blockchainNotification = z.discriminatedUnion('type', [
  z.looseObject({
    ...chainCommon,
    type: z.literal('transaction'),
    confirmations: confirmations.nullish(),
    balanceChanges: z.array(balanceChange),
  }),
  z.looseObject({
    ...chainCommon,
    type: z.literal('mempool'),
    confirmations: confirmations.nullish(),
    balanceChanges: z.array(balanceChange).nullish(),
  }),
  z.looseObject({ ...chainCommon, type: z.literal('confirmation'), confirmations }),
  z.looseObject({
    ...chainCommon,
    type: z.literal('rollback'),
    confirmations: confirmations.nullish(),
  }),
]);

const incomingCommon = {
  ...envelope,
  stream: z.literal('incoming'),
  network: identifier,
  blockchainHash: identifier,
  accountId: identifier.nullish(),
  addressId: identifier.nullish(),
  transactionId: identifier.nullish(),
  orderId: z.string().nullish(),
  memo: z.string().nullish(),
  reference: z.unknown().optional(),
  metadata: metadata.nullish(),
  balanceChanges: z.array(balanceChange).nullish(),
};

export const incomingNotification = z.discriminatedUnion('type', [
  z.looseObject({
    ...incomingCommon,
    type: z.literal('mempool'),
    confirmations: confirmations.nullish(),
  }),
  z.looseObject({ ...incomingCommon, type: z.literal('confirmation'), confirmations }),
  z.looseObject({
    ...incomingCommon,
    type: z.literal('rollback'),
    confirmations: confirmations.nullish(),
  }),
]);

/**
 * Any webhook notification (section "Events"). Unknown fields pass through; an unknown stream or
 * type does not parse, and neither does an amount that is not an integer string.
 */
export const notification = z.discriminatedUnion('stream', [
  outgoingNotification,
  blockchainNotification,
  incomingNotification,
]);

export type Notification = z.infer<typeof notification>;
