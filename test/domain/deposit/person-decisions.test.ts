import { describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { BreakId, CreditId, DepositId, Memo } from '../../../src/domain/ids.ts';
import type { FactOutcome } from '../../../src/store/port.ts';
import { verifyWith } from '../../store/evidence.ts';
import { openLedger, OpenLedger, SIX_DEEP } from '../../store/open-ledger.ts';
import { change, decimals, Service } from '../../store/webhook.ts';

const TWO_APPROVALS: CreditingPolicy = {
  ...SIX_DEEP,
  default: { confirmations: 6, twoApprovalsAbove: Amount(99n) },
};

function about(open: OpenLedger, kind: 'approve' | 'hold' | 'release', actor = 'ann') {
  return open.decide({ kind, depositId: open.depositId(), reason: 'because' }, actor);
}

function attribute(open: OpenLedger): Promise<FactOutcome> {
  const depositId = open.depositId();
  return open.decide({
    kind: 'attribute',
    depositId,
    attributedTo: 'customer 7',
    endsApprovals: true,
    reason: 'mail',
  });
}

const CONFLICT = { kind: 'not_taken', refusal: { kind: 'conflict' } };

async function sixDeep(policy = SIX_DEEP, more: object = {}) {
  const open = await openLedger(policy);
  const service = new Service();
  await open.deliver(service.confirmed(6, more));
  return { open, service };
}

describe('approvals', () => {
  test('two different people, after verification: the second credits', async () => {
    const { open } = await sixDeep(TWO_APPROVALS);
    await verifyWith(open);
    expect(await about(open, 'approve', 'ann')).toMatchObject({ kind: 'taken' });
    expect(await about(open, 'approve', 'ann')).toMatchObject(CONFLICT);
    expect(open.feed()).toEqual([]);
    await about(open, 'approve', 'bob');
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('never replace verification', async () => {
    const { open } = await sixDeep(TWO_APPROVALS);
    await about(open, 'approve', 'ann');
    await about(open, 'approve', 'bob');
    expect(open.depositState()).toBe('verifying');
    expect(open.feed()).toEqual([]);
  });

  test('are bound to the epoch', async () => {
    const { open, service } = await sixDeep(TWO_APPROVALS);
    await about(open, 'approve', 'ann');
    await about(open, 'approve', 'bob');
    await open.deliver(service.incoming('rollback'), service.confirmed(6));
    await verifyWith(open);
    expect(open.depositState()).toBe('held: approval_required');
    expect(await about(open, 'approve', 'ann')).toMatchObject({ kind: 'taken' });
  });

  test('are refused before a confirmation, for internal transfers, and after the credit', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.incoming('mempool'));
    expect(await about(open, 'approve')).toMatchObject(CONFLICT);
    await open.deliver(service.confirmed(6));
    await verifyWith(open);
    expect(open.depositState()).toBe('credited');
    expect(await about(open, 'approve')).toMatchObject(CONFLICT);
    const own = await sixDeep(SIX_DEEP, { balanceChanges: [change('9', { tags: ['change'] })] });
    expect(await about(own.open, 'approve')).toMatchObject(CONFLICT);
  });
});

describe('hold and release', () => {
  test('a held deposit is verified and not credited; released, it is', async () => {
    const { open } = await sixDeep();
    await about(open, 'hold');
    await verifyWith(open);
    expect(open.depositState()).toBe('held: operator_hold');
    await about(open, 'release');
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('a hold outlives a rollback', async () => {
    const { open, service } = await sixDeep();
    await about(open, 'hold');
    await open.deliver(service.incoming('rollback'), service.confirmed(6));
    expect(open.depositState()).toBe('held: operator_hold');
  });

  test('a release of what no person holds is refused', async () => {
    const { open } = await sixDeep({ ...SIX_DEEP, default: { confirmations: 6, halted: true } });
    expect(await about(open, 'release')).toMatchObject(CONFLICT);
    expect(open.depositState()).toBe('held: halted');
  });

  test('a release of a person’s hold does not release what other decimals hold', async () => {
    const open = await openLedger();
    const service = new Service();
    const withDecimals = (count: number): object => ({
      balanceChanges: [change('100', decimals(count))],
    });
    const other = { blockchainHash: '0xb2', addressId: 'adr-2' };
    await open.deliver(service.confirmed(1, { ...withDecimals(18), ...other }));
    await open.deliver(service.confirmed(6, withDecimals(6)));
    const depositId = DepositId(open.deposits()[1]?.deposit_id ?? '');
    await open.decide({ kind: 'hold', depositId, reason: 'odd' });
    await open.decide({ kind: 'release', depositId, reason: 'fine' });
    expect(open.deposits()[1]?.reason).toBe('decimals_changed');
  });

  test('released from its decimals, a deposit is not held again by its next confirmation', async () => {
    const open = await openLedger();
    const service = new Service();
    const withDecimals = (count: number): object => ({
      balanceChanges: [change('100', decimals(count))],
    });
    const other = { blockchainHash: '0xb2', addressId: 'adr-2' };
    await open.deliver(service.confirmed(1, { ...withDecimals(18), ...other }));
    await open.deliver(service.confirmed(1, withDecimals(6)));
    const depositId = DepositId(open.deposits()[1]?.deposit_id ?? '');
    await open.decide({ kind: 'release', depositId, reason: 'checked with the issuer' });
    await open.deliver(service.confirmed(3, withDecimals(6)));
    expect(open.deposits()[1]?.state).toBe('confirming');
  });
});

describe('attribution', () => {
  test('credits a deposit with an unregistered memo once verified, and heals its break', async () => {
    const { open } = await sixDeep(SIX_DEEP, { memo: 'bob' });
    await verifyWith(open, { memo: Memo('bob') });
    expect(open.depositState()).toBe('held: unattributed_memo');
    await attribute(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.deposit().attributed_to).toBe('customer 7');
    expect(open.openBreaks()).toEqual([]);
  });

  test('is refused where no memo is in question', async () => {
    const { open } = await sixDeep();
    expect(await attribute(open)).toMatchObject(CONFLICT);
  });

  test('is refused before the memo holds the deposit, and asks for no release', async () => {
    const open = await openLedger(SIX_DEEP);
    await open.deliver(new Service().incoming('mempool', { memo: 'bob' }));
    expect(open.depositState()).toBe('detected');
    const detail = 'the deposit is not held for its memo: its owner cannot be named';
    expect(await attribute(open)).toMatchObject({ ...CONFLICT, refusal: { detail } });
  });
});

describe('acknowledgement', () => {
  async function credited() {
    const { open, service } = await sixDeep();
    await verifyWith(open);
    return { open, service, creditId: open.lastCreditId() };
  }

  test('makes the deposit `settled`; the same reference again changes nothing; another is refused', async () => {
    const { open, creditId } = await credited();
    const ack = (reference: string) => open.decide({ kind: 'acknowledge', creditId, reference });
    expect(await ack('r-1')).toMatchObject({ kind: 'taken' });
    expect(open.depositState()).toBe('settled');
    expect(await ack('r-1')).toEqual({ kind: 'unchanged' });
    expect(await ack('r-2')).toMatchObject(CONFLICT);
  });

  test('an acknowledged credit is still reversed when its hash leaves the chain', async () => {
    const { open, service, creditId } = await credited();
    await open.decide({ kind: 'acknowledge', creditId, reference: 'r-1' });
    await open.deliver(service.incoming('rollback'));
    await verifyWith(open, { status: 'rolledback' });
    expect(open.feedLines()).toEqual(['credit 100', 'reversal 100']);
    expect(open.depositState()).toBe('reversed');
  });

  test('repeated with its reference after the reversal it is still known: a retry is no conflict', async () => {
    const { open, service, creditId } = await credited();
    await open.decide({ kind: 'acknowledge', creditId, reference: 'r-1' });
    await open.deliver(service.incoming('rollback'));
    await verifyWith(open, { status: 'rolledback' });
    const again = await open.decide({ kind: 'acknowledge', creditId, reference: 'r-1' });
    expect(again).toEqual({ kind: 'unchanged' });
  });

  test('is idempotent for every credit that a deposit ever had, also long after', async () => {
    const { open, service, creditId: first } = await credited();
    const ack = (creditId: CreditId, reference: string) =>
      open.decide({ kind: 'acknowledge', creditId, reference });
    await ack(first, 'r-1');
    const issued = [first];
    for (const count of [2, 3]) {
      await open.deliver(service.incoming('rollback'));
      await verifyWith(open, { status: 'rolledback' });
      await open.deliver(service.confirmed(6));
      await verifyWith(open);
      issued.push(open.lastCreditId());
      await ack(open.lastCreditId(), `r-${count}`);
    }
    expect(new Set(issued).size).toBe(3);
    for (const [at, creditId] of issued.entries()) {
      expect(await ack(creditId, `r-${at + 1}`)).toEqual({ kind: 'unchanged' });
      expect(await ack(creditId, 'other')).toMatchObject(CONFLICT);
    }
  });

  test('of a credit that was reversed unacknowledged is refused', async () => {
    const { open, service, creditId } = await credited();
    await open.deliver(service.incoming('rollback'));
    await verifyWith(open, { status: 'rolledback' });
    await open.deliver(service.confirmed(6));
    await verifyWith(open);
    const decision = { kind: 'acknowledge', creditId, reference: 'r-1' } as const;
    expect(await open.decide(decision)).toMatchObject(CONFLICT);
  });

  test('of an unknown credit is not found', async () => {
    const { open } = await credited();
    const decision = { kind: 'acknowledge', creditId: CreditId('crd_0'), reference: 'r' } as const;
    const outcome = await open.decide(decision);
    expect(outcome).toMatchObject({ kind: 'not_taken', refusal: { kind: 'not_found' } });
  });
});

test('decisions about what does not exist are not found and not journalled', async () => {
  const open = await openLedger();
  const length = open.journalLength();
  const reason = 'because';
  const nobody = DepositId('dep_0');
  const outcomes = [
    await open.decide({ kind: 'approve', depositId: nobody, reason }),
    await open.decide({ kind: 'resolve', breakId: BreakId('brk_0'), reason }),
    await open.decide({ kind: 'retry', quarantineId: 'qtn_0', reason }),
  ];
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ kind: 'not_taken', refusal: { kind: 'not_found' } });
  }
  expect(open.journalLength()).toBe(length);
});

describe('a new policy', () => {
  test('evaluates every waiting deposit again: due ones are credited at once', async () => {
    const { open } = await sixDeep({ ...SIX_DEEP, default: { confirmations: 6, halted: true } });
    await verifyWith(open);
    expect(open.depositState()).toBe('held: halted');
    await open.setPolicy(SIX_DEEP);
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('that is deeper sends a verified deposit back to wait', async () => {
    const { open } = await sixDeep(TWO_APPROVALS);
    await verifyWith(open);
    await open.setPolicy({ ...SIX_DEEP, default: { confirmations: 12 } });
    expect(open.depositState()).toBe('confirming');
    await verifyWith(open, { confirmations: 12 });
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('takes back no credit', async () => {
    const { open } = await sixDeep();
    await verifyWith(open);
    await open.setPolicy({ ...SIX_DEEP, default: { confirmations: 60, halted: true } });
    expect(open.depositState()).toBe('credited');
  });

  test('without any policy nothing is ever deep enough', async () => {
    const open = new OpenLedger();
    await open.deliver(new Service().confirmed(1_000_000));
    await verifyWith(open, { confirmations: 1_000_000 });
    expect(open.feed()).toEqual([]);
  });
});
