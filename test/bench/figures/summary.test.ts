import { expect, test } from 'vitest';
import { chartOf } from './chart.ts';
import { ratioTable, summarize, tableOf, type Measurement } from './summary.ts';

const NOTHING: Omit<Measurement, 'contender' | 'connections' | 'round' | 'requestsPerSecond'> = {
  complete: true,
  firsts: 0,
  repeats: 0,
  accepted: 0,
  duplicates: 0,
  postings: 0,
  errors: 0,
  firstError: null,
  p50Ms: 1,
  p99Ms: 2,
  p999Ms: 3,
  maxMs: 4,
  serverCores: 0.5,
  coresByPid: [],
  serverWrittenBytes: null,
  generatorCores: 0.1,
  otherCores: 0,
  perTransaction: 10,
  stored: 0,
  storeBytes: null,
  startMs: null,
  residentBytes: null,
};

/** Two servers over three rounds, at another speed of the machine in each. */
const MEASURED: Measurement[] = [
  ['hono', 1, 1_000],
  ['counterfoil', 1, 200],
  ['hono', 2, 4_000],
  ['counterfoil', 2, 1_000],
  ['hono', 3, 2_000],
  ['counterfoil', 3, 600],
].map(([contender, round, requestsPerSecond]) => ({
  ...NOTHING,
  contender: contender === 'hono' ? 'hono' : 'counterfoil',
  connections: 64,
  round: Number(round),
  requestsPerSecond: Number(requestsPerSecond),
}));

test('a row is the median of the rounds, and a ratio the median of those within each', () => {
  const [hono, own] = summarize(MEASURED);
  expect(hono?.requestsPerSecond).toBe(2_000);
  expect(own?.requestsPerSecond).toBe(600);
  // 0.2, 0.25 and 0.3; the ratio of the medians would be 0.3.
  expect(own?.ratios.hono).toBeCloseTo(0.25);
  expect(own?.ratios['one-transaction']).toBeNull();
  // 500, 833 and 2,500 µs of CPU time; 20, 60 and 100 commits.
  expect(own?.serverCpuMicroseconds).toBeCloseTo(833.3, 0);
  expect(own?.transactionsPerSecond).toBe(60);
});

test('tables have a line for each row, with a dash where nothing was measured', () => {
  const rows = summarize(MEASURED);
  expect(tableOf(rows).split('\n')).toHaveLength(4);
  expect(ratioTable(rows).split('\n').at(-1)).toMatch(/\| +0\.25 \| +– \|/);
});

test('a chart has a bar for each row, and the longest is that of a receiver that keeps books', () => {
  const chart = chartOf(summarize(MEASURED));
  expect(chart.match(/<rect x=/g)).toHaveLength(2);
  expect(chart).toContain('→ 2,000/s');
  expect(chart).toContain('>600/s');
});
