import { createHash } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { openForReading } from '../../src/store/sqlite/database.ts';
import { SeededRandom } from '../../src/commands/demo/random.ts';
import { Daemon } from './daemon.ts';
import { runProgram } from './program.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const SENDERS = 16;

let daemon: Daemon | undefined;
afterEach(async () => {
  await daemon?.remove();
  daemon = undefined;
});

function idOf(seed: number, number: number): string {
  return `${seed}-${number}`;
}

/** One deposit of one unit per notification: the books then count what took effect. */
function confirmationOf(seed: number, number: number): string {
  const hash = createHash('sha256').update(idOf(seed, number)).digest('hex');
  return JSON.stringify({
    id: idOf(seed, number),
    timestamp: 1_763_600_000_000,
    stream: 'incoming',
    type: 'confirmation',
    vaultId: `v${number % 3}`,
    accountId: 'a1',
    addressId: `ad${number % 5}`,
    network: 'ethereum',
    blockchainHash: `0x${hash}`,
    transactionId: `dep-${hash.slice(0, 12)}`,
    confirmations: 1,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '1', tags: [] }],
  });
}

/** Delivers from many senders at once until the receiver dies; says what was acknowledged. */
async function deliverUntilItDies(receiver: Daemon, seed: number): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  const random = new SeededRandom(seed);
  const acknowledgedBeforeKill = random.between(1, 400);
  let next = 0;
  let dead = false;
  const send = async (): Promise<void> => {
    while (!dead) {
      const number = next;
      next += 1;
      try {
        const answer = await receiver.deliver(confirmationOf(seed, number));
        if (answer.ok) acknowledged.add(idOf(seed, number));
      } catch {
        return;
      }
      if (acknowledged.size >= acknowledgedBeforeKill && !dead) {
        dead = true;
        void receiver.end('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  await receiver.end('SIGKILL');
  return acknowledged;
}

test.each(SEEDS)(
  'kill -9 amid concurrent deliveries loses nothing acknowledged and books nothing twice (seed %i)',
  async (seed) => {
    daemon = new Daemon({
      crediting: { default: { confirmations: 6 }, networks: {}, assets: {} },
      graceSeconds: 0,
    });
    await daemon.start();
    const acknowledged = await deliverUntilItDies(daemon, seed);
    expect(acknowledged.size).toBeGreaterThan(0);

    await daemon.start();
    // The sender retries everything that it has no 2xx for; what was taken is known already.
    const again = await Promise.all(
      [...acknowledged].map(async (id) => {
        const answer = await daemon?.deliver(confirmationOf(seed, Number(id.split('-')[1])));
        return (await answer?.json()) as { status: string };
      }),
    );
    expect(again.every((answer) => answer.status === 'duplicate')).toBe(true);
    await daemon.end('SIGTERM');

    const db = openForReading(daemon.storePath);
    try {
      const ids = db.prepare<[], string>('SELECT id FROM notifications').pluck().all();
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining([...acknowledged]));
      const amounts = db
        .prepare<[], string>(
          "SELECT amount FROM balances JOIN ledger_accounts USING (ledger_account) WHERE kind = 'position'",
        )
        .pluck()
        .all();
      const booked = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
      expect(booked).toBe(BigInt(ids.length));
    } finally {
      db.close();
    }

    const verified = await runProgram('verify', '--store', daemon.storePath, '--json');
    expect(verified.stderr).toBe('');
    expect(verified.code).toBe(0);
  },
);
