import { performance } from 'node:perf_hooks';
import { densest } from '../../custody/densest.ts';
import type { Plan } from '../plan.ts';
import type { SuiteResult } from '../suite.ts';
import { figure, markdown } from '../table.ts';
import { CreditWorld, type Address, type WorldOptions } from './credit-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Scenario {
  readonly name: string;
  readonly world: WorldOptions;
  readonly asset: string;
  /** Deposits that are made at once, and how often. */
  readonly deposits: number;
  readonly everyMs: number;
  readonly lastsMs: number;
  /** Longest median and 99th percentile, in seconds; null where the issue names none. */
  readonly p50Max: number | null;
  readonly p99Max: number | null;
  readonly lastMax?: number;
  /** Forged deposits a second, deep enough for a credit. */
  readonly forgedPerSecond?: number;
}

const ETHEREUM = { network: 'ethereum', confirmations: 12, vaults: 20, addressesPerVault: 5 };
/** One block a second and one published depth: deposits become due all the time. */
const SUI = { network: 'sui', confirmations: 1 };

const TRICKLE = {
  asset: 'ethereum:ETH',
  deposits: 1,
  everyMs: 2_000,
  lastsMs: HOUR_MS,
  p50Max: 0.5,
  p99Max: 2,
};

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'b: 10/s, sui, 20 min after a busy hour',
    world: { ...SUI, vaults: 100, addressesPerVault: 10, isBusySinceAnHour: true },
    asset: 'sui:SUI',
    deposits: 10,
    everyMs: 1_000,
    lastsMs: 20 * MINUTE_MS,
    p50Max: 4,
    p99Max: 9,
  },
  {
    name: 'c: 200/s, sui, 10,000 addresses, 2 min after a busy hour',
    world: { ...SUI, vaults: 500, addressesPerVault: 20, isBusySinceAnHour: true },
    asset: 'sui:SUI',
    deposits: 20,
    everyMs: 100,
    lastsMs: 2 * MINUTE_MS,
    p50Max: 4,
    p99Max: 9,
  },
  {
    name: 'e1: as a for 20 min, one vault takes nothing',
    world: { ...ETHEREUM, moodOf: (vault) => (vault === 0 ? 'refuses' : 'takes') },
    ...TRICKLE,
    lastsMs: 20 * MINUTE_MS,
  },
  {
    name: 'e2: as a for 20 min, one vault loses everything',
    world: { ...ETHEREUM, moodOf: (vault) => (vault === 0 ? 'loses' : 'takes') },
    ...TRICKLE,
    lastsMs: 20 * MINUTE_MS,
  },
  {
    name: 'e3: as a for 20 min, 10 % of API requests fail',
    world: {
      ...ETHEREUM,
      apiFaults: [{ fault: 'error', errorCode: 'GE-1', probability: 0.1 }],
    },
    ...TRICKLE,
    lastsMs: 20 * MINUTE_MS,
  },
  {
    name: 'f: as a for 5 min, 100 forged deposits a second',
    world: ETHEREUM,
    ...TRICKLE,
    lastsMs: 5 * MINUTE_MS,
    forgedPerSecond: 100,
    // Twice those of a, at most.
    p50Max: 0.3,
    p99Max: 0.3,
  },
  { name: 'a: one every 2 s, ethereum, 1 h', world: ETHEREUM, ...TRICKLE },
  {
    name: 'd: 5,000 at once after an idle hour',
    world: { ...SUI, vaults: 100, addressesPerVault: 10 },
    asset: 'sui:SUI',
    deposits: 5_000,
    everyMs: HOUR_MS,
    lastsMs: 2 * MINUTE_MS,
    p50Max: null,
    p99Max: null,
    lastMax: 30,
  },
];

interface Measured {
  readonly name: string;
  readonly paid: number;
  readonly credits: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
  readonly requests: number;
  readonly requestsMinuteMax: number;
  readonly requestsHourMax: number;
  readonly realSeconds: number;
}

function percentile(times: readonly number[], part: number): number | null {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}

async function measure(scenario: Scenario): Promise<Measured> {
  const startedMs = performance.now();
  const { world: options, asset, deposits, everyMs, lastsMs, forgedPerSecond } = scenario;
  const world = await CreditWorld.start(options);
  let paid = 0;
  try {
    world.begin();
    const endMs = world.time.now() + lastsMs;
    while (world.time.now() < endMs) {
      for (let count = 0; count < deposits; count += 1) {
        const address = world.addresses[paid % world.addresses.length] as Address;
        world.pay(address, options.network, asset);
        paid += 1;
      }
      const forged = ((forgedPerSecond ?? 0) * everyMs) / 1000;
      if (forged > 0) await world.forge(forged, { network: options.network, asset });
      await world.time.pass(Math.min(everyMs, endMs - world.time.now()));
    }
    await world.time.pass(5 * MINUTE_MS);
  } finally {
    await world.end();
  }
  const { latenciesMs, requestsAtMs } = world;
  return {
    name: scenario.name,
    paid,
    credits: latenciesMs.length,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    maxMs: percentile(latenciesMs, 1),
    requests: requestsAtMs.length,
    requestsMinuteMax: densest(requestsAtMs, MINUTE_MS),
    requestsHourMax: densest(requestsAtMs, HOUR_MS),
    realSeconds: (performance.now() - startedMs) / 1000,
  };
}

function defectsOf(scenario: Scenario, measured: Measured): string[] {
  const { p50Max, p99Max, lastMax, name } = scenario;
  const over = (what: string, ms: number | null, max: number | null | undefined): string[] =>
    max === null || max === undefined || (ms !== null && ms <= max * 1000)
      ? []
      : [`${name}: ${what} is ${ms} ms, wanted at most ${max} s`];
  return [
    ...over('p50', measured.p50Ms, p50Max),
    ...over('p99', measured.p99Ms, p99Max),
    ...over('the last', measured.maxMs, lastMax),
    ...(measured.requestsMinuteMax > 100 ? [`${name}: more than 100 requests in a minute`] : []),
    ...(measured.requestsHourMax > 1_000 ? [`${name}: more than 1,000 requests in an hour`] : []),
  ];
}

/**
 * Block → feed, against the real core over HTTP with the service's limits, in virtual time: work
 * takes no time, waits for the budget do.
 */
export async function measureCredit(_plan: Plan): Promise<SuiteResult> {
  const all: Measured[] = [];
  const defects: string[] = [];
  for (const scenario of SCENARIOS) {
    const measured = await measure(scenario);
    console.error(`  ${JSON.stringify(measured)}`);
    all.push(measured);
    defects.push(...defectsOf(scenario, measured));
  }
  const seconds = (ms: number | null): string => figure(ms === null ? null : ms / 1000, 2);
  const text = markdown(
    ['scenario', 'credits', 'p50 s', 'p99 s', 'max s', 'requests', 'in a minute', 'in an hour'],
    all.map((one) => [
      one.name,
      String(one.credits),
      seconds(one.p50Ms),
      seconds(one.p99Ms),
      seconds(one.maxMs),
      String(one.requests),
      String(one.requestsMinuteMax),
      String(one.requestsHourMax),
    ]),
  );
  return { text, figures: all, defects };
}
