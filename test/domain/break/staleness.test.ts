import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { RunAges } from '../../../src/domain/fact/custody-record.ts';
import { STALE_SHOWN_MAX } from '../../../src/domain/break/staleness.ts';
import { CreditId } from '../../../src/domain/ids.ts';
import { verifyWith } from '../../store/evidence.ts';
import { openLedger, SIX_DEEP, type OpenLedger } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

const HOUR = 3_600_000;
const AGES: RunAges = {
  stale: { depositMs: 6 * HOUR, withdrawalMs: 24 * HOUR, reversals: true },
  escalation: { infoToWarningAfterMs: null, warningToCriticalAfterMs: null },
};

async function runHoursLater(open: OpenLedger, hours: number, ages = AGES): Promise<void> {
  open.at += hours * HOUR - 1_000;
  await open.run(0, ages);
}

/** The custody API neither confirms the rollback, nor shows the transaction as confirmed. */
async function rolledBackAfterCredit(open: OpenLedger, service: Service): Promise<void> {
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'failed' });
}

/** What brings a deposit where it is, and whether it is stale after six hours there. */
const DEPOSITS: [
  what: string,
  report: (open: OpenLedger, service: Service) => Promise<unknown>,
  depositState: string,
  stale: RegExp | null,
][] = [
  [
    'in the mempool',
    (open, service) => open.deliver(service.incoming('mempool')),
    'detected',
    /^detected since .*Z, for more than 6 h: no confirmation came/,
  ],
  [
    'below the depth',
    (open, service) => open.deliver(service.confirmed(3)),
    'confirming',
    /^confirming since .*: it does not reach its 6 confirmations/,
  ],
  [
    'deep enough, and never verified',
    (open, service) => open.deliver(service.confirmed(6)),
    'verifying',
    /^verifying since .*: the custody API has not confirmed it/,
  ],
  [
    'of a status at the API that we do not know',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, { status: 'frozen' });
    },
    'verifying',
    /its status there is unknown or failed/,
  ],
  [
    'failed at the API',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open, { status: 'failed' });
    },
    'verifying',
    /its status there is unknown or failed/,
  ],
  [
    'held by a person and never verified',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await open.decide({ kind: 'hold', depositId: open.depositId(), reason: 'odd' });
    },
    'held: operator_hold',
    /^held since .*: held for operator_hold, and the custody API has not confirmed it/,
  ],
  [
    'held by a person after it was verified',
    async (open, service) => {
      await open.deliver(service.confirmed(3));
      await verifyWith(open, { confirmations: 3 });
      await open.decide({ kind: 'hold', depositId: open.depositId(), reason: 'odd' });
    },
    'held: operator_hold',
    null,
  ],
  [
    'held for an approval that nobody gives',
    async (open, service) => {
      await open.setPolicy({
        ...SIX_DEEP,
        default: { confirmations: 6, oneApprovalAbove: Amount(50n) },
      });
      await open.deliver(service.confirmed(6));
      await verifyWith(open);
    },
    'held: approval_required',
    /nobody has approved it/,
  ],
  [
    'credited',
    async (open, service) => {
      await open.deliver(service.confirmed(6));
      await verifyWith(open);
    },
    'credited',
    null,
  ],
  [
    'rolled back after its credit, and failed at the API',
    rolledBackAfterCredit,
    'credited',
    /^credited since .*: its transaction was rolled back, and the custody API has not confirmed that/,
  ],
  [
    'rolled back after its credit was acknowledged',
    async (open, service) => {
      await rolledBackAfterCredit(open, service);
      const creditId = CreditId(open.feed()[0]?.credit_id ?? '');
      await open.decide({ kind: 'acknowledge', creditId, reference: 'booking 1' });
    },
    'settled',
    /^settled since .*: its transaction was rolled back/,
  ],
  [
    'rolled back',
    (open, service) => open.deliver(service.confirmed(3), service.incoming('rollback')),
    'rolled_back',
    null,
  ],
  [
    'an own transfer',
    (open, service) => open.deliver(service.outgoing('mined'), service.confirmed(3)),
    'internal',
    null,
  ],
];

