import { unpackPolicy } from '../../../codec/fact.ts';
import type { PolicyRow } from '../../../records.ts';
import type { PolicyTableRow } from '../tables.ts';

/** Reads a policy from its row. */
export function policyOf(row: PolicyTableRow): PolicyRow {
  return {
    seq: row.seq,
    source: row.source as PolicyRow['source'],
    actor: row.actor,
    reason: row.reason,
    policy: unpackPolicy(row.policy),
    configured: row.configured === null ? null : unpackPolicy(row.configured),
    setAt: row.set_at,
  };
}
