import { expect, test } from 'vitest';
import { lastReport, unsoundCloses } from '../../store/close/closing.ts';
import type { Stage } from '../stage.ts';
import { calendar, closerOf, explanations, start, toMidnight, toNextDay, totalOf } from './days.ts';

function toMinutesBeforeMidnight(stage: Stage): Promise<void> {
  return toMidnight(stage, 120);
}

test('after an outage of days, amounts that the first reading lacks are counted by the next close', async () => {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.run();
  for (let day = 1; day <= 3; day += 1) await toNextDay(stage);
  await stage.paid(depositAddress, 5, 3);
  await stage.run();
  const closer = closerOf(stage);
  await stage.faults({ fault: 'omit-balance-changes' });
  await closer.closeDue();
  expect(explanations(lastReport(stage.open))).toEqual(['custody 700 custody_pending']);
  await stage.faults();
  await toNextDay(stage);
  await closer.closeDue();
  const report = lastReport(stage.open);
  expect(totalOf(report, depositAddress)).toMatchObject({
    custodyRead: '705',
    custodyDifference: '0',
  });
  expect([report.status, explanations(report)]).toEqual(['balanced', []]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test.each([
  ['after', toNextDay, 'timing', 'balanced'],
  ['shortly before', toMinutesBeforeMidnight, 'in_grace', 'balanced with open differences'],
] as const)(
  'a deposit that the chain took back %s the cut-off, and whose webhook is late, is explained',
  async (_, toReorg, explanation, status) => {
    const stage = await start();
    const depositAddress = await stage.depositAddress();
    await stage.paid(depositAddress, 700, 3);
    await stage.run();
    const { cutOffAt } = calendar.day(calendar.dayAt(stage.now));
    await toReorg(stage);
    stage.loses = () => true;
    await stage.reorg(3, []);
    if (stage.now < cutOffAt) await toNextDay(stage);
    const closer = closerOf(stage);
    await closer.closeDue();
    expect(explanations(lastReport(stage.open))).toEqual([`custody 700 ${explanation}`]);
    expect(lastReport(stage.open).status).toBe(status);
    await stage.deliverLost();
    await stage.run();
    await toNextDay(stage);
    await closer.closeDue();
    expect(explanations(lastReport(stage.open))).toEqual([]);
    expect(unsoundCloses(stage.open)).toEqual([]);
  },
);
