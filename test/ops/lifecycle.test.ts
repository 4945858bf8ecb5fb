import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Lifecycle } from '../../src/ops/lifecycle.ts';
import type { ShutdownNews, StepResult } from '../../src/ops/lifecycle.ts';

interface Harness {
  readonly lifecycle: Lifecycle;
  readonly results: StepResult[];
  readonly news: ShutdownNews[];
  /** Resolves with the first exit code. */
  readonly exited: Promise<number>;
  readonly codes: number[];
  /** Ends every bound that is being waited for. */
  readonly runOutOfTime: () => void;
  /** How long each step was waited for at most, milliseconds. */
  readonly waits: readonly number[];
  readonly clock: { now: number };
}

function harness(): Harness {
  const results: StepResult[] = [];
  const news: ShutdownNews[] = [];
  const codes: number[] = [];
  const bounds: (() => void)[] = [];
  const waits: number[] = [];
  const clock = { now: 1_000 };
  let onExit: (code: number) => void = () => undefined;
  const exited = new Promise<number>((resolve) => {
    onExit = resolve;
  });
  const lifecycle = new Lifecycle({
    exit: (code) => {
      codes.push(code);
      onExit(code);
    },
    observe: (result) => results.push(result),
    report: (one) => news.push(one),
    now: () => clock.now,
    sleep: (ms) => {
      waits.push(ms);
      return new Promise((resolve) => bounds.push(resolve));
    },
  });
  const runOutOfTime = (): void => {
    for (const end of bounds.splice(0)) end();
  };
  return { lifecycle, results, news, exited, codes, runOutOfTime, waits, clock };
}

test('steps stop one after the other, the last started first', async () => {
  const { lifecycle } = harness();
  const order: string[] = [];
  for (const name of ['store', 'queue', 'intake']) {
    lifecycle.onShutdown({
      name,
      shareMs: 1_000,
      run: async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
      },
    });
  }
  await lifecycle.shutdown('SIGTERM');
  expect(order).toEqual([
    'intake begins',
    'intake ends',
    'queue begins',
    'queue ends',
    'store begins',
    'store ends',
  ]);
});

test('a step that fails, now or later, does not keep the others from their turn', async () => {
  const { lifecycle, results } = harness();
  const error = new Error('stuck');
  lifecycle.onShutdown({ name: 'store', shareMs: 1, run: () => undefined });
  lifecycle.onShutdown({ name: 'queue', shareMs: 1, run: () => Promise.reject(error) });
  lifecycle.onShutdown({
    name: 'intake',
    shareMs: 1,
    run: () => {
      throw error;
    },
  });
  await lifecycle.shutdown('SIGTERM');
  expect(results).toEqual([
    { name: 'intake', kind: 'failed', error },
    { name: 'queue', kind: 'failed', error },
    { name: 'store', kind: 'done' },
  ]);
});

test('a step that does not end within its bound is left behind', async () => {
  const { lifecycle, results, runOutOfTime } = harness();
  lifecycle.onShutdown({ name: 'store', shareMs: 1, run: () => undefined });
  const begun = new Promise<void>((resolve) => {
    lifecycle.onShutdown({
      name: 'intake',
      shareMs: 5_000,
      run: () => {
        resolve();
        return new Promise(() => undefined);
      },
    });
  });
  const stopped = lifecycle.shutdown('SIGTERM');
  await begun;
  runOutOfTime();
  await stopped;
  expect(results).toEqual([
    { name: 'intake', kind: 'timed-out', boundMs: 5_000 },
    { name: 'store', kind: 'done' },
  ]);
});

test('each step has its share and what those before it left over, and all together no more', async () => {
  const { lifecycle, news, waits, clock } = harness();
  // What each takes, the last registered first; the intake takes longer than it may.
  const taken = { intake: 1_200, queue: 3_000, listener: 1_300, store: 0 };
  const shares = { intake: 1_000, queue: 4_000, listener: 500, store: 2_000 };
  for (const name of ['store', 'listener', 'queue', 'intake'] as const) {
    lifecycle.onShutdown({
      name,
      shareMs: shares[name],
      run: () => void (clock.now += taken[name]),
    });
  }
  await lifecycle.shutdown('SIGTERM');
  expect(waits).toEqual([1_000, 3_800, 1_300, 2_000]);
  expect(news).toMatchObject([{ kind: 'stopping', msMax: 7_500 }]);
});

