import { expect, test } from 'vitest';
import { ReplicatedLedger } from '../../../src/store/replicated/replicated-ledger.ts';
import type { Role } from '../../../src/store/replicated/role.ts';
import type { Following, JournalHead } from '../../../src/store/replicated/shared-journal.ts';
import { OpenLedger } from '../open-ledger.ts';
import { commitAfter, EMPTY, type LooseFact } from '../postgres/commits.ts';
import { MemoryJournal, MemoryReceiver } from './memory-journal.ts';

/** A connection to a journal whose first commit a later version has written. */
class LaterJournal extends MemoryReceiver {
  readonly #fact: LooseFact;

  constructor(journal: MemoryJournal, later: LooseFact) {
    super('b', journal);
    this.#fact = later;
  }

  override async read(after: JournalHead): Promise<Following> {
    const commits = after.commitNumber === 0 ? [commitAfter(EMPTY, [this.#fact])] : [];
    return { kind: 'commits', commits };
  }
}

function fact(kind: 'decision' | 'custody-record', body: object | string): LooseFact {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind, recordedAt: 1_700_000_000_000, detail: null, body: Buffer.from(text) };
}

test.each<[string, LooseFact, string]>([
  [
    'a decision of a kind that it does not know',
    fact('decision', { kind: 'later', reason: 'a test' }),
    'commit 1 of the journal has another effect in this version (journal position 1)',
  ],
  [
    'a custody record of a kind that it does not know',
    fact('custody-record', { kind: 'later', vaultId: 'v1' }),
    'commit 1 of the journal has another effect in this version (journal position 1)',
  ],
  ['a body that it cannot read', fact('decision', 'later'), 'journal position 1 cannot be read ('],
  [
    'a decision of another form',
    fact('decision', { kind: 'judge' }),
    'commit 1 of the journal cannot be applied (',
  ],
])('a follower that meets %s stops, and says which version to run', async (_, later, says) => {
  const journal = new MemoryJournal();
  const replica = new OpenLedger(undefined, { sharing: null });
  const roles: Role[] = [];
  const ledger = new ReplicatedLedger({
    replica: replica.ledger,
    journal: new LaterJournal(journal, later),
    leaseMs: journal.leaseMs,
    clock: () => journal.now,
    onRole: (role) => roles.push(role),
    onApplied: () => undefined,
  });
  await ledger.step();
  const [role] = roles;
  const detail = role?.kind === 'diverged' ? role.detail : '';
  expect(detail).toContain(says);
  expect(detail).toContain(': run the version of the receiver that owns the journal, and keep the');
  expect([replica.journalLength(), replica.ledger.head.commitNumber]).toEqual([0, 0]);
});
