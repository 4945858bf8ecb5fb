import { expect, test } from 'vitest';
import { closesOf, lastReport, unsoundCloses } from '../../store/close/closing.ts';
import {
  calendar,
  closerOf,
  start,
  lastClose,
  toNextDay,
  totalOf,
  explanations,
  toMidnight,
} from './days.ts';

test('a late fact is posted in the open day, named prior-day, and changes no closed report', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.run();
  stage.loses = () => true;
  await stage.paid(depositAddress, 900, 3);
  await toNextDay(stage);
  const closer = closerOf(stage);
  await closer.closeDue();
  const first = lastClose(stage);
  // Custody knew an unreported movement: a difference that the report shows.
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
  expect(totalOf(second, depositAddress)).toMatchObject({
    opening: '700',
    deposits: '900',
    closing: '1600',
    custodyDifference: '0',
  });
  expect(second.priorDay).toMatchObject([
    { reason: 'late_event', day: first.day, amount: '900', vaultId: depositAddress.vaultId },
  ]);
  expect(second.status).toBe('balanced');
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('an own transfer whose credit arrives a day late is in transit, and no withdrawal', async () => {
  const stage = await start();
  const [hot, cold] = [await stage.depositAddress(), await stage.depositAddress()];
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

test('movements after the cut-off are subtracted from the custody balance, and listed', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await toNextDay(stage);
  await stage.paid(depositAddress, 40, 3);
  await stage.run();
  const closer = closerOf(stage);
  await closer.closeDue();
  const report = lastReport(stage.open);
  expect(totalOf(report, depositAddress)).toMatchObject({
    closing: '700',
    custodyRead: '740',
    custodyAfterCutOff: '40',
    custodyClosing: '700',
    custodyDifference: '0',
  });
  expect(report.custodyAfterCutOff).toMatchObject([
    { vaultId: depositAddress.vaultId, amount: '40' },
  ]);
  expect(explanations(report)).toEqual([]);
  expect(report.status).toBe('balanced');
  await toNextDay(stage);
  await closer.closeDue();
  const next = lastReport(stage.open);
  expect(totalOf(next, depositAddress)).toMatchObject({
    custodyRead: '740',
    custodyClosing: '740',
  });
  expect(next).toMatchObject({ custodyAfterCutOff: [], differences: [], status: 'balanced' });
});

test('a movement after two cut-offs is subtracted from the custody balance at both', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  const first = calendar.dayAt(stage.now);
  await toNextDay(stage);
  await stage.paid(depositAddress, 40, 3);
  const second = calendar.dayAt(stage.now);
  await toNextDay(stage);
  await stage.paid(depositAddress, 5, 3);
  await stage.run();
  const closer = closerOf(stage);
  const figures = { custodyRead: '745', custodyDifference: '0' };
  // The first day is closed on the third, by hand, so the reading holds movements of both.
  await closer.closeThrough(first);
  const late = lastReport(stage.open);
  expect(totalOf(late, depositAddress)).toMatchObject({
    ...figures,
    closing: '700',
    custodyAfterCutOff: '45',
    custodyClosing: '700',
  });
  await closer.closeThrough(second);
  const report = lastReport(stage.open);
  expect(totalOf(report, depositAddress)).toMatchObject({
    ...figures,
    closing: '740',
    custodyAfterCutOff: '5',
    custodyClosing: '740',
  });
  expect(report.custodyAfterCutOff).toEqual(
    late.custodyAfterCutOff?.filter(({ amount }) => amount === '5'),
  );
  expect([report.status, explanations(report)]).toEqual(['balanced', []]);
  await toNextDay(stage);
  await closer.closeDue();
  expect(totalOf(lastReport(stage.open), depositAddress)).toMatchObject({
    ...figures,
    custodyAfterCutOff: '0',
    custodyClosing: '745',
  });
  expect(lastReport(stage.open).status).toBe('balanced');
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('an unreported movement after the cut-off is a difference of the next day', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await toNextDay(stage);
  stage.loses = () => true;
  await stage.paid(depositAddress, 40, 3);
  const closer = closerOf(stage);
  await closer.closeDue();
  expect(lastReport(stage.open)).toMatchObject({ differences: [], status: 'balanced' });
  await toNextDay(stage);
  await closer.closeDue();
  expect(explanations(lastReport(stage.open))).toEqual(['custody -40 unexplained']);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('movements before midnight that arrive after it are prior-day items of their day', async () => {
  const stage = await start();
  const [hot, cold] = [await stage.depositAddress(), await stage.depositAddress()];
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
  const webhooks = stage.lost.splice(0);
  for (const one of webhooks) await stage.deliver({ ...one, timestamp: stage.now });
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
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await toMidnight(stage, 50);
  await stage.pay(depositAddress, 40);
  await stage.caller.advance(60_000);
  await stage.mine(3);
  await stage.caller.advance(600_000);
  const closer = closerOf(stage);
  await closer.closeDue();
  expect(totalOf(lastReport(stage.open), depositAddress)).toMatchObject({
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
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 3);
  await stage.run();
  await toNextDay(stage);
  const closer = closerOf(stage);
  await closer.closeDue();
  await stage.reorg(3, [hash]);
  await stage.run();
  await toNextDay(stage);
  await closer.closeDue();
  const report = lastReport(stage.open);
  expect(totalOf(report, depositAddress)).toMatchObject({
    opening: '700',
    deposits: '-700',
    closing: '0',
  });
  expect(report.priorDay).toMatchObject([{ reason: 'reversal', amount: '-700' }]);
  expect(report.openBreaks.map(({ type }) => type)).toContain('reversal_after_credit');
  expect(report.custody).toMatchObject({ compared: true });
  expect(totalOf(report, depositAddress).custodyClosing).toBe('0');
});
