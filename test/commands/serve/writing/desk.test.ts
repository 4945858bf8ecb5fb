import { describe, expect, test } from 'vitest';
import { decode } from '../../../../src/intake/decode.ts';
import { outcomesByBatch, packed } from '../../../../src/commands/serve/writing/batch.ts';
import { commitObserved } from '../../../../src/commands/serve/writing/commit-observed.ts';
import { Desk } from '../../../../src/commands/serve/writing/desk.ts';
import type { FromWriter } from '../../../../src/commands/serve/writing/messages.ts';
import { CommitQueue } from '../../../../src/intake/commit-queue.ts';
import type { CommitResult, Delivery, Ledger, Submission } from '../../../../src/store/port.ts';
import { deliveryOf, openLedger, START } from '../../../store/open-ledger.ts';
import { Service } from '../../../store/webhook.ts';

/** Different deposits; the one at place `n` has the hash `0x<n>`. */
function deposits(count: number): Delivery[] {
  const service = new Service();
  return Array.from({ length: count }, (_, at) =>
    deliveryOf(service.confirmed(1, { blockchainHash: `0x${at}` }), START),
  );
}

function mentions(fact: Submission, hash: string): boolean {
  return (
    fact.kind === 'delivery' &&
    fact.defect === undefined &&
    Buffer.from(fact.raw).includes(`"blockchainHash":"${hash}"`)
  );
}

/** The first and the last place of each of several batches that follow one another. */
function cut(facts: readonly Delivery[], ...sizes: number[]): Delivery[][] {
  let end = 0;
  return sizes.map((size) => {
    end += size;
    return facts.slice(end - size, end);
  });
}

const accepted = { kind: 'delivery', status: 'accepted' };
const FULL: CommitResult = { kind: 'unavailable', cause: 'SQLITE_FULL: disk full' };

/** A desk over a real store in which some hashes trip a bug; what it was given, did and said. */
async function deskOver(options: { batchMax?: number; poison?: string[]; full?: () => boolean }) {
  const { batchMax = 100, poison = [], full = () => false } = options;
  const open = await openLedger();
  const done: (number | string)[] = [];
  const said: FromWriter[] = [];
  const waiting = new Map<number, (answer: FromWriter) => void>();
  const desk = new Desk({
    store: {
      commit: async (facts) => {
        done.push(facts.length);
        if (full()) return FULL;
        const culprit = poison.find((hash) => facts.some((fact) => mentions(fact, hash)));
        if (culprit !== undefined) throw new Error(`${culprit} trips a bug`);
        return open.ledger.commit(facts);
      },
      tidy: () => done.push('tidy'),
      close: () => done.push('close'),
    },
    batchMax,
    clock: () => 0,
    say: (message) => {
      said.push(message);
      if ('parts' in message) for (const { id } of message.parts) waiting.get(id)?.(message);
    },
  });
  let lastId = 0;
  const give = (facts: readonly Submission[]): Promise<FromWriter> => {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      desk.take({ kind: 'commit', batch: packed(id, facts, decode) });
    });
  };
  return { open, desk, done, said, give };
}

/** The desk as a queue has it on the other side of the thread. */
function ledgerAt(give: (facts: readonly Submission[]) => Promise<FromWriter>): Ledger {
  let lastId = 0;
  return {
    commit: async (facts) => {
      lastId += 1;
      const id = lastId;
      const answer = await give(facts);
      if (answer.kind === 'failed') throw new Error(answer.failure.message);
      if (answer.kind !== 'committed') return FULL;
      const own = outcomesByBatch(answer).find((one) => one.id === id);
      return { kind: 'committed', outcomes: own?.outcomes ?? [] };
    },
  };
}

