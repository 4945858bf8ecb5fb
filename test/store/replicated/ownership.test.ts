import { expect, test } from 'vitest';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { ReplicatedLedger } from '../../../src/store/replicated/replicated-ledger.ts';
import { JournalUnavailable, type Acquired } from '../../../src/store/replicated/shared-journal.ts';
import { factOf, OpenLedger, START } from '../open-ledger.ts';
import { Service } from '../webhook.ts';
import { MemoryJournal, MemoryReceiver, type Mistakes } from './memory-journal.ts';
import { Receiver } from './receivers.ts';

function two(mistakes: Mistakes = {}): { journal: MemoryJournal; a: Receiver; b: Receiver } {
  const journal = new MemoryJournal(mistakes);
  return { journal, a: new Receiver('a', journal), b: new Receiver('b', journal) };
}

function deposit(id: string): Fact {
  const service = new Service();
  return factOf(service.confirmed(1, { id, blockchainHash: `0x${id}` }), START);
}

const ACCEPTED = {
  kind: 'committed',
  outcomes: [{ kind: 'delivery', status: 'accepted' }],
};
const UNKEPT = { kind: 'unavailable', effect: 'none' };
const DUPLICATE = {
  kind: 'committed',
  outcomes: [{ kind: 'delivery', status: 'duplicate' }],
};

test('the first receiver to step owns the journal, and the second follows it', async () => {
  const { a, b } = two();
  await a.ledger.step();
  await b.ledger.step();
  expect(a.role).toEqual({ kind: 'owner', epoch: 1 });
  expect(b.role).toMatchObject({ kind: 'follower', owner: { name: 'a', epoch: 1 } });
  expect(await b.ledger.commit([deposit('n1')])).toMatchObject(UNKEPT);
});

test('a follower holds each commit of the owner after its next step', async () => {
  const { a, b } = two();
  await a.ledger.step();
  await b.ledger.step();
  expect(await a.ledger.commit([deposit('n1'), deposit('n2')])).toMatchObject({
    kind: 'committed',
  });
  await b.ledger.step();
  expect(b.open.ledger.head).toEqual(a.open.ledger.head);
  expect(b.open.journalLength()).toBe(2);
});

test('a follower takes over when the lease of a silent owner has ended, not before', async () => {
  const { journal, a, b } = two();
  await a.ledger.step();
  await b.ledger.step();
  journal.now += journal.leaseMs;
  await b.ledger.step();
  expect(b.role).toMatchObject({ kind: 'follower' });
  journal.now += 1;
  await b.ledger.step();
  expect(b.role).toEqual({ kind: 'owner', epoch: 2 });
});

test('an owner that slept beyond its lease commits nothing, and follows afterwards', async () => {
  const { journal, a, b } = two();
  await a.ledger.step();
  journal.now += journal.leaseMs + 1;
  await b.ledger.step();
  expect(await a.ledger.commit([deposit('n1')])).toMatchObject(UNKEPT);
  expect(a.open.journalLength()).toBe(0);
  expect(journal.commits).toEqual([]);
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'follower', owner: { name: 'b' } });
});

test.each(['lost_after', 'late', 'cancelled'] as const)(
  'a delivery whose commit met "%s" is not acknowledged, and its repeat is recognised',
  async (fault) => {
    const { journal, a } = two();
    await a.ledger.step();
    a.connection.nextFault = fault;
    expect(await a.ledger.commit([deposit('n1')])).toMatchObject({ effect: 'unknown' });
    expect(a.role).toMatchObject({ kind: 'cut_off' });
    journal.deliverLate();
    await a.ledger.step();
    expect(a.role).toMatchObject({ kind: 'owner', epoch: 2 });
    expect(await a.ledger.commit([deposit('n1')])).toMatchObject(DUPLICATE);
    expect(a.open.journalLength()).toBe(1);
  },
);

test('a statement that arrives after the ownership was taken anew changes nothing', async () => {
  const { journal, a } = two();
  await a.ledger.step();
  a.connection.nextFault = 'late';
  await a.ledger.commit([deposit('n1')]);
  await a.ledger.step();
  journal.deliverLate();
  expect(journal.commits).toEqual([]);
  expect(await a.ledger.commit([deposit('n1')])).toMatchObject(ACCEPTED);
});

test('an owner that resigns hands over at once, and takes the journal no more', async () => {
  const { journal, a, b } = two();
  await a.ledger.step();
  await a.ledger.resign();
  journal.now += 1;
  await b.ledger.step();
  expect(b.role).toEqual({ kind: 'owner', epoch: 2 });
  journal.now += journal.leaseMs + 1;
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'follower', owner: { name: 'b', isLeased: false } });
});

