import { describe, expect, test } from 'vitest';
import type { CustodyRecord } from '../../../src/domain/fact/custody-record.ts';
import type { ExemptionRule } from '../../../src/domain/break/exemption.ts';
import { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { openLedger, openLedgerFile, type OpenLedger } from '../open-ledger.ts';
import { change, Service } from '../webhook.ts';

const FORGED = 125;
/** The same as `MOVEMENTS_PER_STEP`: more would make intake wait. */
const STEP = 50;

/** Chain events that no platform transaction explains, each of a hash of its own. */
async function forge(open: OpenLedger): Promise<void> {
  const service = new Service();
  const bodies = Array.from({ length: FORGED }, (_, index) =>
    service.chain('transaction', { blockchainHash: `0xf${index}` }),
  );
  await open.deliverTogether(...bodies);
}

function lastRun(open: OpenLedger): { broken: number; exempt: unknown; skipped: unknown } {
  const [run] = open.rows<{ broken: number; exempt: string; skipped: string }>(
    'SELECT broken, exempt, skipped FROM reconciliations ORDER BY seq DESC LIMIT 1',
  );
  if (run === undefined) throw new Error('no run yet');
  const { broken, exempt, skipped } = run;
  return { broken, exempt: JSON.parse(exempt), skipped: JSON.parse(skipped) };
}

test('a run’s commit judges fifty differences, and says how many wait for the next', async () => {
  const open = await openLedger();
  await forge(open);
  await open.run();
  expect(lastRun(open)).toMatchObject({ broken: STEP, skipped: { next_run: FORGED - STEP } });
  expect(open.openBreaks()).toHaveLength(STEP);
  await open.run();
  await open.run();
  expect(lastRun(open)).toMatchObject({ broken: FORGED, skipped: {} });
  expect(open.openBreaks()).toHaveLength(FORGED);
});

test('a difference that was compared is not read again until it changes', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.chain('transaction'));
  await open.run();
  expect(open.rows('SELECT compared FROM movements')).toEqual([{ compared: 'now' }]);
  await open.deliver(service.chain('rollback'));
  expect(open.rows('SELECT compared FROM movements')).toEqual([{ compared: 'before' }]);
  await open.run();
  expect(open.openBreaks()).toEqual([]);
  expect(open.rows('SELECT compared FROM movements')).toEqual([{ compared: 'never' }]);
});

test('a break that a person resolves though its sides differ is opened again by the next run', async () => {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(
    service.confirmed(1, { balanceChanges: [{ asset: 'ethereum:ETH', amount: '70' }] }),
    service.chain('transaction'),
  );
  await open.run();
  const { id } = open.openBreak('conservation');
  await open.decide({ kind: 'resolve', breakId: id, reason: 'seen' });
  await open.run();
  expect(open.openBreak('conservation').id).not.toBe(id);
});

test('rules come and go in bounded commits, and every difference is found in the end', async () => {
  const open = await openLedger();
  await forge(open);
  const rule: ExemptionRule = {
    rule: 'forged',
    breakType: 'unexplained_movement',
    until: Number.MAX_SAFE_INTEGER,
    reason: 'ticket 1',
    owner: 'fin',
  };
  for (let runs = 0; runs < 3; runs += 1) await open.run();
  await open.decide({ kind: 'exemptions', rules: [rule] }, 'config');
  for (let runs = 0; runs < 3; runs += 1) await open.run();
  expect(lastRun(open)).toMatchObject({ broken: 0, exempt: { forged: FORGED } });
  expect(open.openBreaks()).toEqual([]);
  await open.decide({ kind: 'exemptions', rules: [] }, 'config');
  await open.run();
  expect(lastRun(open)).toMatchObject({ broken: STEP, exempt: { forged: FORGED - STEP } });
  for (let runs = 0; runs < 2; runs += 1) await open.run();
  expect(lastRun(open)).toMatchObject({ broken: FORGED, exempt: {} });
});

