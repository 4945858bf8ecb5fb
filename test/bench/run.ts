import { existsSync, writeFileSync } from 'node:fs';
import { Child } from './child.ts';
import { problemOf, startContender } from './contender.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import { lookAtMachine, machineText } from './machine.ts';
import type { ContenderName, Plan } from './plan.ts';
import { ratioTable, summarize, tableOf, type Measurement } from './summary.ts';

/** Beyond the load itself: start of the process, connections that come one by one, a slow end. */
const LOAD_MS_EXTRA = 240_000;

interface Turn {
  readonly contender: ContenderName;
  readonly connections: number;
  readonly round: number;
}

/** Rounds over everything, so that a machine that gets slower or busier does so for all alike. */
function turnsOf(plan: Plan, contenders: readonly ContenderName[]): Turn[] {
  const turns: Turn[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    // Every other round goes backwards: no contender always follows the same one.
    const inOrder = round % 2 === 1 ? contenders : contenders.toReversed();
    for (const connections of plan.connections) {
      for (const contender of inOrder) turns.push({ contender, connections, round });
    }
  }
  return turns;
}

/** Runs a load generator in a process of its own. */
async function load(order: LoadOrder): Promise<LoadResult> {
  const child = await Child.start<LoadResult>(
    [process.argv[1] ?? '', 'load', JSON.stringify(order)],
    (order.seconds + order.warmupSeconds) * 1000 + LOAD_MS_EXTRA,
  );
  await child.end();
  return child.firstLine;
}

async function measure(
  turn: Turn,
  plan: Plan,
): Promise<{ measurement: Measurement; defects: string[] }> {
  const server = await startContender(turn.contender, plan);
  try {
    const { seconds, warmupSeconds, traffic, vaults } = plan;
    const { connections } = turn;
    const ordered = { connections, warmupSeconds, seconds, traffic, vaults };
    const seen = await load({ ...ordered, url: server.url, serverPid: server.pid });
    const { defects, perTransaction } = await server.settle(seen);
    const refused =
      seen.errors === 0
        ? []
        : [`${seen.errors} requests were not answered with 2xx: ${seen.firstError ?? 'cut off'}`];
    const gaveUp = seen.complete
      ? []
      : ['the load generator gave up: not every connection was answered'];
    const where = `${turn.contender}, ${connections} connections, round ${turn.round}`;
    return {
      measurement: { ...turn, ...seen, perTransaction },
      defects: [...gaveUp, ...refused, ...defects].map((defect) => `${where}: ${defect}`),
    };
  } finally {
    await server.remove();
  }
}

/** Those that can be measured here; says why another cannot. */
function measurable(contenders: readonly ContenderName[]): ContenderName[] {
  return contenders.filter((name) => {
    const problem = problemOf(name);
    if (problem !== null) console.error(`skipped  ${name}: ${problem}`);
    return problem === null;
  });
}

/** Measures what the plan says, prints the tables, and resolves with the exit code. */
export async function runBench(plan: Plan): Promise<number> {
  if (plan.contenders.includes('counterfoil') && !existsSync(plan.program)) {
    console.error(`${plan.program} is not there: \`npm run build\` makes it`);
    return 2;
  }
  const startedAt = new Date().toISOString();
  const contenders = measurable(plan.contenders);
  const machine = lookAtMachine();
  const measurements: Measurement[] = [];
  const defects: string[] = [];
  for (const turn of turnsOf(plan, contenders)) {
    const measured = await measure(turn, plan);
    measurements.push(measured.measurement);
    defects.push(...measured.defects);
    const { contender, connections, round } = turn;
    const rate = measured.measurement.requestsPerSecond.toFixed(0);
    console.error(`round ${round}  ${contender}  ${connections} connections  ${rate} requests/s`);
  }
  const rows = plan.connections.flatMap((connections) =>
    contenders.map((contender) => summarize(measurements, contender, connections)),
  );
  const { seconds, warmupSeconds, rounds, traffic, vaults } = plan;
  console.log(
    `${machineText(machine)}; ${traffic} traffic over ${vaults} vaults; ` +
      `medians of ${rounds} × ${seconds} s\n\n${tableOf(rows)}\n\n${ratioTable(rows)}`,
  );
  if (plan.json !== null) {
    const told = { seconds, warmupSeconds, rounds, traffic, vaults };
    const figures = { startedAt, machine, plan: told, rows, measurements, defects };
    writeFileSync(plan.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  for (const defect of defects) console.error(`FAILED  ${defect}`);
  return defects.length === 0 ? 0 : 1;
}
