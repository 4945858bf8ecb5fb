import { expect, test } from 'vitest';
import type { z } from 'zod';
import { readTrace, trace, traceNames } from '../house/trace.ts';
import { Daemon } from './daemon.ts';

interface List<Row> {
  readonly data: readonly Row[];
}

type Row = Readonly<Record<string, unknown>>;

/** Positions as a trace writes them: by their parts and their amount alone. */
function positions(rows: readonly Row[]): string[] {
  return rows
    .filter((row) => row['amount'] !== '0')
    .map(({ vaultId, accountId, addressId, memo, asset, amount }) =>
      JSON.stringify({ vaultId, accountId, addressId, memo, asset, amount }),
    )
    .sort();
}

async function play(daemon: Daemon, told: z.infer<typeof trace>): Promise<void> {
  for (const step of told.steps) {
    if ('deliverRaw' in step) {
      const answer = await daemon.deliver(step.deliverRaw);
      expect(answer.status).toBe(step.status);
      continue;
    }
    const answer = await daemon.deliver(JSON.stringify(step.deliver));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: step.answer });
  }
  await daemon.post('/v1/reconciliations', {});
}

test.each(traceNames())(
  'golden trace %s holds over HTTP against the built program',
  async (name) => {
    const told = trace.parse(readTrace(name));
    const daemon = new Daemon({ crediting: told.crediting, graceSeconds: 0 });
    try {
      await daemon.start();
      await play(daemon, told);
      const { expect: expected } = told;
      const books = await daemon.get<List<Row>>('/v1/balances?pageSize=1000');
      expect(positions(books.data)).toEqual(positions(expected.balances));
      if (expected.chainBalances !== undefined) {
        const chain = await daemon.get<List<Row>>('/v1/balances?view=chain&pageSize=1000');
        expect(positions(chain.data)).toEqual(positions(expected.chainBalances));
      }
      const breaks = await daemon.get<List<Row>>('/v1/breaks?state=open&pageSize=1000');
      expect(breaks.data.map((one) => one['type']).sort()).toEqual(expected.breaks);
      if (expected.deposits !== undefined) {
        const deposits = await daemon.get<List<Row>>('/v1/deposits?pageSize=1000');
        expect(deposits.data).toHaveLength(expected.deposits.length);
        for (const deposit of expected.deposits) {
          expect(deposits.data).toContainEqual(expect.objectContaining(deposit));
        }
      }
    } finally {
      await daemon.remove();
    }
  },
);
