import type { DailyReport } from '../../../src/domain/close/report.ts';
import { CloseCalendar } from '../../../src/reconcile/close/calendar.ts';
import { Closer, type CloserOptions } from '../../../src/reconcile/close/close.ts';
import { closesOf } from '../../store/close/closing.ts';
import { ETH, GRACE_MS, Stage, type DepositAddress } from '../stage.ts';

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

export const calendar = new CloseCalendar({ timezone: 'UTC', pattern: '5 0 * * *' });

export function localCloserOf(stage: Stage, more: Partial<CloserOptions> = {}): Closer {
  return new Closer({
    reads: stage.reads,
    submit: (facts) => stage.open.commit(facts),
    calendar,
    now: () => stage.now,
    graceMs: GRACE_MS,
    ...more,
  });
}

export function closerOf(stage: Stage): Closer {
  return localCloserOf(stage, { custody: stage.client });
}

/** A stage whose empty days, from the ledger's first fact on, are closed. */
export async function start(options: Parameters<typeof Stage.start>[0] = {}): Promise<Stage> {
  const stage = await Stage.start(options);
  await localCloserOf(stage).closeThrough(calendar.dayAt(stage.now - 1));
  return stage;
}

/** A stage at the beginning of a day, after one of which everything agreed. */
export async function afterQuietDay() {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.run();
  const closer = closerOf(stage);
  await toNextDay(stage);
  await closer.closeDue();
  return { stage, depositAddress, closer };
}

export function lastClose(stage: Stage) {
  const last = closesOf(stage.open).at(-1);
  if (last === undefined) throw new Error('nothing was closed');
  return last;
}

/** To ten past the next midnight. */
export async function toNextDay(stage: Stage): Promise<void> {
  const { cutOffAt } = calendar.day(calendar.dayAt(stage.now));
  await stage.caller.advance(cutOffAt + 600_000 - stage.now);
}

export function totalOf(report: DailyReport, depositAddress: DepositAddress, asset = ETH) {
  const found = report.totals.find(
    (one) => one.vaultId === depositAddress.vaultId && one.asset === asset,
  );
  if (found === undefined) throw new Error(`no total of ${depositAddress.vaultId}`);
  return found;
}

export function explanations(report: DailyReport): string[] {
  return report.differences.map(
    ({ against, difference, explanation }) => `${against} ${difference} ${explanation}`,
  );
}

/** To some seconds before the next midnight. */
export async function toMidnight(stage: Stage, seconds: number): Promise<void> {
  const { cutOffAt } = calendar.day(calendar.dayAt(stage.now));
  await stage.caller.advance(cutOffAt - seconds * 1_000 - stage.now);
}
