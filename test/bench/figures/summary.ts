import type { LoadResult } from '../load/load.ts';
import { medianOf, medianOrNull } from './median.ts';
import type { ContenderName } from '../plan.ts';
import { figure, markdown } from './table.ts';

/** One contender under load once. */
export interface Measurement extends LoadResult {
  readonly contender: ContenderName;
  readonly connections: number;
  readonly round: number;
  /** Notifications that one transaction made durable; null for a server without a store. */
  readonly perTransaction: number | null;
  /** Notifications in its store beforehand, and the file's size with them. */
  readonly stored: number;
  readonly storeBytes: number | null;
  readonly startMs: number | null;
  readonly residentBytes: number | null;
}

/** Servers that others are compared with in the second table. */
const BESIDE = [
  'hono',
  'hono-json',
  'one-row',
  'one-transaction',
  'group-commit',
  'express-postgres',
  'fastify-postgres',
] as const;
type Beside = (typeof BESIDE)[number];

/** One row of the table: medians over the rounds. */
export interface Row {
  readonly contender: ContenderName;
  readonly connections: number;
  readonly stored: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  readonly errors: number;
  readonly transactionsPerSecond: number | null;
  readonly perTransaction: number | null;
  /** CPU time of the server per request: what a busy machine disturbs least. */
  readonly serverCpuMicroseconds: number | null;
  readonly serverCores: number | null;
  /** What the server gave to the disk per request. */
  readonly writtenBytes: number | null;
  readonly generatorCpuMicroseconds: number | null;
  readonly otherCores: number | null;
  readonly storeBytes: number | null;
  readonly startMs: number | null;
  readonly residentBytes: number | null;
  /** Rates over those of others in the same round; null where they were not measured. */
  readonly ratios: Readonly<Record<Beside, number | null>>;
}

function microsecondsEach(cores: number | null, requestsPerSecond: number): number | null {
  return cores === null || requestsPerSecond === 0 ? null : (cores / requestsPerSecond) * 1e6;
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

function isSameRow(one: Measurement, other: Measurement): boolean {
  return (
    one.contender === other.contender &&
    one.connections === other.connections &&
    one.stored === other.stored
  );
}

/** A row for each server, number of connections and store, in the order of the first round. */
export function summarize(all: readonly Measurement[]): Row[] {
  const firsts = all.filter((one, index) => all.findIndex((at) => isSameRow(at, one)) === index);
  return firsts.map((one) => rowOf(all, one));
}

function rowOf(all: readonly Measurement[], kind: Measurement): Row {
  const { contender, connections, stored, storeBytes } = kind;
  const own = all.filter((one) => isSameRow(one, kind));
  const median = (of: (one: Measurement) => number | null): number | null =>
    medianOrNull(own.map(of));
  const ratio = (beside: Beside): number | null => ratioTo(beside, own, all);
  return {
    contender,
    connections,
    stored,
    requestsPerSecond: medianOf(own.map((one) => one.requestsPerSecond)),
    p50Ms: medianOf(own.map((one) => one.p50Ms)),
    p99Ms: medianOf(own.map((one) => one.p99Ms)),
    p999Ms: medianOf(own.map((one) => one.p999Ms)),
    maxMs: medianOf(own.map((one) => one.maxMs)),
    errors: own.reduce((sum, one) => sum + one.errors, 0),
    transactionsPerSecond: median((one) =>
      one.perTransaction === null ? null : one.requestsPerSecond / one.perTransaction,
    ),
    perTransaction: median((one) => one.perTransaction),
    serverCpuMicroseconds: median((one) =>
      microsecondsEach(one.serverCores, one.requestsPerSecond),
    ),
    serverCores: median((one) => one.serverCores),
    writtenBytes: median((one) =>
      one.serverWrittenBytes === null || one.requestsPerSecond === 0
        ? null
        : one.serverWrittenBytes / one.requestsPerSecond,
    ),
    generatorCpuMicroseconds: median((one) =>
      microsecondsEach(one.generatorCores, one.requestsPerSecond),
    ),
    otherCores: median((one) => one.otherCores),
    storeBytes,
    startMs: median((one) => one.startMs),
    residentBytes: median((one) => one.residentBytes),
    ratios: {
      hono: ratio('hono'),
      'hono-json': ratio('hono-json'),
      'one-row': ratio('one-row'),
      'one-transaction': ratio('one-transaction'),
      'group-commit': ratio('group-commit'),
      'express-postgres': ratio('express-postgres'),
      'fastify-postgres': ratio('fastify-postgres'),
    },
  };
}

/** What each server did. */
export function tableOf(rows: readonly Row[]): string {
  const head = [
    'server',
    'connections',
    'stored',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'max ms',
    'errors',
    'commits/s',
    'per commit',
    'CPU µs/request',
    'server cores',
    'bytes written/request',
    'load µs/request',
    'other cores',
  ];
  const lines = rows.map((row) => [
    row.contender,
    String(row.connections),
    String(row.stored),
    figure(row.requestsPerSecond, 0),
    figure(row.p50Ms, 1),
    figure(row.p99Ms, 1),
    figure(row.p999Ms, 1),
    figure(row.maxMs, 1),
    String(row.errors),
    figure(row.transactionsPerSecond, 0),
    figure(row.perTransaction, 0),
    figure(row.serverCpuMicroseconds, 0),
    figure(row.serverCores, 2),
    figure(row.writtenBytes, 0),
    figure(row.generatorCpuMicroseconds, 0),
    figure(row.otherCores, 2),
  ]);
  return markdown(head, lines);
}

/** How each server's rate is to those of others. */
export function ratioTable(rows: readonly Row[]): string {
  return markdown(
    ['server', 'connections', 'stored', ...BESIDE.map((name) => `× ${name}`)],
    rows.map((row) => [
      row.contender,
      String(row.connections),
      String(row.stored),
      ...BESIDE.map((name) => figure(row.ratios[name], 2)),
    ]),
  );
}

const MIB = 1_048_576;

/** What Counterfoil's store costs beside time; empty where it was not measured. */
export function storeTable(rows: readonly Row[]): string {
  const own = rows.filter((row) => row.startMs !== null);
  if (own.length === 0) return '';
  const mib = ({ residentBytes }: Row): number | null =>
    residentBytes === null ? null : residentBytes / MIB;
  return markdown(
    ['stored', 'connections', 'start ms', 'memory MiB', 'MiB/million', 'bytes/notification'],
    own.map((row) => [
      String(row.stored),
      String(row.connections),
      figure(row.startMs, 0),
      figure(mib(row), 0),
      figure(row.stored === 0 ? null : ((mib(row) ?? 0) * 1e6) / row.stored, 0),
      figure(row.storeBytes === null ? null : row.storeBytes / row.stored, 0),
    ]),
  );
}
