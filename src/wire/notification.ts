import { z } from 'zod';
import { balanceChange } from './balance-change.ts';
import { UNTIL_SIGNED_TYPES } from './event-names.ts';

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
/** A notification of the `outgoing` stream (the specification, section "Outgoing stream"). */
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

/** A notification of the `blockchain` stream (the specification, section "Blockchain stream"). */
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

/** A notification of the `incoming` stream (the specification, section "Incoming stream"). */
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