test('a reconciliation takes as many commits as its differences need', async () => {
  const { open, path } = await openLedgerFile();
  const reads = new SqliteReads(openForReading(path));
  await forge(open);
  const rests: number[] = [];
  const sweep = new Sweep({
    reads,
    submit: (facts) => open.commit(facts),
    now: () => open.at,
    rest: (ms) => {
      rests.push(ms);
      return Promise.resolve();
    },
    graceMs: 0,
  });
  expect(await sweep.run()).toMatchObject({ run: { broken: FORGED, skipped: {} } });
  expect((await reads.counts()).uncomparedMovements).toBe(0);
  // Webhooks have the writer between two steps.
  expect(rests).toHaveLength(2);
  reads.close();
  const records = open.bodies('custody-record').map((body) => JSON.parse(body) as CustodyRecord);
  expect(records.map(({ kind }) => kind)).toEqual(['run-step', 'run-step', 'run']);
});

test('a reconciliation that is stopped leaves what it has not compared to the next one', async () => {
  const { open, path } = await openLedgerFile();
  const reads = new SqliteReads(openForReading(path));
  await forge(open);
  const stopping = new AbortController();
  const sweep = new Sweep({
    reads,
    submit: (facts) => open.commit(facts),
    now: () => open.at,
    rest: () => Promise.resolve(stopping.abort()),
    stopping: stopping.signal,
    graceMs: 0,
  });
  expect(await sweep.run()).toMatchObject({ kind: 'ran', run: { broken: 2 * STEP } });
  expect((await reads.counts()).uncomparedMovements).toBe(FORGED - 2 * STEP);
  reads.close();
});

test('a run of an earlier version is replayed as it was: it judges every difference in its commit', async () => {
  const open = await openLedger();
  await forge(open);
  await open.unboundedRun();
  expect(lastRun(open)).toMatchObject({ broken: FORGED, skipped: {} });
  expect(open.openBreaks()).toHaveLength(FORGED);
});

test('breaks of one commit are numbered by what they are about, not by when its hash was first seen', async () => {
  const open = await openLedger();
  const service = new Service();
  const late = service.chain('transaction', { blockchainHash: '0xb' });
  await open.deliverTogether(late, service.chain('transaction', { blockchainHash: '0xa' }));
  await open.deliverTogether(
    service.chain('rollback', { blockchainHash: '0xb' }),
    service.chain('rollback', { blockchainHash: '0xa' }),
  );
  open.db.exec('UPDATE movements SET changed_at = 0');
  await open.deliverTogether(
    service.chain('transaction', { blockchainHash: '0xd' }),
    service.chain('transaction', { blockchainHash: '0xc' }),
  );
  open.db.exec('UPDATE movements SET changed_at = 0');
  await open.run();
  const hashes = open.rows<{ blockchain_hash: string }>(
    'SELECT blockchain_hash FROM breaks ORDER BY break_id',
  );
  expect(hashes.map((one) => one.blockchain_hash)).toEqual(['0xc', '0xd']);
});

describe('a run', () => {
  test('opens a break for a difference between books and chain view, and heals it', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1, { balanceChanges: [change('90')] }));
    await open.deliver(service.chain('transaction'));
    await open.run();
    expect(open.openBreak('conservation')).toMatchObject({ expected: '100', actual: '90' });
    await open.deliver(service.confirmed(3));
    await open.run();
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('within the grace period a difference is skipped, and counted as such', async () => {
    const open = await openLedger();
    await open.deliver(new Service().chain('transaction'));
    await open.run(600_000);
    expect(open.openBreaks()).toEqual([]);
    expect(open.rows('SELECT matched, broken, skipped FROM reconciliations')).toEqual([
      { matched: 0, broken: 0, skipped: '{"in_grace":1}' },
    ]);
  });

  test('books without any chain evidence are skipped, never matched', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(1));
    await open.run();
    expect(open.rows('SELECT matched, broken, skipped FROM reconciliations')).toEqual([
      { matched: 0, broken: 0, skipped: '{"no_chain_evidence":1}' },
    ]);
  });

  test('funds that left without a transaction are critical, funds that came are not', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction', { balanceChanges: [change('-70')] }));
    await open.deliver(service.chain('transaction', { blockchainHash: '0xb2' }));
    await open.run();
    expect(open.breaks().map(({ type, severity, expected }) => [type, severity, expected])).toEqual(
      [
        ['unexplained_movement', 'critical', '-70'],
        ['unexplained_movement', 'warning', '100'],
      ],
    );
  });
});
