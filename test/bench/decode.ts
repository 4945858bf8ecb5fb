import { performance } from 'node:perf_hooks';
import { notification } from '../../src/wire/notification.ts';
import { readTrace, trace, traceNames } from '../house/trace.ts';

/** What one bench measured; rates are per second of wall time. */
export interface Measured {
  readonly bench: string;
  readonly rounds: number;
  readonly notificationsPerSecond: number;
}

const WARMUP_ROUNDS = 200;
const ROUNDS = 2000;

/** How fast one core reads notifications from their bytes: JSON and the wire's schema. */
export function benchDecode(): Measured {
  const bodies = traceNames()
    .flatMap((name) => trace.parse(readTrace(name)).steps)
    .flatMap((step) => ('deliver' in step ? [JSON.stringify(step.deliver)] : []));
  const round = (): void => {
    for (const body of bodies) notification.safeParse(JSON.parse(body));
  };
  for (let done = 0; done < WARMUP_ROUNDS; done += 1) round();
  const startedMs = performance.now();
  for (let done = 0; done < ROUNDS; done += 1) round();
  const seconds = (performance.now() - startedMs) / 1000;
  const notificationsPerSecond = Math.round((bodies.length * ROUNDS) / seconds);
  return { bench: 'decode', rounds: ROUNDS, notificationsPerSecond };
}
