import { expect, onTestFinished, test } from 'vitest';
import { Reevaluation } from '../../../src/reconcile/verifying/reevaluation.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { decode } from '../../../src/intake/decode.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import type { Submitted } from '../../../src/store/port.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { AssetId } from '../../../src/domain/ids.ts';
import { factOf, openLedgerFile, type OpenLedger } from '../../store/open-ledger.ts';
import { change, decimals, Service } from '../../store/webhook.ts';

const DEPOSITS = 1_200;

/** A store in which so many deposits are deep enough and wait for the custody API. */
async function storeWithManyDeposits(): Promise<{
  open: OpenLedger;
  path: string;
  reads: SqliteReads;
}> {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  const bodies = Array.from({ length: DEPOSITS }, (_, at) =>
    service.confirmed(6, { blockchainHash: `0x${at}`, transactionId: `dep-${at}` }),
  );
  await open.commit(bodies.map((body) => factOf(body, open.at)));
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  return { open, path, reads };
}

type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

function states(open: OpenLedger): Record<string, number> {
  const rows = open.rows<{ state: string; n: number }>(
    'SELECT state, count(*) AS n FROM deposits GROUP BY state ORDER BY state',
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

function judgingOf(
  { open, reads }: { open: OpenLedger; reads: SqliteReads },
  more: { submit?: (fact: Fact) => Promise<Submitted>; pause?: Pause } = {},
): Reevaluation {
  return new Reevaluation({
    reads,
    now: () => open.at,
    pause: more.pause ?? (() => Promise.resolve()),
    submit:
      more.submit ??
      (async (fact) => {
        const [outcome] = await open.commit([fact]);
        if (outcome === undefined) throw new Error('no outcome');
        return outcome;
      }),
  });
}

async function halt(open: OpenLedger): Promise<void> {
  await open.decide({ kind: 'halt', scope: { kind: 'everything' }, reason: 'odd' });
}

function auditOf(path: string): readonly string[] {
  const progress = { start: () => undefined, tick: () => undefined, done: () => undefined };
  return verify(path, { decode, progress }).checks.flatMap(({ problems }) => problems);
}

test('a change judges a bounded number in its own commit, and the rest follows in bounded facts', async () => {
  const store = await storeWithManyDeposits();
  const { open, path } = store;
  await halt(open);
  expect(states(open)).toEqual({ held: 500, verifying: DEPOSITS - 500 });
  const head = open.journalLength();
  await judgingOf(store).begin();
  expect(states(open)).toEqual({ held: DEPOSITS });
  expect(open.journalLength() - head).toBe(2);
  // Nothing is left to do: a second pass journals nothing.
  await judgingOf(store).begin();
  expect(open.journalLength() - head).toBe(2);
  expect(auditOf(path)).toEqual([]);
});

test('deposits held for the decimals of an asset are released with their correction, in bounded facts', async () => {
  const store = await openLedgerFile();
  const { open, path } = store;
  const service = new Service();
  const confirmation = (at: number, count: number): object =>
    service.confirmed(6, {
      blockchainHash: `0x${at}`,
      transactionId: `dep-${at}`,
      balanceChanges: [{ ...change('100'), ...decimals(count) }],
    });
  await open.deliver(confirmation(DEPOSITS, 6));
  const bodies = Array.from({ length: DEPOSITS }, (_, at) => confirmation(at, 18));
  await open.commit(bodies.map((body) => factOf(body, open.at)));
  expect(states(open)).toEqual({ held: DEPOSITS, verifying: 1 });
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  const asset = AssetId('ethereum:ETH');
  await open.decide({ kind: 'decimals', asset, decimals: 18, reason: 'as on its contract' });
  expect(states(open)['verifying']).toBeGreaterThanOrEqual(500);
  const head = open.journalLength();
  await judgingOf({ open, reads }).begin();
  expect(states(open)).toEqual({ verifying: DEPOSITS + 1 });
  expect(open.openBreaks()).toEqual([]);
  expect(open.journalLength() - head).toBe(2);
  await judgingOf({ open, reads }).begin();
  expect(open.journalLength() - head).toBe(2);
  expect(auditOf(path)).toEqual([]);
});

test('a policy that changes during a pass is judged by in another pass', async () => {
  const store = await storeWithManyDeposits();
  const { open } = store;
  await halt(open);
  let resumed: Promise<void> | undefined;
  const judging: Reevaluation = judgingOf(store, {
    submit: async (fact) => {
      const [outcome] = await open.commit([fact]);
      if (outcome === undefined) throw new Error('no outcome');
      if (resumed === undefined) {
        await open.decide({ kind: 'resume', scope: { kind: 'everything' }, reason: 'fine' });
        resumed = judging.begin();
      }
      return outcome;
    },
  });
  await judging.begin();
  await resumed;
  expect(states(open)).toEqual({ verifying: DEPOSITS });
});

test('a stop ends the pause before the next try at once', async () => {
  const store = await storeWithManyDeposits();
  await halt(store.open);
  const pauses: number[] = [];
  const judging = judgingOf(store, {
    submit: () => Promise.resolve({ kind: 'busy' }),
    pause: (ms, signal) =>
      new Promise((resolve) => {
        pauses.push(ms);
        if (ms === 0) resolve();
        else signal.addEventListener('abort', () => resolve());
      }),
  });
  const judged = judging.begin();
  await expect.poll(() => pauses).toContain(2_000);
  await judging.stop();
  await judged;
});

test('a store that fails to commit is tried again until the re-evaluation stops', async () => {
  const store = await storeWithManyDeposits();
  const { open } = store;
  await halt(open);
  const pauses: number[] = [];
  const judging = judgingOf(store, {
    submit: () => Promise.resolve({ kind: 'busy' }),
    pause: async (ms) => {
      pauses.push(ms);
      if (pauses.length === 3) void judging.stop();
    },
  });
  await judging.begin();
  // The first page was judged with the change itself: nothing to submit of it.
  expect(pauses).toEqual([0, 2_000, 2_000]);
  expect(states(open)).toEqual({ held: 500, verifying: DEPOSITS - 500 });
});
