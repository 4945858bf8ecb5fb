import { renameSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { CommitNews } from '../../../src/store/commit-news.ts';
import { StoreFailed } from '../../../src/store/port.ts';
import type { Prepared, Replica } from '../../../src/store/replicated/replica.ts';
import { ReplicatedLedger } from '../../../src/store/replicated/replicated-ledger.ts';
import type { Role } from '../../../src/store/replicated/role.ts';
import type {
  Acquired,
  Following,
  JournalHead,
  SealedCommit,
} from '../../../src/store/replicated/shared-journal.ts';
import { factOf, OpenLedger, START, temporaryPath } from '../open-ledger.ts';
import { Service } from '../webhook.ts';
import { MemoryJournal, MemoryReceiver } from './memory-journal.ts';
import { Receiver } from './receivers.ts';

function deposit(id: string): Fact {
  const service = new Service();
  return factOf(service.confirmed(1, { id, blockchainHash: `0x${id}` }), START);
}

const COMMITTED = { kind: 'committed' };

/** A replica whose damaged pages some facts touch. */
class DamagedReplica implements Replica {
  readonly #replica: Replica;
  isDamaged = false;
  /** It takes facts, and cannot write them. */
  isFull = false;

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  get head(): JournalHead {
    return this.#replica.head;
  }

  prepare(facts: readonly Fact[]): Prepared {
    if (this.isDamaged) throw new StoreFailed(new Error('SQLITE_CORRUPT: malformed'));
    return this.#replica.prepare(facts);
  }

  keep(): CommitNews | undefined {
    if (!this.isFull) return this.#replica.keep();
    this.#replica.drop();
    throw new StoreFailed(new Error('SQLITE_FULL: disk full'));
  }

  drop(): void {
    this.#replica.drop();
  }

  follow(commits: readonly SealedCommit[]): void {
    this.#replica.follow(commits);
  }
}

/** A receiver over a replica, and the roles that it got. */
function receiverOver(journal: MemoryJournal, replica: Replica, connection: MemoryReceiver) {
  const roles: Role[] = [];
  const ledger = new ReplicatedLedger({
    replica,
    journal: connection,
    leaseMs: journal.leaseMs,
    clock: () => journal.now,
    onRole: (role) => roles.push(role),
    onApplied: () => undefined,
  });
  return { ledger, roles };
}

test('an owner whose replica is damaged gives up the ownership, and takes it when it can write the facts', async () => {
  const journal = new MemoryJournal();
  const replica = new DamagedReplica(new OpenLedger(undefined, { sharing: null }).ledger);
  const { ledger, roles } = receiverOver(journal, replica, journal.receiver('a'));
  const other = new Receiver('b', journal);
  await ledger.step();
  replica.isDamaged = true;
  const damaged = { kind: 'unavailable', effect: 'none', cause: 'SQLITE_CORRUPT: malformed' };
  expect(await ledger.commit([deposit('n1')])).toEqual(damaged);
  journal.now += 1;
  await ledger.step();
  const cutOff = { kind: 'cut_off', cause: 'SQLITE_CORRUPT: malformed' };
  expect(roles.at(-1)).toMatchObject({ ...cutOff, owner: { isLeased: false } });
  await other.ledger.step();
  expect(other.role).toEqual({ kind: 'owner', epoch: 2 });
  // It knows who takes the facts that still arrive here.
  await ledger.step();
  expect(roles.at(-1)).toMatchObject({ ...cutOff, owner: { name: 'b', isLeased: true } });
  expect(await other.ledger.commit([deposit('n1')])).toMatchObject(COMMITTED);

  replica.isDamaged = false;
  await ledger.step();
  expect(roles.at(-1)).toMatchObject({ kind: 'follower', owner: { name: 'b' } });
  journal.now += journal.leaseMs + 1;
  await ledger.step();
  expect(await ledger.commit([deposit('n2')])).toMatchObject(COMMITTED);
});

test('a commit that the replica cannot keep may have been kept: the journal has it', async () => {
  const journal = new MemoryJournal();
  const replica = new DamagedReplica(new OpenLedger(undefined, { sharing: null }).ledger);
  const { ledger } = receiverOver(journal, replica, journal.receiver('a'));
  await ledger.step();
  replica.isFull = true;
  const outcome = await ledger.commit([deposit('n1')]);
  expect(outcome).toMatchObject({ kind: 'unavailable', effect: 'unknown' });
  expect(journal.commits).toHaveLength(1);
});

test('an owner whose replica was moved appends nothing, and another one takes over', async () => {
  const journal = new MemoryJournal();
  const path = temporaryPath();
  const open = new OpenLedger(path, { sharing: null });
  const { ledger, roles } = receiverOver(journal, open.ledger, journal.receiver('a'));
  const other = new Receiver('b', journal);
  await ledger.step();
  renameSync(path, `${path}.moved`);
  for (let again = 0; again < 5; again += 1) {
    expect(await ledger.commit([deposit(`n${again}`)])).toMatchObject({ kind: 'unavailable' });
    journal.now += 1;
    await ledger.step();
  }
  expect(journal.commits).toEqual([]);
  expect(roles.map(({ kind }) => kind)).toEqual(['owner', 'cut_off', 'cut_off']);
  expect(JSON.stringify(roles.at(-1))).toContain('was moved');
  await other.ledger.step();
  expect(other.role).toEqual({ kind: 'owner', epoch: 2 });
});

test('a barred owner hands over, and takes the journal again when nothing bars it', async () => {
  const journal = new MemoryJournal();
  const [a, b] = [new Receiver('a', journal), new Receiver('b', journal)];
  await a.ledger.step();
  a.ledger.bar('its clock is an hour ahead');
  await a.ledger.step();
  expect(a.role).toEqual({ kind: 'cut_off', cause: 'its clock is an hour ahead', owner: null });
  journal.now += 1;
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'cut_off' });
  await b.ledger.step();
  expect(b.role).toEqual({ kind: 'owner', epoch: 2 });
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'cut_off', owner: { name: 'b', isLeased: true } });
  a.ledger.bar(null);
  await a.ledger.step();
  expect(a.role).toMatchObject({ kind: 'follower', owner: { name: 'b' } });
});

