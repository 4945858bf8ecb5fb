import { existsSync, writeFileSync } from 'node:fs';
import { Child } from './child.ts';
import { startContender } from './contender.ts';
import type { LoadOrder, LoadResult } from './load.ts';
import { lookAtMachine } from './machine.ts';
import { CONNECTIONS, type ContenderName, type Plan } from './plan.ts';
import { summarize, tableOf, type Measurement } from './summary.ts';

/** Beyond the load itself: start of the process, connections that come one by one, a slow end. */
const LOAD_MS_EXTRA = 240_000;

interface Turn {
  readonly contender: ContenderName;
  readonly connections: number;
  readonly round: number;
}

/** Rounds over everything, so that a machine that gets slower or busier does so for all alike. */
function turnsOf(plan: Plan): Turn[] {
  const turns: Turn[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    // Every other round goes backwards: no contender always follows the same one.
    const contenders = round % 2 === 1 ? plan.contenders : plan.contenders.toReversed();
    for (const connections of CONNECTIONS) {
      for (const contender of contenders) turns.push({ contender, connections, round });
    }
  }
  return turns;
}

async function measure(
  turn: Turn,
  plan: Plan,
): Promise<{ measurement: Measurement; defects: string[] }> {
  const server = await startContender(turn.contender, plan);
  try {
    const { seconds, warmupSeconds } = plan;
    const { connections } = turn;
    const order: LoadOrder = {
      url: server.url,
      connections,
      warmupSeconds,
      seconds,
      serverPid: server.pid,
    };
    const load = await Child.start<LoadResult>(
      [process.argv[1] ?? '', 'load', JSON.stringify(order)],
      (seconds + warmupSeconds) * 1000 + LOAD_MS_EXTRA,
    );
    await load.end();
    const seen = load.firstLine;
    const { defects, perTransaction } = await server.settle(seen.acknowledged);
    const refused = seen.errors === 0 ? [] : [`${seen.errors} requests were not answered with 2xx`];
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

/** Measures what the plan says, prints the table, and resolves with the exit code. */
export async function runBench(plan: Plan): Promise<number> {
  if (plan.contenders.includes('counterfoil') && !existsSync(plan.program)) {
    console.error(`${plan.program} is not there: \`npm run build\` makes it`);
    return 2;
  }
  const startedAt = new Date().toISOString();
  const machine = lookAtMachine();
  const measurements: Measurement[] = [];
  const defects: string[] = [];
  for (const turn of turnsOf(plan)) {
    const measured = await measure(turn, plan);
    measurements.push(measured.measurement);
    defects.push(...measured.defects);
    const { contender, connections, round } = turn;
    const rate = measured.measurement.requestsPerSecond.toFixed(0);
    console.error(`round ${round}  ${contender}  ${connections} connections  ${rate} requests/s`);
  }
  const rows = CONNECTIONS.flatMap((connections) =>
    plan.contenders.map((contender) => summarize(measurements, contender, connections)),
  );
  console.log(
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load average ${machine.loadAverage.toFixed(2)}, ` +
      `4 KiB durable in ${machine.syncMs.toFixed(2)} ms (${machine.storeFolder}); ` +
      `medians of ${plan.rounds} × ${plan.seconds} s\n\n${tableOf(rows)}`,
  );
  if (plan.json !== null) {
    const { seconds, warmupSeconds, rounds } = plan;
    const figures = {
      startedAt,
      machine,
      plan: { seconds, warmupSeconds, rounds },
      rows,
      measurements,
      defects,
    };
    writeFileSync(plan.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  for (const defect of defects) console.error(`FAILED  ${defect}`);
  return defects.length === 0 ? 0 : 1;
}
