import { expect, test } from 'vitest';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { storeOfTooManyAssets } from '../../store/too-many-assets.ts';
import { Attached } from '../attached.ts';
import { runProgram } from '../program.ts';

interface Report {
  readonly sound: boolean;
  readonly facts: number;
  readonly checks: readonly { readonly check: string; readonly problemCount: number }[];
}

const EVERY_TABLE =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";

/** Every row of every table, in an order that does not depend on how they were written. */
function contentOf(path: string): Record<string, unknown[]> {
  const db = openForReading(path);
  try {
    const names = db.prepare<[], string>(EVERY_TABLE).pluck().all();
    return Object.fromEntries(
      names.map((name) => {
        const rows = db.prepare(`SELECT * FROM "${name}"`).raw().all();
        return [name, rows.map((row) => JSON.stringify(row, digits)).toSorted()];
      }),
    );
  } finally {
    db.close();
  }
}

function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

async function verified(path: string): Promise<Report> {
  const { code, stdout, stderr } = await runProgram('verify', '--store', path, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Report;
}

/** A store with some of everything: credit, acknowledgement, reversal, forgery, garbage, policy. */
async function lived(): Promise<Attached> {
  const both = await Attached.start();
  await both.deposit('700');
  await both.reconcile();
  const [first] = await both.feed();
  await both.daemon.post(`/v1/credits/${first?.creditId}/ack`, { reference: 'r-1' });
  const dropped = await both.deposit('800');
  await both.reconcile();
  await both.untilState(dropped, ['credited']);
  const reorg = { network: 'ethereum', depth: 3, drop: [dropped] };
  await both.control.post('/sim/reorgs', reorg);
  expect((await both.daemon.deliver('no JSON')).status).toBe(400);
  expect((await both.daemon.deliver('{"id":"odd","stream":"none"}')).status).toBe(200);
  await both.reconcile();
  await both.untilState(dropped, ['reversed']);
  expect((await both.feed()).map(({ kind }) => kind)).toEqual(['credit', 'credit', 'reversal']);
  return both;
}

test('a store that was lived in is sound, beside the running daemon and after it', async () => {
  const both = await lived();
  const { storePath } = both.daemon;
  const beside = await verified(storePath);
  expect(beside.sound).toBe(true);
  expect(beside.checks.map(({ check }) => check).toSorted()).toEqual([
    'balances',
    'closes',
    'entries_balance',
    'hash_chain',
    'integrity',
    'keys',
    'projections',
  ]);
  const text = await runProgram('verify', '--config', both.daemon.configPath);
  expect(text.code).toBe(0);
  expect(text.stdout).toContain('sound');
  const refused = await runProgram('rebuild', '--store', storePath);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/in use|stop the daemon/);
  await both.daemon.end('SIGTERM');

  const before = contentOf(storePath);
  const rebuilt = await runProgram('rebuild', '--store', storePath, '--json');
  expect([rebuilt.code, rebuilt.stderr]).toEqual([0, '']);
  expect(contentOf(storePath)).toEqual(before);
  // Not those of `beside`: a webhook may have come after it.
  expect((await verified(storePath)).facts).toBe(before['journal']?.length);

  await both.daemon.start();
  expect((await both.feed()).map(({ kind }) => kind)).toEqual(['credit', 'credit', 'reversal']);
  const hash = await both.deposit('900');
  await both.reconcile();
  await both.untilState(hash, ['credited']);
});

test('a store that booked more at once than is booked now is verified, backed up and rebuilt', async () => {
  const { open, path } = await storeOfTooManyAssets();
  open.close();
  expect((await verified(path)).sound).toBe(true);
  const backup = `${path}.backup`;
  for (const args of [
    ['backup', '--store', path, '--out', backup],
    ['restore', '--store', `${path}.restored`, '--from', backup],
    ['rebuild', '--store', path],
  ]) {
    const { code, stderr } = await runProgram(...args);
    expect([args[0], code, stderr]).toEqual([args[0], 0, expect.any(String)]);
  }
  expect((await verified(path)).sound).toBe(true);
});
