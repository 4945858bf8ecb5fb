import { beforeEach, describe, expect, test } from 'vitest';
import { breakKey, finding, opened, type Break } from '../../../src/domain/break/break.ts';
import type { RunAges } from '../../../src/domain/fact/custody-record.ts';
import {
  escalated,
  escalationSteps,
  type EscalationStep,
} from '../../../src/domain/break/escalation.ts';
import { BreakId } from '../../../src/domain/ids.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../../store/webhook.ts';

const HOUR = 3_600_000;
const NEVER_STALE = { depositMs: null, withdrawalMs: 1_000_000 * HOUR };

function after(info: number | null, warning: number | null): RunAges {
  const ms = (hours: number | null): number | null => (hours === null ? null : hours * HOUR);
  return {
    stale: NEVER_STALE,
    escalation: { infoToWarningAfterMs: ms(info), warningToCriticalAfterMs: ms(warning) },
  };
}

/** A run so many hours after the first break was opened. */
async function runAtHour(open: OpenLedger, hour: number, ages: RunAges): Promise<void> {
  const [first] = open.breaks();
  open.at = (first?.opened_at ?? 0) + hour * HOUR - 1_000;
  await open.run(0, ages);
}

/** Opens one break of this original severity. */
const OPENERS = {
  info: async (open: OpenLedger) => void (await open.deliver('not json')),
  warning: async (open: OpenLedger) => void (await open.deliver({ id: 'x', stream: 'weather' })),
  critical: async (open: OpenLedger) => {
    const service = new Service();
    await open.deliver({ ...service.confirmed(1), id: 'a' }, { ...service.confirmed(3), id: 'a' });
  },
};

/** Hours at which runs are made, and the severity after each. */
const TABLE: [original: keyof typeof OPENERS, ages: RunAges, runs: [hour: number, is: string][]][] =
  [
    [
      'warning',
      after(48, 24),
      [
        [1, 'warning'],
        [23.9, 'warning'],
        [24, 'critical'],
        [99, 'critical'],
      ],
    ],
    [
      'info',
      after(48, 24),
      [
        [47, 'info'],
        [48, 'warning'],
        [71, 'warning'],
        [72, 'critical'],
      ],
    ],
    [
      'critical',
      after(48, 24),
      [
        [1, 'critical'],
        [1_000, 'critical'],
      ],
    ],
    ['warning', after(48, null), [[1_000, 'warning']]],
    [
      'info',
      after(48, null),
      [
        [48, 'warning'],
        [1_000, 'warning'],
      ],
    ],
    ['info', after(null, 24), [[1_000, 'info']]],
    // Long away: one step per run.
    [
      'info',
      after(48, 24),
      [
        [1_000, 'warning'],
        [1_001, 'critical'],
      ],
    ],
  ];

test.for(TABLE)('%s, with %o: %o', async ([original, ages, runs]) => {
  const open = await openLedger();
  await OPENERS[original](open);
  for (const [hour, severity] of runs) {
    await runAtHour(open, hour, ages);
    expect(open.breaks()).toMatchObject([{ severity, original_severity: original }]);
  }
});

