import { parseArgs } from 'node:util';
import { createProgress } from '../../src/ops/progress.ts';
import { NOT_INSTALLED, postgresPrograms } from '../../src/commands/demo/postgres/installation.ts';
import { isBroken, prove, type Event } from './proof.ts';
import { tableOf } from './table.ts';

const USAGE = `Kills and cuts off receivers and database servers under load, and counts what is lost.

  npm run proof:failover                          1,000 faults
  npm run proof:failover -- --faults 20 --seed 7  fewer; the same seed draws the same faults
  --minutes M                                     begin no further fault after M minutes
  --log                                           print each fault as it happens

Exit code 0 when every promise held, 1 when one did not, 2 on bad usage.`;

function natural(text: string, name: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`--${name} wants a number`);
  return value;
}

interface Plan {
  readonly faults: number;
  readonly seed: number;
  readonly minutes: number;
  readonly log: boolean;
}

function planOf(args: readonly string[]): Plan | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      faults: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '1440' },
      log: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    faults: natural(values.faults, 'faults'),
    seed: natural(values.seed, 'seed'),
    minutes: natural(values.minutes, 'minutes'),
    log: values.log,
  };
}

/** Ctrl-C begins no further fault, nor does the end of the time; the run is judged and cleaned up. */
function interrupted(minutes: number): AbortSignal {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  // Not AbortSignal.timeout: Node may collect it before its time.
  setTimeout(end, minutes * 60_000).unref();
  return stop.signal;
}

async function run(args: readonly string[]): Promise<number> {
  let plan: Plan | null;
  try {
    plan = planOf(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}\n`);
    return 2;
  }
  if (plan === null) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (postgresPrograms(process.env) === undefined) {
    process.stderr.write(`${NOT_INSTALLED}\n`);
    return 1;
  }
  const { faults, seed, minutes, log } = plan;
  const progress = createProgress({ total: faults, label: 'faults', stream: process.stderr });
  const onFault = ({ name, serveMs }: Event): void => {
    progress.tick(1);
    if (log) process.stderr.write(`${name}: served again after ${Math.round(serveMs)} ms\n`);
  };
  const result = await prove({ seed, faults, onFault, signal: interrupted(minutes) });
  progress.done();
  process.stdout.write(`${tableOf(result, seed)}\n`);
  return isBroken(result.verdict) || result.problems.length > 0 ? 1 : 0;
}

// A broken connection that nobody closes must not keep the proof from ending.
process.exit(await run(process.argv.slice(2)));
