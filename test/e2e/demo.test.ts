import { expect, test } from 'vitest';
import { z } from 'zod';
import { freePort, runProgram } from './program.ts';

const DEMO_MS_MAX = 90_000;

const count = z.int().min(0);
const amount = z.string().regex(/^-?(0|[1-9][0-9]*)$/);

const summary = z.strictObject({
  notifications: z.strictObject({ accepted: count, duplicates: count, quarantined: count }),
  deposits: z.record(z.string(), count),
  credits: z.strictObject({
    credits: count,
    acknowledged: count,
    refused: count,
    reversals: count,
  }),
  breaks: z.strictObject({ open: count, resolved: count }),
  outstanding: z.strictObject({
    deposits: count,
    acknowledgements: count,
    reversals: count,
    incomplete: z.string().nullable(),
  }),
  tieOut: z.strictObject({
    balanced: z.boolean(),
    assets: z
      .array(
        z.strictObject({ asset: z.string(), books: amount, custody: amount, difference: amount }),
      )
      .min(1),
  }),
});

test(
  'the demo ends by itself, its last line tells the outcome, and the books are exact',
  async () => {
    const [port, corePort] = [await freePort(), await freePort()];
    const ports = ['--port', String(port), '--core-port', String(corePort)];
    const flags = ['--for', '12s', '--seed', '3', '--json'];
    const { code, stdout, stderr } = await runProgram('demo', ...flags, ...ports);
    const told = summary.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
    expect(told.tieOut.balanced).toBe(true);
    for (const { asset, books, custody, difference } of told.tieOut.assets) {
      expect([asset, BigInt(books) - BigInt(custody)]).toEqual([asset, BigInt(difference)]);
      expect(difference).toBe('0');
    }
    expect(told.notifications.accepted).toBeGreaterThan(50);
    expect(told.credits.credits).toBeGreaterThan(0);
    expect(told.outstanding).toMatchObject({ deposits: 0, acknowledgements: 0, reversals: 0 });
    expect(told.credits.acknowledged + told.credits.refused).toBe(told.credits.credits);
    // Only when there was time for the deep reorg that takes a deposit after its credit.
    const due = stderr.includes('after it was credited') ? 1 : 0;
    expect(told.credits.reversals).toBeGreaterThanOrEqual(due);
    expect(code).toBe(0);
  },
  DEMO_MS_MAX,
);
