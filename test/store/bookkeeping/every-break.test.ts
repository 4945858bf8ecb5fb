import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { BREAK_TYPES, SEVERITY_OF, type BreakType } from '../../../src/domain/break/break.ts';
import type { RunAges } from '../../../src/domain/fact/custody-record.ts';
import { TransactionId, VaultId } from '../../../src/domain/ids.ts';
import { decode } from '../../../src/intake/decode.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import { balanceChange, sent, verifyWith } from '../evidence.ts';
import { factOf, openLedgerFile, type OpenLedger } from '../open-ledger.ts';
import { change, decimals, Service } from '../webhook.ts';

const HOUR = 3_600_000;
const AGES: RunAges = {
  stale: { depositMs: HOUR, withdrawalMs: HOUR },
  escalation: { infoToWarningAfterMs: null, warningToCriticalAfterMs: null },
};
const DEP = 'dep_…';
const ETH = 'ethereum:ETH';

/** One type: what opens it, what it is then, and what ends it, by whom. */
interface Row {
  readonly opens: (open: OpenLedger, service: Service) => Promise<unknown>;
  /** Parts of its stable key after the type; `dep_…` stands for the deposit's id. */
  readonly key: readonly string[];
  /** Expected and actual; null where nothing is compared. */
  readonly figures: readonly [expected: string | null, actual: string | null];
  readonly ends: (open: OpenLedger, service: Service) => Promise<unknown>;
  readonly by: 'reconciler' | 'ann';
}

const credited = async (open: OpenLedger, service: Service): Promise<void> => {
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
};
const resolvedBy =
  (type: BreakType) =>
  (open: OpenLedger): Promise<unknown> =>
    open.decide({ kind: 'resolve', breakId: open.openBreak(type).id, reason: 'looked into' });
const subscription = (open: OpenLedger, drift: string | null): Promise<unknown> =>
  open.record({ kind: 'subscription', vaultId: VaultId('v1'), drift });
const hourLater = (open: OpenLedger): Promise<unknown> => {
  open.at += HOUR;
  return open.run(0, AGES);
};

