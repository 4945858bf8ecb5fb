import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { Answer, FromWriter } from '../../../src/daemon/writing/messages.ts';
import { WriterThread } from '../../../src/daemon/writing/writer-thread.ts';
import type { CommitResult } from '../../../src/store/port.ts';
import { factOf, openLedger, START } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

/** Different deposits; the one at index `n` has the hash `0x<n>`. */
function deposits(count: number): Fact[] {
  const service = new Service();
  return Array.from({ length: count }, (_, at) =>
    factOf(service.confirmed(1, { blockchainHash: `0x${at}` }), START),
  );
}

const DECISION: Fact = {
  kind: 'decision',
  at: START,
  actor: 'ann',
  decision: { kind: 'retry', quarantineId: 'qtn_1', reason: 'upgraded' },
};

function isAbout(fact: Fact, hash: string): boolean {
  return fact.kind === 'notification' && fact.notification.blockchainHash === hash;
}

const accepted = { kind: 'delivery', status: 'accepted' };
const FULL: CommitResult = { kind: 'unavailable', effect: 'none', cause: 'SQLITE_FULL: disk full' };

/** A writer over a real store, in which some facts cause a bug; its commits and its messages. */
async function writerOver(options: {
  batchMax?: number;
  isBug?: (fact: Fact) => boolean;
  isFull?: () => boolean;
  meanwhile?: (commits: number) => void;
}) {
  const { batchMax = 100, isBug = () => false, isFull = () => false } = options;
  const open = await openLedger();
  const done: (number | string)[] = [];
  const said: FromWriter[] = [];
  const answers = new Map<number, Answer>();
  const writer = new WriterThread({
    store: {
      commit: async (facts) => {
        done.push(facts.length);
        options.meanwhile?.(done.length);
        if (isFull()) return FULL;
        if (facts.some(isBug)) throw new Error('a bug');
        return open.ledger.commit(facts);
      },
      tidy: () => done.push('tidy'),
      close: () => void done.push('close'),
    },
    batchMax,
    clock: () => 0,
    say: (message) => {
      said.push(message);
      if (message.kind !== 'answers') return;
      for (const [index, answer] of message.answers.entries()) {
        answers.set(message.ids[index] ?? 0, answer);
      }
    },
  });
  let lastId = 0;
  const give = (facts: readonly Fact[]): void => {
    writer.take({ kind: 'facts', firstId: lastId + 1, facts });
    lastId += facts.length;
  };
  /** The answers of all facts that were given, in their order. */
  const answered = async (): Promise<(Answer | undefined)[]> => {
    await expect.poll(() => answers.size === lastId).toBe(true);
    return Array.from({ length: lastId }, (_, index) => answers.get(index + 1));
  };
  return { open, writer, done, said, give, answered };
}

test('facts that arrive together are one transaction, answered in one message', async () => {
  const { give, answered, done, said } = await writerOver({});
  const facts = deposits(6);
  give(facts.slice(0, 3));
  give(facts.slice(3));
  give(facts.slice(0, 1));
  const answers = await answered();
  expect(answers).toEqual([...facts.map(() => accepted), { ...accepted, status: 'duplicate' }]);
  expect(done).toEqual([7]);
  expect(said.map(({ kind }) => kind)).toEqual(['answers']);
});

test('facts that arrive during a transaction share the next, in full transactions', async () => {
  const facts = deposits(31);
  const { give, answered, done, writer } = await writerOver({
    batchMax: 10,
    meanwhile: (commits) => {
      if (commits === 1) for (const fact of facts.slice(1)) give([fact]);
      if (commits === 1) writer.take({ kind: 'tidy' });
    },
  });
  give(facts.slice(0, 1));
  expect(await answered()).toEqual(facts.map(() => accepted));
  expect(done).toEqual([1, 'tidy', 10, 10, 10]);
});

test('closing commits and answers what was given before it closes the store', async () => {
  const { writer, give, done, said } = await writerOver({ batchMax: 2 });
  give(deposits(3));
  writer.take({ kind: 'close' });
  await expect.poll(() => said.at(-1)?.kind).toBe('closed');
  expect(done).toEqual([2, 1, 'close']);
  expect(said.flatMap((one) => (one.kind === 'answers' ? one.answers : []))).toHaveLength(3);
});

test('every fact is answered while the store cannot write, and its state is said once at each change', async () => {
  let isFull = true;
  const { give, answered, said } = await writerOver({ batchMax: 2, isFull: () => isFull });
  const facts = deposits(4);
  give(facts);
  expect(await answered()).toEqual(facts.map(() => FULL));
  isFull = false;
  give(facts.slice(0, 1));
  expect((await answered()).at(-1)).toEqual(accepted);
  const states = said.flatMap((one) => (one.kind === 'store' ? [one.failure] : []));
  expect(states).toEqual(['SQLITE_FULL: disk full', null]);
});

describe('a fact that trips a bug', () => {
  test('goes to quarantine alone; every transaction that was tried is observed', async () => {
    const isBug = (fact: Fact): boolean => isAbout(fact, '0x2');
    const { give, answered, said, open } = await writerOver({ isBug });
    give(deposits(4));
    const quarantined = { kind: 'delivery', status: 'quarantined' };
    expect(await answered()).toEqual([accepted, accepted, quarantined, accepted]);
    const commits = said.flatMap((one) => (one.kind === 'answers' ? one.commits : []));
    expect(commits.map(({ facts, failed }) => [facts, failed])).toEqual([
      [4, true],
      [2, false],
      [2, true],
      [1, true],
      [1, false],
      [1, false],
    ]);
    expect(open.rows('SELECT defect FROM quarantine')).toEqual([
      { defect: 'it could not be booked: a bug' },
    ]);
  });

  test('and is no notification fails by itself, with what is known of the bug', async () => {
    const { give, answered } = await writerOver({ isBug: ({ kind }) => kind === 'decision' });
    give([...deposits(1), DECISION]);
    expect(await answered()).toMatchObject([
      accepted,
      { kind: 'failed', failure: { name: 'Error', message: 'a bug' } },
    ]);
  });
});