test('a receiver that stops after a commit of unknown outcome hands over at once', async () => {
  const { journal, a, b } = two();
  await a.ledger.step();
  a.connection.nextFault = 'lost_after';
  await a.ledger.commit([deposit('n1')]);
  await a.ledger.resign();
  journal.now += 1;
  await b.ledger.step();
  expect(b.role).toEqual({ kind: 'owner', epoch: 2 });
  expect(await b.ledger.commit([deposit('n1')])).toMatchObject(DUPLICATE);
});

/** A connection that loses the answer to an acquisition. */
class ForgetfulConnection extends MemoryReceiver {
  override async acquire(): Promise<Acquired> {
    await super.acquire();
    throw new JournalUnavailable('no standby has confirmed the write');
  }
}

test('a receiver that stops after an acquisition without an answer hands over at once', async () => {
  const { journal, b } = two();
  const ledger = new ReplicatedLedger({
    replica: new OpenLedger(undefined, { sharing: null }).ledger,
    journal: new ForgetfulConnection('a', journal),
    leaseMs: journal.leaseMs,
    clock: () => journal.now,
    onRole: () => undefined,
    onApplied: () => undefined,
  });
  await ledger.step();
  await b.ledger.step();
  expect(b.role).toMatchObject({ kind: 'follower', owner: { name: 'a', isLeased: true } });
  await ledger.resign();
  journal.now += 1;
  await b.ledger.step();
  expect(b.role).toEqual({ kind: 'owner', epoch: 2 });
});

test('an owner keeps its ownership while the journal is unreachable for less than a lease', async () => {
  const { journal, a } = two();
  await a.ledger.step();
  a.connection.isCut = true;
  journal.now += journal.leaseMs - 1;
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'owner' });
  journal.now += 1;
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'cut_off' });
});

test('an owner whose commit was answered late counts its lease from when it asked', async () => {
  const { journal, a } = two();
  await a.ledger.step();
  a.connection.answersAfterMs = journal.leaseMs;
  expect(await a.ledger.commit([deposit('n1')])).toMatchObject(ACCEPTED);
  a.connection.isCut = true;
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'cut_off' });
});

test('a replica that is ahead of the journal stops, and says why', async () => {
  const journal = new MemoryJournal({ isAsynchronous: true });
  const a = new Receiver('a', journal);
  await a.ledger.step();
  await a.ledger.commit([deposit('n1')]);
  journal.failOver();
  a.restart();
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'diverged' });
  await a.ledger.step();
  expect(await a.ledger.commit([deposit('n2')])).toMatchObject({ kind: 'unavailable' });
});

test('an owner whose commits a failover has lost acknowledges no repeat of them, and stops', async () => {
  const journal = new MemoryJournal({ isAsynchronous: true });
  const [busy, idle] = [new Receiver('a', journal), new Receiver('a', journal)];
  await busy.ledger.step();
  await busy.ledger.commit([deposit('n1')]);
  journal.failOver();
  expect(await busy.ledger.commit([deposit('n1')])).toMatchObject({ kind: 'unavailable' });
  await busy.ledger.step();
  expect(busy.role).toMatchObject({ kind: 'diverged' });

  await idle.ledger.step();
  await idle.ledger.commit([deposit('n2')]);
  journal.failOver();
  journal.now += journal.leaseMs / 3;
  await idle.ledger.step();
  await idle.ledger.step();
  expect(idle.role).toMatchObject({ kind: 'diverged' });
});

/** Only the primary holds a commit; the follower steps; then the primary dies. */
async function followerAfterFailOver(mistakes: Mistakes): Promise<string | undefined> {
  const { journal, a, b } = two(mistakes);
  await a.ledger.step();
  await b.ledger.step();
  a.connection.nextFault = 'cancelled';
  await a.ledger.commit([deposit('n1')]);
  await b.ledger.step();
  journal.failOver();
  await b.ledger.step();
  return b.role?.kind;
}

test('a follower applies only commits that survive a failover', async () => {
  expect(await followerAfterFailOver({})).toBe('follower');
  expect(await followerAfterFailOver({ readsUnproven: true })).toBe('diverged');
});

test('without a comparison of epochs, a woken owner would commit beside the new one', async () => {
  const { journal, a, b } = two({ ignoresEpoch: true });
  await a.ledger.step();
  journal.now += journal.leaseMs + 1;
  await b.ledger.step();
  expect(await a.ledger.commit([deposit('n1')])).toMatchObject(ACCEPTED);
  expect(await b.ledger.commit([deposit('n2')])).toMatchObject(ACCEPTED);
  expect(journal.commits.map(({ commitNumber }) => commitNumber)).toEqual([1, 1]);
});
