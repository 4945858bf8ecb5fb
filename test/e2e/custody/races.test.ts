import { expect, test } from 'vitest';
import { SeededRandom } from '../../../src/commands/demo/story/random.ts';
import { unpackDeposit } from '../../../src/store/codec/deposit.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { Attached, ETH, type FeedItem } from '../attached.ts';
import { callProgram } from '../called-program.ts';
import type { Daemon } from '../daemon.ts';

const PATIENCE_MS = 480_000;
const DEPOSITS = 12;
const REFERENCES = ['booked-1', 'booked-2', 'booked-3'] as const;

/** Pays the vault many times and mines; resolves when the daemon knows all of them. */
async function pay(both: Attached, count: number): Promise<string[]> {
  const { addressId } = both.depositAddress;
  const hashes = [];
  for (let index = 0; index < count; index += 1) {
    const body = { network: 'ethereum', addressId, asset: ETH, amount: String(100 + index) };
    const paid = (await both.control.post('/sim/deposits', body)) as { blockchainHash: string };
    hashes.push(paid.blockchainHash);
  }
  await both.control.post('/sim/blocks', { network: 'ethereum', count: 3 });
  const deep = ['verifying', 'held', 'confirming', 'credited'];
  await Promise.all(hashes.map((hash) => both.untilState(hash, deep)));
  return hashes;
}

