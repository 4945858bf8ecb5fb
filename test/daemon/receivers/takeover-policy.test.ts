import { expect, test } from 'vitest';
import { startText, takePolicy } from '../../../src/daemon/start/configured-policy.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { NetworkKey } from '../../../src/domain/ids.ts';
import { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { ApiUnderTest } from '../../api/api-under-test.ts';
import { openLedgerFile } from '../../store/open-ledger.ts';

function deep(confirmations: number): CreditingPolicy {
  return { default: { confirmations }, networks: {}, assets: {} };
}

/** A journal in which the configuration of one receiver was applied: depth 6. */
async function journal({ isShared }: { readonly isShared: boolean }) {
  const { reads, open } = new ApiUnderTest(await openLedgerFile(deep(6)));
  const queue = new CommitQueue({
    ledger: {
      commit: async (facts) => ({ kind: 'committed', outcomes: await open.commit(facts) }),
    },
    batchMax: 1,
    queueMax: 10,
  });
  const depth = async () => (await reads.policy())?.policy.default.confirmations;
  return {
    depth,
    /** A receiver with this depth in its configuration takes over, or starts. */
    takeOver: async (confirmations: number) => {
      const start = await takePolicy(deep(confirmations), { reads, queue }, { isShared });
      return { depth: await depth(), text: startText(start) };
    },
    setThroughApi: async (confirmations: number) => {
      const replaces = (await reads.policy())?.seq ?? 0;
      const policy = deep(confirmations);
      const reason = 'a person says so';
      await open.decide({ kind: 'policy', source: 'api', policy, replaces, reason }, 'ann');
    },
    halt: (network: string) =>
      open.decide(
        {
          kind: 'halt',
          scope: { kind: 'network', network: NetworkKey(network) },
          reason: 'a fork',
        },
        'ann',
      ),
    reason: async () => (await reads.policy())?.reason,
  };
}

test('receivers with different policies apply each once, and keep what a person set', async () => {
  const { takeOver, setThroughApi, depth } = await journal({ isShared: true });
  expect((await takeOver(12)).depth).toBe(12);
  await setThroughApi(30);
  for (const confirmations of [6, 12, 6]) {
    expect((await takeOver(confirmations)).depth).toBe(30);
  }
  const { text } = await takeOver(6);
  expect(text).toMatch(/ann set at .* \(a person says so\), not this receiver's: .*same crediting/);
  // A changed file still changes the policy.
  expect((await takeOver(3)).depth).toBe(3);
  expect(await depth()).toBe(3);
});

test('a former policy that a person has set again needs no warning', async () => {
  const { takeOver, setThroughApi } = await journal({ isShared: true });
  await takeOver(12);
  await setThroughApi(6);
  expect(await takeOver(6)).toEqual({ depth: 6, text: null });
});

test('a policy of the configuration gives its file as the reason, and names the halts that stay', async () => {
  const { takeOver, halt, reason } = await journal({ isShared: false });
  await takeOver(12);
  expect(await reason()).toBe(
    "this policy stands in the daemon's configuration file, under crediting",
  );
  await halt('ethereum');
  await takeOver(9);
  expect(await reason()).toBe(
    "this policy stands in the daemon's configuration file, under crediting; still halted, because a person set the halt: network ethereum",
  );
});

test('with SQLite a file that goes back to an earlier policy brings it back', async () => {
  const { takeOver } = await journal({ isShared: false });
  await takeOver(12);
  expect((await takeOver(6)).depth).toBe(6);
});
