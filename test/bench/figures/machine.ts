import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { medianOf } from './median.ts';

/** What figures depend on beside the code. */
export interface Machine {
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  readonly storeFolder: string;
  /** Median time to make 4 KiB durable where the stores are. */
  readonly syncMs: number;
  /** Processes that ran or waited over the last minute, before the run. */
  readonly loadAverage: number;
}

const SYNCS = 50;
const PAGE_BYTES = 4_096;

function syncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
  const file = openSync(join(folder, 'sync'), 'w');
  try {
    const page = Buffer.alloc(PAGE_BYTES, 1);
    return medianOf(
      Array.from({ length: SYNCS }, () => {
        const startedMs = performance.now();
        writeSync(file, page);
        fdatasyncSync(file);
        return performance.now() - startedMs;
      }),
    );
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}

export function describeMachine(): Machine {
  return {
    node: process.version,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    storeFolder: tmpdir(),
    syncMs: syncMs(),
    loadAverage: loadavg()[0] ?? 0,
  };
}

/** The machine in one line. */
export function machineText(machine: Machine): string {
  const { cores, cpu, node, loadAverage, syncMs: sync, storeFolder } = machine;
  return (
    `${cores} cores (${cpu}), Node ${node}, load average ${loadAverage.toFixed(2)}, ` +
    `4 KiB durable in ${sync.toFixed(2)} ms (${storeFolder})`
  );
}
