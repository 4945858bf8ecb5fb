import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Lifecycle } from '../../src/ops/lifecycle.ts';
import type { StepResult } from '../../src/ops/lifecycle.ts';

interface Harness {
  readonly lifecycle: Lifecycle;
  readonly results: StepResult[];
  /** Resolves with the first exit code. */
  readonly exited: Promise<number>;
  readonly codes: number[];
  /** Ends every bound that is being waited for. */
  readonly runOutOfTime: () => void;
}

function harness(): Harness {
  const results: StepResult[] = [];
  const codes: number[] = [];
  const bounds: (() => void)[] = [];
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
    sleep: () => new Promise((resolve) => bounds.push(resolve)),
  });
  const runOutOfTime = (): void => {
    for (const end of bounds.splice(0)) end();
  };
  return { lifecycle, results, exited, codes, runOutOfTime };
}

test('what was started last is stopped first, one after the other', async () => {
  const { lifecycle } = harness();
  const order: string[] = [];
  for (const name of ['store', 'queue', 'intake']) {
    lifecycle.onShutdown({
      name,
      boundMs: 1_000,
      run: async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
      },
    });
  }
  await lifecycle.shutdown();
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
  lifecycle.onShutdown({ name: 'store', boundMs: 1, run: () => undefined });
  lifecycle.onShutdown({ name: 'queue', boundMs: 1, run: () => Promise.reject(error) });
  lifecycle.onShutdown({
    name: 'intake',
    boundMs: 1,
    run: () => {
      throw error;
    },
  });
  await lifecycle.shutdown();
  expect(results).toEqual([
    { name: 'intake', kind: 'failed', error },
    { name: 'queue', kind: 'failed', error },
    { name: 'store', kind: 'done' },
  ]);
});

test('a step that does not end within its bound is left behind', async () => {
  const { lifecycle, results, runOutOfTime } = harness();
  lifecycle.onShutdown({ name: 'store', boundMs: 1, run: () => undefined });
  const begun = new Promise<void>((resolve) => {
    lifecycle.onShutdown({
      name: 'intake',
      boundMs: 5_000,
      run: () => {
        resolve();
        return new Promise(() => undefined);
      },
    });
  });
  const stopped = lifecycle.shutdown();
  await begun;
  runOutOfTime();
  await stopped;
  expect(results).toEqual([
    { name: 'intake', kind: 'timed-out', boundMs: 5_000 },
    { name: 'store', kind: 'done' },
  ]);
});

test('shutting down twice runs every step once', async () => {
  const { lifecycle } = harness();
  let runs = 0;
  lifecycle.onShutdown({ name: 'store', boundMs: 1, run: () => void (runs += 1) });
  const [first, second] = await Promise.all([lifecycle.shutdown(), lifecycle.shutdown()]);
  await lifecycle.shutdown();
  expect(runs).toBe(1);
  expect(second).toBe(first);
});

test.each(['SIGTERM', 'SIGINT'])('%s stops everything and exits with 0', async (signal) => {
  const { lifecycle, results, exited } = harness();
  const source = new EventEmitter();
  lifecycle.listen(source);
  lifecycle.onShutdown({ name: 'store', boundMs: 1, run: () => undefined });
  source.emit(signal);
  expect(await exited).toBe(0);
  expect(results).toEqual([{ name: 'store', kind: 'done' }]);
});

test('a step that did not end well makes the exit code 1', async () => {
  const { lifecycle, exited } = harness();
  const source = new EventEmitter();
  lifecycle.listen(source);
  lifecycle.onShutdown({ name: 'x', boundMs: 1, run: () => Promise.reject(new Error('x')) });
  source.emit('SIGTERM');
  expect(await exited).toBe(1);
});

test('a second signal does not wait', async () => {
  const { lifecycle, codes } = harness();
  const source = new EventEmitter();
  lifecycle.listen(source);
  lifecycle.onShutdown({ name: 'x', boundMs: 1, run: () => new Promise(() => undefined) });
  source.emit('SIGTERM');
  expect(codes).toEqual([]);
  source.emit('SIGINT');
  expect(codes).toEqual([1]);
});

test('nothing may be started while stopping', async () => {
  const { lifecycle } = harness();
  await lifecycle.shutdown();
  expect(() => lifecycle.onShutdown({ name: 'late', boundMs: 1, run: () => undefined })).toThrow(
    'late was started while stopping',
  );
});

test('a failure that leaves nothing to go on with ends in order, and with 1', async () => {
  const { lifecycle, codes } = harness();
  const order: string[] = [];
  lifecycle.onShutdown({ name: 'store', boundMs: 1_000, run: () => void order.push('store') });
  await lifecycle.abandon();
  expect([order, codes]).toEqual([['store'], [1]]);
});
