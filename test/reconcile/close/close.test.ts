import { expect, test, vi } from 'vitest';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import { CloseCalendar } from '../../../src/reconcile/close/calendar.ts';
import { Closer, type CloserOptions } from '../../../src/reconcile/close/close.ts';
import { closesOf, lastReport, unsoundCloses } from '../../store/close/closing.ts';
import { ETH, GRACE_MS, Stage, type Place } from '../stage.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const calendar = new CloseCalendar({ timezone: 'UTC', pattern: '5 0 * * *' });

function localCloserOf(stage: Stage, more: Partial<CloserOptions> = {}): Closer {
  return new Closer({
    reads: stage.reads,
    submit: (facts) => stage.open.commit(facts),
    calendar,
    now: () => stage.now,
    graceMs: GRACE_MS,
    ...more,
  });
}

function closerOf(stage: Stage): Closer {
  return localCloserOf(stage, { custody: stage.client });
}

/** A stage whose empty days, from the ledger's first fact on, are closed. */
async function start(): Promise<Stage> {
  const stage = await Stage.start();
  await localCloserOf(stage).closeThrough(calendar.dayAt(stage.now - 1));
  return stage;
}

/** A stage at the beginning of a day, after one of which everything agreed. */
async function afterQuietDay() {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  await stage.run();
  const closer = closerOf(stage);
  await toNextDay(stage);
  await closer.closeDue();
  return { stage, place, closer };
}

function lastClose(stage: Stage) {
  const last = closesOf(stage.open).at(-1);
  if (last === undefined) throw new Error('nothing was closed');
  return last;
}

/** To ten past the next midnight. */
async function toNextDay(stage: Stage): Promise<void> {
  const { cutOffAt } = calendar.day(calendar.dayAt(stage.now));
  await stage.caller.advance(cutOffAt + 600_000 - stage.now);
}

function totalOf(report: DailyReport, place: Place, asset = ETH) {
  const found = report.totals.find((one) => one.vaultId === place.vaultId && one.asset === asset);
  if (found === undefined) throw new Error(`no total of ${place.vaultId}`);
  return found;
}

function explanations(report: DailyReport): string[] {
  return report.differences.map(
    ({ against, difference, explanation }) => `${against} ${difference} ${explanation}`,
  );
}

