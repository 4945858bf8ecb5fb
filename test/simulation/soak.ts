import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RECEIVERS_MAX } from './receivers/receivers.ts';
import { simulate } from './simulation.ts';
import type { SimulationOptions } from './verdict.ts';

/** A soak ends after this long, whatever is left to do. */
const MINUTES_MAX_DEFAULT = 30;

const USAGE = `Plays the whole system from seeds and audits it at rest.

  npm run soak -- --seed N             one seed; prints the tail of its event log when it fails
  npm run soak -- --seeds COUNT        many seeds, from 1 or from --from N
  --minutes M                          start no further seed after M minutes (default ${MINUTES_MAX_DEFAULT})
  --steps S                            steps of a run before it comes to rest
  --receivers R                        R receivers (2 to 5) share one journal, with faults of each
  --no-lies                            nobody forges webhooks
  --log                                print the event log while it happens
  --keep FILE                          leave a copy of the store there, as it was audited

Exit code 0 when every seed held, 1 when one did not, 2 on bad usage.`;

type Print = (text: string) => void;

interface Plan {
  readonly from: number;
  readonly count: number;
  readonly minutesMax: number;
  readonly options: SimulationOptions;
  /** What a replay of one seed needs beside its number, with a blank before it. */
  readonly replay: string;
}

function natural(text: string, name: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`--${name} wants a number`);
  return value;
}

function receiversOf(text: string): number {
  const count = natural(text, 'receivers');
  if (count >= 1 && count <= RECEIVERS_MAX) return count;
  throw new TypeError(`--receivers wants a number from 1 to ${RECEIVERS_MAX}`);
}

function planFrom(args: readonly string[], print: Print): Plan | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '100' },
      from: { type: 'string', default: '1' },
      minutes: { type: 'string', default: String(MINUTES_MAX_DEFAULT) },
      steps: { type: 'string' },
      receivers: { type: 'string', default: '1' },
      'no-lies': { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
      keep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const single = values.seed !== undefined;
  return {
    from: natural(values.seed ?? values.from, single ? 'seed' : 'from'),
    count: single ? 1 : natural(values.seeds, 'seeds'),
    minutesMax: natural(values.minutes, 'minutes'),
    replay: [
      values.steps === undefined ? '' : ` --steps ${values.steps}`,
      values.receivers === '1' ? '' : ` --receivers ${values.receivers}`,
      values['no-lies'] ? ' --no-lies' : '',
    ].join(''),
    options: {
      receivers: receiversOf(values.receivers),
      ...(values.steps === undefined ? {} : { steps: natural(values.steps, 'steps') }),
      ...(values['no-lies'] ? { falseWebhooks: false } : {}),
      ...(values.keep === undefined ? {} : { keep: values.keep }),
      ...(values.log ? { echo: print } : {}),
    },
  };
}

async function play(
  { from, count, minutesMax, options, replay }: Plan,
  print: Print,
): Promise<number> {
  const startedAt = Date.now();
  const secondsSoFar = (): number => Math.round((Date.now() - startedAt) / 1_000);
  const failed: number[] = [];
  const extent: Record<string, number> = {};
  let played = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    if (secondsSoFar() >= minutesMax * 60) {
      print(`stopped after ${minutesMax} minutes, ${played} of ${count} seeds played`);
      break;
    }
    const verdict = await simulate(seed, options);
    played += 1;
    for (const [name, value] of Object.entries(verdict.extent)) {
      extent[name] = (extent[name] ?? 0) + value;
    }
    if (verdict.problems.length > 0) {
      failed.push(seed);
      if (count === 1) print(verdict.tail.join('\n'));
      print(`\nseed ${seed} FAILED, replay it with: npm run soak -- --seed ${seed}${replay}`);
      for (const problem of verdict.problems) print(`  ${problem}`);
    }
    if (count === 1) print(JSON.stringify({ ...verdict.extent, digest: verdict.digest }));
    else if (played % 10 === 0 || played === count) {
      print(`${played}/${count} seeds, ${failed.length} failed, ${secondsSoFar()} s`);
    }
  }
  if (count > 1) print(JSON.stringify(extent));
  if (failed.length > 0) print(`failed: ${failed.join(' ')}`);
  return failed.length === 0 ? 0 : 1;
}

/** Runs the command; answers its exit code. */
export async function soak(args: readonly string[], print: Print): Promise<number> {
  let plan: Plan | 'help';
  try {
    plan = planFrom(args, print);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    print(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  if (plan === 'help') {
    print(USAGE);
    return 0;
  }
  return play(plan, print);
}

const [, started] = process.argv;
// A folder on the way may be a link.
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  process.exitCode = await soak(process.argv.slice(2), (text) => console.log(text));
}
