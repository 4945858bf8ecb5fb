import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { readTrace, trace, traceNames } from '../../house/trace.ts';
import { Daemon } from '../daemon.ts';

type Trace = z.infer<typeof trace>;
type Item = Readonly<Record<string, unknown>>;

/** Positions as a trace writes them: by their parts and their amount alone. */
function positions(rows: readonly Item[]): string[] {
  return rows
    .filter((row) => row['amount'] !== '0')
    .map(({ vaultId, accountId, addressId, memo, asset, amount }) =>
      JSON.stringify({ vaultId, accountId, addressId, memo, asset, amount }),
    )
    .toSorted();
}

/** Delivers a trace's steps in order; what was answered, beside what should be. */
async function play(daemon: Daemon, { steps }: Trace): Promise<{ answered: Item; due: Item }[]> {
  const answers = [];
  for (const step of steps) {
    const isRaw = 'deliverRaw' in step;
    const answer = await daemon.deliver(isRaw ? step.deliverRaw : JSON.stringify(step.deliver));
    const { status } = (await answer.json()) as { status: unknown };
    answers.push({
      answered: { code: answer.status, status: isRaw ? undefined : status },
      due: isRaw ? { code: step.status, status: undefined } : { code: 200, status: step.answer },
    });
  }
  return answers;
}

async function list(daemon: Daemon, path: string): Promise<readonly Item[]> {
  return (await daemon.get<{ data: readonly Item[] }>(path)).data;
}

/**
 * The trace in vaults of its own, so that one daemon can play several. Hashes and notification ids
 * differ between traces already, and accounts and addresses belong to a vault.
 */
function inOwnVaults(played: Trace): Trace {
  const marked = (key: string, value: unknown): unknown =>
    key === 'vaultId' && typeof value === 'string' ? `${played.name}/${value}` : value;
  return trace.parse(JSON.parse(JSON.stringify(played, marked)));
}

/** Starting a daemon takes a second of one processor: traces of one policy share it. */
const daemons: { readonly crediting: Trace['crediting']; readonly daemon: Daemon }[] = [];
afterAll(() => Promise.all(daemons.map(({ daemon }) => daemon.remove())));

async function daemonWith(crediting: Trace['crediting']): Promise<Daemon> {
  const shared = daemons.find((one) => isDeepStrictEqual(one.crediting, crediting));
  if (shared !== undefined) return shared.daemon;
  const daemon = new Daemon({ crediting });
  daemons.push({ crediting, daemon });
  await daemon.start();
  return daemon;
}

test.each(traceNames())(
  'golden trace %s holds over HTTP against the built program',
  async (name) => {
    const playedTrace = inOwnVaults(trace.parse(readTrace(name)));
    const { crediting, expect: expected } = playedTrace;
    const daemon = await daemonWith(crediting);
    const ofTrace = async (path: string): Promise<readonly Item[]> =>
      (await list(daemon, path)).filter((row) => String(row['vaultId']).startsWith(`${name}/`));
    const openBreaks = (): Promise<readonly Item[]> =>
      list(daemon, '/v1/breaks?state=open&pageSize=1000');
    const earlier = new Set((await openBreaks()).map((one) => one['breakId']));
    const answers = await play(daemon, playedTrace);
    expect(answers.map(({ answered }) => answered)).toEqual(answers.map(({ due }) => due));
    await daemon.post('/v1/reconciliations');
    const books = await ofTrace('/v1/balances?pageSize=1000');
    expect(positions(books)).toEqual(positions(expected.balances));
    const chain = await ofTrace('/v1/balances?view=chain&pageSize=1000');
    expect(positions(chain)).toEqual(positions(expected.chainBalances ?? chain));
    const breaks = (await openBreaks()).filter((one) => !earlier.has(one['breakId']));
    expect(breaks.map((one) => String(one['type'])).toSorted()).toEqual(expected.breaks);
    const deposits = await ofTrace('/v1/deposits?pageSize=1000');
    const due = expected.deposits ?? deposits;
    expect(deposits).toHaveLength(due.length);
    for (const one of due) expect(deposits).toContainEqual(expect.objectContaining(one));
  },
);