const TABLE: Record<BreakType, Row> = {
  missing_notification: {
    opens: (open) => open.record({ kind: 'outgoing', transaction: sent(), graceMs: 0 }),
    key: ['wd-tx'],
    figures: [null, null],
    ends: async (open, service) => {
      await open.deliver(service.outgoing('mined'));
      await open.run();
    },
    by: 'reconciler',
  },
  unknown_to_custody: {
    opens: async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, null);
    },
    key: [DEP],
    figures: ['0', '100'],
    ends: (open) => verifyWith(open),
    by: 'reconciler',
  },
  amount_mismatch: {
    opens: async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, { changes: [balanceChange(90n)] });
    },
    key: [DEP],
    figures: ['90', '100'],
    ends: (open) => verifyWith(open),
    by: 'reconciler',
  },
  amount_changed: {
    opens: (open, service) =>
      open.deliver(service.confirmed(1), service.confirmed(6, { balanceChanges: [change('90')] })),
    key: [DEP],
    figures: ['90', '100'],
    ends: (open) => verifyWith(open, { changes: [balanceChange(90n)] }),
    by: 'reconciler',
  },
  status_mismatch: {
    opens: async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, { status: 'rolledback' });
    },
    key: [DEP],
    figures: [null, null],
    ends: (open) => verifyWith(open),
    by: 'reconciler',
  },
  conservation: {
    opens: async (open, service) => {
      await open.deliver(service.confirmed(1, { balanceChanges: [change('70')] }));
      await open.deliver(service.chain('transaction'));
      await open.run();
    },
    key: ['v1', 'ethereum', '0xa1', ETH],
    figures: ['100', '70'],
    ends: async (open, service) => {
      const position = { address: { id: 'adr-1' }, account: { id: 'acc-1' } };
      const chain = { confirmations: 3, balanceChanges: [change('70', position)] };
      await open.deliver(service.chain('transaction', chain));
      await open.run();
    },
    by: 'reconciler',
  },
  unexplained_movement: {
    opens: async (open, service) => {
      await open.deliver(service.chain('transaction'));
      await open.run();
    },
    key: ['v1', 'ethereum', '0xa1', ETH],
    figures: ['100', '0'],
    ends: async (open, service) => {
      await open.deliver(service.confirmed(1));
      await open.run();
    },
    by: 'reconciler',
  },
  reversal_after_credit: {
    opens: async (open, service) => {
      await credited(open, service);
      await open.deliver(service.incoming('rollback'));
    },
    key: [DEP],
    figures: ['0', '100'],
    // Mined again before the API agreed that it was gone: its credit was right all along.
    ends: credited,
    by: 'reconciler',
  },
  unattributed_memo: {
    opens: (open, service) => open.deliver(service.confirmed(1, { memo: 'bob' })),
    key: [DEP],
    figures: [null, null],
    ends: (open) =>
      open.decide({
        kind: 'attribute',
        depositId: open.depositId(),
        attributedTo: 'customer 7',
        endsApprovals: true,
        reason: 'asked',
      }),
    by: 'reconciler',
  },
  id_conflict: {
    opens: (open, service) =>
      open.deliver({ ...service.confirmed(1), id: 'a' }, { ...service.confirmed(3), id: 'a' }),
    key: ['a'],
    figures: [null, null],
    ends: resolvedBy('id_conflict'),
    by: 'ann',
  },
  quarantined: {
    opens: async (open, service) => {
      // As an earlier version kept it, which did not understand it.
      const fact = factOf({ ...service.confirmed(1), id: 'a' }, open.at);
      if (fact.kind !== 'notification') throw new Error('not understood');
      const { at, raw } = fact;
      await open.commit([{ kind: 'quarantined', at, raw, id: 'a', defect: 'unknown type' }]);
    },
    key: ['a'],
    figures: [null, null],
    ends: (open) => {
      const [kept] = open.rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine');
      return open.decide({ kind: 'retry', quarantineId: kept?.id ?? '', reason: 'upgraded' });
    },
    by: 'reconciler',
  },
  malformed: {
    opens: (open) => open.deliver('not json'),
    key: [createHash('sha256').update('not json').digest('hex')],
    figures: [null, null],
    ends: resolvedBy('malformed'),
    by: 'ann',
  },
  stale_deposit: {
    opens: async (open, service) => {
      await open.deliver(service.confirmed(6));
      await hourLater(open);
    },
    key: [DEP],
    figures: [null, '100'],
    ends: async (open) => {
      await verifyWith(open);
      await open.run(0, AGES);
    },
    by: 'reconciler',
  },
  stale_withdrawal: {
    opens: async (open, service) => {
      await open.deliver(service.outgoing('signed'));
      await hourLater(open);
    },
    key: ['wd-tx'],
    figures: [null, null],
    ends: async (open, service) => {
      await open.deliver(service.outgoing('cancelled'));
      await open.run(0, AGES);
    },
    by: 'reconciler',
  },
  subscription_drift: {
    opens: (open) => subscription(open, 'there is no subscription'),
    key: ['v1'],
    figures: [null, null],
    ends: (open) => subscription(open, null),
    by: 'reconciler',
  },
  delivery_backlog: {
    opens: (open) =>
      open.record({
        kind: 'backlog',
        vaultId: VaultId('v1'),
        backlog: { transactionId: TransactionId('dep-tx'), since: open.at },
      }),
    key: ['v1'],
    figures: [null, null],
    ends: (open) => open.record({ kind: 'backlog', vaultId: VaultId('v1'), backlog: null }),
    by: 'reconciler',
  },
  decimals_changed: {
    opens: async (open, service) => {
      const first = { blockchainHash: '0xb2', balanceChanges: [change('1', decimals(18))] };
      await open.deliver(service.outgoing('mined', first));
      await open.deliver(service.confirmed(1, { balanceChanges: [change('100', decimals(6))] }));
    },
    key: [DEP],
    figures: [null, null],
    ends: (open) =>
      open.decide({ kind: 'release', depositId: open.depositId(), reason: 'checked' }),
    by: 'reconciler',
  },
};

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

test.for(BREAK_TYPES)('%s opens once, heals or is resolved, and replays the same', async (type) => {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  const row = TABLE[type];
  await row.opens(open, service);
  const found = open.openBreak(type);
  const parts = row.key.map((part) => (part === DEP ? open.depositId() : part));
  expect(found).toMatchObject({
    key: JSON.stringify([type, ...parts]),
    severity: SEVERITY_OF[type],
    original_severity: SEVERITY_OF[type],
    state: 'open',
  });
  expect([found.expected, found.actual]).toEqual(row.figures);
  await row.ends(open, service);
  const ofType = open.breaks().filter((one) => one.type === type);
  expect(ofType).toMatchObject([{ break_id: found.id, state: 'resolved', resolved_by: row.by }]);
  // Resolved, it keeps its figures.
  expect(ofType.map(({ expected, actual }) => [expected, actual])).toEqual([row.figures]);
  expect(verify(path, { decode, progress: SILENT }).sound).toBe(true);
});
