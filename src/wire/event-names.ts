/** Streams, event types and reason codes (section "Events"). Loads no schema library. */
export const STREAMS = ['outgoing', 'blockchain', 'incoming'] as const;
export type Stream = (typeof STREAMS)[number];

/** Types of the `outgoing` stream up to the signature. They have no required fields. */
export const UNTIL_SIGNED_TYPES = [
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

/**
 * `reasonCode` of a `warning` (the specification, section "Outgoing stream"); spelled as the
 * service spells them.
 */
export const WARNING_REASONS = ['insufficient_balance', 'hosted_singner_unavailable'] as const;
export type WarningReason = (typeof WARNING_REASONS)[number];

/**
 * `reasonCode` of a `cancelled` (the specification, section "Outgoing stream"); spelled as the
 * service spells them.
 */
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
