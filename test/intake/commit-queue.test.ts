import { describe, expect, test } from 'vitest';
import type { Fact } from '../../src/domain/fact.ts';
import { CommitQueue } from '../../src/intake/commit-queue.ts';
import type { CommitResult, Delivery, Ledger, Submitted } from '../../src/store/port.ts';
import { deliveryOf, factOf, OpenLedger, openLedger, START } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';

function queueOver(
  ledger: Ledger,
  bounds: { batchMax?: number; queueMax?: number; underWayMax?: number } = {},
) {
  const commits: number[] = [];
  const queue = new CommitQueue({
    ledger: {
      commit: (facts) => {
        commits.push(facts.length);
        return ledger.commit(facts);
      },
    },
    batchMax: 100,
    queueMax: 1_000,
    ...bounds,
  });
  return { queue, commits };
}

/** Different deposits, one fact each. */
function deposits(count: number): Delivery[] {
  const service = new Service();
  return Array.from({ length: count }, (_, at) =>
    deliveryOf(service.confirmed(1, { blockchainHash: `0x${at}` }), START),
  );
}

const accepted = { kind: 'delivery', status: 'accepted' };

test('facts that arrive together share commits, each answered with its own outcome', async () => {
  const open = await openLedger();
  const { queue, commits } = queueOver(open.ledger);
  const facts = deposits(250);
  const outcomes = await Promise.all(
    [...facts, ...facts.slice(0, 1)].map((one) => queue.submit(one)),
  );
  expect(outcomes.slice(0, 250)).toEqual(facts.map(() => accepted));
  expect(outcomes[250]).toEqual({ kind: 'delivery', status: 'duplicate' });
  expect(commits).toEqual([100, 100, 51]);
  expect(open.rows('SELECT * FROM seals')).toHaveLength(4);
});

test('nobody is answered before the commit', async () => {
  const open = new OpenLedger();
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let answered = false;
  const slow: Ledger = {
    commit: async (facts) => {
      await gate;
      return open.ledger.commit(facts);
    },
  };
  const { queue } = queueOver(slow);
  const answer = queue.submit(factOf(new Service().confirmed(1), START)).then((outcome) => {
    answered = true;
    return outcome;
  });
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toBe(false);
  release();
  expect(await answer).toEqual(accepted);
  expect(open.journalLength()).toBe(1);
});

test('beyond its bound the queue is busy at once, and loses nothing of what it took', async () => {
  const open = await openLedger();
  const { queue } = queueOver(open.ledger, { queueMax: 10 });
  const facts = deposits(15);
  const outcomes = await Promise.all(facts.map((one) => queue.submit(one)));
  expect(outcomes.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 10 }, () => 'delivery'),
    ...Array.from({ length: 5 }, () => 'busy'),
  ]);
  expect(open.deposits()).toHaveLength(10);
  const again = await Promise.all(facts.slice(10).map((one) => queue.submit(one)));
  expect(again).toEqual(facts.slice(10).map(() => accepted));
});

test('one producer’s thousand facts go a batch at a time, and others get their turn between', async () => {
  const open = await openLedger();
  const { queue, commits } = queueOver(open.ledger, { batchMax: 10, queueMax: 20 });
  const facts = deposits(31);
  const [last, ...bulk] = facts.toReversed();
  if (last === undefined) throw new Error('no facts');
  const [many, one] = await Promise.all([queue.submitAll(bulk), queue.submit(last)]);
  expect([...many, one]).toEqual(facts.map(() => accepted));
  expect(Math.max(...commits)).toBeLessThanOrEqual(10);
});

