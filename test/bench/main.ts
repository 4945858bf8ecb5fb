import type { LoadOrder } from './load/load.ts';
import { readPlan, USAGE, type Plan } from './plan.ts';
import type { BaselineName } from './baseline/serve-baseline.ts';

function planFrom(args: readonly string[]): Plan | null {
  try {
    return readPlan(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return null;
  }
}

async function bench(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  const plan = planFrom(args);
  if (plan === null) return 2;
  const { runBench } = await import('./bench.ts');
  return runBench(plan);
}

/**
 * One program in three roles, each in a process of its own: the bench, which starts the others; a
 * baseline server (`baseline NAME FOLDER` or `NAME ADDRESS`); the load generator (`load ORDER`). Each loads only what
 * its role needs.
 */
async function main([role = '', first = '', second = '']: readonly string[]): Promise<void> {
  switch (role) {
    case 'baseline': {
      const { serveBaseline } = await import('./baseline/serve-baseline.ts');
      await serveBaseline(first as BaselineName, second);
      return;
    }
    case 'load': {
      const { generateLoad } = await import('./load/load.ts');
      console.log(JSON.stringify(await generateLoad(JSON.parse(first) as LoadOrder)));
      return;
    }
    default:
      process.exitCode = await bench(process.argv.slice(2));
  }
}

await main(process.argv.slice(2));
