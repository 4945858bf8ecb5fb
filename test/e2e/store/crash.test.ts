import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SeededRandom } from '../../../src/commands/demo/story/random.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { OpenLedger } from '../../store/open-ledger.ts';
import { callProgram } from '../called-program.ts';
import { Daemon } from '../daemon.ts';
import { eventually } from '../program.ts';
import { newJournalUrl, receiverOf } from '../receivers/receivers.ts';

/** Several kills of one store: what a recovery leaves behind must survive the next. */
const KILLS = [1, 2, 3] as const;
const SENDERS = 16;
const ACKNOWLEDGED_MAX = 250;
/** Each start of the program takes seconds on a busy machine. */
const STORE_MS_MAX = 240_000;

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

/**
 * Kills a daemon amid deliveries, again and again; `start` ends when it takes webhooks. Answers what
 * `verify` prints as errors, with its exit code.
 */
async function surviveKills(
  { daemon, start }: { daemon: Daemon; start: () => Promise<unknown> },
  { store, kills }: { store: number; kills: readonly number[] },
): Promise<[number | null, string]> {
  const acknowledged: string[] = [];
  for (const kill of kills) {
    const taken = await deliverAndKill(daemon, store * 100 + kill);
    expect(taken.length).toBeGreaterThan(0);
    acknowledged.push(...taken);
    await start();
    expect(await deliverAgain(daemon, taken)).toEqual(['duplicate']);
  }
  expect(await daemon.end('SIGTERM')).toBe(0);

  const { ids, booked } = contentOf(daemon.storePath);
  const known = new Set(ids);
  expect(known.size).toBe(ids.length);
  expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
  expect(booked).toBe(BigInt(ids.length));

  const { code, stderr } = await callProgram('verify', '--store', daemon.storePath, '--json');
  return [code, stderr];
}

test(
  'kill -9 amid concurrent deliveries, three times over, loses nothing acknowledged and books nothing twice',
  async () => {
    const daemon = await Daemon.start();
    const killed = { daemon, start: () => daemon.start() };
    expect(await surviveKills(killed, { store: 1, kills: KILLS })).toEqual([0, '']);
  },
  STORE_MS_MAX,
);

describe.runIf(isInstalled)('a receiver of a journal in PostgreSQL', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test(
    'kill -9 amid concurrent deliveries loses nothing acknowledged, and a new replica holds the same',
    async () => {
      const store = await newJournalUrl(cluster);
      const receiver = await receiverOf(store, 'a');
      const start = async (): Promise<void> => {
        await receiver.start();
        await receiver.becomes('owner');
      };
      await start();
      const killed = { daemon: receiver.daemon, start };
      expect(await surviveKills(killed, { store: 9, kills: [1, 2] })).toEqual([0, '']);

      const other = await receiverOf(store, 'b');
      await other.start();
      await other.becomes('owner');
      await other.daemon.end('SIGTERM');
      const { ids, booked } = contentOf(receiver.daemon.storePath);
      const content = contentOf(other.daemon.storePath);
      expect(content.ids.toSorted()).toEqual(ids.toSorted());
      expect(content.booked).toBe(booked);
    },
    STORE_MS_MAX,
  );
});

const DAY_MS = 86_400_000;
const DAYS = 15;
/** Each kill comes amid the closes: more of them would find every day closed. */
const CLOSE_KILLS = [1, 2] as const;

/** Days before this one, which began when the test did: midnight may pass meanwhile. */
const TODAY = Date.now();

function dayAgo(days: number): string {
  return new Date(TODAY - days * DAY_MS).toISOString().slice(0, 10);
}

/** Asks for every day up to yesterday, and delivers meanwhile; resolves when the daemon is gone. */
async function closeAndDeliver(daemon: Daemon, seed: string): Promise<void> {
  const closing = daemon.post(`/v1/reports/daily/${dayAgo(1)}/close`);
  const delivering = (async () => {
    for (let next = 0; ; next += 1) await daemon.deliver(confirmationOf(`${seed}-${next}`));
  })();
  await Promise.allSettled([closing, delivering]);
}

test(
  'kill -9 while days are closed and webhooks arrive: each day is closed once, and its report verifies',
  async () => {
    const daemon = new Daemon();
    onTestFinished(() => daemon.remove());
    const open = new OpenLedger(daemon.storePath);
    open.at = Date.parse(`${dayAgo(DAYS)}T12:00:00Z`);
    await open.deliver(confirmationOf('first'));
    open.close();
    const closedDays = async (): Promise<string[]> => {
      const { data } = await daemon.get<{ data: { day: string }[] }>(
        '/v1/reports/daily?pageSize=100',
      );
      return data.map(({ day }) => day).toReversed();
    };
    for (const kill of CLOSE_KILLS) {
      await daemon.start();
      const before = (await closedDays()).length;
      const over = closeAndDeliver(daemon, `close-${kill}`);
      await eventually('one more day is closed', async () => {
        const { length } = await closedDays();
        // A test process that had to wait may find that all are.
        return length > before || length === DAYS ? true : undefined;
      });
      await daemon.end('SIGKILL');
      await over;
    }
    await daemon.start();
    await daemon.post(`/v1/reports/daily/${dayAgo(1)}/close`);
    const days = Array.from({ length: DAYS }, (_, index) => dayAgo(DAYS - index));
    expect(await closedDays()).toEqual(days);
    expect(await daemon.end('SIGTERM')).toBe(0);
    const verified = await callProgram('verify', '--store', daemon.storePath, '--json');
    expect([verified.code, verified.stderr]).toEqual([0, '']);
  },
  STORE_MS_MAX,
);
