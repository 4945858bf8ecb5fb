import { writeFileSync } from 'node:fs';
import { chartOf } from '../figures/chart.ts';
import { problemOf, startContender } from '../server/contender.ts';
import { faultsIn, load, orderOf } from '../load/generator.ts';
import type { ContenderName, Plan } from '../plan.ts';
import { storedBooks, type StoredBooks } from '../server/stored.ts';
import type { SuiteResult } from './suite.ts';
import {
  ratioTable,
  storeTable,
  summarize,
  tableOf,
  type Measurement,
} from '../figures/summary.ts';

/** One server under load once. */
interface IntakeRun {
  readonly contender: ContenderName;
  readonly connections: number;
  readonly round: number;
  /** What Counterfoil's store holds beforehand; null for an empty one. */
  readonly books: StoredBooks | null;
}

/** What the growth suite fills stores with. */
const GROWTH = [0, 1_000_000, 5_000_000, 10_000_000];
const GROWTH_CONNECTIONS = 64;

type Rows = readonly Pick<IntakeRun, 'contender' | 'connections' | 'books'>[];

/** Rounds over everything, so that a machine that gets slower or busier does so for all alike. */
function runsOf(rows: Rows, rounds: number): IntakeRun[] {
  const runs: IntakeRun[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // Every other round goes backwards: no server always follows the same one.
    const inOrder = round % 2 === 1 ? rows : rows.toReversed();
    for (const row of inOrder) runs.push({ ...row, round });
  }
  return runs;
}

async function measure(
  run: IntakeRun,
  plan: Plan,
): Promise<{ measurement: Measurement; defects: string[] }> {
  const { contender, connections, round, books } = run;
  const server = await startContender(contender, plan, books);
  try {
    const seen = await load(orderOf(plan, { connections, url: server.url, pid: server.pid }));
    const { defects, ...measured } = await server.measure(seen);
    const stored = books?.notifications ?? 0;
    const storeBytes = books?.bytes ?? null;
    const where = `${contender}, ${connections} connections, round ${round}`;
    return {
      measurement: { contender, connections, round, stored, storeBytes, ...seen, ...measured },
      defects: [...faultsIn(seen), ...defects].map((defect) => `${where}: ${defect}`),
    };
  } finally {
    await server.remove();
  }
}

async function measureAll(
  rows: Rows,
  plan: Plan,
): Promise<{ measurements: Measurement[]; defects: string[] }> {
  const measurements: Measurement[] = [];
  const defects: string[] = [];
  for (const run of runsOf(rows, plan.rounds)) {
    const measured = await measure(run, plan);
    measurements.push(measured.measurement);
    defects.push(...measured.defects);
    const { contender, connections, round } = run;
    const rate = measured.measurement.requestsPerSecond.toFixed(0);
    console.error(`round ${round}  ${contender}  ${connections} connections  ${rate} requests/s`);
  }
  return { measurements, defects };
}

/** Those that can be measured here; says why another cannot. */
function measurable(contenders: readonly ContenderName[]): ContenderName[] {
  return contenders.filter((name) => {
    const problem = problemOf(name);
    if (problem !== null) console.error(`skipped  ${name}: ${problem}`);
    return problem === null;
  });
}

/** Stores of so many notifications, filled one after the other; null for an empty one. */
async function storesOf(plan: Plan, counts: readonly number[]): Promise<(StoredBooks | null)[]> {
  const stores: (StoredBooks | null)[] = [];
  for (const count of counts) {
    const { program, vaults } = plan;
    stores.push(count === 0 ? null : await storedBooks(program, { count, vaults }));
  }
  return stores;
}

/** Every server under load; Counterfoil on every store that was asked for. */
export async function measureIntake(plan: Plan): Promise<SuiteResult> {
  const contenders = measurable(plan.contenders);
  const stores = await storesOf(plan, plan.stored ?? [0]);
  const kinds = plan.connections.flatMap((connections) =>
    contenders.flatMap((contender) =>
      (contender === 'counterfoil' ? stores : [null]).map((books) => ({
        contender,
        connections,
        books,
      })),
    ),
  );
  const { measurements, defects } = await measureAll(kinds, plan);
  const rows = summarize(measurements);
  if (plan.chart !== null) writeFileSync(plan.chart, chartOf(rows));
  const text = [tableOf(rows), ratioTable(rows), storeTable(rows)].join('\n\n');
  return { text, figures: { rows, measurements }, defects };
}

/** Counterfoil under load on stores that grow. */
export async function measureGrowth(plan: Plan): Promise<SuiteResult> {
  const stores = await storesOf(plan, plan.stored ?? GROWTH);
  const kinds = stores.map((books) => ({
    contender: 'counterfoil' as const,
    connections: GROWTH_CONNECTIONS,
    books,
  }));
  const { measurements, defects } = await measureAll(kinds, plan);
  const rows = summarize(measurements);
  const text = [tableOf(rows), storeTable(rows)].join('\n\n');
  return { text, figures: { rows, measurements }, defects };
}