test('a day of deposits, a withdrawal and an own transfer closes balanced, three ways', async () => {
  const stage = await start();
  const [hot, cold] = [await stage.place(), await stage.place()];
  await stage.paid(hot, '1000000000000000000', 3);
  await stage.order(hot, cold.networkAddress, '3000');
  await stage.order(hot, '0x00000000000000000000000000000000000000aa', '500');
  await stage.mine(3);
  await stage.run();
  await toNextDay(stage);
  expect(await closerOf(stage).closeDue()).toMatchObject({ kind: 'closed' });
  const report = lastReport(stage.open);
  expect(report).toMatchObject({ status: 'balanced', exceptions: [] });
  expect(totalOf(report, hot)).toMatchObject({
    opening: '0',
    deposits: '1000000000000000000',
    withdrawals: '500',
    internal: '-3000',
    chainDifference: '0',
    custodyDifference: '0',
  });
  expect(totalOf(report, cold)).toMatchObject({ deposits: '0', internal: '3000', closing: '3000' });
  expect(report.inTransit).toEqual([]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a report names its vaults as the custody service does, and its replay names them the same', async () => {
  const { stage, place } = await afterQuietDay();
  const report = lastReport(stage.open);
  expect(report.vaultNames).toEqual({ [place.vaultId]: 'v' });
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a day without a custody API closes without names', async () => {
  const stage = await start();
  await stage.paid(await stage.place(), 700, 3);
  await toNextDay(stage);
  await localCloserOf(stage).closeDue();
  expect(lastReport(stage.open)).not.toHaveProperty('vaultNames');
});

test('a fact that is told late is posted in the open day, named prior-day, and changes no closed report', async () => {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  await stage.run();
  stage.loses = () => true;
  await stage.paid(place, 900, 3);
  await toNextDay(stage);
  const closer = closerOf(stage);
  await closer.closeDue();
  const first = lastClose(stage);
  // Custody knew what nobody had told: a difference, and not a silent one.
  expect(explanations(first.parsed)).toEqual(['custody -900 unexplained']);
  expect(first.parsed.status).toBe('exceptions');
  await stage.deliverLost();
  expect(lastClose(stage)).toEqual(first);
  await stage.run();
  await toNextDay(stage);
  await closer.closeDue();
  const second = lastReport(stage.open);
  expect(closesOf(stage.open).at(-2)).toEqual(first);
  expect(second.previous).toEqual({ day: first.day, reportHash: first.report_hash });
  expect(totalOf(second, place)).toMatchObject({
    opening: '700',
    deposits: '900',
    closing: '1600',
    custodyDifference: '0',
  });
  expect(second.priorDay).toMatchObject([
    { reason: 'late_event', day: first.day, amount: '900', vaultId: place.vaultId },
  ]);
  expect(second.status).toBe('balanced');
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('an own transfer of which the credit is told a day late is in transit, and no withdrawal', async () => {
  const stage = await start();
  const [hot, cold] = [await stage.place(), await stage.place()];
  await stage.paid(hot, '1000000000000000000', 3);
  await stage.run();
  stage.loses = ({ stream, vaultId }) => stream === 'incoming' && vaultId === cold.vaultId;
  await stage.order(hot, cold.networkAddress, '3000');
  await stage.mine(3);
  await toNextDay(stage);
  const closer = closerOf(stage);
  await closer.closeDue();
  const first = lastReport(stage.open);
  expect(totalOf(first, hot)).toMatchObject({ withdrawals: '0', internal: '-3000' });
  expect(first.inTransit).toMatchObject([
    { kind: 'internal', leg: 'debit', vaultId: hot.vaultId, amount: '-3000' },
  ]);
  await stage.deliverLost();
  await stage.run();
  await toNextDay(stage);
  await closer.closeDue();
  const second = lastReport(stage.open);
  expect(totalOf(second, hot)).toMatchObject({ withdrawals: '0', internal: '0' });
  expect(totalOf(second, cold)).toMatchObject({ deposits: '0', internal: '3000' });
  expect(second.inTransit).toEqual([]);
  expect(second.priorDay.filter(({ reason }) => reason === 'reclassified')).toEqual([]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test.for(['submitted', 'mined', 'failed'])(
  'a forged `%s` that names the hash of a deposit, and that custody denies, changes no category',
  async (type) => {
    const stage = await start();
    const [place, other] = [await stage.place(), await stage.place()];
    const blockchainHash = await stage.paid(place, 700, 3);
    await stage.run();
    await stage.deliver({
      id: 'forged',
      timestamp: stage.now,
      stream: 'outgoing',
      type,
      vaultId: other.vaultId,
      transactionId: 'nobody',
      network: 'ethereum',
      blockchainHash,
      ...(type === 'mined' ? { balanceChanges: [{ asset: ETH, amount: '-700', tags: [] }] } : {}),
    });
    await stage.caller.advance(GRACE_MS);
    await stage.run();
    await stage.run();
    expect(await stage.standing(blockchainHash)).toBe('credited');
    await toNextDay(stage);
    const closer = closerOf(stage);
    await closer.closeDue();
    const report = lastReport(stage.open);
    expect(totalOf(report, place)).toMatchObject({ deposits: '700', internal: '0' });
    expect(report.inTransit).toEqual([]);
    await toNextDay(stage);
    await closer.closeDue();
    expect(totalOf(lastReport(stage.open), place)).toMatchObject({ deposits: '0', internal: '0' });
    expect(unsoundCloses(stage.open)).toEqual([]);
  },
);

test('each hash that the chain view was not told of is listed, and the day is not simply balanced', async () => {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  stage.loses = ({ stream }) => stream === 'blockchain';
  const untold = await stage.paid(place, 440, 3);
  stage.loses = () => false;
  await stage.run();
  await toNextDay(stage);
  await closerOf(stage).closeDue();
  const report = lastReport(stage.open);
  expect(totalOf(report, place)).toMatchObject({
    closing: '1140',
    chainClosing: '700',
    chainDifference: '440',
    chainUntold: '440',
  });
  expect(report).toMatchObject({
    status: 'balanced with open differences',
    openDifferences: [{ against: 'chain', asset: ETH, count: 1, difference: '440' }],
    differences: [
      { blockchainHash: untold, difference: '440', explanation: 'chain_not_told', untold: true },
    ],
  });
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a deposit that is missing under an open break makes the day balanced with open differences', async () => {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  stage.loses = () => true;
  await stage.paid(place, 121, 3);
  await toNextDay(stage);
  // The break opens after the cut-off, and before the close.
  await stage.run();
  await closerOf(stage).closeDue();
  const report = lastReport(stage.open);
  const [breakId] = report.differences.map((one) => one.breakId);
  expect(report).toMatchObject({
    status: 'balanced with open differences',
    openDifferences: [
      { against: 'custody', asset: ETH, count: 1, difference: '-121', absolute: '121' },
    ],
    openBreaks: [],
    laterBreaks: [{ breakId, type: 'missing_notification', state: 'open' }],
  });
});

test('what custody moved after the cut-off is taken off its figure, and listed', async () => {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  await toNextDay(stage);
  await stage.paid(place, 40, 3);
  await stage.run();
  const closer = closerOf(stage);
  await closer.closeDue();
  const report = lastReport(stage.open);
  expect(totalOf(report, place)).toMatchObject({
    closing: '700',
    custodyRead: '740',
    custodyAfterCutOff: '40',
    custodyClosing: '700',
    custodyDifference: '0',
  });
  expect(report.custodyAfterCutOff).toMatchObject([{ vaultId: place.vaultId, amount: '40' }]);
  expect(explanations(report)).toEqual([]);
  expect(report.status).toBe('balanced');
  await toNextDay(stage);
  await closer.closeDue();
  const next = lastReport(stage.open);
  expect(totalOf(next, place)).toMatchObject({ custodyRead: '740', custodyClosing: '740' });
  expect(next).toMatchObject({ custodyAfterCutOff: [], differences: [], status: 'balanced' });
});

test('what custody moved after the cut-off and nobody tells is a difference of the next day', async () => {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  await toNextDay(stage);
  stage.loses = () => true;
  await stage.paid(place, 40, 3);
  const closer = closerOf(stage);
  await closer.closeDue();
  expect(lastReport(stage.open)).toMatchObject({ differences: [], status: 'balanced' });
  await toNextDay(stage);
  await closer.closeDue();
  expect(explanations(lastReport(stage.open))).toEqual(['custody -40 unexplained']);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

/** To some seconds before the next midnight. */
async function toMidnight(stage: Stage, seconds: number): Promise<void> {
  const { cutOffAt } = calendar.day(calendar.dayAt(stage.now));
  await stage.caller.advance(cutOffAt - seconds * 1_000 - stage.now);
}

test('movements of before midnight that are told after it are prior-day items of their day', async () => {
  const stage = await start();
  const [hot, cold] = [await stage.place(), await stage.place()];
  await stage.paid(hot, '1000000000000000000', 3);
  await stage.run();
  await toMidnight(stage, 50);
  const day = calendar.dayAt(stage.now);
  stage.loses = () => true;
  await stage.pay(hot, 900);
  await stage.order(hot, cold.networkAddress, '3000');
  await stage.mine(1);
  await stage.caller.advance(58_000);
  // Further confirmations change the records after midnight.
  await stage.mine(2);
  stage.loses = () => false;
  // A notification's timestamp is the time of its delivery.
  const told = stage.lost.splice(0);
  for (const one of told) await stage.deliver({ ...one, timestamp: stage.now });
  await stage.run();
  await stage.caller.advance(600_000);
  const closer = closerOf(stage);
  await closer.closeDue();
  expect(lastReport(stage.open)).toMatchObject({ day, priorDay: [] });
  await toNextDay(stage);
  await closer.closeDue();
  const report = lastReport(stage.open);
  const items = report.priorDay.map(
    ({ vaultId, reason, day: of, amount, datedBy }) =>
      `${vaultId} ${reason} ${of} ${amount.replace(/^-.*/, 'debit')} ${datedBy ?? ''}`,
  );
  expect(new Set(items)).toEqual(
    new Set([
      `${hot.vaultId} late_event ${day} debit custody`,
      `${cold.vaultId} late_event ${day} 3000 block`,
      `${hot.vaultId} late_event ${day} 900 block`,
    ]),
  );
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a deposit that was seen before midnight and mined after it is of the next day', async () => {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  await toMidnight(stage, 50);
  await stage.pay(place, 40);
  await stage.caller.advance(60_000);
  await stage.mine(3);
  await stage.caller.advance(600_000);
  const closer = closerOf(stage);
  await closer.closeDue();
  expect(totalOf(lastReport(stage.open), place)).toMatchObject({
    closing: '700',
    custodyRead: '740',
    custodyClosing: '700',
  });
  expect(lastReport(stage.open).custodyAfterCutOff).toMatchObject([{ datedBy: 'block' }]);
  await toNextDay(stage);
  await closer.closeDue();
  expect(lastReport(stage.open)).toMatchObject({ priorDay: [], status: 'balanced' });
});

test('a deposit that left the chain after its day was closed is taken back in the open day', async () => {
  const stage = await start();
  const place = await stage.place();
  const hash = await stage.paid(place, 700, 3);
  await stage.run();
  await toNextDay(stage);
  const closer = closerOf(stage);
  await closer.closeDue();
  await stage.reorg(3, [hash]);
  await stage.run();
  await toNextDay(stage);
  await closer.closeDue();
  const report = lastReport(stage.open);
  expect(totalOf(report, place)).toMatchObject({ opening: '700', deposits: '-700', closing: '0' });
  expect(report.priorDay).toMatchObject([{ reason: 'reversal', amount: '-700' }]);
  expect(report.openBreaks.map(({ type }) => type)).toContain('reversal_after_credit');
  expect(report.custody).toMatchObject({ compared: true });
  expect(totalOf(report, place).custodyClosing).toBe('0');
});

test('days that were missed are closed in order, and only the last is compared with custody', async () => {
  const stage = await start();
  const place = await stage.place();
  await stage.paid(place, 700, 3);
  await stage.caller.advance(3 * DAY_MS + 600_000);
  const closer = closerOf(stage);
  const [once, again] = await Promise.all([closer.closeDue(), closer.closeDue()]);
  expect(once.days).toHaveLength(3);
  expect(again).toEqual({ kind: 'closed', days: [] });
  const closes = closesOf(stage.open).slice(-3);
  expect(closes.map(({ day }) => day)).toEqual(once.days);
  expect(closes.map(({ custody_compared: compared }) => compared)).toEqual([0, 0, 1]);
  expect(closes.map(({ parsed }) => parsed.status)).toEqual([
    'exceptions',
    'exceptions',
    'balanced',
  ]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('more than 31 missed days are closed by no clock, and in order when a person says so', async () => {
  const stage = await start();
  const { day } = lastClose(stage);
  let now = calendar.day(day).cutOffAt + 31 * DAY_MS + 600_000;
  const closer = localCloserOf(stage, { now: () => now });
  const closed = closesOf(stage.open).length;
  now += DAY_MS;
  const since = calendar.dayAt(calendar.day(day).cutOffAt);
  expect(await closer.due()).toEqual({ kind: 'too_many', since });
  expect(await closer.closeDue()).toEqual({ kind: 'too_many', days: [], since });
  expect(closesOf(stage.open)).toHaveLength(closed);
  now -= DAY_MS;
  expect(await closer.due()).toEqual({ kind: 'some' });
  expect((await closer.closeDue()).days).toHaveLength(31);
  expect(await closer.due()).toEqual({ kind: 'none' });
  now += 40 * DAY_MS;
  expect(await closer.closeDue()).toMatchObject({ kind: 'too_many' });
  const through = calendar.dayAt(now - DAY_MS);
  expect((await closer.closeThrough(through)).days).toHaveLength(40);
  expect(lastClose(stage).day).toBe(through);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('exempt differences are counted by rule, but not for days that are closed late', async () => {
  const { stage, place, closer } = await afterQuietDay();
  const rule = { rule: 'known', vaultId: place.vaultId, until: Number.MAX_SAFE_INTEGER };
  const rules = [{ ...rule, breakType: 'missing_notification', reason: 'r', owner: 'o' }] as const;
  await stage.open.decide({ kind: 'exemptions', rules }, 'config');
  stage.loses = () => true;
  await stage.paid(place, 900, 3);
  await stage.caller.advance(2 * DAY_MS);
  expect(await stage.run()).toMatchObject({ broken: 0, exempt: { known: 1 } });
  await closer.closeDue();
  const exempt = closesOf(stage.open).map(({ parsed }) => parsed.exempt);
  expect(exempt.slice(-3)).toEqual([{}, undefined, { known: 1 }]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('an exempt difference is explained by its rule, as long as the rule is about it', async () => {
  const { stage, place, closer } = await afterQuietDay();
  stage.loses = () => true;
  await stage.paid(place, 900, 3);
  await stage.caller.advance(HOUR_MS);
  const rule = { rule: 'old wallet', vaultId: place.vaultId, reason: 'ticket 1', owner: 'finance' };
  const until = stage.now + DAY_MS;
  const rules = [{ ...rule, breakType: 'missing_notification', until }] as const;
  await stage.open.decide({ kind: 'exemptions', rules }, 'config');
  expect(await stage.run()).toMatchObject({ broken: 0, exempt: { 'old wallet': 1 } });
  await toNextDay(stage);
  await closer.closeDue();
  expect(lastReport(stage.open)).toMatchObject({
    status: 'balanced',
    exceptions: [],
    differences: [
      {
        against: 'custody',
        difference: '-900',
        explanation: 'exempt',
        breakId: null,
        detail: 'missing_notification, exempt by the rule "old wallet" of finance: ticket 1',
      },
    ],
    openBreaks: [],
    exempt: { 'old wallet': 1 },
  });
  expect(totalOf(lastReport(stage.open), place).custodyDifference).toBe('-900');
  await toNextDay(stage);
  await stage.run();
  await closer.closeDue();
  expect(explanations(lastReport(stage.open))).toEqual(['custody -900 break']);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a day is not closed before its cut-off, and not by itself before it is due', async () => {
  const stage = await start();
  await stage.paid(await stage.place(), 700, 1);
  const closer = closerOf(stage);
  const day = calendar.day(calendar.dayAt(stage.now));
  expect(await closer.closeThrough(day.day)).toEqual({ kind: 'closed', days: [] });
  await stage.caller.advance(day.cutOffAt + 60_000 - stage.now);
  expect(await closer.closeDue()).toEqual({ kind: 'closed', days: [] });
  expect(await closer.closeThrough(day.day)).toEqual({ kind: 'closed', days: [day.day] });
});

test('while the API is down a close waits, and after an hour it goes on without and says so', async () => {
  const stage = await start();
  await stage.paid(await stage.place(), 700, 3);
  const day = calendar.dayAt(stage.now);
  await toNextDay(stage);
  await stage.faults({ fault: 'error', operation: 'GET /transactions', errorCode: 'GE-1' });
  const closer = closerOf(stage);
  expect(await closer.closeDue()).toMatchObject({ kind: 'postponed', days: [] });
  expect(lastClose(stage).day).not.toBe(day);
  await stage.caller.advance(HOUR_MS);
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  const report = lastReport(stage.open);
  expect(report.custody).toMatchObject({ compared: false });
  expect(report.totals.map(({ custodyClosing }) => custodyClosing)).toEqual([null]);
  expect(report.exceptions.map(({ kind }) => kind)).toEqual(['custody_not_compared']);
});

test('a close that is stopped closes no further day, and the next one goes on from there', async () => {
  const stage = await start();
  const first = calendar.dayAt(stage.now);
  await stage.paid(await stage.place(), 700, 3);
  for (let days = 0; days < 3; days += 1) await toNextDay(stage);
  const last = calendar.dayAt(stage.now - DAY_MS);
  const closed = closesOf(stage.open).length;
  const closer: Closer = localCloserOf(stage, {
    submit: (facts) => {
      closer.stop();
      return stage.open.commit(facts);
    },
  });
  expect(await closer.closeThrough(last)).toEqual({ kind: 'stopped', days: [first] });
  expect(await closer.closeThrough(last)).toEqual({ kind: 'stopped', days: [] });
  expect(closesOf(stage.open)).toHaveLength(closed + 1);
  await localCloserOf(stage).closeThrough(last);
  expect(closesOf(stage.open)).toHaveLength(closed + 3);
});

test('a day whose reading of the custody API a stop broke off is not closed without custody', async () => {
  const stage = await start();
  await stage.paid(await stage.place(), 700, 3);
  await toNextDay(stage);
  // Beyond the time for which a close waits for the API.
  await stage.caller.advance(2 * HOUR_MS);
  const closed = closesOf(stage.open).length;
  const closer = closerOf(stage);
  vi.spyOn(stage.client, 'transactions').mockImplementationOnce(() => {
    closer.stop();
    return Promise.resolve({ kind: 'unavailable', cause: { kind: 'deadline' } });
  });
  const yesterday = calendar.dayAt(stage.now - DAY_MS);
  expect(await closer.closeThrough(yesterday)).toEqual({ kind: 'stopped', days: [] });
  expect(closesOf(stage.open)).toHaveLength(closed);
  await closerOf(stage).closeThrough(yesterday);
  expect(lastReport(stage.open).status).toBe('balanced');
});