describe('a ledger that takes facts while it is at others', () => {
  /** Keeps what it is given until it is told to commit it, oldest first. */
  async function gated() {
    const open = await openLedger();
    const gates: (() => void)[] = [];
    const ledger: Ledger = {
      commit: async (facts) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        return open.ledger.commit(facts);
      },
    };
    return { ledger, gates };
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('is given what arrives at once, by sixteen while many are under way, and the rest when something has ended', async () => {
    const { ledger, gates } = await gated();
    const { queue, commits } = queueOver(ledger, { batchMax: 200, underWayMax: 400 });
    const facts = deposits(491);
    const submitted: Promise<Submitted>[] = [];
    const turns = async (): Promise<void> => {
      await turn();
      await turn();
    };
    const steps: [arriving: number, given: number[]][] = [
      [3, [3]],
      [5, [3, 5]],
      [60, [3, 5, 60]],
      [5, [3, 5, 60]],
      [18, [3, 5, 60, 16]],
      // A backlog goes by full batches.
      [400, [3, 5, 60, 16, 200]],
    ];
    for (const [arriving, given] of steps) {
      const next = facts.slice(submitted.length, submitted.length + arriving);
      submitted.push(...next.map((fact) => queue.submit(fact)));
      await turns();
      expect(commits).toEqual(given);
    }
    expect(queue.waiting).toBe(491);
    for (const gate of [0, 1, 2]) {
      gates[gate]?.();
      await turns();
      // Room for fewer than the two hundred that wait is none.
      expect(commits).toEqual([3, 5, 60, 16, 200]);
    }
    gates[3]?.();
    await turns();
    expect(commits).toEqual([3, 5, 60, 16, 200, 200]);
    gates[4]?.();
    await turns();
    expect(commits).toEqual([3, 5, 60, 16, 200, 200, 7]);
    gates[5]?.();
    gates[6]?.();
    expect(await Promise.all(submitted)).toEqual(facts.map(() => accepted));
  });

  test('counts against the queue’s bound with what it has not answered', async () => {
    const { ledger, gates } = await gated();
    const { queue } = queueOver(ledger, { batchMax: 4, queueMax: 6, underWayMax: 8 });
    const facts = deposits(7);
    const first = facts.slice(0, 4).map((fact) => queue.submit(fact));
    await turn();
    const rest = facts.slice(4).map((fact) => queue.submit(fact));
    expect(await rest[2]).toEqual({ kind: 'busy' });
    for (let opened = 0; queue.waiting > 0; opened += 1) {
      gates[opened]?.();
      await turn();
      await turn();
    }
    expect(await Promise.all([...first, ...rest.slice(0, 2)])).toEqual(
      facts.slice(1).map(() => accepted),
    );
  });
});

describe('closing', () => {
  test('refuses what is new, commits what waits, and resolves only then', async () => {
    const open = await openLedger();
    const { queue } = queueOver(open.ledger, { batchMax: 2 });
    const waiting = deposits(5).map((one) => queue.submit(one));
    const closed = queue.close();
    expect(await queue.submit(factOf(new Service().chain('transaction'), START))).toEqual({
      kind: 'busy',
    });
    await closed;
    expect(open.deposits()).toHaveLength(5);
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => accepted));
  });

  test('resolves at once when nothing waits, also twice', async () => {
    const { queue } = queueOver(new OpenLedger().ledger);
    await queue.close();
    await expect(queue.close()).resolves.toBeUndefined();
  });
});

