import { expect, test, vi } from 'vitest';
import type { Closer } from '../../../src/reconcile/close/close.ts';
import { closesOf, lastReport, unsoundCloses } from '../../store/close/closing.ts';
import {
  DAY_MS,
  HOUR_MS,
  calendar,
  localCloserOf,
  closerOf,
  start,
  lastClose,
  toNextDay,
} from './days.ts';

test('days that were missed are closed in order, and only the last is compared with custody', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
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

test('a day is not closed before its cut-off, and not by itself before it is due', async () => {
  const stage = await start();
  await stage.paid(await stage.depositAddress(), 700, 1);
  const closer = closerOf(stage);
  const day = calendar.day(calendar.dayAt(stage.now));
  expect(await closer.closeThrough(day.day)).toEqual({ kind: 'closed', days: [] });
  await stage.caller.advance(day.cutOffAt + 60_000 - stage.now);
  expect(await closer.closeDue()).toEqual({ kind: 'closed', days: [] });
  expect(await closer.closeThrough(day.day)).toEqual({ kind: 'closed', days: [day.day] });
});

test('while the API is down a close waits, and after an hour it goes on without and says so', async () => {
  const stage = await start();
  await stage.paid(await stage.depositAddress(), 700, 3);
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

test('a close that begins hours late waits for the API as long as another', async () => {
  const stage = await start();
  await stage.paid(await stage.depositAddress(), 700, 3);
  await toNextDay(stage);
  await stage.caller.advance(8 * HOUR_MS);
  await stage.faults({ fault: 'error', operation: 'GET /transactions', errorCode: 'GE-1' });
  const closer = closerOf(stage);
  expect(await closer.closeDue()).toMatchObject({ kind: 'postponed', days: [] });
  await stage.faults();
  await stage.caller.advance(60_000);
  expect(await closer.closeDue()).toMatchObject({ kind: 'closed' });
  expect(lastReport(stage.open).custody).toMatchObject({ compared: true });
});

test('a close that is stopped closes no further day, and the next one goes on from there', async () => {
  const stage = await start();
  const first = calendar.dayAt(stage.now);
  await stage.paid(await stage.depositAddress(), 700, 3);
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
  await stage.paid(await stage.depositAddress(), 700, 3);
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