/** A journal that turns out to be another one right after the ownership was acquired. */
class ReplacedJournal extends MemoryReceiver {
  #isAcquired = false;

  override async acquire(): Promise<Acquired> {
    this.#isAcquired = true;
    return super.acquire();
  }

  override async read(after: JournalHead): Promise<Following> {
    return this.#isAcquired ? { kind: 'diverged', detail: 'another commit' } : super.read(after);
  }
}

test('a receiver that diverges right after it took the ownership gives it back at once', async () => {
  const journal = new MemoryJournal();
  const other = new Receiver('b', journal);
  const { ledger: replica } = new OpenLedger(undefined, { sharing: null });
  const { ledger, roles } = receiverOver(journal, replica, new ReplacedJournal('a', journal));
  await ledger.step();
  expect(roles).toEqual([{ kind: 'diverged', detail: 'another commit' }]);
  journal.now += 1;
  await other.ledger.step();
  expect(other.role).toEqual({ kind: 'owner', epoch: 2 });
});

/** A connection on which the owner commits during each read, and each read takes 300 ms. */
class BusyConnection extends MemoryReceiver {
  readonly #during: () => Promise<void>;
  reads = 0;

  constructor(journal: MemoryJournal, during: () => Promise<void>) {
    super('slow', journal);
    this.#during = during;
  }

  override async read(after: JournalHead): Promise<Following> {
    this.reads += 1;
    await this.#during();
    return super.read(after);
  }
}

/** A connection that brings one commit in 300 ms. */
class NarrowConnection extends BusyConnection {
  override async read(after: JournalHead): Promise<Following> {
    const following = await super.read(after);
    if (following.kind === 'diverged') return following;
    return { ...following, commits: following.commits.slice(0, 1) };
  }
}

/** An owner that commits one fact during each read of its follower while `busy.is`. */
async function ownerAndSlowFollower() {
  const journal = new MemoryJournal();
  const a = new Receiver('a', journal);
  await a.ledger.step();
  let number = 0;
  const commit = async (times: number): Promise<void> => {
    for (let commits = 0; commits < times; commits += 1) {
      number += 1;
      await a.ledger.commit([deposit(`n${number}`)]);
    }
  };
  const busy = { is: false };
  const connection = new NarrowConnection(journal, async () => {
    journal.now += 300;
    if (busy.is) await commit(1);
  });
  const { ledger: replica } = new OpenLedger(undefined, { sharing: null });
  return {
    journal,
    commit,
    busy,
    connection,
    replica,
    ...receiverOver(journal, replica, connection),
  };
}

