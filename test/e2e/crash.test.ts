import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../src/commands/demo/random.ts';
import { openForReading } from '../../src/store/sqlite/database.ts';
import { Daemon } from './daemon.ts';
import { runProgram } from './program.ts';

/** Twenty kills in all, five of each store: what a recovery leaves behind must survive the next. */
const STORES = [1, 2, 3, 4] as const;
const KILLS = [1, 2, 3, 4, 5] as const;
const SENDERS = 16;
const ACKNOWLEDGED_MAX = 250;
const STORE_MS_MAX = 60_000;

/** One deposit of one unit per notification: the books then count what took effect. */
function confirmationOf(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex');
  return JSON.stringify({
    id,
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: `v${hash.charCodeAt(0) % 3}`,
    accountId: 'a1',
    addressId: `ad${hash.charCodeAt(1) % 5}`,
    network: 'ethereum',
    blockchainHash: `0x${hash}`,
    transactionId: `dep-${hash.slice(0, 12)}`,
    confirmations: 1,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '1', tags: [] }],
  });
}

/** Delivers from many senders at once and kills the receiver amid them; says what was acknowledged. */
async function deliverAndKill(receiver: Daemon, seed: number): Promise<string[]> {
  const acknowledged: string[] = [];
  const enough = new SeededRandom(seed).between(1, ACKNOWLEDGED_MAX);
  let next = 0;
  let killed: Promise<unknown> | undefined;
  const send = async (): Promise<void> => {
    while (killed === undefined) {
      const id = `${seed}-${next}`;
      next += 1;
      try {
        const answer = await receiver.deliver(confirmationOf(id));
        if (answer.status === 200) acknowledged.push(id);
      } catch (error) {
        if (killed === undefined) throw error;
        return;
      }
      if (acknowledged.length >= enough) killed ??= receiver.end('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  await killed;
  return acknowledged;
}

/** The sender retries all that it has no 2xx for, and sometimes what it has: answers by status. */
async function deliverAgain(receiver: Daemon, ids: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(
    ids.map(async (id) => {
      const answer = await receiver.deliver(confirmationOf(id));
      return ((await answer.json()) as { status: string }).status;
    }),
  );
  return [...new Set(answers)];
}

const IDS = 'SELECT id FROM notifications';
const POSITIONS = `SELECT amount FROM balances JOIN ledger_accounts USING (ledger_account)
  WHERE kind = 'position'`;

/** Ids of the store's notifications, and the units in its books. */
function contentOf(storePath: string): { ids: string[]; booked: bigint } {
  const db = openForReading(storePath);
  try {
    const ids = db.prepare<[], string>(IDS).pluck().all();
    const amounts = db.prepare<[], string>(POSITIONS).pluck().all();
    return { ids, booked: amounts.reduce((sum, amount) => sum + BigInt(amount), 0n) };
  } finally {
    db.close();
  }
}

test.each(STORES)(
  'kill -9 amid concurrent deliveries, five times over, loses nothing acknowledged and books nothing twice (store %i)',
  async (store) => {
    const daemon = await Daemon.start();
    const acknowledged: string[] = [];
    for (const kill of KILLS) {
      const taken = await deliverAndKill(daemon, store * 100 + kill);
      expect(taken.length).toBeGreaterThan(0);
      acknowledged.push(...taken);
      await daemon.start();
      expect(await deliverAgain(daemon, taken)).toEqual(['duplicate']);
    }
    expect(await daemon.end('SIGTERM')).toBe(0);

    const { ids, booked } = contentOf(daemon.storePath);
    const known = new Set(ids);
    expect(known.size).toBe(ids.length);
    expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
    expect(booked).toBe(BigInt(ids.length));

    const verified = await runProgram('verify', '--store', daemon.storePath, '--json');
    expect([verified.code, verified.stderr]).toEqual([0, '']);
  },
  STORE_MS_MAX,
);
