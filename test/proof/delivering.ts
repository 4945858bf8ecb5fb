import { performance } from 'node:perf_hooks';
import type { Daemon } from '../e2e/daemon.ts';

/** Delivers notifications at a steady rate, whatever the answers take. */
export function delivering(
  daemon: Daemon,
  bodyOf: (index: number) => object,
  perSecond: number,
): { end(): Promise<number[]> } {
  const waits: number[] = [];
  const pending: Promise<void>[] = [];
  const began = performance.now();
  const deliver = async (index: number): Promise<void> => {
    const due = performance.now();
    const { status } = await daemon.deliver(JSON.stringify(bodyOf(index)));
    if (status !== 200) throw new Error(`a delivery was answered ${status}`);
    waits.push(performance.now() - due);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - began) * perSecond) / 1_000;
    while (pending.length < due) pending.push(deliver(pending.length));
  }, 1);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
      return waits;
    },
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, two) => one - two);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

export function p99(values: readonly number[]): number {
  return quantile(values, 0.99);
}

export function spread(values: readonly number[]): string {
  const at = (share: number): string => quantile(values, share).toFixed(1);
  return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`;
}
