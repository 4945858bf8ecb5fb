import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { traceNames } from '../../house/trace.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { expectState, playTrace } from '../golden.ts';
import { openLedger } from '../open-ledger.ts';
import { newJournal, receiver } from './receiver.ts';

describe.runIf(isInstalled)('two receivers of a journal in PostgreSQL', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test.for(traceNames())(
    '%s: the books, the chain view, deposits and breaks are as expected in both replicas',
    async (name) => {
      const address = await newJournal(cluster);
      const sharing = { owner: receiver(address, 'a'), follower: receiver(address, 'b') };
      const open = (policy: CreditingPolicy) => openLedger(policy, { sharing });
      const { outcomes, expected, replicas, state } = await playTrace(name, open);
      expect(outcomes).toEqual(expected);
      expect(replicas).toHaveLength(2);
      for (const replica of replicas) expectState(replica, state);
    },
  );
});