/** Reads the feed as a waiting consumer until the test ends it; answers the items in order. */
async function follow(daemon: Daemon, ended: () => boolean): Promise<FeedItem[]> {
  const seen: FeedItem[] = [];
  let cursor = 0;
  while (!ended()) {
    try {
      const page = await daemon.get<{ data: FeedItem[]; next: number }>(
        `/v1/credits?after=${cursor}&limit=3&wait=1`,
      );
      seen.push(...page.data);
      cursor = page.next;
    } catch {
      // It was killed, and starts again.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return seen;
}

/** The status that an acknowledgement is answered with; null where there is no answer. */
async function acknowledge(daemon: Daemon, creditId: string, reference: string) {
  const headers = {
    authorization: `Bearer ${daemon.adminToken}`,
    'content-type': 'application/json',
    connection: 'close',
  };
  const body = JSON.stringify({ reference });
  try {
    const url = `${daemon.url}/v1/credits/${creditId}/ack`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  } catch {
    return null;
  }
}

test(
  'each credit keeps one reference when acknowledgements race with each other, a reorg and kill -9',
  async () => {
    const both = await Attached.start();
    const { daemon } = both;
    let over = false;
    const consumers = [follow(daemon, () => over), follow(daemon, () => over)];
    // Three deeper than the others: the reorg does not reach them.
    await pay(both, DEPOSITS / 2);
    const dropped = await pay(both, DEPOSITS / 2);
    await both.reconcile();
    const credits = await both.feed();
    expect(credits).toHaveLength(DEPOSITS);
    const accepted = new Map(credits.map(({ creditId }) => [creditId, new Set<string>()]));
    const answers = new Set<number | null>();
    const race = (items: readonly FeedItem[]): Promise<unknown> =>
      Promise.all(
        items.flatMap(({ creditId }) =>
          [...REFERENCES, ...REFERENCES].map(async (reference) => {
            const status = await acknowledge(daemon, creditId, reference);
            if (status === 200) accepted.get(creditId)?.add(reference);
            answers.add(status);
          }),
        ),
      );
    const reorg = { network: 'ethereum', depth: 3, drop: dropped };
    await Promise.all([
      race(credits.slice(0, 9)),
      both.control.post('/sim/reorgs', reorg).then(() => both.reconcile()),
    ]);
    const killed = race(credits);
    await daemon.end('SIGKILL');
    await daemon.start();
    await killed;
    await race(credits);
    await Promise.all(
      dropped.map((hash) => both.untilState(hash, ['reversed', 'credited', 'settled'])),
    );
    await both.reconcile();
    await Promise.all(dropped.map((hash) => both.untilState(hash, ['reversed'])));
    const feed = await both.feed();
    const reversals = feed.filter(({ kind }) => kind === 'reversal');
    expect(reversals.map(({ blockchainHash }) => blockchainHash).toSorted()).toEqual(
      dropped.toSorted(),
    );
    await race(credits);
    expect([...answers].filter((status) => ![null, 200, 409, 503].includes(status))).toEqual([]);
    const references = (isDropped: boolean): number[] =>
      credits
        .filter(({ blockchainHash }) => dropped.includes(blockchainHash) === isDropped)
        .map(({ creditId }) => accepted.get(creditId)?.size ?? 0);
    expect(references(false)).toEqual(references(false).map(() => 1));
    expect(references(true).filter((count) => count > 1)).toEqual([]);
    for (const { creditId } of reversals) {
      expect(await acknowledge(daemon, creditId, 'r')).toBe(409);
    }
    over = true;
    for (const seen of await Promise.all(consumers))
      expect(seen).toEqual(feed.slice(0, seen.length));
    await daemon.end('SIGTERM');
    expect((await callProgram('verify', '--store', daemon.storePath)).code).toBe(0);
  },
  PATIENCE_MS,
);

const RULES = [
  { default: { confirmations: 3 } },
  { default: { confirmations: 3, halted: true } },
  { default: { confirmations: 12 } },
  { default: { confirmations: 3 }, networks: { ethereum: { oneApprovalAbove: '105' } } },
  { default: { confirmations: 3 }, assets: { [ETH]: { twoApprovalsAbove: '103' } } },
  { default: { confirmations: 3, minimumAmount: '104' } },
] as const;

interface Rule {
  readonly confirmations: number;
  readonly halted?: boolean;
  readonly minimumAmount?: string;
  readonly oneApprovalAbove?: string;
  readonly twoApprovalsAbove?: string;
}

/** How a credit contradicts the policy that was active at its position in the journal. */
function contradictions(storePath: string): string[] {
  const db = openForReading(storePath);
  const credits = db
    .prepare<[], { seq: number; deposit: string; policy: string }>(
      `SELECT seq, deposit, (SELECT policy FROM policies WHERE policies.seq <= credits.seq
         ORDER BY policies.seq DESC LIMIT 1) AS policy
       FROM credits WHERE kind = 'credit' ORDER BY feed_seq`,
    )
    .all();
  db.close();
  expect(credits).toHaveLength(DEPOSITS);
  // Not all were credited at the end, nor under any other single policy: each refuses some.
  expect(new Set(credits.map(({ policy }) => policy)).size).toBeGreaterThan(1);
  return credits.flatMap(({ seq, deposit: packed, policy }) => {
    const deposit = unpackDeposit(packed);
    const levels = JSON.parse(policy) as { default: Rule; networks: object; assets: object };
    const rule: Rule = {
      ...levels.default,
      ...(levels.networks as Record<string, object>)['ethereum'],
      ...(levels.assets as Record<string, object>)[ETH],
    };
    const above = (limit: string | undefined): boolean =>
      limit !== undefined && deposit.amount > BigInt(limit);
    const needed = above(rule.twoApprovalsAbove) ? 2 : above(rule.oneApprovalAbove) ? 1 : 0;
    const wrong = [
      rule.halted === true ? 'halted' : null,
      deposit.custodyConfirmations < rule.confirmations ? 'depth' : null,
      deposit.amount < BigInt(rule.minimumAmount ?? '0') ? 'dust' : null,
      deposit.approvals.length < needed ? 'approvals' : null,
    ];
    return wrong.flatMap((what) => (what === null ? [] : [`${seq}: ${what}`]));
  });
}

test(
  'no credit contradicts the policy at its journal position, with policy changes at any time',
  async () => {
    const both = await Attached.start();
    const { daemon } = both;
    const random = new SeededRandom(7);
    const asked = async (method: string, path: string, body: object, more = {}) => {
      const headers = {
        authorization: `Bearer ${daemon.adminToken}`,
        'content-type': 'application/json',
        ...more,
      };
      return fetch(`${daemon.url}${path}`, { method, headers, body: JSON.stringify(body) });
    };
    const put = async (policy: object): Promise<number> => {
      const { version } = await daemon.get<{ version: string }>('/v1/policy');
      const more = { 'if-match': `"${version}"` };
      return (await asked('PUT', '/v1/policy', { policy, reason: 'a race' }, more)).status;
    };
    expect(await put(RULES[1])).toBe(200);
    await pay(both, DEPOSITS);
    type Rows = { data: { depositId: string; amount: string }[] };
    const { data } = await daemon.get<Rows>('/v1/deposits');
    const largest = String(100 + DEPOSITS - 1);
    const approvable = data.filter(({ amount }) => amount !== largest);
    const approve = ({ depositId }: { depositId: string }): Promise<Response> =>
      asked('POST', `/v1/deposits/${depositId}/approve`, { reason: 'a race' });
    const change = async (): Promise<void> => {
      for (let times = 0; times < 4; times += 1) await put(random.pick(RULES.slice(1)));
    };
    for (let round = 0; round < 4; round += 1) {
      await Promise.all([
        both.reconcile(),
        change(),
        ...approvable.slice(2 * round, 2 * round + 2).map(approve),
        asked('POST', '/v1/policy/halt', { asset: ETH, reason: 'a race' }),
        asked('POST', '/v1/policy/resume', { asset: ETH, reason: 'a race' }),
      ]);
      if (round === 1) {
        await daemon.end('SIGKILL');
        await daemon.start();
      }
    }
    // Whatever the races left over, one more policy credits some of it and the last one the rest.
    for (const rules of [RULES[5], RULES[0]]) {
      expect(await put(rules)).toBe(200);
      await both.reconcile();
      await both.reconcile();
    }
    await daemon.end('SIGTERM');
    expect(contradictions(daemon.storePath)).toEqual([]);
    expect((await callProgram('verify', '--store', daemon.storePath)).code).toBe(0);
  },
  PATIENCE_MS,
);
