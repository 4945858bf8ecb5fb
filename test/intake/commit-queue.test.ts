import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Fact } from '../../src/domain/fact/fact.ts';
import { CommitQueue } from '../../src/intake/commit-queue.ts';
import { submitAll } from '../../src/intake/fact-queue.ts';
import type { CommitResult, Ledger } from '../../src/store/port.ts';
import { factOf, OpenLedger, openLedger, START } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';

function queueOver(ledger: Ledger, bounds: { batchMax?: number; queueMax?: number } = {}) {
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
function deposits(count: number): Fact[] {
  const service = new Service();
  return Array.from({ length: count }, (_, at) =>
    factOf(service.confirmed(1, { blockchainHash: `0x${at}` }), START),
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

test('one producer’s many facts go by 64, and others get their turn between', async () => {
  const open = await openLedger();
  const { queue, commits } = queueOver(open.ledger, { queueMax: 65 });
  const facts = deposits(131);
  const [last, ...bulk] = facts.toReversed();
  if (last === undefined) throw new Error('no facts');
  const [many, one] = await Promise.all([submitAll(queue, bulk), queue.submit(last)]);
  expect([...many, one]).toEqual(facts.map(() => accepted));
  expect(commits).toEqual([65, 64, 2]);
});

test('what arrives during a commit shares the next, and counts against the bound with it', async () => {
  const open = await openLedger();
  const gates: (() => void)[] = [];
  const gated: Ledger = {
    commit: async (facts) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return open.ledger.commit(facts);
    },
  };
  const { queue, commits } = queueOver(gated, { queueMax: 7 });
  const facts = deposits(8);
  const first = facts.slice(0, 3).map((fact) => queue.submit(fact));
  await expect.poll(() => gates.length).toBe(1);
  const rest = facts.slice(3).map((fact) => queue.submit(fact));
  expect(await rest[4]).toEqual({ kind: 'busy' });
  expect(queue.queued).toBe(7);
  gates[0]?.();
  await expect.poll(() => gates.length).toBe(2);
  gates[1]?.();
  expect(await Promise.all([...first, ...rest.slice(0, 4)])).toEqual(
    facts.slice(1).map(() => accepted),
  );
  expect(commits).toEqual([3, 4]);
});

describe('closing', () => {
  test('refuses what is new, commits what waits, and resolves only then', async () => {
    const open = await openLedger();
    const { queue } = queueOver(open.ledger, { batchMax: 2 });
    const answers = deposits(5).map((one) => queue.submit(one));
    const closed = queue.close();
    expect(await queue.submit(factOf(new Service().chain('transaction'), START))).toEqual({
      kind: 'busy',
    });
    await closed;
    expect(open.deposits()).toHaveLength(5);
    expect(await Promise.all(answers)).toEqual(answers.map(() => accepted));
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
        ? Promise.resolve({ kind: 'unavailable', effect: 'none', cause: 'SQLITE_FULL: disk full' })
        : open.ledger.commit(facts),
  };
  const failures: (string | null)[] = [];
  const queue = new CommitQueue({
    ledger: flaky,
    batchMax: 1,
    queueMax: 100,
    onFailure: (cause) => failures.push(cause),
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
  // Three failed commits make one report: reports of every retry would fill the log.
  expect(failures).toEqual(['SQLITE_FULL: disk full', null]);
});

describe('after a failed commit', () => {
  /** A queue whose commits fail; `cause` is why the store cannot write. */
  function failing() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const failures: (string | null)[] = [];
    const store = { cause: 'disk full' as string | null, tries: 0 };
    const queue = new CommitQueue({
      ledger: {
        commit: () => Promise.resolve({ kind: 'unavailable', effect: 'none', cause: 'disk full' }),
      },
      batchMax: 1,
      queueMax: 100,
      tryWrite: () => {
        store.tries += 1;
        return store.cause;
      },
      onFailure: (cause) => failures.push(cause),
    });
    return { queue, failures, store };
  }

  test('the queue recovers without another fact, a second after the store can write again', async () => {
    const { queue, failures, store } = failing();
    await Promise.all(deposits(2).map((one) => queue.submit(one)));
    vi.advanceTimersByTime(3_000);
    expect([queue.lastFailure, failures, store.tries]).toEqual(['disk full', ['disk full'], 3]);
    store.cause = null;
    vi.advanceTimersByTime(60_000);
    expect([queue.lastFailure, failures, store.tries]).toEqual([null, ['disk full', null], 4]);
  });

  test('a closed queue does not try the store: it is closed next', async () => {
    const { queue, store } = failing();
    await Promise.all(deposits(1).map((one) => queue.submit(one)));
    const last = deposits(1).map((one) => queue.submit(one));
    await Promise.all([...last, queue.close()]);
    vi.advanceTimersByTime(60_000);
    expect(store.tries).toBe(0);
  });
});

test('a commit that failed by a bug may have been kept, although its halves find no writer', async () => {
  let commits = 0;
  const { queue } = queueOver({
    commit: (): Promise<CommitResult> => {
      commits += 1;
      if (commits === 1) return Promise.reject(new Error('the answer made no sense'));
      return Promise.resolve({ kind: 'unavailable', effect: 'none', cause: 'not the owner' });
    },
  });
  const outcomes = await Promise.all(deposits(2).map((one) => queue.submit(one)));
  const uncertain = { kind: 'unavailable', effect: 'unknown', cause: 'not the owner' };
  expect(outcomes).toEqual([uncertain, uncertain]);
});

describe('a fact that trips a bug', () => {
  const POISON = '0x7';

  /** The real ledger behind a bug that one hash trips. */
  function buggy(open: OpenLedger): Ledger {
    return {
      commit: async (facts) => {
        const tripped = facts.some(
          (one) => one.kind === 'notification' && one.notification.blockchainHash === POISON,
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
    const poison = factOf(new Service().confirmed(1, { blockchainHash: POISON }), START);
    await queue.submit(poison);
    expect(await queue.submit(poison)).toEqual({ kind: 'delivery', status: 'duplicate' });
  });

  test('a retry after the fix takes effect as if the notification had just arrived', async () => {
    const open = await openLedger();
    const { queue } = queueOver(buggy(open));
    await queue.submit(factOf(new Service().confirmed(1, { blockchainHash: POISON }), START));
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
