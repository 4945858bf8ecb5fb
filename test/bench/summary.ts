import type { LoadResult } from './load.ts';
import type { ContenderName } from './plan.ts';

/** One contender under load once. */
export interface Measurement extends LoadResult {
  readonly contender: ContenderName;
  readonly connections: number;
  readonly round: number;
  /** Notifications that one transaction made durable; null for a server without a store. */
  readonly perTransaction: number | null;
}

/** One row of the table: medians over the rounds. */
export interface Row {
  readonly contender: ContenderName;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
  readonly perTransaction: number | null;
  /** CPU time of the server per request: what a busy machine disturbs least. */
  readonly serverCpuMicroseconds: number | null;
  readonly serverCores: number | null;
  readonly generatorCores: number;
  /** Against the baselines in the same round; null where they were not measured. */
  readonly toNodeHttp: number | null;
  readonly toOneTransaction: number | null;
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : medianOf(known);
}

function cpuMicroseconds({ serverCores, requestsPerSecond }: Measurement): number | null {
  return serverCores === null || requestsPerSecond === 0
    ? null
    : (serverCores / requestsPerSecond) * 1_000_000;
}

/** Ratios are taken within a round, whose measurements are neighbours in time. */
function ratioTo(
  baseline: ContenderName,
  own: readonly Measurement[],
  all: readonly Measurement[],
): number | null {
  return medianOrNull(
    own.map(({ connections, round, requestsPerSecond }) => {
      const beside = all.find(
        (one) =>
          one.contender === baseline && one.connections === connections && one.round === round,
      );
      return beside === undefined || beside.requestsPerSecond === 0
        ? null
        : requestsPerSecond / beside.requestsPerSecond;
    }),
  );
}

export function summarize(
  all: readonly Measurement[],
  contender: ContenderName,
  connections: number,
): Row {
  const own = all.filter((one) => one.contender === contender && one.connections === connections);
  const median = (key: 'requestsPerSecond' | 'p50Ms' | 'p99Ms' | 'generatorCores'): number =>
    medianOf(own.map((one) => one[key]));
  return {
    contender,
    connections,
    requestsPerSecond: median('requestsPerSecond'),
    p50Ms: median('p50Ms'),
    p99Ms: median('p99Ms'),
    errors: own.reduce((sum, one) => sum + one.errors, 0),
    perTransaction: medianOrNull(own.map((one) => one.perTransaction)),
    serverCpuMicroseconds: medianOrNull(own.map(cpuMicroseconds)),
    serverCores: medianOrNull(own.map((one) => one.serverCores)),
    generatorCores: median('generatorCores'),
    toNodeHttp: ratioTo('node-http', own, all),
    toOneTransaction: ratioTo('one-transaction', own, all),
  };
}

function figure(value: number | null, digits: number): string {
  return value === null ? '–' : value.toFixed(digits);
}

/** The table for people, and for docs/performance.md. */
export function tableOf(rows: readonly Row[]): string {
  const head = [
    'server',
    'connections',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'errors',
    'per transaction',
    'CPU µs/request',
    'server cores',
    'load cores',
    '× node-http',
    '× one-transaction',
  ];
  const lines = rows.map((row) => [
    row.contender,
    String(row.connections),
    figure(row.requestsPerSecond, 0),
    figure(row.p50Ms, 1),
    figure(row.p99Ms, 1),
    String(row.errors),
    figure(row.perTransaction, 0),
    figure(row.serverCpuMicroseconds, 0),
    figure(row.serverCores, 2),
    figure(row.generatorCores, 2),
    figure(row.toNodeHttp, 2),
    figure(row.toOneTransaction, 2),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const asLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [asLine(head), asLine(rule), ...lines.map(asLine)].join('\n');
}