test('a store that cannot write now answers unavailable to all, says why, and recovers', async () => {
  const open = await openLedger();
  let full = true;
  const flaky: Ledger = {
    commit: (facts): Promise<CommitResult> =>
      full
        ? Promise.resolve({ kind: 'unavailable', cause: 'SQLITE_FULL: disk full' })
        : open.ledger.commit(facts),
  };
  const told: (string | null)[] = [];
  const queue = new CommitQueue({
    ledger: flaky,
    batchMax: 1,
    queueMax: 100,
    onFailure: (cause) => told.push(cause),
  });
  const facts = deposits(3);
  const refused = await Promise.all(facts.map((one) => queue.submit(one)));
  expect(refused.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable', 'unavailable']);
  expect(queue.lastFailure).toBe('SQLITE_FULL: disk full');
  full = false;
  expect(await Promise.all(facts.map((one) => queue.submit(one)))).toEqual(
    facts.map(() => accepted),
  );
  expect(queue.lastFailure).toBeNull();
  // Three commits each, one word: a log that tells of every retry tells of nothing else.
  expect(told).toEqual(['SQLITE_FULL: disk full', null]);
});

describe('a fact that trips a bug', () => {
  const POISON = '0x7';

  /** The real ledger behind a bug that one hash trips. */
  function buggy(open: OpenLedger): Ledger {
    return {
      commit: async (facts) => {
        const tripped = facts.some(
          (one) =>
            one.kind === 'delivery' &&
            one.defect === undefined &&
            Buffer.from(one.raw).includes(`"blockchainHash":"${POISON}"`),
        );
        if (tripped) throw new Error('entry 1 does not sum to zero');
        return open.ledger.commit(facts);
      },
    };
  }

  test('goes to quarantine alone; the facts around it take effect', async () => {
    const open = await openLedger();
    const { queue } = queueOver(buggy(open));
    const outcomes = await Promise.all(deposits(20).map((one) => queue.submit(one)));
    expect(outcomes.filter(({ kind }) => kind === 'delivery')).toHaveLength(20);
    expect(outcomes[7]).toEqual({ kind: 'delivery', status: 'quarantined' });
    expect(open.deposits()).toHaveLength(19);
    expect(open.openBreaks()).toEqual(['quarantined']);
    expect(open.rows('SELECT defect FROM quarantine')).toEqual([
      { defect: 'it could not be booked: entry 1 does not sum to zero' },
    ]);
  });

  test('does not block its vault’s queue: its repeat is a duplicate', async () => {
    const open = await openLedger();
    const { queue } = queueOver(buggy(open));
    const poison = deliveryOf(new Service().confirmed(1, { blockchainHash: POISON }), START);
    await queue.submit(poison);
    expect(await queue.submit(poison)).toEqual({ kind: 'delivery', status: 'duplicate' });
  });

  test('once mended, a retry of what was kept takes effect as if it arrived at that moment', async () => {
    const open = await openLedger();
    const { queue } = queueOver(buggy(open));
    await queue.submit(deliveryOf(new Service().confirmed(1, { blockchainHash: POISON }), START));
    const [kept] = open.rows<{ quarantine_id: string }>('SELECT quarantine_id FROM quarantine');
    const retry = {
      kind: 'retry',
      quarantineId: kept?.quarantine_id ?? '',
      reason: 'mended',
    } as const;
    expect(await open.decide(retry)).toMatchObject({ kind: 'taken', status: 'accepted' });
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
    expect(open.openBreaks()).toEqual([]);
    expect(await open.decide(retry)).toMatchObject({ kind: 'not_taken' });
  });

  test('and is a person’s decision fails for that person alone', async () => {
    const open = await openLedger();
    const ledger: Ledger = {
      commit: async (facts) => {
        if (facts.some(({ kind }) => kind === 'decision')) throw new Error('a bug');
        return open.ledger.commit(facts);
      },
    };
    const { queue } = queueOver(ledger);
    const decision: Fact = {
      kind: 'decision',
      at: START,
      actor: 'ann',
      decision: { kind: 'retry', quarantineId: 'qtn_1', reason: 'x' },
    };
    const [fact] = deposits(1);
    if (fact === undefined) throw new Error('no fact');
    const [failed, taken] = await Promise.allSettled([queue.submit(decision), queue.submit(fact)]);
    expect(failed).toMatchObject({ status: 'rejected', reason: new Error('a bug') });
    expect(taken).toMatchObject({ status: 'fulfilled', value: accepted });
  });
});

/** A delivery whose body is so long. */
function ofBytes(bytes: number, service: Service): Delivery {
  const body = service.chain('confirmation', { confirmations: 1, padding: '' });
  const padding = 'x'.repeat(bytes - JSON.stringify(body).length);
  return deliveryOf({ ...body, padding }, START);
}

/** A queue over a ledger that keeps the length of each body of each commit. */
function watchedQueue(commit: Ledger['commit']) {
  const commits: number[][] = [];
  const queue = new CommitQueue({
    ledger: {
      commit: (facts) => {
        commits.push(facts.map((fact) => ('raw' in fact ? fact.raw.length : 0)));
        return commit(facts);
      },
    },
    batchMax: 100,
    queueMax: 100,
  });
  return { queue, commits };
}

const LINES: [what: string, bytes: number[], commits: number[][]][] = [
  [
    'long bodies go one by one, and short ones pass them',
    [70_000, 80_000, 600, 90_000, 4_096],
    [[70_000, 600, 4_096], [80_000], [90_000]],
  ],
  [
    'long bodies go together up to 64 KiB',
    [32_768, 4_097, 28_671, 4_097, 600],
    [[32_768, 4_097, 28_671, 600], [4_097]],
  ],
  [
    'what is longer waits for what is before it',
    [60_000, 6_000, 5_000],
    [[60_000], [6_000, 5_000]],
  ],
];

test.for(LINES)('%s', async ([_, bytes, expected]) => {
  const open = await openLedger();
  const { queue, commits } = watchedQueue((facts) => open.ledger.commit(facts));
  const service = new Service();
  const outcomes = await Promise.all(bytes.map((each) => queue.submit(ofBytes(each, service))));
  expect(outcomes.every(({ kind }) => kind === 'delivery')).toBe(true);
  expect(commits).toEqual(expected);
  expect(queue.waiting).toBe(0);
});

test('long bodies that could not be kept make room for the next', async () => {
  const cause = 'SQLITE_FULL';
  const { queue, commits } = watchedQueue(() => Promise.resolve({ kind: 'unavailable', cause }));
  const service = new Service();
  const waiting = [70_000, 80_000].map((bytes) => queue.submit(ofBytes(bytes, service)));
  expect(queue.waiting).toBe(2);
  expect(await Promise.all(waiting)).toEqual([
    { kind: 'unavailable', cause },
    { kind: 'unavailable', cause },
  ]);
  expect(commits).toEqual([[70_000], [80_000]]);
  await queue.close();
});

test('closing waits for long bodies that wait in their own line', async () => {
  const open = await openLedger();
  const { queue, commits } = watchedQueue((facts) => open.ledger.commit(facts));
  const service = new Service();
  const waiting = [70_000, 80_000].map((bytes) => queue.submit(ofBytes(bytes, service)));
  await queue.close();
  expect(commits).toEqual([[70_000], [80_000]]);
  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(['delivery', 'delivery']);
});
