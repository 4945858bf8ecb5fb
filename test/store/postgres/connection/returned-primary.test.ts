import { describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresJournal } from '../../../../src/store/postgres/postgres-journal.ts';
import {
  JournalUnavailable,
  type Following,
  type JournalHead,
} from '../../../../src/store/replicated/shared-journal.ts';
import { startPostgres } from '../../../postgres/cluster.ts';
import { isInstalled } from '../../../postgres/installed.ts';
import { commitAfter, EMPTY, headOf, note } from '../commits.ts';
import { newJournal, owning, receiver } from '../receiver.ts';

/** What a receiver learns, in the order of its questions, until the journal can be used. */
async function learned(journal: PostgresJournal, head: JournalHead): Promise<string[]> {
  const kinds: string[] = [];
  for (;;) {
    const following = await journal.read(head, 100).catch((error: unknown): Following | Error => {
      if (error instanceof JournalUnavailable) return error;
      throw error;
    });
    kinds.push('kind' in following ? following.kind : following.name);
    if ('kind' in following) return kinds;
  }
}

describe.runIf(isInstalled)('an old primary that returns as a primary', () => {
  test('and comes first in the address does not make sound replicas stop', async () => {
    const cluster = await startPostgres({ standby: true });
    onTestFinished(() => cluster.stop());
    const address = await newJournal(cluster);
    const owner = receiver(address, 'owner', { standby: 'required' });
    const before = commitAfter(EMPTY, [note('before')]);
    const after = commitAfter(headOf(before), [note('after')]);
    expect(await owner.append(await owning(owner), before)).toEqual({ kind: 'appended' });
    await cluster.primary.kill();
    await cluster.promoteStandby();
    await cluster.addStandby();
    expect(await owner.append(await owning(owner), after)).toEqual({ kind: 'appended' });
    // It knows of no failover, lacks the second commit, and takes writes.
    await cluster.primary.start();

    for (const standby of ['required', 'optional'] as const) {
      const returning = receiver(address, standby, { standby, answerMsMax: 2_000 });
      expect(await learned(returning, headOf(after))).toEqual(['JournalUnavailable', 'commits']);
    }
  });
});
