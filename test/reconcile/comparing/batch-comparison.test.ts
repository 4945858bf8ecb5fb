import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NO_POLICY } from '../../../src/domain/policy/policy.ts';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { TransactionId } from '../../../src/domain/ids.ts';
import {
  compareAll,
  NOTHING_ABSENT,
  NOTHING_UNCONFIRMED,
} from '../../../src/reconcile/comparing/batch-comparison.ts';
import type { Snapshot } from '../../../src/reconcile/comparing/snapshot.ts';
import { received } from '../../store/evidence.ts';

const NOTHING_KNOWN: Snapshot = {
  hashStates: new Map(),
  withdrawals: new Map(),
  ownHashes: new Map(),
  rollbacks: new Map(),
  verifiedElsewhere: new Map(),
  readSince: new Map(),
  unsent: [],
  openBreaks: new Map(),
  pinnedDecimals: new Map(),
  policy: NO_POLICY,
  exemptions: [],
  exempt: new Map(),
  at: 0,
  graceMs: 0,
};

function rows(type: CustodyTransaction['type'], count: number): CustodyTransaction[] {
  return Array.from({ length: count }, (_, number) =>
    received({ transactionId: TransactionId(`${type}-${number}`), type }),
  );
}

test.for(['incoming', 'outgoing'] as const)(
  'other waiting work has a turn before thousands of %s rows are compared',
  async (type) => {
    const compared = compareAll({
      transactions: new Map(rows(type, 2_500).map((row) => [row.transactionId, row])),
      absent: NOTHING_ABSENT,
      unconfirmed: NOTHING_UNCONFIRMED,
      snapshot: NOTHING_KNOWN,
    });
    const first = await Promise.race([compared.then(() => 'all rows'), nextTurn('another')]);
    expect(first).toBe('another');
    expect(await compared).toHaveLength(2_500);
  },
);