describe('a deposit', () => {
  test.for(DEPOSITS)('%s', async ([_what, report, depositState, stale]) => {
    const open = await openLedger();
    await report(open, new Service());
    expect(open.depositState()).toBe(depositState);
    const depositBreaks = () => open.breaks().filter(({ type }) => type === 'stale_deposit');
    await runHoursLater(open, 5.9);
    expect(depositBreaks()).toEqual([]);
    await runHoursLater(open, 0.2);
    await runHoursLater(open, 1);
    const details = depositBreaks().map(({ detail }) => detail);
    expect(details.length).toBe(stale === null ? 0 : 1);
    expect(details.filter((detail) => stale?.test(detail) !== true)).toEqual([]);
  });

  test('that moves on is stale no more, and may be again', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1));
    await runHoursLater(open, 7);
    expect(open.openBreak('stale_deposit')).toMatchObject({
      key: JSON.stringify(['stale_deposit', open.depositId()]),
      severity: 'warning',
      vault_id: 'v1',
      deposit_id: open.depositId(),
      actual: '100',
    });
    await open.deliver(service.confirmed(3));
    await runHoursLater(open, 1);
    expect(open.breaks()).toMatchObject([
      { state: 'resolved', resolved_by: 'reconciler', resolution: 'it moved on: confirming' },
    ]);
    await runHoursLater(open, 6);
    expect(open.openBreaks()).toEqual(['stale_deposit']);
  });

  test.for<
    [
      what: string,
      report: (open: OpenLedger, service: Service) => Promise<unknown>,
      deepens: boolean,
    ]
  >([
    ['in the mempool', (open, service) => open.deliver(service.incoming('mempool')), false],
    ['deep enough', (open, service) => open.deliver(service.confirmed(6)), true],
    ['rolled back after its credit', rolledBackAfterCredit, false],
  ])(
    '%s is stale, although webhooks come each hour that move nothing',
    async ([, report, deepens]) => {
      const open = await openLedger();
      const service = new Service();
      await report(open, service);
      for (let hour = 1; hour <= 7; hour += 1) {
        await open.deliver(service.incoming('mempool', { transactionId: `forged-${hour}` }));
        if (deepens) await open.deliver(service.confirmed(6 + hour));
        await runHoursLater(open, 1);
      }
      expect(open.openBreaks()).toContain('stale_deposit');
    },
  );

  test('whose credit is reversed is stale no more', async () => {
    const open = await openLedger();
    await rolledBackAfterCredit(open, new Service());
    await runHoursLater(open, 7);
    expect(open.openBreaks()).toEqual(['reversal_after_credit', 'stale_deposit']);
    await verifyWith(open, { status: 'rolledback' });
    await runHoursLater(open, 1);
    expect(open.openBreaks()).toEqual(['reversal_after_credit']);
  });

  test('whose credit waits for its reversal is not stale in a run of an earlier version', async () => {
    const open = await openLedger();
    await rolledBackAfterCredit(open, new Service());
    const { depositMs, withdrawalMs } = AGES.stale;
    await runHoursLater(open, 7, { ...AGES, stale: { depositMs, withdrawalMs } });
    expect(open.openBreaks()).toEqual(['reversal_after_credit']);
  });

  test('without a custody API is never stale', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(6));
    const ages = { ...AGES, stale: { ...AGES.stale, depositMs: null } };
    await runHoursLater(open, 1_000, ages);
    expect(open.openBreaks()).toEqual([]);
  });

  test('is stale by the age of its run: a longer age heals', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(6));
    await runHoursLater(open, 7);
    const ages = { ...AGES, stale: { ...AGES.stale, depositMs: 48 * HOUR } };
    await runHoursLater(open, 1, ages);
    expect(open.openBreaks()).toEqual([]);
  });
});