test('a follower is level when it holds what the journal held before its step, and stays so until it is cut off', async () => {
  const { commit, busy, connection, replica, ledger, roles } = await ownerAndSlowFollower();
  await commit(6);
  await ledger.step();
  expect(roles.at(-1)).toMatchObject({ kind: 'follower', isLevel: false });
  busy.is = true;
  // The owner commits as fast as this receiver reads, so it never lacks nothing.
  for (const head of [8, 12]) {
    await ledger.step();
    expect(replica.head.commitNumber).toBe(head);
    expect(roles.at(-1)).toMatchObject({ kind: 'follower', isLevel: true });
  }
  connection.isCut = true;
  await ledger.step();
  await commit(6);
  connection.isCut = false;
  await ledger.step();
  expect(roles.slice(-2)).toMatchObject([
    { kind: 'cut_off' },
    { kind: 'follower', isLevel: false },
  ]);
});

test('a follower that stays two steps behind is level: what it shows is seconds old', async () => {
  const { journal, commit, busy, replica, ledger, roles } = await ownerAndSlowFollower();
  await ledger.step();
  await commit(6);
  busy.is = true;
  for (let steps = 0; steps < 12; steps += 1) await ledger.step();
  expect(journal.commits.length - replica.head.commitNumber).toBe(6);
  expect(journal.now).toBeGreaterThan(10_000);
  expect(roles.map((role) => role.kind === 'follower' && role.isLevel)).not.toContain(false);
});

test.each(['owner', 'follower'] as const)(
  'a replica whose %s slept is not level until it holds what the others have kept meanwhile',
  async (former) => {
    const journal = new MemoryJournal();
    const [a, b] = [new Receiver('a', journal), new Receiver('b', journal)];
    const connection = new NarrowConnection(journal, () => {
      journal.now += 300;
      return Promise.resolve();
    });
    const sleeping = new OpenLedger(undefined, { sharing: null });
    const { ledger, roles } = receiverOver(journal, sleeping.ledger, connection);
    if (former === 'follower') await a.ledger.step();
    await ledger.step();
    expect(roles.at(-1)).toMatchObject({ kind: former });
    journal.now += 3_600_000;
    await b.ledger.step();
    for (let commits = 0; commits < 6; commits += 1) {
      await b.ledger.commit([deposit(`n${commits}`)]);
    }
    await ledger.step();
    expect(roles.at(-1)).toMatchObject({ kind: 'follower', isLevel: false });
    await ledger.step();
    await ledger.step();
    expect(sleeping.ledger.head.commitNumber).toBe(6);
    expect(roles.at(-1)).toMatchObject({ kind: 'follower', isLevel: true });
  },
);

test('a follower that cannot keep up still sees who the owner is, and acquires only when it is level', async () => {
  const journal = new MemoryJournal();
  const [a, b] = [new Receiver('a', journal), new Receiver('b', journal)];
  await a.ledger.step();
  let owner: Receiver | null = a;
  let number = 0;
  const connection = new BusyConnection(journal, async () => {
    journal.now += 300;
    if (owner === null) return;
    number += 1;
    await owner.ledger.commit([deposit(`n${number}`)]);
  });
  const slow = new OpenLedger(undefined, { sharing: null });
  const { ledger, roles } = receiverOver(journal, slow.ledger, connection);

  expect(await ledger.step()).toBe(true);
  expect(connection.reads).toBe(4);
  expect(roles.at(-1)).toMatchObject({ kind: 'follower', owner: { name: 'a', isLeased: true } });
  await a.ledger.resign();
  journal.now += 1;
  await b.ledger.step();
  owner = b;
  expect(await ledger.step()).toBe(true);
  expect(roles.at(-1)).toMatchObject({ kind: 'follower', owner: { name: 'b', epoch: 2 } });
  owner = null;
  journal.now += journal.leaseMs + 1;
  expect(await ledger.step()).toBe(false);
  expect(roles.at(-1)).toEqual({ kind: 'owner', epoch: 3 });
  expect(slow.ledger.head).toEqual(b.open.ledger.head);
});
