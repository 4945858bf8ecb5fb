import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { verifyCommand } from '../../../../src/commands/store/verify.ts';
import type { JournalAddress } from '../../../../src/store/postgres/address.ts';
import { startPostgres, type PostgresCluster } from '../../../postgres/cluster.ts';
import { isInstalled } from '../../../postgres/installed.ts';
import { chainOf, EMPTY, note } from '../commits.ts';
import { newJournal, owning, readAll, receiver } from '../receiver.ts';

describe.runIf(isInstalled)('an append that waits for the standby', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
  });
  afterEach(async () => {
    cluster.standby?.resume();
    await cluster.standbyFollows();
  });
  afterAll(() => cluster?.stop());

  /** Runs something while an append waits; returns what became of the append. */
  async function appendedDuring(
    address: JournalAddress,
    run: () => Promise<void>,
  ): Promise<unknown> {
    const owner = receiver(address, 'a', { standby: 'required' });
    const refused = { ...note('{'), kind: 'refused', detail: 'not JSON' } as const;
    const [first, second] = chainOf([[refused], [refused]]);
    const epoch = await owning(owner);
    await owner.append(epoch, first);
    cluster.standby?.pause();
    const appending = owner.append(epoch, second);
    const waits = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    await expect.poll(() => cluster.sql(waits)).toHaveLength(1);
    await run();
    cluster.standby?.resume();
    return appending;
  }

  test('goes on waiting while `counterfoil verify` audits the journal', async () => {
    const address = await newJournal(cluster);
    const printed: string[] = [];
    const terminal = {
      signals: process,
      result: (text: string): void => void printed.push(text),
      note: (): void => undefined,
      exitWith: (): void => undefined,
    };
    const url = cluster.url('postgres', `?schema=${address.schema}`);
    const appended = await appendedDuring(address, async () => {
      const verify = verifyCommand(terminal, { environment: {}, version: '0.1.0' });
      await verify.parseAsync(['--store', url], { from: 'user' });
    });
    expect(printed).toEqual([expect.stringMatching(/: 1 facts[^]*\nsound$/)]);
    expect(appended).toEqual({ kind: 'appended' });
  });

  test('goes on waiting while a receiver whose standby is optional ends its own wait', async () => {
    const address = await newJournal(cluster);
    const appended = await appendedDuring(address, async () => {
      expect(await readAll(receiver(address, 'b'), EMPTY)).toHaveLength(1);
    });
    expect(appended).toEqual({ kind: 'appended' });
  });
});
