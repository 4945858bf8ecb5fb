/** Section "States and transitions": outgoing transaction progress up to `mined`. */
export const PROGRESS_ROWS = {
  'approval-pending': 'created, quorum-gated: approval-pending; never for no-quorum orders',
  approved: 'one approval recorded, quorum not yet met: approved, once per step',
  pending: 'accepted for signing, no quorum: pending; status requested; never when quorum-gated',
  requested: 'queued: requested',
  inited: 'built: inited',
  'to-sign': 'signing payloads prepared, external signer only: to-sign',
  signed: 'signature complete: signed',
  submitted: 'broadcast: submitted (blockchainHash)',
  mined: 'confirmed on-chain: mined (blockchainHash, balanceChanges, metadata)',
  warning: 'transient pause: warning; status unchanged; retried; resumes after a top-up',
  'rule-3': 'master approval has no event types; the bundle is at master-approval-payload',
  'rule-4': 'status values: requested is the one named',
} as const;

/** Section "States and transitions": other ends of an outgoing transaction; nothing follows an end. */
export const ENDING_ROWS = {
  cancelled: 'any cancellation reason: cancelled (reasonCode)',
  'declined-is-cancelled': 'client decline is declined_by_client; no separate declined event',
  failed: 'failure on-chain or during processing: failed',
  rolledback: 'chain reorganisation after submission: rolledback',
  replaced: 'replacement mined: replaced',
  'retry-window': 'paused condition unresolved within the window: cancelled with its reason',
  'rule-1': 'terminal success mined; terminal failures failed, cancelled, replaced, rolledback',
  'rule-2': 'intermediate events are informational; not every transaction emits all',
} as const;

/** Section "Outgoing stream": reason codes. */
export const REASON_ROWS = {
  'warning/insufficient_balance': 'source cannot cover amount plus fee at signing time',
  'warning/hosted_singner_unavailable': 'hosted signer temporarily unavailable',
  'warning/no-others': 'other paused conditions produce no warning events',
  'cancelled/insufficient_balance': 'insufficient_balance',
  'cancelled/singner_unavailable': 'singner_unavailable',
  'cancelled/hosted_singner_unavailable': 'hosted_singner_unavailable',
  'cancelled/managed_singner_unavailable': 'managed_singner_unavailable',
  'cancelled/shared_singner_unavailable': 'shared_singner_unavailable',
  'cancelled/network_maintenance': 'network_maintenance',
  'cancelled/not_enough_utxos': 'not_enough_utxos',
  'cancelled/order_expired': 'order_expired',
  'cancelled/invalid_order': 'invalid_order',
  'cancelled/transaction_expired': 'transaction_expired',
  'cancelled/declined_by_client': 'declined_by_client',
  'cancelled/rejected_by_approver': 'rejected_by_approver',
  'cancelled/rejected_by_master_approver': 'rejected_by_master_approver',
  'cancelled/replacement_status_invalid': 'replacement_status_invalid',
  'cancelled/hash_already_exists': 'hash_already_exists',
} as const;
