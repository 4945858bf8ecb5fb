import { existsSync, writeFileSync } from 'node:fs';
import { measureConsole } from './suite/console.ts';
import { measureCredit } from './suite/credit/credit.ts';
import { drawProfiles } from './figures/flame.ts';
import { describeMachine, machineText } from './figures/machine.ts';
import { measureGrowth, measureIntake } from './suite/intake.ts';
import { measureLedger } from './suite/ledger.ts';
import type { Plan, SuiteName } from './plan.ts';
import { measureProxy } from './suite/proxy.ts';
import { measureReads } from './suite/reads.ts';
import { measureReconcile } from './suite/reconcile.ts';
import { measureScale } from './suite/scale/scale.ts';
import type { SuiteResult } from './suite/suite.ts';

const MEASURE: Record<SuiteName, (plan: Plan) => Promise<SuiteResult>> = {
  intake: measureIntake,
  growth: measureGrowth,
  reads: measureReads,
  reconcile: measureReconcile,
  ledger: measureLedger,
  credit: measureCredit,
  proxy: measureProxy,
  console: measureConsole,
  scale: measureScale,
};

function needsProgram({ suites, contenders }: Plan): boolean {
  return suites.some((suite) => suite !== 'intake') || contenders.includes('counterfoil');
}

/** Measures what the plan says, prints the tables, and resolves with the exit code. */
export async function runBench(plan: Plan): Promise<number> {
  if (needsProgram(plan) && !existsSync(plan.program)) {
    console.error(`${plan.program} is not there: \`npm run build\` makes it`);
    return 2;
  }
  const startedAt = new Date().toISOString();
  const machine = describeMachine();
  const { rounds, seconds, warmupSeconds, traffic, vaults } = plan;
  console.log(
    `${machineText(machine)}; ${traffic} traffic over ${vaults} vaults; medians of ${rounds} × ${seconds} s`,
  );
  const defects: string[] = [];
  const suites: Partial<Record<SuiteName, unknown>> = {};
  for (const suite of plan.suites) {
    const result = await MEASURE[suite](plan);
    console.log(`\n${suite}\n\n${result.text}`);
    suites[suite] = result.figures;
    defects.push(...result.defects);
  }
  if (plan.json !== null) {
    const shownPlan = { rounds, seconds, warmupSeconds, traffic, vaults };
    const figures = { startedAt, machine, plan: shownPlan, suites, defects };
    writeFileSync(plan.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  if (plan.profile !== null) {
    for (const path of drawProfiles(plan.profile)) console.log(`flame chart: ${path}`);
  }
  for (const defect of defects) console.error(`FAILED  ${defect}`);
  return defects.length === 0 ? 0 : 1;
}