test('batches that arrive together are one transaction, answered at once, each with its own', async () => {
  const { give, done, said } = await deskOver({});
  const [first = [], second = [], third = []] = cut(deposits(6), 3, 1, 2);
  await Promise.all([first, second, [...third, ...first.slice(0, 1)]].map(give));
  expect(done).toEqual([7]);
  const [answer] = said;
  if (answer?.kind !== 'committed' || said.length > 1) throw new Error('not one answer');
  expect(outcomesByBatch(answer)).toEqual([
    { id: 1, outcomes: [accepted, accepted, accepted] },
    { id: 2, outcomes: [accepted] },
    { id: 3, outcomes: [accepted, accepted, { kind: 'delivery', status: 'duplicate' }] },
  ]);
});

test('a backlog is committed in full commits', async () => {
  const { give, done } = await deskOver({ batchMax: 10 });
  await Promise.all(cut(deposits(30), 5, 5, 5, 5, 5, 5).map(give));
  expect(done).toEqual([10, 10, 10]);
});

test('to tidy and to close keep their place among batches', async () => {
  const { desk, give, done, said } = await deskOver({});
  const [first = [], second = [], third = []] = cut(deposits(6), 1, 2, 3);
  const answers = [give(first), give(second)];
  desk.take({ kind: 'tidy' });
  answers.push(give(third));
  desk.take({ kind: 'close' });
  await Promise.all(answers);
  await expect.poll(() => done).toEqual([3, 'tidy', 3, 'close']);
  expect(said.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'closed']);
});

test('a store that cannot write now is told to all that were taken together', async () => {
  const { give, done } = await deskOver({ full: () => true });
  const answers = await Promise.all(cut(deposits(3), 1, 2).map(give));
  expect(answers.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
  expect(done).toEqual([3]);
});

describe('a fact that trips a bug', () => {
  test('fails its own batch; those taken with it are committed by themselves, in their order', async () => {
    const { give, done, open, said } = await deskOver({ poison: ['0x2'] });
    const answers = await Promise.all(cut(deposits(6), 2, 2, 2).map(give));
    expect(answers).toMatchObject([
      { kind: 'committed', parts: [{ id: 1, facts: 2 }] },
      { kind: 'failed', parts: [{ id: 2 }], failure: { message: '0x2 trips a bug' } },
      { kind: 'committed', parts: [{ id: 3, facts: 2 }] },
    ]);
    expect(done).toEqual([6, 2, 2, 2]);
    // Each transaction that was tried is observed, also the one that nobody was answered for.
    expect(said.map(commitObserved)).toEqual([
      { facts: 6, durationMs: 0, failed: true },
      { facts: 2, durationMs: 0, failed: false },
      { facts: 2, durationMs: 0, failed: true },
      { facts: 2, durationMs: 0, failed: false },
    ]);
    expect(open.deposits()).toHaveLength(4);
  });

  test('goes to quarantine alone, however what surrounds it was handed over and merged', async () => {
    const poison = ['0x7', '0x8', '0x31', '0x59'];
    const { give, open } = await deskOver({ batchMax: 10, poison });
    const queue = new CommitQueue({
      ledger: ledgerAt(give),
      batchMax: 10,
      queueMax: 1_000,
      underWayMax: 20,
    });
    const facts = deposits(60);
    const submitted = facts.slice(0, 30).map((fact) => queue.submit(fact));
    // While the first are isolated, others keep arriving: a single fact shares commits with them.
    for (const fact of facts.slice(30)) {
      await new Promise((resolve) => setImmediate(resolve));
      submitted.push(queue.submit(fact));
    }
    const outcomes = await Promise.all(submitted);
    expect(outcomes).toEqual(
      facts.map((fact) => ({
        kind: 'delivery',
        status: poison.some((hash) => mentions(fact, hash)) ? 'quarantined' : 'accepted',
      })),
    );
    expect(open.deposits()).toHaveLength(56);
    expect(open.rows('SELECT defect FROM quarantine ORDER BY defect')).toEqual([
      { defect: 'it could not be booked: 0x31 trips a bug' },
      { defect: 'it could not be booked: 0x59 trips a bug' },
      { defect: 'it could not be booked: 0x7 trips a bug' },
      { defect: 'it could not be booked: 0x8 trips a bug' },
    ]);
  });
});