test('shutting down twice runs every step once', async () => {
  const { lifecycle } = harness();
  let runs = 0;
  lifecycle.onShutdown({ name: 'store', shareMs: 1, run: () => void (runs += 1) });
  const [first, second] = await Promise.all([
    lifecycle.shutdown('SIGTERM'),
    lifecycle.shutdown('SIGTERM'),
  ]);
  await lifecycle.shutdown('SIGTERM');
  expect(runs).toBe(1);
  expect(second).toBe(first);
});

test.each(['SIGTERM', 'SIGINT'])('%s stops everything and exits with 0', async (signal) => {
  const { lifecycle, results, exited } = harness();
  const source = new EventEmitter();
  lifecycle.listen(source);
  lifecycle.onShutdown({ name: 'store', shareMs: 1, run: () => undefined });
  source.emit(signal);
  expect(await exited).toBe(0);
  expect(results).toEqual([{ name: 'store', kind: 'done' }]);
});

test('a step that did not end well makes the exit code 1', async () => {
  const { lifecycle, exited } = harness();
  const source = new EventEmitter();
  lifecycle.listen(source);
  lifecycle.onShutdown({ name: 'x', shareMs: 1, run: () => Promise.reject(new Error('x')) });
  source.emit('SIGTERM');
  expect(await exited).toBe(1);
});

test.each([
  { losesNothing: true, kind: 'abandoned', exitCode: 0 },
  { losesNothing: false, kind: 'timed-out', exitCode: 1 },
])('a step that outlasts its share is $kind: exit code $exitCode', async (row) => {
  const { lifecycle, results, exited, runOutOfTime } = harness();
  const { losesNothing, kind, exitCode } = row;
  const source = new EventEmitter();
  lifecycle.listen(source);
  const begun = new Promise<void>((resolve) => {
    const run = (): Promise<void> => {
      resolve();
      return new Promise(() => undefined);
    };
    lifecycle.onShutdown({ name: 'verifier', shareMs: 300, losesNothing, run });
  });
  source.emit('SIGTERM');
  await begun;
  runOutOfTime();
  expect(await exited).toBe(exitCode);
  expect(results).toEqual([{ name: 'verifier', kind, boundMs: 300 }]);
});

test('a second signal does not wait', async () => {
  const { lifecycle, news, codes } = harness();
  const source = new EventEmitter();
  lifecycle.listen(source);
  lifecycle.onShutdown({ name: 'x', shareMs: 1, run: () => new Promise(() => undefined) });
  source.emit('SIGTERM');
  expect(codes).toEqual([]);
  source.emit('SIGINT');
  expect(codes).toEqual([1]);
  expect(news).toEqual([
    { kind: 'stopping', cause: 'SIGTERM', waitsFor: ['x'], msMax: 1 },
    { kind: 'cut_short', exitCode: 1 },
  ]);
});

const stuck = new Error('stuck');

test.each([
  { cause: 'SIGTERM', run: () => undefined, exitCode: 0 },
  { cause: 'SIGINT', run: () => undefined, exitCode: 0 },
  { cause: 'SIGTERM', run: () => Promise.reject(stuck), exitCode: 1 },
  { cause: 'failure', run: () => undefined, exitCode: 1 },
] as const)(
  'an end by $cause is logged before its first step and after its last, with exit code $exitCode',
  async ({ cause, run, exitCode }) => {
    const { lifecycle, news, exited } = harness();
    const source = new EventEmitter();
    lifecycle.listen(source);
    const newsByThen: number[] = [];
    const step = (name: string, shareMs: number): void =>
      lifecycle.onShutdown({
        name,
        shareMs,
        run: () => {
          newsByThen.push(news.length);
          return run();
        },
      });
    step('store', 5_000);
    step('queue', 12_000);
    if (cause === 'failure') await lifecycle.abandon();
    else source.emit(cause);
    expect(await exited).toBe(exitCode);
    expect(newsByThen).toEqual([1, 1]);
    expect(news).toEqual([
      { kind: 'stopping', cause, waitsFor: ['queue', 'store'], msMax: 17_000 },
      { kind: 'stopped', exitCode },
    ]);
  },
);

test('nothing may be started while stopping', async () => {
  const { lifecycle } = harness();
  await lifecycle.shutdown('SIGTERM');
  expect(() => lifecycle.onShutdown({ name: 'late', shareMs: 1, run: () => undefined })).toThrow(
    'late was started while stopping',
  );
});

test('a failure that leaves nothing to go on with ends in order, and with 1', async () => {
  const { lifecycle, codes } = harness();
  const order: string[] = [];
  lifecycle.onShutdown({ name: 'store', shareMs: 1_000, run: () => void order.push('store') });
  await lifecycle.abandon();
  expect([order, codes]).toEqual([['store'], [1]]);
});
