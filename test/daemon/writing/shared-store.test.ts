import { expect, test } from 'vitest';
import type { FromWriter } from '../../../src/daemon/writing/messages.ts';
import { SharedStore } from '../../../src/daemon/writing/shared-store.ts';
import type { JournalState } from '../../../src/store/replicated/journal-state.ts';
import type { Appended } from '../../../src/store/replicated/shared-journal.ts';
import { factOf, OpenLedger, START } from '../../store/open-ledger.ts';
import { MemoryJournal, MemoryReceiver } from '../../store/replicated/memory-journal.ts';
import { Service } from '../../store/webhook.ts';

/** A journal that answers no append until its connection is closed. */
class SilentJournal extends MemoryReceiver {
  #hangUp: () => void = () => undefined;

  override append(): Promise<Appended> {
    return new Promise((resolve) => {
      this.#hangUp = () => resolve({ kind: 'unknown', cause: 'the connection was closed' });
    });
  }

  look(): Promise<JournalState> {
    return Promise.resolve({
      standby: 'waits',
      standbyLagBytes: 0,
      clockAheadMs: 0,
      leaseLeftMs: null,
      namesakeUrl: null,
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