describe('an escalation', () => {
  const AGES = after(48, 24);

  async function unexplained() {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction'));
    await open.run();
    return { open, service, id: open.openBreak('unexplained_movement').id };
  }

  test('is in the history, by the reconciler, with why and from what to what', async () => {
    const { open, id } = await unexplained();
    await runAtHour(open, 24, AGES);
    expect(
      open.rows(
        'SELECT action, actor, reason, figures_before, figures_after FROM break_events WHERE break_id = ? ORDER BY rowid',
        id,
      )[1],
    ).toEqual({
      action: 'escalated',
      actor: 'reconciler',
      reason: 'unresolved for 1 d: warning → critical',
      figures_before: '{"expected":"100","actual":"0","severity":"warning"}',
      figures_after: '{"expected":"100","actual":"0","severity":"critical"}',
    });
  });

  test('happens once, also when the difference is found again with other figures', async () => {
    const { open, service } = await unexplained();
    await runAtHour(open, 24, AGES);
    await open.deliver(
      service.chain('transaction', {
        confirmations: 3,
        balanceChanges: [change('90', AT_ADDRESS)],
      }),
    );
    await runAtHour(open, 25, AGES);
    await runAtHour(open, 26, AGES);
    expect(open.openBreak('unexplained_movement')).toMatchObject({
      severity: 'critical',
      original_severity: 'warning',
      expected: '90',
    });
    expect(open.rows("SELECT count(*) AS n FROM break_events WHERE action = 'escalated'")).toEqual([
      { n: 1 },
    ]);
  });

  test('does not wait for who investigates; resolving ends it', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'investigate', breakId: id, reason: 'looking' });
    await runAtHour(open, 24, AGES);
    expect(open.openBreak('unexplained_movement')).toMatchObject({
      state: 'investigating',
      severity: 'critical',
    });
  });

  test('passes a resolved break by', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason: 'a gift' });
    await runAtHour(open, 24, AGES);
    expect(open.breaks()).toMatchObject([{ state: 'resolved', severity: 'warning' }]);
  });

  test('passes a break by whose difference goes away in the same run', async () => {
    const { open, service } = await unexplained();
    await open.deliver(service.confirmed(1));
    await runAtHour(open, 24, AGES);
    expect(open.breaks()).toMatchObject([{ state: 'resolved', severity: 'warning' }]);
  });

  test('escalates by the ages of its own run: a run without ages escalates none', async () => {
    const { open } = await unexplained();
    const [first] = open.breaks();
    open.at = (first?.opened_at ?? 0) + 1_000 * HOUR;
    await open.run();
    expect(open.openBreak('unexplained_movement').severity).toBe('warning');
  });

  test('of many takes the oldest first, a bounded number in a run', async () => {
    const open = await openLedger();
    const bodies = Array.from({ length: 1_001 }, (_, at) => ({ id: `q-${at}`, stream: 'weather' }));
    await open.deliverTogether(...bodies);
    await runAtHour(open, 24, AGES);
    const risen = () => open.breaks().filter(({ severity }) => severity === 'critical');
    // Opened a second apart: at the first's 24th hour the others are not due.
    expect(risen()).toHaveLength(1);
    await runAtHour(open, 25, AGES);
    expect(risen()).toHaveLength(1_001);
  });
});

/** From, what it was found as, to, and from which age on. */
const STEPS: [info: number | null, warning: number | null, steps: string[]][] = [
  [null, null, []],
  [48, null, ['info (info) → warning at 48']],
  [null, 24, ['warning (warning) → critical at 24']],
  [
    48,
    24,
    [
      'warning (warning) → critical at 24',
      'warning (info) → critical at 72',
      'info (info) → warning at 48',
    ],
  ],
];

test.for(STEPS)('%s hours to a warning, %s to critical', ([info, warning, steps]) => {
  const { escalation } = after(info, warning);
  expect(
    escalationSteps(escalation, 1_000 * HOUR).map((step) => {
      expect(step.openedUntil).toBe(1_000 * HOUR - step.afterMs);
      return `${step.severity} (${step.originalSeverity}) → ${step.to} at ${step.afterMs / HOUR}`;
    }),
  ).toEqual(steps);
});

describe('a step is taken only by a break that is due for it by then', () => {
  const STEP: EscalationStep = {
    severity: 'warning',
    originalSeverity: 'warning',
    to: 'critical',
    afterMs: 24 * HOUR,
    openedUntil: 500,
  };
  let warning: Break;
  beforeEach(() => {
    const found = finding('conservation', { key: breakKey('conservation'), detail: 'odd' });
    warning = opened(found, BreakId('brk_1'), 500).after;
  });

  const DUE: [why: string, known: Partial<Break>, to: string | undefined][] = [
    ['opened at the last moment for it', {}, 'critical'],
    ['investigated', { state: 'investigating' }, 'critical'],
    ['still of less than the step raises', { severity: 'info' }, 'critical'],
    ['opened a moment later', { openedAt: 501 }, undefined],
    ['resolved meanwhile', { state: 'resolved' }, undefined],
    ['as severe already', { severity: 'critical' }, undefined],
  ];

  test.for(DUE)('%s', ([, known, to]) => {
    expect(escalated({ ...warning, ...known }, STEP, 900)?.after.severity).toBe(to);
  });

  test('a break that is more severe than the step’s end stays so', () => {
    const step: EscalationStep = { ...STEP, severity: 'info', to: 'warning' };
    expect(escalated({ ...warning, severity: 'critical' }, step, 900)).toBeNull();
  });
});
