import { beforeEach, describe, expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import {
  BREAK_TYPES,
  breakKey,
  differenceOf,
  finding,
  foundAgain,
  NO_SUBJECT,
  opened,
  saysNothingNew,
  type Break,
  type Finding,
  type Severity,
} from '../../../src/domain/break/break.ts';
import { BreakId, VaultId } from '../../../src/domain/ids.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { change, Service } from '../../store/webhook.ts';

const DIFFERENCES: [expected: bigint | null, actual: bigint | null, difference: bigint | null][] = [
  [100n, 90n, -10n],
  [90n, 100n, 10n],
  [-100n, 0n, 100n],
  [5n, 5n, 0n],
  [null, 5n, null],
  [5n, null, null],
];

test.for(DIFFERENCES)(
  'expected %s, actual %s: the difference is %s, its sign kept',
  ([expected, actual, difference]) => {
    const amount = (value: bigint | null) => (value === null ? null : Amount(value));
    expect(differenceOf({ expected: amount(expected), actual: amount(actual) })).toBe(difference);
  },
);

test('keys of different parts never meet', () => {
  const keys = [
    breakKey('conservation', 'a', 'b'),
    breakKey('conservation', 'a,b'),
    breakKey('conservation', 'ab', ''),
    breakKey('conservation', 'a', null),
    breakKey('malformed', 'a', 'b'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

/** How severe a kind of difference is where nothing about it says otherwise. */
const SEVERITIES: Record<Severity, string> = {
  info: 'malformed',
  warning:
    'missing_notification amount_changed status_mismatch conservation unexplained_movement unattributed_memo quarantined stale_deposit stale_withdrawal subscription_drift delivery_backlog',
  critical: 'unknown_to_custody amount_mismatch reversal_after_credit id_conflict decimals_changed',
};

test.for(Object.entries(SEVERITIES))('of severity %s', ([severity, types]) => {
  const found = BREAK_TYPES.filter(
    (type) => finding(type, { key: 'k', detail: 'd' }).severity === severity,
  );
  expect(found.join(' ')).toBe(types);
});

describe('a difference that is found again', () => {
  const FOUND: Finding = {
    type: 'conservation',
    key: 'k',
    severity: 'warning',
    subject: NO_SUBJECT,
    expected: Amount(100n),
    actual: Amount(90n),
    detail: 'it does not add up',
  };
  let known: Break;
  beforeEach(() => {
    known = opened(FOUND, BreakId('brk_1'), 7).after;
  });

  const AGAIN: [what: string, found: Partial<Finding>, says: string][] = [
    ['the other side', { expected: Amount(95n) }, 'expected 100 → 95, difference -10 → -5'],
    ['ours', { actual: Amount(99n) }, 'actual 90 → 99, difference -10 → -1'],
    ['ours, unknown', { actual: null }, 'actual 90 → none, difference -10 → none'],
    [
      'both by as much',
      { expected: Amount(50n), actual: Amount(40n) },
      'expected 100 → 50, actual 90 → 40',
    ],
    ['its severity', { severity: 'critical' }, 'severity warning → critical'],
    ['its words alone', { detail: 'by the fee' }, 'now: by the fee'],
  ];

  test.for(AGAIN)('with %s moved says so', ([, found, says]) => {
    expect(saysNothingNew(known, { ...FOUND, ...found })).toBe(false);
    const { after, event } = foundAgain(known, { ...FOUND, ...found }, 9);
    expect([event.reason, event.action, after.updatedAt]).toEqual([says, 'changed', 9]);
    expect([after.openedAt, after.breakId, after.state]).toEqual([7, 'brk_1', 'open']);
  });

  test('gets a figure that was unknown before', () => {
    const unknown: Break = { ...known, expected: null };
    expect(foundAgain(unknown, FOUND, 9).event.reason).toBe(
      'expected none → 100, difference none → -10',
    );
  });

  test('says nothing new in the same words and figures, however severe by age', () => {
    expect(saysNothingNew(known, FOUND)).toBe(true);
    expect(saysNothingNew({ ...known, severity: 'critical' }, FOUND)).toBe(true);
    expect(saysNothingNew(undefined, FOUND)).toBe(false);
  });

  /** Severity as found first, as raised by age, as found again, and as it counts then. */
  const RAISED: [was: Severity, raised: Severity, found: Severity, is: Severity][] = [
    ['warning', 'warning', 'critical', 'critical'],
    ['warning', 'warning', 'info', 'info'],
    ['warning', 'critical', 'warning', 'critical'],
    ['warning', 'critical', 'info', 'critical'],
    ['info', 'warning', 'critical', 'critical'],
    ['info', 'warning', 'info', 'warning'],
  ];

  test.for(RAISED)('%s, by age %s, found as %s: %s', ([was, raised, severity, is]) => {
    const before: Break = { ...known, originalSeverity: was, severity: raised };
    const { after } = foundAgain(before, { ...FOUND, severity }, 9);
    expect([after.severity, after.originalSeverity]).toEqual([is, severity]);
  });
});

/** The history of a break, in order: action, actor, reason, figures before and after. */
function history(open: OpenLedger, id: BreakId): unknown[][] {
  return open.db
    .prepare(
      `SELECT action, actor, reason, figures_before, figures_after FROM break_events
       WHERE break_id = ? ORDER BY rowid`,
    )
    .raw()
    .all(id) as unknown[][];
}

describe('the life of a break', () => {
  const reason = 'because';

  async function unexplained() {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction'));
    await open.run();
    return { open, service, id: open.openBreak('unexplained_movement').id };
  }

  test('a key has one open break, with the newest figures', async () => {
    const { open, service, id } = await unexplained();
    await open.run();
    const newer = {
      confirmations: 3,
      balanceChanges: [change('90', { address: { id: 'adr-1' } })],
    };
    await open.deliver(service.chain('transaction', newer));
    await open.run();
    const found = open.openBreak('unexplained_movement');
    expect([found.id, found.expected]).toEqual([id, '90']);
  });

  test('open, investigating, resolved: who, when and why are on record', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'investigate', breakId: id, reason: 'looking' }, 'ann');
    await open.decide({ kind: 'resolve', breakId: id, reason: 'gift' }, 'bob');
    expect(
      open.rows('SELECT actor, action, reason FROM break_events ORDER BY seq').slice(1),
    ).toEqual([
      { actor: 'ann', action: 'investigating', reason: 'looking' },
      { actor: 'bob', action: 'resolved', reason: 'gift' },
    ]);
    const [row] = open.breaks();
    expect(row).toMatchObject({ state: 'resolved', resolved_by: 'bob', resolution: 'gift' });
  });

  test('figures that move leave a line that holds them before and after', async () => {
    const { open, service, id } = await unexplained();
    const newer = {
      confirmations: 3,
      balanceChanges: [change('90', { address: { id: 'adr-1' } })],
    };
    await open.deliver(service.chain('transaction', newer));
    await open.run();
    await open.decide({ kind: 'resolve', breakId: id, reason });
    const figures = (expected: string) =>
      JSON.stringify({ expected, actual: '0', severity: 'warning' });
    expect(history(open, id)).toEqual([
      ['opened', 'reconciler', expect.stringContaining('moved 100'), null, figures('100')],
      [
        'changed',
        'reconciler',
        'expected 100 → 90, difference -100 → -90',
        figures('100'),
        figures('90'),
      ],
      ['resolved', 'ann', reason, null, null],
    ]);
    // A resolved difference keeps its figures and its sign.
    expect(open.breaks().find((one) => one.break_id === id)).toMatchObject({
      state: 'resolved',
      expected: '90',
      actual: '0',
    });
  });

  test('a difference that is put in other words is not overwritten silently either', async () => {
    const open = await openLedger();
    const drift = (text: string) =>
      open.record({ kind: 'subscription', vaultId: VaultId('v1'), drift: text });
    await drift('there is no subscription');
    await drift('not subscribed: incoming');
    await drift('not subscribed: incoming');
    expect(
      history(open, open.openBreak('subscription_drift').id).map(([action, , text]) => [
        action,
        text,
      ]),
    ).toEqual([
      ['opened', expect.stringContaining('there is no subscription')],
      ['changed', expect.stringContaining('now: not subscribed: incoming')],
    ]);
  });

  test('notes and assignments are on record with who and why, and change no figure', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'note', breakId: id, note: 'asked the treasury' }, 'ann');
    await open.decide({ kind: 'assign', breakId: id, assignee: 'bob', reason: 'on call' }, 'ann');
    expect(open.openBreak('unexplained_movement')).toMatchObject({ assignee: 'bob', actual: '0' });
    await open.decide({ kind: 'assign', breakId: id, assignee: null, reason: 'away' }, 'bob');
    expect(open.openBreak('unexplained_movement').assignee).toBeNull();
    expect(history(open, id).slice(1)).toEqual([
      ['noted', 'ann', 'asked the treasury', null, null],
      ['assigned', 'ann', 'nobody → bob: on call', null, null],
      ['assigned', 'bob', 'bob → nobody: away', null, null],
    ]);
  });

  test('a note on a resolved one leaves the next open one of its key alone', async () => {
    const { open, service, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason });
    await open.deliver(service.chain('rollback'), service.chain('transaction'));
    const movement = {
      blockchainHash: '0xb2',
      balanceChanges: [change('5', { address: { id: 'adr-1' } })],
    };
    await open.deliver(service.chain('transaction', movement));
    await open.run();
    const before = open.openBreaks();
    const drift = (text: string | null) =>
      ({ kind: 'subscription', vaultId: VaultId('v1'), drift: text }) as const;
    await open.record(drift('none'));
    const first = open.openBreak('subscription_drift').id;
    await open.record(drift(null));
    await open.record(drift('again'));
    const at = open.at + 1_000;
    await open.commit([
      {
        kind: 'decision',
        at,
        actor: 'ann',
        decision: { kind: 'note', breakId: first, note: 'late' },
      },
      { kind: 'custody-record', at, record: drift('worse') },
    ]);
    expect(open.openBreaks()).toEqual([...before, 'subscription_drift'].toSorted());
    expect(open.openBreak('subscription_drift').detail).toContain('worse');
  });

  test('a resolved one takes notes, and nothing else', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason });
    const note = await open.decide({ kind: 'note', breakId: id, note: 'post-mortem: …' });
    expect(note).toMatchObject({ kind: 'taken' });
    const refused = { kind: 'not_taken', refusal: { kind: 'conflict' } };
    expect(await open.decide({ kind: 'assign', breakId: id, assignee: 'x', reason })).toMatchObject(
      refused,
    );
    expect(await open.decide({ kind: 'investigate', breakId: id, reason })).toMatchObject(refused);
  });

  test('found again during an investigation, it stays under investigation', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'investigate', breakId: id, reason });
    await open.run();
    expect(open.openBreak('unexplained_movement').state).toBe('investigating');
  });

  test('a difference that goes away is healed by the reconciler', async () => {
    const { open, service } = await unexplained();
    await open.deliver(service.confirmed(1));
    await open.run();
    const [row] = open.breaks();
    expect(row).toMatchObject({ state: 'resolved', resolved_by: 'reconciler' });
  });

  test('a difference that changes its kind is one open break of the new kind', async () => {
    const { open, service } = await unexplained();
    await open.deliver(service.confirmed(1, { balanceChanges: [change('90')] }));
    await open.run();
    expect(open.openBreaks()).toEqual(['conservation']);
  });

  test('a healed one that comes back is a new break of the same key', async () => {
    const { open, service } = await unexplained();
    await open.deliver(service.confirmed(1));
    await open.run();
    await open.deliver(service.incoming('rollback'));
    await open.run();
    expect(open.openBreaks()).toEqual(['conservation']);
    await open.deliver(service.confirmed(1));
    await open.run();
    expect(open.openBreaks()).toEqual([]);
  });

  test('resolved is final for people', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason });
    const again = await open.decide({ kind: 'resolve', breakId: id, reason });
    expect(again).toMatchObject({ kind: 'not_taken', refusal: { kind: 'conflict' } });
  });
});
