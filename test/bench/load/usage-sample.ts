import { cpuSecondsOf, machineCpuSeconds, writtenBytesOf } from './cpu.ts';

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

/** What processes had used at one moment. */
export interface UsageSample {
  readonly at: number;
  readonly servers: readonly (number | null)[];
  readonly written: number | null;
  readonly own: number;
  readonly machine: number | null;
}

/** How much was used between two samples; null when one of them is missing. */
function used(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

/** The sum; null when one of them is missing. */
function sumOf(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0,
  );
}

/** What was used per second of measured time; null where the system does not report it. */
export interface Rates {
  /** 2xx answers. */
  readonly requestsPerSecond: number;
  /** CPU seconds of the server. */
  readonly serverCores: number | null;
  /** The same for each of the server's processes, with everything below it. */
  readonly coresByPid: readonly (number | null)[];
  /** Bytes that the server gave to the disk. */
  readonly serverWrittenBytes: number | null;
  readonly generatorCores: number;
  /** What neither of them used and others took: with much of it, the figures are not the server's. */
  readonly otherCores: number | null;
}

/** What was done per second between two samples; nothing when they were not both taken. */
export function ratesBetween(
  answered: number,
  opened: UsageSample | undefined,
  closed: UsageSample | undefined,
): Rates {
  if (opened === undefined || closed === undefined) {
    return {
      requestsPerSecond: 0,
      serverCores: null,
      coresByPid: [],
      serverWrittenBytes: null,
      generatorCores: 0,
      otherCores: null,
    };
  }
  const seconds = (closed.at - opened.at) / 1000;
  const generator = closed.own - opened.own;
  const servers = closed.servers.map((after, index) => used(after, opened.servers[index] ?? null));
  const server = sumOf(servers);
  const machine = used(closed.machine, opened.machine);
  const written = used(closed.written, opened.written);
  return {
    requestsPerSecond: answered / seconds,
    serverCores: server === null ? null : server / seconds,
    coresByPid: servers.map((one) => (one === null ? null : one / seconds)),
    serverWrittenBytes: written === null ? null : written / seconds,
    generatorCores: generator / seconds,
    otherCores:
      server === null || machine === null
        ? null
        : Math.max(0, machine - server - generator) / seconds,
  };
}

/** Looks at the server's processes at `at` (milliseconds). */
export function sampleUsage(serverPids: readonly number[], at: number): UsageSample {
  const servers = serverPids.map(cpuSecondsOf);
  const written = sumOf(serverPids.map(writtenBytesOf));
  return { at, servers, written, own: ownCpuSeconds(), machine: machineCpuSeconds() };
}
