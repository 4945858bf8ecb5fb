import { Child } from '../server/child.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import type { Plan } from '../plan.ts';

/** Beyond the load itself: start of the process, connections that come one by one, a slow end. */
const LOAD_MS_EXTRA = 240_000;

/** The plan's load on this server. */
export function orderOf(
  { traffic, vaults, warmupSeconds, seconds }: Plan,
  {
    connections,
    url,
    pid,
    pair = null,
  }: { connections: number; url: string; pid: number; pair?: LoadOrder['pair'] },
): LoadOrder {
  return {
    connections,
    urls: [url],
    pair,
    traffic,
    vaults,
    warmupSeconds,
    seconds,
    serverPids: [pid],
  };
}

/** Runs a load generator in a process of its own: this very program in another role. */
export async function load(order: LoadOrder): Promise<LoadResult> {
  const child = await Child.start<LoadResult>(
    [process.argv[1] ?? '', 'load', JSON.stringify(order)],
    (order.seconds + order.warmupSeconds) * 1000 + LOAD_MS_EXTRA,
  );
  await child.end();
  return child.firstLine;
}

/** What must not happen under load, whatever the server. */
export function faultsIn({ complete, errors, firstError }: LoadResult): string[] {
  return [
    ...(complete ? [] : ['the load generator gave up: not every connection was answered']),
    ...(errors === 0
      ? []
      : [`${errors} requests were not answered with 2xx: ${firstError ?? 'cut off'}`]),
  ];
}