/** Last event of a withdrawal, and whether a day of silence after it is too long. */
const WITHDRAWALS: [type: string, stale: boolean][] = [
  ['approval-pending', true],
  ['approved', true],
  ['requested', true],
  ['to-sign', true],
  ['signed', true],
  ['submitted', true],
  ['warning', true],
  ['mined', false],
  ['failed', false],
  ['cancelled', false],
  ['replaced', false],
  ['rolledback', false],
];

describe('a withdrawal', () => {
  test.for(WITHDRAWALS)('last heard of as %s: stale %s', async ([type, stale]) => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing(type));
    await runHoursLater(open, 23.9);
    expect(open.openBreaks()).toEqual([]);
    await runHoursLater(open, 0.2);
    expect(open.openBreaks()).toEqual(stale ? ['stale_withdrawal'] : []);
  });

  test('that ends after all heals its break', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted'));
    await runHoursLater(open, 25);
    expect(open.openBreak('stale_withdrawal')).toMatchObject({
      key: '["stale_withdrawal","wd-tx"]',
      transaction_id: 'wd-tx',
      vault_id: 'v1',
    });
    expect(open.openBreak('stale_withdrawal').detail).toMatch(
      /^submitted since .*Z, for more than 1 d: /,
    );
    await open.deliver(service.outgoing('mined'));
    await runHoursLater(open, 0.1);
    expect(open.breaks()).toMatchObject([{ state: 'resolved', resolution: 'it moved on: mined' }]);
  });
});

test('of very many the longest waiting have a break each, and the rest is counted', async () => {
  const open = await openLedger();
  const service = new Service();
  const more = 7;
  const bodies = Array.from({ length: STALE_SHOWN_MAX + more }, (_, at) =>
    service.confirmed(1, { blockchainHash: `0x${at}`, transactionId: `dep-${at}` }),
  );
  await open.deliverTogether(...bodies);
  await runHoursLater(open, 7);
  const lastRun = () =>
    open.rows('SELECT broken, skipped FROM reconciliations ORDER BY seq DESC LIMIT 1')[0];
  expect(lastRun()).toEqual({
    broken: STALE_SHOWN_MAX,
    skipped: JSON.stringify({ stale_not_shown: more, no_chain_evidence: bodies.length }),
  });
  const shown = new Set(open.breaks().map((one) => one.blockchain_hash));
  expect([shown.size, shown.has('0x0'), shown.has(`0x${STALE_SHOWN_MAX}`)]).toEqual([
    STALE_SHOWN_MAX,
    true,
    false,
  ]);
  // Where the first ones move on, the next in line are shown.
  const first = bodies
    .slice(0, more)
    .map((body) => ({ ...body, id: `${body.id}-3`, confirmations: 3 }));
  await open.deliverTogether(...first);
  await runHoursLater(open, 0.1);
  expect(open.openBreaks()).toHaveLength(STALE_SHOWN_MAX);
  expect(lastRun()).toMatchObject({
    skipped: JSON.stringify({ no_chain_evidence: bodies.length }),
  });
});

test.for([
  ['deposits', 'deposits_idle', 'updated_hour, hash_id, deposit_id'],
  ['withdrawals', 'withdrawals_idle', 'updated_at'],
] as const)(
  'waiting %s are found by their own index in its order, never by reading all',
  async ([table, index, order]) => {
    const open = await openLedger();
    const [stored] = open.rows<{ sql: string }>(
      'SELECT sql FROM sqlite_schema WHERE name = ?',
      index,
    );
    const condition = (stored?.sql ?? '').split('WHERE')[1] ?? 'false';
    const plan = open.rows<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT * FROM ${table} WHERE ${condition} AND ${order.split(',')[0]} <= 5
       AND updated_at <= 5 ORDER BY ${order} LIMIT 10`,
    );
    const details = plan.map(({ detail }) => detail).join('; ');
    expect(details).toContain(`USING INDEX ${index}`);
    expect(details).not.toContain('TEMP B-TREE');
  },
);
