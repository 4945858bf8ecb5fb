import { expect, test } from 'vitest';
import { notification } from '../../src/wire/notification.ts';
import { readTrace, trace, traceNames } from './trace.ts';

const names = traceNames();

test('there are traces to check', () => {
  expect(names.length).toBeGreaterThan(0);
});

test.for(names)('%s keeps the format, and its name is its file', (name) => {
  expect(trace.parse(readTrace(name)).name).toBe(name);
});

test.for(names)('%s expects its breaks sorted, and no position twice', (name) => {
  const { balances, chainBalances, breaks } = trace.parse(readTrace(name)).expect;
  expect(breaks).toEqual(breaks.toSorted());
  for (const list of [balances, chainBalances ?? []]) {
    const positions = list.map(({ amount, ...position }) => JSON.stringify(position));
    expect(new Set(positions).size).toBe(positions.length);
  }
});

test.for(names)('%s delivers what the wire can read, unless it expects a quarantine', (name) => {
  for (const step of trace.parse(readTrace(name)).steps) {
    if (!('deliver' in step)) continue;
    const readable = notification.safeParse(step.deliver).success;
    expect({ id: step.deliver.id, readable }).toEqual({
      id: step.deliver.id,
      readable: step.answer !== 'quarantined',
    });
  }
});

test('a trace with an unknown field, a lossy amount or no step does not keep the format', () => {
  const good = trace.parse(readTrace(names[0] ?? ''));
  expect(trace.safeParse(good).success).toBe(true);
  expect(trace.safeParse({ ...good, extra: 1 }).success).toBe(false);
  expect(trace.safeParse({ ...good, steps: [] }).success).toBe(false);
  const [first] = good.expect.balances;
  const lossy = { ...good.expect, balances: [{ ...first, amount: 5_000_000 }] };
  expect(trace.safeParse({ ...good, expect: lossy }).success).toBe(false);
});
