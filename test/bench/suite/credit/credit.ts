import { performance } from 'node:perf_hooks';
import { mostInSpan } from '../../../custody/most-in-span.ts';
import type { Plan, ScenarioName } from '../../plan.ts';
import type { SuiteResult } from '../suite.ts';
import { figure, markdown } from '../../figures/table.ts';
import { CreditWorld, type Address, type WorldOptions } from './credit-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Scenario {
  readonly about: string;
  readonly world: WorldOptions;
  readonly asset: string;
  /** Deposits that are made at once, and how often. */
  readonly deposits: number;
  readonly everyMs: number;
  /** Virtual minutes of the usual run and of the full one. */
  readonly minutes: { readonly short: number; readonly full: number };
  /** Longest median and 99th percentile, in seconds; null where none is wanted. */
  readonly p50Max: number | null;
  readonly p99Max: number | null;
  readonly lastMax?: number;
  /** Forged deposits a second, deep enough for a credit. */
  readonly forgedPerSecond?: number;
}

const ETHEREUM = { network: 'ethereum', confirmations: 12, vaults: 20, addressesPerVault: 5 };
/** One block a second and one published depth: deposits become due all the time. */
const SUI = { network: 'sui', confirmations: 1 };

const TRICKLE = { asset: 'ethereum:ETH', deposits: 1, everyMs: 2_000, p50Max: 0.5, p99Max: 2 };
const WITH_FAULTS = { ...TRICKLE, minutes: { short: 20, full: 20 } };

const DETAILS: Readonly<Record<ScenarioName, Scenario>> = {
  a: {
    about: 'one deposit every 2 s, ethereum',
    world: ETHEREUM,
    ...TRICKLE,
    minutes: { short: 60, full: 60 },
  },
  b: {
    about: '10/s, sui, after a busy hour',
    world: { ...SUI, vaults: 100, addressesPerVault: 10, isBusySinceAnHour: true },
    asset: 'sui:SUI',
    deposits: 10,
    everyMs: 1_000,
    minutes: { short: 20, full: 120 },
    p50Max: 4,
    p99Max: 9,
  },
  c: {
    about: '200/s, sui, 10,000 addresses, after a busy hour',
    world: { ...SUI, vaults: 500, addressesPerVault: 20, isBusySinceAnHour: true },
    asset: 'sui:SUI',
    deposits: 20,
    everyMs: 100,
    minutes: { short: 3, full: 120 },
    p50Max: 4,
    p99Max: 9,
  },
  d: {
    about: '5,000 at once after an idle hour',
    world: { ...SUI, vaults: 100, addressesPerVault: 10 },
    asset: 'sui:SUI',
    deposits: 5_000,
    everyMs: HOUR_MS,
    minutes: { short: 2, full: 2 },
    p50Max: null,
    p99Max: null,
    lastMax: 30,
  },
  e1: {
    about: 'as a, one vault takes nothing',
    world: { ...ETHEREUM, moodOf: (vault) => (vault === 0 ? 'refuses' : 'takes') },
    ...WITH_FAULTS,
  },
  e2: {
    about: 'as a, one vault loses everything',
    world: { ...ETHEREUM, moodOf: (vault) => (vault === 0 ? 'loses' : 'takes') },
    ...WITH_FAULTS,
  },
  e3: {
    about: 'as a, 10 % of API requests fail',
    world: {
      ...ETHEREUM,
      apiFaults: [{ fault: 'error', errorCode: 'GE-1', probability: 0.1 }],
    },
    ...WITH_FAULTS,
  },
  f: {
    about: 'as a, 100 forged deposits a second',
    world: ETHEREUM,
    ...TRICKLE,
    minutes: { short: 5, full: 20 },
    forgedPerSecond: 100,
    // Twice those of a, at most.
    p50Max: 0.3,
    p99Max: 0.3,
  },
};

interface Measured {
  readonly name: string;
  readonly paid: number;
  readonly credits: number;
  readonly early: number;
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

async function measure(name: ScenarioName, minutes: number): Promise<Measured> {
  const startedMs = performance.now();
  const { about, world: options, asset, deposits, everyMs, forgedPerSecond } = DETAILS[name];
  const world = await CreditWorld.start(options);
  let paid = 0;
  try {
    world.begin();
    const endMs = world.time.now() + minutes * MINUTE_MS;
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
    name: `${name}: ${about}, ${minutes} min`,
    paid,
    credits: latenciesMs.length,
    early: world.early.count,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    maxMs: percentile(latenciesMs, 1),
    requests: requestsAtMs.length,
    requestsMinuteMax: mostInSpan(requestsAtMs, MINUTE_MS),
    requestsHourMax: mostInSpan(requestsAtMs, HOUR_MS),
    realSeconds: (performance.now() - startedMs) / 1000,
  };
}

function defectsOf({ p50Max, p99Max, lastMax }: Scenario, measured: Measured): string[] {
  const { name } = measured;
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
 * takes no time, waits for the budget do. `early`: credits by an answer that came before the
 * deposit's own webhook; they have no latency.
 */
export async function measureCredit({ scenarios, lasts }: Plan): Promise<SuiteResult> {
  const all: Measured[] = [];
  const defects: string[] = [];
  for (const name of scenarios) {
    const { minutes } = DETAILS[name];
    const measured = await measure(name, typeof lasts === 'number' ? lasts : minutes[lasts]);
    console.error(`  ${JSON.stringify(measured)}`);
    all.push(measured);
    defects.push(...defectsOf(DETAILS[name], measured));
  }
  const seconds = (ms: number | null): string => figure(ms === null ? null : ms / 1000, 2);
  const text = markdown(
    [
      'scenario',
      'credits',
      'early',
      'p50 s',
      'p99 s',
      'max s',
      'requests',
      'in a minute',
      'in an hour',
    ],
    all.map((one) => [
      one.name,
      String(one.credits),
      String(one.early),
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
