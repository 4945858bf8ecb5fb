import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FromWriter } from '../../../src/daemon/writing/messages.ts';
import { SharedStore } from '../../../src/daemon/writing/shared-store.ts';
import type { JournalState } from '../../../src/store/replicated/journal-state.ts';
import {
  JournalUnavailable,
  type Appended,
  type Following,
  type JournalHead,
} from '../../../src/store/replicated/shared-journal.ts';
import { factOf, OpenLedger, START } from '../../store/open-ledger.ts';
import { MemoryJournal, MemoryReceiver } from '../../store/replicated/memory-journal.ts';
import { Service } from '../../store/webhook.ts';

/** A connection that says how far this machine's clock is ahead. */
class WatchedReceiver extends MemoryReceiver {
  clockAheadMs = 0;
  /** How many of the next readings of the state fail. */
  failingLooks = 0;

  readState(): Promise<JournalState> {
    this.failingLooks -= 1;
    if (this.failingLooks >= 0) return Promise.reject(new JournalUnavailable('not now'));
    return Promise.resolve({
      standby: 'waits',
      standbyLagBytes: 0,
      clockAheadMs: this.clockAheadMs,
      leaseLeftMs: null,
      namesakeUrl: null,
      receivers: [],
    });
  }
}

/** A journal that answers no append until its connection is closed. */
class SilentJournal extends WatchedReceiver {
  #hangUp: () => void = () => undefined;

  override append(): Promise<Appended> {
    return new Promise((resolve) => {
      this.#hangUp = () => resolve({ kind: 'unknown', cause: 'the connection was closed' });
    });
  }

  override async close(): Promise<void> {
    this.#hangUp();
  }
}

test('a store closes beside a commit that the journal does not answer, and keeps nothing of it', async () => {
  const open = new OpenLedger(undefined, { sharing: null });
  const said: FromWriter[] = [];
  const store = new SharedStore({
    replica: open.ledger,
    journal: new SilentJournal('a', new MemoryJournal()),
    leaseMs: 3_000,
    clock: () => performance.now(),
    say: (message) => said.push(message),
  });
  store.begin();
  await expect.poll(() => said).toContainEqual({ kind: 'role', role: { kind: 'owner', epoch: 1 } });
  const committed = store.commit([factOf(new Service().confirmed(1), START)]);
  await store.close();
  expect(await committed).toMatchObject({ kind: 'unavailable' });
  expect(open.ledger.head.lastSeq).toBe(0);
});

/** A journal that answers a look when the test lets it, and counts what is asked after its end. */
class SlowJournal extends WatchedReceiver {
  answerState: (() => void) | undefined;
  isClosed = false;
  askedAfterClose = 0;

  override async readState(): Promise<JournalState> {
    await new Promise<void>((resolve) => {
      this.answerState = resolve;
    });
    return super.readState();
  }

  override read(after: JournalHead): Promise<Following> {
    if (this.isClosed) this.askedAfterClose += 1;
    return super.read(after);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
  }
}

test('a store that closes during a look takes no step afterwards', async () => {
  const journal = new SlowJournal('a', new MemoryJournal());
  const looked: FromWriter[] = [];
  const store = new SharedStore({
    replica: new OpenLedger(undefined, { sharing: null }).ledger,
    journal,
    leaseMs: 3_000,
    clock: () => performance.now(),
    say: (message) => message.kind === 'journal' && looked.push(message),
  });
  store.begin();
  await expect.poll(() => journal.answerState).toBeDefined();
  const closed = store.close();
  journal.answerState?.();
  await closed;
  // The turn that looked has ended by now.
  await turn();
  expect([looked.length, journal.isClosed, journal.askedAfterClose]).toEqual([1, true, 0]);
});

/** A store over an empty replica, and the roles that it has said so far. `clock`: monotonic milliseconds. */
function storeOver(
  journal: WatchedReceiver,
  clock = (): number => performance.now(),
): { store: SharedStore; roles: unknown[] } {
  const roles: unknown[] = [];
  const store = new SharedStore({
    replica: new OpenLedger(undefined, { sharing: null }).ledger,
    journal,
    leaseMs: 3_000,
    clock,
    say: (message) => message.kind === 'role' && roles.push(message.role),
  });
  return { store, roles };
}

test('a receiver whose clock is wrong never owns the journal, and gives up what it owns', async () => {
  const journal = new WatchedReceiver('a', new MemoryJournal());
  let now = 0;
  const { store, roles } = storeOver(journal, () => now);
  const ahead = {
    kind: 'cut_off',
    owner: null,
    cause: "this receiver's clock is 3600 s ahead of the database's: set both clocks by NTP",
  };
  const later = async (clockAheadMs: number): Promise<void> => {
    journal.clockAheadMs = clockAheadMs;
    const before = roles.length;
    now += 6_000;
    await expect.poll(() => roles.length).toBe(before + 1);
  };
  journal.clockAheadMs = 3_600_000;
  store.begin();
  await expect.poll(() => roles).toEqual([ahead]);
  await later(30_000);
  await later(3_600_000);
  expect(roles).toEqual([ahead, { kind: 'owner', epoch: 1 }, ahead]);
  expect(await journal.owner()).toMatchObject({ isLeased: false });
  await store.close();
});

test('a receiver whose first look fails owns nothing before its clock was compared', async () => {
  const journal = new WatchedReceiver('a', new MemoryJournal());
  journal.clockAheadMs = 3_600_000;
  journal.failingLooks = 1;
  const { store, roles } = storeOver(journal);
  store.begin();
  await expect.poll(() => JSON.stringify(roles)).toContain('3600 s ahead');
  expect(roles).not.toContainEqual({ kind: 'owner', epoch: 1 });
  await store.close();
});

/** A journal whose answers to renewals the test gives. */
class SlowLease extends WatchedReceiver {
  answerRenewal: (() => void) | undefined;

  override async renew(epoch: number, head: JournalHead): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.answerRenewal = resolve;
    });
    return super.renew(epoch, head);
  }
}

test('an owner whose journal is silent gives up when its lease ends, and owns the journal again later', async () => {
  const journal = new SlowLease('a', new MemoryJournal());
  let now = 0;
  const { store, roles } = storeOver(journal, () => now);
  store.begin();
  await expect.poll(() => roles).toEqual([{ kind: 'owner', epoch: 1 }]);
  now = 1_000;
  await expect.poll(() => journal.answerRenewal).toBeDefined();
  now = 4_000;
  await expect
    .poll(() => roles.at(-1), { timeout: 10_000 })
    .toEqual({
      kind: 'cut_off',
      owner: null,
      cause:
        'the journal does not answer, and the lease of this owner has ended: start PostgreSQL, or repair the network to it',
    });
  journal.answerRenewal?.();
  await expect.poll(() => roles.at(-1)).toEqual({ kind: 'owner', epoch: 2 });
  await store.close();
});
