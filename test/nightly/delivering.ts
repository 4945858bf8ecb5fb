import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Daemon } from '../e2e/daemon.ts';

/** As a sender of a few processes keeps them. */
const CONNECTIONS = 64;
/** Without an answer; beyond them this process would fall behind for good. */
const PENDING_MAX = 2_000;

/** One delivery: when it was due, how long its answer took, and when that came; milliseconds. */
export interface Delivered {
  readonly dueMs: number;
  readonly waitedMs: number;
}

/** Delivers notifications at a steady rate, as long as the answers keep up with it. */
export function delivering(
  daemon: Daemon,
  bodyOf: (index: number) => object,
  perSecond: number,
): { end(): Promise<Delivered[]> } {
  const url = `${daemon.url}/hooks/${daemon.pathTokens[0]}`;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const delivered: Delivered[] = [];
  const pending = new Set<Promise<void>>();
  const began = performance.now();
  let sent = 0;
  let skipped = 0;
  const post = (body: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-length': Buffer.byteLength(body) };
      const sending = request(url, { method: 'POST', agent, headers }, (response) => {
        const { statusCode } = response;
        response.resume().on('end', () => {
          if (statusCode === 200) resolve();
          else reject(new Error(`a delivery was answered ${statusCode}`));
        });
      });
      sending.on('error', reject).end(body);
    });
  const deliver = async (index: number): Promise<void> => {
    const dueMs = performance.now();
    await post(JSON.stringify(bodyOf(index)));
    delivered.push({ dueMs, waitedMs: performance.now() - dueMs });
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - began) * perSecond) / 1_000;
    while (sent + skipped < due) {
      if (pending.size >= PENDING_MAX) {
        skipped += 1;
        continue;
      }
      const one = deliver(sent).finally(() => pending.delete(one));
      pending.add(one);
      sent += 1;
    }
  }, 1);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
      agent.destroy();
      return delivered;
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
